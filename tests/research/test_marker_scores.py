"""The SHD score of a marker: its sensitivity over all tables, and the figures that are told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from research.comparisons import marker_scores
from research.papers.baselines import shd

FAMILIES = 7
# What one family contributes.
KINDS = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
MOVES = {(a - c, b - d) for a, b in KINDS for c, d in KINDS}


@pytest.mark.parametrize("threshold", [0.1, 1.0, 3.84, 6.6, 10.0, 14.0])
def test_one_family_moves_a_score_by_at_most_one(threshold: float) -> None:
    """Over all tables of seven families and all replacements; twice the score would be told."""
    scores = shd.tables(FAMILIES, threshold)
    moved = 0
    for b, c in np.ndindex(scores.shape):
        for db, dc in MOVES:
            there = (b + db, c + dc)
            if min(there) >= 0 and sum(there) <= 2 * FAMILIES and b + c <= 2 * FAMILIES:
                moved = max(moved, abs(int(scores[b, c] - scores[there])))
    assert moved == 1


def test_a_score_is_at_least_zero_where_the_statistic_is_above_the_threshold() -> None:
    """And at most -1 where it is below."""
    scores = shd.tables(FAMILIES, 3.84)
    for b, c in np.ndindex(scores.shape):
        if b + c <= 2 * FAMILIES:
            above = b + c > 0 and (b - c) ** 2 / (b + c) >= 3.84
            assert (scores[b, c] >= 0) == above


def test_a_peeled_list_is_drawn_without_replacement() -> None:
    """Without differences every list is as likely: three of six, half of the best."""
    assert marker_scores._peeled(np.zeros(6), 1.0, {0, 1, 2}) == pytest.approx(0.5)


def test_the_stored_figures_are_those_of_the_program() -> None:
    """The same public studies, so the same figures."""
    page = (Path(marker_scores.__file__).parent / "results" / "marker_scores.txt").read_text(encoding="utf-8")
    told = {line[:46].strip(): [float(each) for each in line[46:].split()] for line in page.splitlines()[1:]}

    figures = marker_scores.table()
    assert told.keys() == figures.keys()
    assert all(told[name] == pytest.approx(figures[name], abs=0.0006) for name in told)
