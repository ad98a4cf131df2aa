"""Measures of choices, on public data."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.analysis import metrics


def test_coverage_counts_who_is_matched_or_beaten() -> None:
    """Weak dominance; a set covers itself."""
    points = [[1, 5], [5, 1], [3, 3]]

    assert 1.0 == metrics.coverage(points, points)
    assert 0.5 == metrics.coverage([[3, 3]], [[3, 3], [4, 0]])
    assert 0.0 == metrics.coverage([[0, 0]], points)
    assert 0.0 == metrics.coverage([[3, 3]], [[3, 3]], strict=True)
    assert 0.5 == metrics.coverage([[3, 3]], [[3, 2], [2, 4]], strict=True)


def test_recall_and_hypervolume() -> None:
    """Shares of the truth; unions of boxes."""
    assert 2 / 3 == metrics.recall([1, 2, 9], [1, 2, 3])
    pytest.importorskip("moocore")
    assert 4.0 == metrics.hypervolume([[2, 1], [1, 3], [1, 1]], [0, 0])
    assert 1.0 == metrics.hypervolume([[1, 1, 1]], [0, 0, 0])


def test_recall_reads_a_release_and_any_list() -> None:
    """The winners of a release; arrays and generators; a candidate listed twice counts once."""
    scores = dps.Scores([1000, 900, 0], 1, candidates=["ann", "bob", "eve"])
    release = dps.top_k(scores, 2, epsilon=1000, mechanism=dps.mechanism("exponential"))

    assert 2 / 3 == metrics.recall(release, ["ann", "bob", "joe"])
    assert 1.0 == metrics.recall(["ann", "bob"], release)
    assert 0.5 == metrics.recall((each for each in ["ann", "ann"]), np.array(["ann", "eve"]))


def test_points_are_any_real_numbers() -> None:
    """Whole numbers, fractions, arrays."""
    assert 1.0 == metrics.coverage([[Fraction(1, 2), 3]], np.array([[0, 3]], dtype=np.int8))


NAN, POINT, SCORES = float("nan"), [[0, 0]], dps.Scores([1, 2], 1)


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: metrics.coverage([], [[1, 2]]), ValueError, "better has no points: pass at least one"),
        (lambda: metrics.coverage([[1, 2]], [[1, 2, 3]]), ValueError, "same objectives"),
        (lambda: metrics.coverage([1, 2], POINT), ValueError, r"better has shape \(2,\): pass shape"),
        (lambda: metrics.coverage(POINT, [[NAN, 1]]), ValueError, "worse must be finite"),
        (lambda: metrics.coverage([[1, None]], POINT), ValueError, "better must be finite"),
        (lambda: metrics.coverage([[1, np.inf]], POINT), ValueError, "better must be finite"),
        (lambda: metrics.coverage([[1, 10**400]], POINT), ValueError, "better must be finite"),
        (lambda: metrics.coverage([[1, 2], [3]], POINT), ValueError, "rows of different lengths"),
        (lambda: metrics.coverage([["1", "2"]], POINT), TypeError, "better must be numbers"),
        (lambda: metrics.coverage(np.array([["1", 2]], dtype=object), POINT), TypeError, "better must be numbers"),
        (lambda: metrics.coverage(np.ma.array([[1, 2]], mask=True), POINT), TypeError, "must not be masked"),
        (lambda: metrics.coverage(SCORES, POINT), TypeError, "better must be numbers"),
        (lambda: metrics.recall([1], []), ValueError, "at least one true"),
        (lambda: metrics.recall(None, [1]), TypeError, "found must be a list of plain candidates"),
        (lambda: metrics.recall([1], SCORES), TypeError, "true must be a list of plain candidates"),
        (lambda: metrics.recall([[1, 2]], [1]), TypeError, "found must be a list of plain candidates"),
        (lambda: metrics.recall("ann", ["ann"]), TypeError, "found must be a list of plain candidates"),
        (lambda: metrics.hypervolume([[1, 2]], [0]), ValueError, "one number per objective: pass 2"),
        (lambda: metrics.hypervolume([[1, 2]], 0), ValueError, "one number per objective: pass 2"),
        (lambda: metrics.hypervolume([[NAN, 1]], [0, 0]), ValueError, "points must be finite"),
        (lambda: metrics.hypervolume([[1, 1]], [NAN, 0]), ValueError, "reference must be finite"),
        (lambda: metrics.hypervolume([[1, 1]], "ab"), TypeError, "reference must be numbers"),
    ],
)
def test_bad_points_are_refused(act, error, message: str) -> None:
    """One sentence."""
    with pytest.raises(error, match=message):
        act()


def test_the_front_holds_who_is_beaten_by_nobody() -> None:
    """By the definition, on random points with ties; equal candidates stay together, whatever their Pareto scores."""
    rng = np.random.default_rng(4)
    for objectives in (1, 2, 3):
        points = rng.integers(0, 4, (40, objectives))
        parts = [dps.Scores(column, 1) for column in points.T]
        beaten = [any((q >= p).all() and (q > p).any() for q in points) for p in points]
        assert [r for r in range(40) if not beaten[r]] == metrics.front(parts)
    clique = [dps.Scores([5] * 4, 1, candidates=list("abcd"))] * 2
    assert (list("abcd"), -3) == (metrics.front(clique), dps.multiobjective.pareto(clique).values.max())
