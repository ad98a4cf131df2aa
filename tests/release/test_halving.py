"""The exact loss of whole transcripts of edges, sub-cells included, where records are on both sides of edges."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpselect.audit.scripted_noise import ScriptedNoise, transcripts
from dpselect.kernel.ranks import Ranks
from dpselect.release.halving import halve_recursively


def law(
    counts: list[int], shares: list[Fraction], epsilon: Fraction, cuts: int, total: int | None = None
) -> dict[tuple[int, ...], float]:
    """The logarithm of the probability of every transcript."""
    places = np.flatnonzero(counts)
    ranks = Ranks(places, np.array(counts, dtype=np.int64)[places], len(counts), cuts)
    return dict(transcripts(lambda replay: run(replay, ranks, shares, epsilon, total), 10**6))


def run(replay: ScriptedNoise, ranks: Ranks, shares: list[Fraction], epsilon: Fraction, total: int | None) -> None:
    """Draw all edges from a script."""
    halve_recursively(ranks, shares, epsilon, replay.edge, total)


def loss(
    counts: list[int], more: int, shares: list[Fraction], epsilon: Fraction, cuts: int, total: int | None = None
) -> float:
    """The largest loss of one record more, as a share of epsilon."""
    here = law(counts, shares, epsilon, cuts, total)
    there = law([many + (place == more) for place, many in enumerate(counts)], shares, epsilon, cuts, total)
    assert here.keys() == there.keys()
    return max(abs(here[edges] - there[edges]) for edges in here) / float(epsilon)


@pytest.mark.parametrize(
    ("counts", "more", "shares", "cuts", "epsilon", "least"),
    [
        ([30, 0, 30, 2], 3, ["2/3"], 1, 8, 0.999),
        ([1, 30, 30, 0], 0, ["1/20", "11/20", "13/20"], 1, 30, 0.95),
        ([0, 0, 7, 30], 1, ["0", "1/2"], 3, 30, 0.79),
        ([2, 2], 1, ["0"], 3, 30, 0.49),
    ],
)
def test_a_transcript_loses_at_most_epsilon(counts, more, shares, cuts, epsilon, least) -> None:
    """At their worst one draw loses all of it, and three along a path nearly so."""
    assert least < loss(counts, more, [Fraction(share) for share in shares], Fraction(epsilon), cuts) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("counts", "more", "shares", "cuts", "epsilon", "total", "least"),
    [
        ([30, 0, 30, 2], 3, ["2/3"], 1, 8, 62, 0.999),
        ([0, 0, 0, 0, 9], 0, ["9/10"], 1, 8, 9, 0.999),
        ([0, 0, 7, 30], 0, ["0"], 3, 30, 50, 0.95),
        ([1, 30, 30, 0], 0, ["1/20", "11/20", "13/20"], 1, 30, 70, 0.99),
        ([2, 2], 1, ["1/4", "3/4"], 3, 30, 2, 0.15),
        ([30, 0, 0, 0, 30], 0, ["2/3"], 1, 8, 70, 0.999),
        ([30, 30, 0], 2, ["2/3"], 1, 8, 90, 0.89),
    ],
)
def test_a_transcript_with_a_public_total_loses_at_most_epsilon(counts, more, shares, cuts, epsilon, total, least):
    """Whether the total is right, too large or too small."""
    asked = [Fraction(share) for share in shares]
    assert least < loss(counts, more, asked, Fraction(epsilon), cuts, total) <= 1 + 1e-9


@pytest.mark.slow
def test_no_transcript_of_many_tables_loses_more() -> None:
    """Random tables, shares, sub-cells and totals, right and wrong: epsilon is reached, and never exceeded."""
    rng, worst = np.random.default_rng(1), 0.0
    for index in range(900):
        size, cuts = int(rng.integers(2, 5)), int(rng.integers(1, 4))
        over = int(rng.choice([2, 3, 5, 10, 20]))
        many = min(int(rng.integers(1, 4 if size * cuts < 9 else 3)), over + 1)
        shares = [Fraction(int(k), over) for k in sorted(rng.choice(over + 1, many, replace=False))]
        counts = rng.choice([0, 0, 1, 2, 7, 30], size).tolist()
        total = None if index < 600 else max(1, sum(counts) + int(rng.integers(-9, 10)))
        epsilon = Fraction(int(rng.choice([1, 2, 8, 30])))
        worst = max(worst, loss(counts, int(rng.integers(size)), shares, epsilon, cuts, total))
        assert worst <= 1 + 1e-9
    assert worst > 0.99
