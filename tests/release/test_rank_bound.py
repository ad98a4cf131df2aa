"""Quantiles by halving: the exact law keeps what they say of their ranks, on every table, and hardly more is true."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import transcripts
from dpselect.kernel.ranks import Ranks
from dpselect.release.halving import Aim, halve_recursively
from dpselect.release.rank_bound import RankBound


def off(counts: list[int], shares: list[Fraction], places: list[int]) -> Fraction:
    """How many records the places lie from the ranks at most."""
    ends = [0, *np.cumsum(counts).tolist()]
    worst = Fraction(0)
    for share, place in zip(shares, places, strict=True):
        target = share * ends[-1] + Aim.at(share).more
        worst = max(worst, ends[place] - target, target - ends[place + 1])
    return worst


def exceeds(counts: list[int], error: RankBound, limit: Fraction) -> float:
    """The exact chance that some rank is off by the limit or more."""
    shares = list(error.shares)
    places = np.flatnonzero(counts)
    ranks = Ranks(places, np.array(counts, dtype=np.int64)[places], len(counts), error.cuts)
    drawn: list[list[int]] = []

    def run(replay) -> None:
        drawn.append(halve_recursively(ranks, shares, error.epsilon, replay.edge, error.total))

    laws = [log for _, log in transcripts(run, 10**6)]
    assert len(laws) == len(drawn)
    assert math.isclose(sum(map(math.exp, laws)), 1, rel_tol=1e-6)
    return sum(math.exp(log) for log, each in zip(laws, drawn, strict=True) if off(counts, shares, each) >= limit)


TABLES = [
    [12, 0, 0, 0], [0, 0, 0, 12], [12, 0, 0, 1], [5, 5, 5, 5], [0, 9, 0, 9], [30, 1, 0, 30], [1, 1, 1, 1], [0, 0, 0, 0],
    [9, 0, 0, 8],
]  # fmt: skip
ASKED = [["0"], ["1"], ["1/2"], ["9/10"], ["1/4", "3/4"], ["1/10", "1/2", "9/10"]]


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("epsilon", [3])
def test_no_table_is_further_off(asked, epsilon) -> None:
    """With 95 per cent and 80; of ties it says how many records more."""
    shares = tuple(map(Fraction, asked))
    for counts in TABLES:
        error = RankBound(shares, 4, Fraction(epsilon), cuts=1 if len(asked) > 1 else 2)
        for probability in (Fraction(19, 20), Fraction(4, 5)):
            limit = error.at(probability) + Fraction(max(counts), error.ties)
            assert exceeds(counts, error, limit) <= 1 - probability


def test_with_a_public_total_that_is_right_no_table_is_further_off() -> None:
    """The first draw needs less noise, and the bound knows."""
    for counts in TABLES[:-2]:
        for asked in (["9/10"], ["0", "1/5"]):
            shares = tuple(map(Fraction, asked))
            error = RankBound(shares, 4, Fraction(3), sum(counts), cuts=1)
            assert error.at() <= RankBound(shares, 4, Fraction(3), cuts=1).at()
            limit = error.at() + Fraction(max(counts), error.ties)
            assert exceeds(counts, error, limit) <= 0.05


@pytest.mark.parametrize("total", [True, False])
def test_a_smaller_bound_would_be_wrong(total) -> None:
    """All records at the last of many values, and their maximum asked for: one record fewer than is said, hardly."""
    for size, epsilon in ((30, 2), (60, 3)):
        share = (Fraction(1),)
        said = int(RankBound(share, size, Fraction(epsilon), 100 if total else None, cuts=1).at())
        for many, too_far in ((said - 3, True), (said + 1, False)):
            error = RankBound(share, size, Fraction(epsilon), many if total else None, cuts=1)
            chance = exceeds([0] * (size - 1) + [many], error, Fraction(many) - Fraction(1, 2))
            assert too_far == (chance > 0.05)


def test_one_record_more_for_so_many_ties() -> None:
    """With as many sub-cells as are drawn, ties matter from 65,536 records on."""
    release = dps.quantiles(range(1000), [0.25, 0.5, 0.75], lower=0, upper=1000, epsilon=1)
    assert release.error_bound.ties == 65536
    near = release.error_bound.at()
    assert release.error_bound.at(0.5) < near == release.error_bound.at(0.95)
    assert release.error_bound.describe().startswith(f"each less than {near:g} records from its rank")
    one = dps.quantiles(range(1000), [0.5], lower=0, upper=1000, epsilon=1)
    assert one.error_bound.at() < release.error_bound.at()


def test_what_is_drawn_in_another_way_says_why_it_has_no_bound() -> None:
    """By a tree of counts, or jointly."""
    bounds = {"lower": 0, "upper": 100, "epsilon": 1}
    for release in (
        dps.quantiles(range(100), [0.5], method="tree", **bounds),
        dps.histograms.cumulative(range(100), **bounds),
        dps.quantiles(range(100), [0.2, 0.5], method="joint", total=100, **bounds),
    ):
        assert isinstance(release.error_bound, dps.accuracy.NoBound)
        assert release.error_bound.describe().startswith("no bound on the error: ")
        assert "halving" in release.error_bound.describe()
