"""Counting dominators."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpselect.core import dominance
from dpselect.core.dominance import count_above


def brute(points: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """All comparisons."""
    return (points[:, None, :] >= queries[:, :, None]).all(axis=0).sum(axis=1)


@given(st.integers(1, 4), st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_counts_are_those_of_all_comparisons(objectives: int, size: int, seed: int) -> None:
    """Points and queries apart, with many ties, one to four objectives."""
    rng = np.random.default_rng(seed)
    points, queries = (rng.integers(0, 7, (objectives, size)).astype(float) for _ in range(2))

    assert np.array_equal(brute(points, queries), count_above(points, queries))


@pytest.mark.parametrize("size", [1, 2, 7, 300])
def test_the_compiled_counter_agrees(size: int) -> None:
    """Three objectives, which small inputs do not send there."""
    pytest.importorskip("numba")
    rng = np.random.default_rng(size)
    points, queries = (rng.integers(0, 9, (3, size)).astype(float) for _ in range(2))

    assert np.array_equal(brute(points, queries), dominance._three()(points, queries))


def test_large_inputs_of_two_and_three_objectives() -> None:
    """Against blocks of comparisons."""
    points = np.random.default_rng(0).normal(size=(3, 3000))
    for objectives in (2, 3):
        part = points[:objectives]
        assert np.array_equal(dominance._blocks(part, part), count_above(part, part))
