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
    return dominance._three(dominance._compile(dominance._divide), points, queries, weights)


def swept(points, queries, weights) -> np.ndarray:
    """Two objectives by the compiled sweep."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dominance, "_WORTH", -1)
        return dominance._two(points, queries, weights)


def table(points, queries, weights) -> np.ndarray:
    """A few queries at a time in tables of few cells."""
    parts = range(0, len(queries[0]), 9)
    return np.concatenate([dominance._table(points, [q[i : i + 9] for q in queries], weights) for i in parts])


METHODS = {1: [dominance._one], 2: [dominance._two, swept], 3: [compiled], 4: []}
# Numbers that are easily taken for each other: both zeros, the least floats, neighbours, integers beyond floats.
HOSTILE = [0.0, -0.0, 5e-324, -5e-324, 1.0, 1 + 2**-52, 2.0**53, 2.0**53 + 2, 1e308, -1e308, np.inf, -np.inf]
WIDE = [0, 1, 2**53, 2**53 + 1, 2**60, 2**60 + 1, -(2**61), 2**63 - 1, -(2**63)]


@given(st.integers(1, 4), st.integers(1, 70), st.integers(1, 70), st.integers(0, 2**32 - 1), st.booleans())
@settings(deadline=None, max_examples=40)
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

    for method in (count_above, dominance._few, table, dominance._weigh, *METHODS[objectives]):
        assert np.array_equal(expected, method(points, queries, weights))


@pytest.mark.parametrize("numbers", [HOSTILE, WIDE], ids=["floats", "integers"])
@pytest.mark.parametrize("objectives", [1, 2, 3, 4])
def test_hostile_numbers_are_counted_as_all_comparisons_do(numbers: list, objectives: int) -> None:
    """No method rounds, subtracts, or takes 2^53 + 1 for 2^53; kinds may differ between objectives."""
    pytest.importorskip("numba")
    draw = np.random.default_rng(objectives)
    points, queries = ([draw.choice(np.array(numbers), n) for _ in range(objectives)] for n in (60, 50))
    points[-1], queries[-1] = (draw.integers(-1, 2, n) for n in (60, 50))
    weights = draw.integers(1, 4, 60)
    expected = brute(points, queries, weights)

    for method in (count_above, dominance._few, table, dominance._weigh, *METHODS[objectives]):
        assert np.array_equal(expected, method(points, queries, weights))


@pytest.mark.parametrize("asked", [0, 1, 20, 120, 600])
@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_few_queries_among_many_points(objectives: int, asked: int) -> None:
    """Points below every query are sifted, tables are taken while they are small: the same counts."""
    draw = np.random.default_rng(asked)
    points = draw.normal(size=(objectives, 10_000)).round(2)
    queries = draw.normal(0.5, 0.2, (objectives, asked)).round(2)
    weights = draw.integers(1, 4, 10_000)

    assert np.array_equal(brute(points, queries, weights), count_above(points, queries, weights))


@pytest.mark.parametrize("objectives", [1, 2, 3, 4])
def test_large_inputs(objectives: int) -> None:
    """Enough points that they are not simply compared, against all comparisons."""
    points = np.random.default_rng(0).normal(size=(objectives, 2000))

    assert np.array_equal(brute(points, points, np.ones(2000, dtype=np.int64)), count_above(points, points))


def test_integers_are_not_sent_through_floats() -> None:
    """2^60 and 2^60 + 1 are the same float and not the same score."""
    points = [np.array([2**60, 2**60 + 1])] * 2

    for method in (dominance._few, dominance._two, dominance._weigh):
        assert [2, 1] == method(points, points, np.array([1, 1])).tolist()


def test_without_numba_three_objectives_are_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slower, and the same counts."""
    monkeypatch.setattr(dominance, "_compile", lambda loop: None)
    points = np.random.default_rng(1).integers(0, 50, (3, 1500))

    assert np.array_equal(brute(points, points, np.ones(1500, dtype=np.int64)), count_above(points, points))
    assert dominance.seconds(10**6, 3) > 60


def test_bits_are_counted_without_the_newest_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy 1 has no bitwise_count."""
    words = np.array([0, 1, 2**63 + 5, 2**64 - 1], dtype=np.uint64)
    monkeypatch.delattr(np, "bitwise_count", raising=False)

    assert [0, 1, 3, 64] == dominance.ones(words).tolist()
    assert [[0, 1], [3, 64]] == dominance.ones(words.reshape(2, 2)).tolist()
