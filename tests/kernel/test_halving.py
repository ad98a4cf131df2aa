"""Ranks of edges between sub-cells, and the draw of one edge."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpselect.kernel.ranks import CUTS, Ranks
from dpselect.kernel.samplers.group_draws import under
from dpselect.kernel.samplers.halving import _LN2, _shells, edge
from tests.verification.test_sampling import THRESHOLD, p_value

# Counts, the least and the largest edge, where the target is between them, the rate, and how wide the target is.
CASES = [
    ([0, 3, 0, 2, 1], 0, 20, Fraction(3, 10), Fraction(1, 4), 0),
    ([2, 0, 7, 0, 5, 1], 3, 22, Fraction(1, 4), Fraction(1, 6), 6),
    ([1, 1, 4, 0, 2], 2, 19, Fraction(9, 10), Fraction(1, 5), 0),
    ([5, 0, 1], 0, 12, Fraction(-1, 7), Fraction(1, 9), 0),
]


def ranks_of(counts, cuts: int = 4) -> tuple[Ranks, np.ndarray]:
    """Ranks, and the same written out edge by edge."""
    counts = np.array(counts)
    places = np.flatnonzero(counts)
    every = np.concatenate(([0], np.cumsum(np.repeat(counts, cuts))))
    return Ranks(places, counts[places], counts.size, cuts), every


@given(st.lists(st.integers(0, 4), min_size=1, max_size=9), st.sampled_from([1, 2, 4, 8]))
@settings(deadline=None, max_examples=60)
def test_ranks_and_their_inverse_are_those_of_every_sub_cell(counts, cuts) -> None:
    """Of each edge, and the first edge of each rank, those beyond included."""
    ranks, every = ranks_of(counts, cuts)

    assert every.tolist() == [ranks.at(each) for each in range(ranks.edges + 1)]
    for rank in (*range(-1, int(every[-1]) + 2), 10**40):
        beyond = np.flatnonzero(every >= rank)
        assert ranks.first(rank) == (beyond[0] if beyond.size else ranks.edges + 1)


def test_ranks_may_be_beyond_64_bits() -> None:
    """2^60 records on a grid of 2^62 values; and nothing of them is shown."""
    ranks = Ranks(np.array([2**61]), np.array([2**60]), 2**62)

    assert (0, 2**60 * CUTS) == (ranks.at(2**61 * CUTS), ranks.at(ranks.edges))
    assert 2**61 * CUTS + CUTS // 2 == ranks.first(2**59 * CUTS)
    assert "Ranks(private)" == repr(ranks)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=9), st.data())
@settings(deadline=None, max_examples=60)
def test_every_edge_is_in_one_shell_whose_coin_is_a_probability(counts, data) -> None:
    """Shells are disjoint and hold all edges, and 2^power exp(-rate gap) is at most 1 in each."""
    ranks, every = ranks_of(counts)
    low, high = sorted(data.draw(st.lists(st.integers(0, ranks.edges), min_size=2, max_size=2)))
    targets = st.fractions(-3, int(every[-1]) + 3, max_denominator=9)
    least, most = sorted(
        data.draw(st.tuples(targets, targets | st.none()).map(lambda pair: (pair[0], pair[1] or pair[0])))
    )
    rate = data.draw(st.sampled_from([Fraction(1, 10**20), Fraction(1, 7), Fraction(3), Fraction(10**20)]))
    best, shells = _shells(ranks, low, high, least, most, rate)

    members = [(shell, shell.member(index)) for shell in shells for index in range(shell.lefts + shell.rights)]
    assert list(range(low, high + 1)) == sorted(member for _, member in members)
    gaps = [max(least - int(each), int(each) - most, Fraction(0)) for each in every]
    assert best == min(gaps[low : high + 1])
    for shell, member in members:
        assert (gaps[member] - best) * rate >= shell.power * _LN2


def drawn(case, draws: int, entropy) -> None:
    """Accept the law, and reject those at 0.7 and 1.3 of the rate."""
    counts, low, high, share, rate, wide = case
    ranks, every = ranks_of(counts)
    target = int(every[low]) + share * int(every[high] - every[low])
    seen = np.bincount([edge(ranks, low, high, target, target + wide, rate, entropy) - low for _ in range(draws)])
    seen = np.append(seen, np.zeros(high - low + 1 - seen.size, dtype=np.int64))

    def p_at(part: float) -> float:
        at = every[low : high + 1] - float(target)
        weights = np.exp(-part * float(rate) * np.maximum(np.maximum(-at, at - wide), 0))
        return p_value(seen, weights / weights.sum())

    assert p_at(1) > 1e-4
    assert max(p_at(0.7), p_at(1.3)) < THRESHOLD


@pytest.mark.parametrize("case", CASES[:2])
def test_edges_follow_their_law(case, entropy) -> None:
    """About twenty edges, with ties; one target, and an interval."""
    drawn(case, 4000, entropy)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_edges_follow_their_law_at_length(case, entropy) -> None:
    """Parts of a grid, and a target outside it."""
    drawn(case, 40_000, entropy)


@pytest.mark.parametrize(("exponent", "power"), [(Fraction(1, 3), 0), (Fraction(5), 7), (Fraction(70), 100)])
def test_a_coin_is_decided_as_its_bits_say(exponent: Fraction, power: int) -> None:
    """Bits just below and just above 2^power exp(-exponent), however many are needed."""
    with_mpmath = pytest.importorskip("mpmath")
    with with_mpmath.workdps(60):
        chance = int(
            with_mpmath.floor(
                with_mpmath.exp(-with_mpmath.mpf(exponent.numerator) / exponent.denominator) * 2**power * 2**128
            )
        )
    for bits, heads in ((chance - 1, True), (chance + 1, False)):
        words = iter(bits.to_bytes(16, "big")[start : start + 8] for start in (0, 8))
        assert heads == under(0, 2**power, exponent, lambda _, words=words: next(words))


def test_no_gap_is_no_coin() -> None:
    """The best edges are taken without a bit."""
    assert under(0, 1, Fraction(0), lambda _: (_ for _ in ()).throw(AssertionError))
