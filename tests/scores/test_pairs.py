"""How far two candidates move apart: half the sum of the two largest sensitivities."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit import privacy_loss
from dpselect.mechanisms.smooth import scale
from dpselect.scores.pairs import pair_bound
from tests.universes import chain, random_problem

element = dps.sensitivity.element


def test_it_is_half_the_sum_of_the_two_largest() -> None:
    """Of candidates, not of profiles: where two share the largest, it is that one."""
    assert [2.5, 3.5, 6.0] == pair_bound(element(lambda t: [t, 3, 2], ceiling=9).over(3)).at([0, 4, 9]).ravel().tolist()
    shared = dps.sensitivity.profiles(
        lambda t: t[:, None] + np.array([[1.0, 5.0]]), profile=np.array([0, 1, 1]), ceiling=9
    )
    assert [5.0, 6.0, 9.0] == pair_bound(shared).at([0, 1, 7]).ravel().tolist()


def test_one_row_one_candidate_and_a_declared_bound_stay_as_they_are() -> None:
    """There is no second value."""
    for known in (
        dps.sensitivity.constant(3).over(2),
        dps.sensitivity.local(lambda t: 1 + t, ceiling=4).over(5),
        element(lambda t: [1.0], ceiling=4).over(1),
        dps.sensitivity.smooth_bound(lambda _: 1, ceiling=2).over(2),
    ):
        assert pair_bound(known) is known


def test_sums_are_rounded_upwards() -> None:
    """Never below the exact half sum, and next to it."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        one, other = rng.exponential(size=2) * 10.0 ** rng.integers(-9, 9, 2)
        half = pair_bound(element(lambda t, pair=(one, other): list(pair), ceiling=1e20).over(2)).at(0).item()
        exact = (Fraction(one) + Fraction(other)) / 2
        assert exact <= Fraction(half) <= exact * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize("one", [1.0, 3e-301, 2.0**-1022, 5e-324, 2.0**-1000 - 2.0**-1053])
@pytest.mark.parametrize("units", [1, 2, 3, 2**23 - 1, 2**23 + 1])
def test_what_is_lost_by_halving_is_paid_for(one: float, units: int) -> None:
    """An odd number of the smallest steps has no half among floats."""
    known = element(lambda t: [one, units * 5e-324], ceiling=2).over(2)

    assert Fraction(pair_bound(known).at(0).item()) >= (Fraction(one) + units * Fraction(5e-324)) / 2


@pytest.mark.parametrize("seed", range(6))
def test_it_bounds_how_far_scores_move_apart(seed: int) -> None:
    """On random universes, from both sides of every pair; and it grows as fast as it must."""
    problem = random_problem(seed, 8)
    utility = problem.utility()
    found = np.array([pair_bound(utility(x).sensitivity).at(range(8)).ravel() for x in problem.universe])
    for x, y in problem.universe.pairs():
        moves = problem.values[y] - problem.values[x]
        assert moves.max() - moves.min() <= 2 * min(found[x, 0], found[y, 0])
        assert (found[x, 1:] >= found[y, :-1]).all()


def test_an_average_of_all_is_caught() -> None:
    """Of two candidates that move apart and one that never moves: the loss is above epsilon, and not with pairs."""
    problem = chain([[20 + 3 * x, 20 - 3 * x, 0] for x in range(4)])
    mechanism, utility = dps.mechanism("smooth-noisy-max", phi=0.05), problem.utility()
    honest = privacy_loss(mechanism, utility, problem.universe, epsilon=1)
    assert honest.holds

    def averaged(x: int) -> dps.Scores:
        scores = utility(x)
        rows = scores.sensitivity.rows
        few = dps.sensitivity.local(lambda t: rows(np.array([t])).mean() * 0.75, ceiling=scores.sensitivity.ceiling)
        return dps.Scores(scores.values, few)

    assert not privacy_loss(mechanism, averaged, problem.universe, epsilon=1).holds


def test_noise_is_smaller_where_one_candidate_is_the_most_sensitive() -> None:
    """By the half of the difference; a range bound of 1 keeps the largest."""
    known = element(lambda t: [4.0, 1.0, 1.0], ceiling=8)
    beta = Fraction(1)

    assert Fraction(5, 2) == scale.of_pairs(dps.Scores([3.0, 1.0, 0.0], known), beta)
    assert 4 == scale.of_pairs(dps.Scores([3.0, 1.0, 0.0], known, range_bound=1), beta)
    assert 4 == scale.of_each(dps.Scores([3.0, 1.0, 0.0], known), beta)
