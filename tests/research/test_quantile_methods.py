"""The page on many quantiles shows what its commands printed, and the rule says there what it says here."""

import re
from pathlib import Path

import numpy as np
import pytest

from research.comparisons import quantile_methods as study

RESULTS = Path(study.__file__).parent / "results"
STORED = (RESULTS / "quantile_methods.txt").read_text(encoding="utf-8")
SPEED = (RESULTS / "quantile_methods_speed.txt").read_text(encoding="utf-8")
PAGE = (Path(__file__).parents[2] / "docs" / "measured" / "quantiles.md").read_text(encoding="utf-8")
ROW = re.compile(r"^(.{29}) *(\d+) +([\d.]+) +(\d+) +([\d.]+) \+- [\d.]+ +([\d.]+) \+- [\d.]+ +(\w+)$", re.MULTILINE)


def test_every_figure_of_the_page_is_stored() -> None:
    """Errors by dataset, records, epsilon and number of quantiles."""
    stored = {
        (name.strip(), int(n), float(epsilon), int(m)): f"{halving} / {tree}"
        for name, n, epsilon, m, halving, tree, _ in ROW.findall(STORED)
    }
    shown, columns, n = {}, [], 0
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        head = re.match(r"\| n = ([\d,]+), halving / tree", line)
        if head:
            n = int(head[1].replace(",", ""))
            columns = [re.fullmatch(r"m = (\d+), epsilon ([\d.]+) ?\|?", cell).groups() for cell in cells[1:]]
        elif columns and len(cells) == 9 and " / " in cells[1]:
            for (m, epsilon), cell in zip(columns, cells[1:], strict=True):
                shown[cells[0], n, float(epsilon), int(m)] = cell.rstrip(" |")

    assert stored == shown
    assert 208 == len(stored)


def test_times_and_totals_of_the_page_are_stored() -> None:
    """As printed."""
    for figure in (*re.findall(r"(\d\.\d{3}) s", PAGE), "169 of 208", "1.66 in the worst", "30.0 at most"):
        assert figure in STORED + SPEED


def test_the_rule_that_was_measured_is_todays() -> None:
    """For every dataset whose grid the name tells, with the public number of records."""
    sizes = {"income": 4096, "age": 100, "weight, 65536 values": 65_536, "spikes": 16_384}
    checked = 0
    for name, n, epsilon, m, _, _, rule in ROW.findall(STORED):
        if name.strip() in sizes:
            size = sizes[name.strip()]
            assert rule == study.rule_of_two(int(m), size, float(epsilon), int(n))
            checked += 1
    assert 64 == checked


def test_the_study_measures_what_it_says() -> None:
    """An error is the distance in records; both methods are exact at a large budget."""
    counts = np.array([5, 0, 5])
    shares = np.array([0.25, 0.5, 0.75])

    assert 0 == study.error(counts, shares, np.array([0, 0, 2]))
    assert study.error(counts, shares, np.array([2, 2, 2])) == pytest.approx((2.5 + 0 + 0) / 3)
    assert [(0, 0), (0, 0)] == study.errors(np.array([0.5, 0, 0.5]), 100, 3, 1000, 2)
