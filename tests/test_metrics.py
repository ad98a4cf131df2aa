"""Measures of choices, on public data."""

import pytest

from dpselect import metrics


def test_coverage_counts_who_is_matched_or_beaten() -> None:
    """Weak dominance; a set covers itself."""
    points = [[1, 5], [5, 1], [3, 3]]

    assert 1.0 == metrics.coverage(points, points)
    assert 0.5 == metrics.coverage([[3, 3]], [[3, 3], [4, 0]])
    assert 0.0 == metrics.coverage([[0, 0]], points)


def test_recall_and_hypervolume() -> None:
    """Shares of the truth; unions of boxes."""
    assert 2 / 3 == metrics.recall([1, 2, 9], [1, 2, 3])
    pytest.importorskip("moocore")
    assert 4.0 == metrics.hypervolume([[2, 1], [1, 3], [1, 1]], [0, 0])
    assert 1.0 == metrics.hypervolume([[1, 1, 1]], [0, 0, 0])


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: metrics.coverage([], [[1, 2]]), "at least one"),
        (lambda: metrics.coverage([[1, 2]], [[1, 2, 3]]), "same objectives"),
        (lambda: metrics.recall([1], []), "at least one true"),
        (lambda: metrics.hypervolume([[1, 2]], [0]), "one number an objective"),
    ],
)
def test_bad_points_are_refused(act, message: str) -> None:
    """One sentence."""
    with pytest.raises(ValueError, match=message):
        act()
