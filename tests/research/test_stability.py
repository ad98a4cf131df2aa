"""Selection by stability, the baseline: its law, and what it loses by enumeration."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dpselect import audit
from research.comparisons import stability as comparison
from research.papers.baselines import stability

UNIVERSE = audit.multisets(range(3), 6)


def _counts(records: list[int]) -> list[int]:
    held = Counter(records)
    return [held[candidate] for candidate in range(3)]


def _loss(law, epsilon: float, delta: float):
    return audit.privacy_loss_of_pmf(
        lambda records: law(_counts(records), epsilon, delta), UNIVERSE, epsilon=epsilon, delta=delta
    )


def test_the_distance_is_the_fewest_records_to_another_answer() -> None:
    """By breadth-first search over all tables of up to twelve records, for those of up to six."""

    def steps(counts: tuple[int, ...]) -> int:
        best, seen, edge = int(np.argmax(counts)), {counts}, [counts]
        for far in range(1, 10):
            edge = [
                moved
                for each in edge
                for place in range(3)
                for change in (1, -1)
                if (moved := tuple(n + change * (i == place) for i, n in enumerate(each))) not in seen
                and min(moved) >= 0
                and not seen.add(moved)
            ]
            if any(int(np.argmax(each)) != best for each in edge):
                return far
        raise AssertionError

    for records in UNIVERSE:
        assert steps(tuple(_counts(records))) == stability.distance(_counts(records))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.01), (1.0, 1e-3), (2.0, 1e-6), (1.0, 0.3)])
def test_it_loses_epsilon_and_delta_and_no_more(epsilon: float, delta: float) -> None:
    """On all tables of up to six records of three values; a threshold one step lower breaks the promise."""
    assert _loss(stability.pmf, epsilon, delta).holds

    def sooner(counts, epsilon, delta):
        law = np.zeros(4)
        law[-1] = stability.refused(stability.distance(counts) + 1, epsilon, delta)
        law[int(np.argmax(counts))] = 1 - law[-1]
        return law

    assert not _loss(sooner, epsilon, delta).holds


def test_the_threshold_is_the_least_there_is() -> None:
    """At distance 1 a candidate is named with probability delta exactly."""
    assert 1 - stability.refused(1, 0.7, 1e-4) == pytest.approx(1e-4, rel=1e-9)
    assert stability.threshold(0.7, 1e-4) == pytest.approx(1 + math.log(5000) / 0.7)


def test_the_table_is_that_of_the_page() -> None:
    """Permute-and-flip on the counts errs less at every place, without a delta."""
    figures = comparison.table()
    page = (Path(__file__).parents[2] / "docs" / "measured" / "smooth-noise.md").read_text(encoding="utf-8")
    for row in ("stability", "large margin"):
        line = next(line for line in page.splitlines() if line.startswith(f"| {row} \\* |"))
        told = [float(cell) for cell in line.split("|")[2:-1]]
        assert told == [pytest.approx(figure, rel=0.05) for figure in figures[f"{row} *"]]
    assert all(
        mine < theirs
        for mine, theirs in zip(figures["permute-and-flip on the counts"], figures["stability *"], strict=True)
        if theirs > 1e-10
    )
