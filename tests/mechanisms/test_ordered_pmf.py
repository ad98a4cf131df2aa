"""The rational law of lists in one pass, and the density of their gaps."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from dpselect.mechanisms.ordered_pmf import _integral, _others, gaps_log_density, list_chance, list_log_pmf
from dpselect.mechanisms.sampler import PERMUTE_AND_FLIP


def lists(weights: list[Fraction], k: int) -> dict[tuple[int, ...], Fraction]:
    """Every ordered list with its chance."""
    everyone = range(len(weights))
    return {
        names: list_chance(
            tuple(weights[r] for r in names), tuple(sorted(weights[r] for r in everyone if r not in names))
        )
        for names in itertools.permutations(everyone, k)
    }


def test_two_candidates_by_hand() -> None:
    """Weights 1 and 1/2: keys uniform on (0, 1) and (0, 2), so the first comes first with chance 3/4."""
    both = {(0, 1): Fraction(3, 4), (1, 0): Fraction(1, 4)}

    assert both == lists([Fraction(1), Fraction(1, 2)], 2)
    assert {names[:1]: chance for names, chance in both.items()} == lists([Fraction(1), Fraction(1, 2)], 1)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_chances_add_up_to_one_exactly(k: int) -> None:
    """Also of everyone in order."""
    assert 1 == sum(lists([Fraction(1), Fraction(2, 3), Fraction(2, 3), Fraction(1, 7)], k).values())


def test_a_list_of_one_has_the_law_of_permute_and_flip() -> None:
    """Exponential noise is permute-and-flip."""
    ticks, rate = np.array([5, 4, 4, 0, -3]), Fraction(1, 3)
    ours = [list_log_pmf(ticks, rate, [r]) for r in range(5)]

    assert np.allclose(PERMUTE_AND_FLIP.tick_log_pmf(ticks, rate), ours, atol=1e-12)


def worst_of_lists(k: int, pairs: int, seed: int) -> float:
    """Return the worst loss over epsilon of random neighbours, moved within [0, span]; e^rate is rational."""
    pick, worst = random.Random(seed), 0.0
    for _ in range(pairs):
        m, span = pick.randint(max(2, k), 4 if k < 3 else 5), pick.choice([1, 2])
        base = Fraction(pick.choice([11, 12, 15, 20, 30]), 10)
        values = [pick.randint(0, pick.choice([1, 4, 8])) for _ in range(m)]
        moved = [value + pick.choice([0, span, pick.randint(0, span)]) for value in values]
        here, there = (lists([base**value for value in each], k) for each in (values, moved))
        limit = base ** (k * span)
        for names, chance in here.items():
            ratio = max(chance / there[names], there[names] / chance)
            assert ratio <= limit, (values, moved, names)
            worst = max(worst, math.log(ratio) / math.log(limit))
    return worst


@pytest.mark.parametrize("k", [1, 2])
def test_no_list_loses_more_than_epsilon(k: int) -> None:
    """Random neighbours, compared as fractions; the worst is close to epsilon."""
    assert worst_of_lists(k, 40, k) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_list_loses_more_than_epsilon_at_length(k: int) -> None:
    """The same on many more: epsilon is attained."""
    assert worst_of_lists(k, 600 if k < 3 else 120, 10 + k) > 0.99


def density(weights: list[Fraction], names: list[int], heights: list[Fraction]) -> Fraction:
    """The density of a list with its winners' heights above the best loser, as e^(-height), up to a constant."""
    losers = [weight for r, weight in enumerate(weights) if r not in names]
    lowered = [weights[r] * height for r, height in zip(names, heights, strict=True)]
    slope = [Fraction(0)] * len(names) + [-i * each for i, each in enumerate(_others(losers)) if i]
    return math.prod(lowered) * _integral(slope, Fraction(0), min(1 / each for each in [*losers, *lowered]))


def worst_with_gaps(k: int, pairs: int, seed: int) -> float:
    """The same for lists with gaps; moves and gaps are any real numbers, given by rational powers of e."""
    pick, worst = random.Random(seed), 0.0
    for _ in range(pairs):
        m, span = pick.randint(k + 1, k + 4), Fraction(pick.choice([11, 13, 20, 40]), 10)
        weights = [Fraction(pick.randint(1, 60), pick.randint(1, 60)) for _ in range(m)]
        up = [pick.choice([Fraction(1), span, 1 + (span - 1) * Fraction(pick.randint(0, 8), 8)]) for _ in range(m)]
        heights = [Fraction(1)]
        for _ in range(k):
            heights.append(heights[-1] * Fraction(pick.choice([1, 7, 9, 10, 3]), 10))
        names = pick.sample(range(m), k)
        here, there = (
            density(each, names, heights[:0:-1])
            for each in (weights, [weight * move for weight, move in zip(weights, up, strict=True)])
        )
        ratio = max(here / there, there / here)
        assert ratio <= span**k, (weights, up, names, heights)
        worst = max(worst, math.log(ratio) / (k * math.log(span)))
    return worst


@pytest.mark.parametrize("k", [1, 2])
def test_no_list_with_its_gaps_loses_more_than_epsilon(k: int) -> None:
    """Exact densities on random neighbours."""
    assert worst_with_gaps(k, 300, k) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_list_with_its_gaps_loses_more_than_epsilon_at_length(k: int) -> None:
    """The same on many more: epsilon is attained."""
    assert worst_with_gaps(k, 6000, 10 + k) > 0.99


def test_gaps_of_whole_ticks_have_that_density() -> None:
    """The audit's density of a list and its gaps is the one above."""
    ticks, rate = np.array([4, 3, 1]), Fraction(1, 4)
    powers = [Fraction(math.exp(float(rate) * tick)) for tick in ticks.tolist()]
    for gaps in ([0, 0], [1, 2], [3, 1]):
        heights = [Fraction(math.exp(-float(rate) * sum(gaps[i:]))) for i in range(2)]
        for names in itertools.permutations(range(3), 2):
            expected = math.log(density(powers, list(names), heights))
            assert math.isclose(expected, gaps_log_density(ticks, rate, names, gaps), abs_tol=1e-9)


def test_integer_noise_with_ties_to_the_first_would_cost_twice_epsilon() -> None:
    """Scores (3, 0, 0) and (4, 0, 0), the first with a gap of 0: why gaps are floors of continuous ones."""
    e = 0.1

    def tied(lead: int) -> float:
        # The others draw the same largest number as the first, which begins ahead by ``lead``.
        total = 0.0
        for top in range(lead, 400):
            below, least = (1 - e ** (top + 1)) ** 2, (1 - e**top) ** 2
            total += (1 - e) * e ** (top - lead) * (below - least)
        return total

    assert math.log(tied(3) / tied(4)) > 0.98 * math.log(1 / e)
