"""The joint draw of several edges: its sums, its law, and that its coin is always a probability."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpselect.kernel.samplers import joint_quantiles
from dpselect.kernel.samplers.joint_quantiles import _coin, _Decays, _sums, joint_edges
from tests.verification.test_sampling import THRESHOLD, p_value

# Units of cells, targets, rate.
CASES = [
    ([0, 3, 0, 2, 1], [2, 2, 2], Fraction(1, 2)),
    ([4, 0, 0, 4], [2, 4, 2], Fraction(1, 3)),
    ([1, 2, 5], [9, 3, 0, 2], Fraction(1, 4)),
    # With even targets all lists would have one weight, at any rate.
    ([0, 0, 0, 3], [2, 1, 1], Fraction(2)),
]


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=40),
    st.integers(0, 30),
    st.sampled_from([0.0, 1e-9, 0.3, 4.0, 1e300]),
)
@settings(deadline=None, max_examples=60)
def test_sums_are_those_of_every_pair(cells, target, c) -> None:
    """Edges of equal rank, targets beyond all, and rates at which powers underflow."""
    ranks = np.concatenate(([0], np.cumsum(cells))).astype(np.float64)
    values = np.linspace(1, 2, ranks.size)
    with np.errstate(over="ignore", under="ignore"):
        here = _sums(values, ranks, float(target), c, _Decays.of_ranks(ranks, c))
        pairs = np.tril(values * np.exp(-c * np.abs(ranks[:, None] - ranks - target)))

    assert np.allclose(here, pairs.sum(axis=1), rtol=1e-12, atol=1e-300)


def drawn(case, draws: int, entropy) -> None:
    """Accept the law of whole lists, and reject those at 0.7 and 1.3 of the rate."""
    cells, targets, rate = case
    units = np.concatenate(([0], np.cumsum(cells)))
    lists = [*combinations_with_replacement(range(units.size), len(targets) - 1)]
    index = {each: i for i, each in enumerate(lists)}
    drawn = [index[tuple(joint_edges(units, targets, rate, entropy))] for _ in range(draws)]
    seen = np.bincount(drawn, minlength=len(lists))

    def p_at(part: float) -> float:
        weights = np.array(
            [
                np.prod(
                    np.exp(-part * float(rate) * np.abs(np.diff([0, *units[[*each]], units[-1]]) - targets)) + 2**-40
                )
                for each in lists
            ]
        )
        return p_value(seen, weights / weights.sum())

    assert p_at(1) > 1e-4
    assert max(p_at(0.7), p_at(1.3)) < THRESHOLD


def test_lists_follow_their_law(entropy) -> None:
    """Twenty-one lists of two edges."""
    drawn(CASES[0], 1600, entropy)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_lists_follow_their_law_at_length(case, entropy) -> None:
    """Three edges, equal ranks, and targets that do not fit the data."""
    drawn(case, 40_000, entropy)


HOSTILE = [
    (np.zeros(4097, dtype=np.int64), [0] * 26),
    (np.zeros(4097, dtype=np.int64), [2**49] * 26),
    (np.arange(4097) * 2**38, [0] * 26),
    (np.arange(4097) * 2**38, [2**45] * 26),
    (np.repeat([0, 2**50], [4000, 97]), [2**45] * 26),
    (np.repeat([0, 2**50], [97, 4000]), [2**50] + [0] * 25),
    (np.repeat(np.arange(27) * 1000, 152), [2**49] * 13 + [1000] * 13),
    (np.arange(4097), [157, 158] * 13),
]


@pytest.mark.parametrize("rate", [Fraction(1, 10**320), Fraction(1, 10**6), Fraction(1, 3), Fraction(10**330)])
@pytest.mark.parametrize(("units", "targets"), HOSTILE)
def test_no_coin_is_above_one_and_trials_are_few(units, targets, rate, entropy, monkeypatch) -> None:
    """Twenty-five quantiles whose weights span all of floating point, either way."""
    tried = []

    def coin(*arguments):
        tried.append(1)
        return _coin(*arguments)

    monkeypatch.setattr(joint_quantiles, "_coin", coin)
    edges = joint_edges(units, targets, rate, entropy)

    assert edges == sorted(edges)
    assert len(tried) < 6


def test_a_coin_above_one_is_a_defect(entropy) -> None:
    """It is never tossed."""
    with pytest.raises(AssertionError, match="this is a defect"):
        _coin(iter([0, 0]), Fraction(1), Fraction(1, 2), entropy)
