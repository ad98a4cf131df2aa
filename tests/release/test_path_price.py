"""What several quantiles by halving cost in rho: every transcript of small tables, between neighbours."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit import rho_between
from dpselect.kernel.prices import bounded_range_price, pure_price
from dpselect.kernel.ranks import Ranks
from dpselect.release.halving import path_price
from dpselect.release.open_session import session_factory_of

PROMISE = dps.Guarantee.from_rho(40, 1e-6, "person")
SHARES = {2: [Fraction(1, 2)], 4: [Fraction(place, 4) for place in (1, 2, 3)], 6: [Fraction(n, 6) for n in range(1, 6)]}


def release(counts, shares, epsilon, people=1):
    """Quantiles of a table, in a session that pays for persons of so many records."""

    def run(outcomes) -> None:
        with session_factory_of(lambda: outcomes)(PROMISE, per_person=people) as draws:
            held = np.array(counts)
            places = np.flatnonzero(held)
            draws.halving(Ranks(places, held[places], held.size, cuts=2), shares, epsilon)

    return run


def dearest(shares, epsilon, people=1, tables=40) -> Fraction:
    """The most that a transcript of many random ones costs, of tables and of a person in one place or in several."""
    rng, worst = np.random.default_rng(5), Fraction(0)
    for many in range(tables):
        here = rng.integers(0, [2, 30][many % 2], 6)
        more = rng.multinomial(people, np.eye(6)[rng.integers(6)] if many % 3 else np.full(6, 1 / 6))
        runs = [release(table, shares, epsilon, people) for table in (here, here + more)]
        for one, other in (runs, runs[::-1]):
            worst = max(worst, sum(rho_between(one, other, pick=rng.integers), Fraction(0)))
    return worst


@pytest.mark.parametrize("bins", SHARES)
@pytest.mark.parametrize("people", [1, 3])
def test_no_transcript_costs_more_than_the_dearest_path(bins: int, people: int) -> None:
    """For one record, and for a person with several; much of it is used."""
    epsilon = Fraction(3)
    price = path_price(len(SHARES[bins]), epsilon * people)

    assert price / 3 < dearest(SHARES[bins], epsilon, people) <= price


def test_a_price_of_one_draw_for_several_would_be_too_little() -> None:
    """A planted fault: what one draw costs at the budget of each, whatever is drawn below it."""
    several = SHARES[6]
    once = bounded_range_price(Fraction(3) / len(several).bit_length())

    assert once < dearest(several, Fraction(3))


def test_paths_of_more_draws_cost_less_at_the_same_epsilon() -> None:
    """They are as many draws of bounded range; no path costs more than a pure release of the whole."""
    for epsilon in (Fraction(1, 100), Fraction(1), Fraction(20)):
        prices = [path_price(2**levels - 1, epsilon) for levels in range(1, 8)]

        assert prices == sorted(prices, reverse=True)
        assert all(
            levels * bounded_range_price(epsilon / levels) == prices[levels - 1] <= pure_price(epsilon)
            for levels in range(1, 8)
        )
        # Of four shares one stands alone below the first, and gets all that is left.
        assert path_price(4, epsilon) == sum(bounded_range_price(epsilon * part / 3) for part in (1, 2))


def test_the_epsilon_of_quantiles_is_the_largest_that_fits() -> None:
    """All of what is left can be drawn with it, and no more."""
    with dps.open_session(PROMISE, per_person=2) as draws:
        epsilon = draws.epsilon_within(draws.remaining, quantiles=3)
        ranks = Ranks(np.array([1]), np.array([9]), 4)
        with pytest.raises(dps.PrivacyError, match="is left of what was paid"):
            draws.halving(ranks, SHARES[4], epsilon * (1 + Fraction(3, 10**9)))
        draws.halving(ranks, SHARES[4], epsilon)

        assert 0 <= draws.remaining < Fraction(40, 10**8)


def test_shares_that_do_not_increase_take_nothing() -> None:
    """As without a rho."""
    ranks = Ranks(np.array([1]), np.array([9]), 4)
    with dps.open_session(PROMISE) as draws:
        for shares in itertools.chain([SHARES[4][::-1]], [[]]):
            with pytest.raises(ValueError, match="shares must increase"):
                draws.halving(ranks, shares, 1)

        assert 40 == draws.remaining
