"""Which names may be told: the table of chances and the coins."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import islice, pairwise

import numpy as np
import pytest

from dpselect import audit
from dpselect.kernel.bernoulli_exp import exponential_between
from dpselect.kernel.keep_probability import CERTAIN, keep_probabilities, probabilities_of, require_delta
from dpselect.kernel.samplers.partition_selection import keys
from tests.chance import accept

BUDGETS = [
    (Fraction(1), Fraction(1, 100)),
    (Fraction(1, 2), Fraction(1, 10**6)),
    (Fraction(1, 10), Fraction(1, 10**8)),
    (Fraction(1, 10**9), Fraction(1, 500)),
    (Fraction(50), Fraction(1, 2**128)),
    (Fraction(2**21), Fraction(9, 10)),
    (Fraction(1, 2**300), Fraction(1, 64)),
    (Fraction(10**300), Fraction(1, 2**128)),
]


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_every_two_steps_meet_the_four_inequalities_exactly(epsilon: Fraction, delta: Fraction) -> None:
    """With e^epsilon from below, so that they hold for the true one: at every number of persons."""
    _, most = exponential_between(epsilon, 200)
    factor = 1 / most
    chances = [0, *keep_probabilities(epsilon, delta), CERTAIN]

    for before, after in pairwise(chances):
        p, q = Fraction(before, CERTAIN), Fraction(after, CERTAIN)
        assert p <= q or before == CERTAIN
        for one, other in ((p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p)):
            assert one <= factor * other + delta


def test_the_table_is_near_the_ideal() -> None:
    """The recursion in floating point, at the budgets of the literature."""
    for epsilon, delta in BUDGETS[:3]:
        ideal, factor = 0.0, np.exp(float(epsilon))
        for chance in keep_probabilities(epsilon, delta):
            ideal = min(factor * ideal + float(delta), 1 - (1 - ideal - float(delta)) / factor, 1.0)
            assert chance / CERTAIN == pytest.approx(ideal, rel=1e-9)


def test_half_of_the_names_of_26_persons_are_kept_at_half_of_epsilon() -> None:
    """The figures of the how-to: epsilon 1/2 for one, five and twenty names."""
    halves = [
        next(
            n
            for n, chance in enumerate(keep_probabilities(Fraction(1, 2) / most, Fraction(1, 10**6) / most), 1)
            if 2 * chance >= CERTAIN
        )
        for most in (1, 5, 20)
    ]

    assert [26, 125, 498] == halves


def test_numbers_of_persons_get_their_own_chance_in_any_order() -> None:
    """Zero is never kept, and beyond the end all are."""
    table = [0, *keep_probabilities(Fraction(1), Fraction(1, 10))]

    assert [table[3], 0, CERTAIN, table[1], 0] == probabilities_of(
        np.array([3, 0, 10**15, 1, 0]), Fraction(1), Fraction(1, 10)
    )
    assert [] == probabilities_of(np.zeros(0, dtype=np.int64), Fraction(1), Fraction(1, 10))


@pytest.mark.parametrize("drawn", [0, 1, 2**64 - 1, 2**64, 2**127, 2**128 - 1])
def test_a_coin_compares_all_of_its_bits(drawn: int) -> None:
    """At the chance itself it shows tails, one below it heads."""
    persons = np.arange(6)
    epsilon, delta = Fraction(1), Fraction(1, 10)
    chances = probabilities_of(persons, epsilon, delta)
    halves = np.array([drawn >> 64, drawn & (2**64 - 1)], dtype=np.uint64)

    assert [drawn < chance for chance in chances] == keys(
        persons, epsilon, delta, lambda _: np.tile(halves, 6).tobytes()
    ).tolist()
    for place, chance in enumerate(chances):
        for point in {max(chance - 1, 0), min(chance, CERTAIN - 1)}:
            halves = np.array([point >> 64, point & (2**64 - 1)], dtype=np.uint64)
            heads = keys(persons, epsilon, delta, lambda _, halves=halves: np.tile(halves, 6).tobytes())
            assert (point < chance) == heads[place]


@pytest.mark.chance(1e-8)
def test_coins_follow_the_table() -> None:
    """Of three persons: accepted at epsilon, rejected at 0.7 and 1.3 epsilon."""

    def law(epsilon: Fraction) -> dict[bool, float]:
        chance = next(islice(keep_probabilities(epsilon, Fraction(1, 100)), 2, None)) / CERTAIN
        return {True: chance, False: 1 - chance}

    shown = iter(keys(np.full(40_000, 3), Fraction(1), Fraction(1, 100), os.urandom).tolist())
    against = {f"{float(factor)} epsilon": law(factor) for factor in (Fraction(7, 10), Fraction(13, 10))}
    accept(audit.sampler(shown.__next__, law(Fraction(1)), against=against))


def test_a_delta_without_a_chance_is_refused() -> None:
    """2^-128 is the smallest."""
    require_delta(Fraction(1, 2**128))
    with pytest.raises(ValueError, match="too small"):
        require_delta(Fraction(1, 2**128 + 1))
