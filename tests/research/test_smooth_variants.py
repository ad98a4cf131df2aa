"""The tables of all smooth variants: what is stored comes out again, and what was found by other code is among it."""

import math
from itertools import islice
from pathlib import Path

import pytest

from research.comparisons import smooth_variants as study

STORED = (Path(study.__file__).parent / "results" / "smooth_variants.txt").read_text(encoding="utf-8")
PAGE = (Path(__file__).parents[2] / "docs" / "measured" / "smooth-noise.md").read_text(encoding="utf-8")
LABEL = 48


def stored(title: str, label: str) -> dict[str, tuple[str, str]]:
    """Return the column of that label in the table that begins so: the default and the best of each row."""
    lines = STORED[STORED.index(title) :].split("\n\n")[0].splitlines()
    head, rows = lines[1], lines[3:]
    end = head.index(label) + len(label)
    before = head[: head.index(label)].rstrip()
    width = end - len(before) if before else end - LABEL
    half = width // 2
    return {row[:LABEL].strip(): (row[end - width : end - half].strip(), row[end - half : end].strip()) for row in rows}


def computed(case: study.Case, better: str, lines: int) -> dict[str, tuple[str, str]]:
    """Return the same, computed, of so many rows."""
    return {
        label: (study.figure(usual), study.figure(best))
        for label, usual, best in islice(study.rows(case, better), lines)
    }


@pytest.mark.parametrize(
    ("title", "case", "better", "lines"),
    [
        ("Majorities", study.leaf(2, 20, 1), "the counts", 11),
        pytest.param("Slow bounds", study.slow(10, 1e-3, 2), "", 10, marks=pytest.mark.slow),
        pytest.param("Majorities", study.leaf(10, 20, 1), "the counts", 14, marks=pytest.mark.slow),
        pytest.param("Slow bounds", study.slow(100, 1e-4, 2), "", 13, marks=pytest.mark.slow),
    ],
)
def test_stored_tables_come_out_again(title: str, case: study.Case, better: str, lines: int) -> None:
    """Two columns at once without the mechanisms that are slow to calibrate, two more with them."""
    own = computed(case, better, lines)
    there = stored(title, case.label)

    assert len(own) == lines
    assert own == {label: there[label] for label in own}


# First found by other code, with an integrator of its own and calibrations in floats.
PRINTED = {
    ("Majorities", "10, 20, 1"): {
        "permute-and-flip on the score": 0.835,
        "local-dampening-flip, zero neutral": 1.2e-4,
        "smooth noisy max, Student t": 4.2e-5,
        "smooth noisy max, exponential, clipped": 0.059,
        "smooth noisy max, exponential *": 0.816,
        "smooth noisy max, Laplace *": 0.827,
        "smooth noisy max, Laplace-log-normal * (law)": 0.0054,
    },
    ("Slow bounds", "100, 0.0001, 2"): {
        "local-dampening-flip, zero neutral": 0.0034,
        "smooth noisy max, exponential, clipped": 0.0034,
        "smooth noisy max, exponential *": 0.0043,
        "smooth noisy max, Laplace *": 0.018,
        "smooth noisy max, Laplace-log-normal * (law)": 0.016,
    },
}


@pytest.mark.parametrize("where", PRINTED, ids=str)
def test_another_integrator_found_the_same(where: tuple[str, str]) -> None:
    """To the two digits that it printed."""
    column = stored(*where)
    for label, printed in PRINTED[where].items():
        usual, best = column[label]

        assert math.isclose(float(best or usual), printed, rel_tol=0.03), label


def shown() -> list[tuple[str, list[str]]]:
    """Return the rows of the page's tables of figures: label as it is stored, and figures."""
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.splitlines() if line[:2] == "| "]
    result = []
    for label, *cells in rows:
        if label.startswith(("SNM", "permute", "local-dampening", "smooth private")):
            own = label.replace("SNM", "smooth noisy max").replace("\\*", "*").replace("any zero", "zero worst")
            result.append((own, [figure for cell in cells for figure in cell.split(" / ")]))
    return result


def test_the_page_shows_what_is_stored() -> None:
    """Each figure of its tables is one of that mechanism."""
    rows = shown()
    stored_rows = STORED.splitlines()
    for label, figures in rows:
        there = {part for row in stored_rows if row[2:].startswith(label) for part in row[LABEL:].split()}
        assert not set(figures) - there, label
    assert len(rows) == 14 + 14 + 11 + 11
