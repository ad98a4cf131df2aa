"""Counting dominators."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpselect.scores import dominance
from dpselect.scores.dominance import count_above


def brute(points, queries, weights) -> np.ndarray:
    """All comparisons."""
    above = np.logical_and.reduce([p[None, :] >= q[:, None] for p, q in zip(points, queries, strict=True)])
    return above @ weights


def compiled(points, queries, weights) -> np.ndarray:
    """Three objectives by the compiled loop."""
    return dominance._three(dominance._compiled(), points, queries, weights)


METHODS = {1: [dominance._one], 2: [dominance._two], 3: [compiled], 4: []}


@given(st.integers(1, 4), st.integers(1, 70), st.integers(1, 70), st.integers(0, 2**32 - 1), st.booleans())
@settings(deadline=None)
def test_every_method_counts_as_all_comparisons_do(
    objectives: int, size: int, asked: int, seed: int, whole: bool
) -> None:
    """Points and queries apart, weighted, with many ties, one to four objectives, integers and floats."""
    pytest.importorskip("numba")
    draw = np.random.default_rng(seed)
    points, queries = (list(draw.integers(-3, 7, (objectives, n))) for n in (size, asked))
    if not whole:
        points, queries = [p / 3 for p in points], [q / 3 for q in queries]
    weights = draw.integers(1, 4, size)
    expected = brute(points, queries, weights)

    for method in (count_above, dominance._few, dominance._packed, *METHODS[objectives]):
        assert np.array_equal(expected, method(points, queries, weights))


@pytest.mark.parametrize("objectives", [1, 2, 3, 4])
def test_large_inputs(objectives: int) -> None:
    """Enough points that they are not simply compared, against all comparisons."""
    points = np.random.default_rng(0).normal(size=(objectives, 2000))

    assert np.array_equal(brute(points, points, np.ones(2000, dtype=np.int64)), count_above(points, points))


def test_integers_are_not_sent_through_floats() -> None:
    """2^60 and 2^60 + 1 are the same float and not the same score."""
    points = [np.array([2**60, 2**60 + 1])] * 2

    for method in (dominance._few, dominance._two, dominance._packed):
        assert [2, 1] == method(points, points, np.array([1, 1])).tolist()


def test_without_numba_three_objectives_are_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slower, and the same counts."""
    monkeypatch.setattr(dominance, "_compiled", lambda: None)
    points = np.random.default_rng(1).integers(0, 50, (3, 1500))

    assert np.array_equal(brute(points, points, np.ones(1500, dtype=np.int64)), count_above(points, points))
    assert dominance.seconds(10**6, 3) > 60


def test_bits_are_counted_without_the_newest_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy 1 has no bitwise_count."""
    words = np.array([0, 1, 2**63 + 5, 2**64 - 1], dtype=np.uint64)
    monkeypatch.delattr(np, "bitwise_count", raising=False)

    assert [0, 1, 3, 64] == dominance.ones(words).tolist()
    assert [[0, 1], [3, 64]] == dominance.ones(words.reshape(2, 2)).tolist()
