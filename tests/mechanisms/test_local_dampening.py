"""Local dampening."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.mechanisms.local_dampening import dampen

# Local sensitivity of Figure 9c: LS(G,0) = 3, LS(G,1) = 5, global 7.5.
FIGURE_9C = dps.sensitivity.local(lambda t: (3, 5)[min(t, 1)], ceiling=7.5)
EBC_9C = [6.5, 6.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def by_definition(u: float, delta: list[float]) -> Fraction:
    """D as it is written, in exact arithmetic, with D(0) = 0; the last value of delta goes on for ever."""
    left, i = abs(Fraction(u)), 0
    while left and left >= Fraction(delta[min(i, len(delta) - 1)]):
        left -= Fraction(delta[min(i, len(delta) - 1)])
        i += 1
    part = i + left / Fraction(delta[min(i, len(delta) - 1)]) if u else Fraction(0)
    return part if u >= 0 else -part


def test_example_3_4_1() -> None:
    """Farias et al. 2023, Example 3.4.1: dampened scores 1.7 and 0; at epsilon 2 Pr = 0.32 and 0.06."""
    scores = dps.Scores(EBC_9C, FIGURE_9C)

    assert [1.7, 1.7, 0.0] == dampen(scores.values, scores.sensitivity)[:3].round(12).tolist()
    law = dps.mechanism("local-dampening").pmf(scores, 2)
    assert [0.32, 0.32, 0.06] == law[:3].round(2).tolist()


def test_example_4_1_1_inverts_the_order() -> None:
    """Example 4.1.1: u = (3, 4) is dampened to (2, 1), the inversion problem.

    Permute-and-flip names the worse candidate more often than the exponential mechanism, .697 against .622:
    "never worse" holds for the dampened score, not for u.
    """
    at = dps.sensitivity.element(lambda t: [(1, 2)[min(t, 1)], 4])
    scores = dps.Scores([3.0, 4.0], at)

    assert [2.0, 1.0] == dampen(scores.values, scores.sensitivity).tolist()
    assert 0.622 == dps.mechanism("local-dampening").pmf(scores, 1)[0].round(3)
    assert 0.697 == dps.mechanism("local-dampening-flip").pmf(scores, 1)[0].round(3)


def test_zero_stays_zero_when_delta_starts_with_zeros() -> None:
    """As long as zero is neutral; with the other two it is moved by the zeros at the start."""
    at = dps.sensitivity.local(lambda t: 0 if t < 5 else 1, ceiling=1).over(3)

    assert [0.0, 5.5, -6.0] == dampen(np.array([0.0, 0.5, -1.0]), at).tolist()


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=90).map(sorted),
    st.lists(st.floats(-300, 300), min_size=1, max_size=6),
)
def test_dampening_is_the_definition(delta, values) -> None:
    """Against exact arithmetic, far beyond one stretch of the walk, within 2^-21."""
    if not delta[-1]:
        delta = [*delta, 1]
    at = dps.sensitivity.local(lambda t: delta[min(t, len(delta) - 1)], ceiling=delta[-1]).over(len(values))
    computed = dampen(np.array(values), at)

    for u, d in zip(values, computed.tolist(), strict=True):
        assert abs(by_definition(u, delta) - Fraction(d)) <= Fraction(1, 2**21)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-30, 30), min_size=1, max_size=6), st.floats(0.1, 5))
def test_constant_sensitivity_is_scaling(values, c) -> None:
    """With one constant, D = u / c, and the mechanism is the exponential mechanism."""
    scores = dps.Scores(values, dps.sensitivity.constant(c))
    flat = dps.Scores(values, dps.sensitivity.local(lambda t: c, ceiling=c))

    assert np.allclose(dampen(flat.values, flat.sensitivity), np.array(values) / c, rtol=1e-12, atol=1e-12)
    assert np.array_equal(dps.mechanism("local-dampening").pmf(scores, 1), dps.mechanism("exponential").pmf(scores, 1))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-30, 30), min_size=2, max_size=6))
def test_adding_a_candidate_changes_no_other_score(values) -> None:
    """Dampening looks at one candidate at a time."""
    at = dps.sensitivity.element(lambda t: np.arange(1, len(values) + 1) * (1.0 + t), ceiling=50).over(len(values))
    fewer = dps.sensitivity.element(lambda t: np.arange(1, len(values)) * (1.0 + t), ceiling=50).over(len(values) - 1)

    assert np.array_equal(dampen(np.array(values), at)[:-1], dampen(np.array(values[:-1]), fewer))


def test_a_score_on_a_step_ends_exactly_there() -> None:
    """u = b(i) is dampened to i, on both sides of zero."""
    at = dps.sensitivity.local(lambda t: 1.0 + t, ceiling=100).over(5)

    assert [1.0, 2.0, 3.0, -3.0, 0.0] == dampen(np.array([1.0, 3.0, 6.0, -6.0, 0.0]), at).tolist()


def test_beyond_the_reach_the_walk_is_closed_form() -> None:
    """A huge score does not take a step a unit."""
    at = dps.sensitivity.local(lambda t: 1, ceiling=2, reach=3).over(2)

    assert [3 + (1e12 - 3) / 2, -3 - (1e12 - 3) / 2] == dampen(np.array([1e12, -1e12]), at).tolist()


def test_a_reach_of_zero_is_scaling_by_the_ceiling() -> None:
    """With reach 0 the sensitivity is the ceiling at every distance."""
    at = dps.sensitivity.local(lambda t: 1, ceiling=4, reach=0).over(2)

    assert [2.0, -0.5] == dampen(np.array([8.0, -2.0]), at).tolist()


@pytest.mark.slow
def test_without_a_ceiling_the_walk_ends_at_the_public_reach() -> None:
    """A sensitivity that stays tiny and has no ceiling is clipped at 2^20 units."""
    at = dps.sensitivity.profiles(lambda t: np.full((t.size, 1), 1e-9)).over(2)

    assert [2.0**20, 0.0] == dampen(np.array([1.0, 0.0]), at).tolist()


def test_dampened_scores_have_range_bound_two() -> None:
    """Even for monotone scores: two dampened scores can move apart by more than a unit in one step."""
    varying = dps.Scores([1, 2], dps.sensitivity.local(lambda t: 1 + t, ceiling=9), range_bound=1)
    fixed = dps.Scores([1, 2], dps.sensitivity.constant(1), range_bound=1)

    assert 2 == dps.mechanism("local-dampening").effective(varying).range_bound
    assert 1 == dps.mechanism("local-dampening").effective(fixed).range_bound


def test_unshifted_dampening_may_lose_to_range_bound_one() -> None:
    """u on a chain (0,0),(1,0),(2,0),(3.2,0), at (1,0), epsilon 1: .622 against .697 for the classic."""
    from tests.universes import chain

    problem = chain([(0, 0), (1, 0), (2, 0), (3.2, 0)], range_bound=1)
    scores = problem.utility(element=False)(1)
    classic = dps.Scores(problem.values[1], sensitivity=1.2, range_bound=1)

    assert 0.622 == dps.mechanism("local-dampening").pmf(scores, 1)[0].round(3)
    assert 0.697 == dps.mechanism("exponential").pmf(classic, 1)[0].round(3)


@pytest.mark.parametrize("name", ["local-dampening", "local-dampening-flip"])
def test_flat_dampening_is_never_worse_than_range_bound_two(name: str) -> None:
    """With flat delta the expected error is at most that of the classic at the same range bound."""
    classic = {"local-dampening": "exponential", "local-dampening-flip": "permute-and-flip"}[name]
    scores = dps.Scores(EBC_9C, FIGURE_9C)
    for epsilon in (0.1, 1, 5):
        better = dps.accuracy.expected_error(scores, epsilon=epsilon, mechanism=dps.mechanism(name))
        worse = dps.accuracy.expected_error(scores, epsilon=epsilon, mechanism=dps.mechanism(classic))
        assert better <= worse + 1e-9


def test_infinite_sizes_never_arise() -> None:
    """The largest floats are clipped, not refused."""
    scores = dps.Scores([1.7e308, -1.7e308, 0.0], dps.sensitivity.local(lambda t: 1e-300, ceiling=1e-300, reach=8))
    ticks = dps.mechanism("local-dampening").effective(scores).ticks

    assert [2**48, -(2**48), 0] == ticks.tolist()
    assert math.isfinite(dps.mechanism("local-dampening").pmf(scores, 1).sum())
