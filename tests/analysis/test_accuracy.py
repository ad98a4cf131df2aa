"""Exact errors, and the papers' bounds beside them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps

CLASSICS = ["exponential", "permute-and-flip"]


def test_expected_error_is_the_law_times_the_error() -> None:
    """Two candidates one apart: the loser's probability is the expected error."""
    scores = dps.Scores([1, 0], sensitivity=1, kind="integer")
    loser = math.exp(-0.5) / (1 + math.exp(-0.5))

    assert math.isclose(
        loser, dps.accuracy.expected_error(scores, epsilon=1, mechanism=dps.mechanism("exponential")), rel_tol=1e-12
    )


def test_the_tail_counts_errors_of_exactly_theta() -> None:
    """Pr[error >= theta] includes equality, and is 1 at 0."""
    scores = dps.Scores([3, 2, 1], sensitivity=1, kind="integer")
    mechanism = dps.mechanism("permute-and-flip")
    law = mechanism.pmf(scores, 1)

    assert math.isclose(law[1] + law[2], dps.accuracy.error_tail(scores, epsilon=1, theta=1, mechanism=mechanism))
    assert math.isclose(1, dps.accuracy.error_tail(scores, epsilon=1, theta=0, mechanism=mechanism))
    assert 0 == dps.accuracy.error_tail(scores, epsilon=1, theta=2.5, mechanism=mechanism)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-50, 50), min_size=1, max_size=12),
    st.floats(0.01, 20),
    st.floats(0, 120),
    st.sampled_from(CLASSICS),
    st.sampled_from([1, 2]),
)
def test_the_bounds_hold(values, epsilon, theta, name, range_bound) -> None:
    """Theorems 3.7 and 3.11 of Chaves 2024 are never below the exact figures."""
    scores = dps.Scores(values, sensitivity=1.5, range_bound=range_bound)
    mechanism = dps.mechanism(name)

    assert dps.accuracy.error_tail(scores, epsilon=epsilon, theta=theta, mechanism=mechanism) <= (
        dps.accuracy.error_tail_bound(scores, epsilon=epsilon, theta=theta, mechanism=mechanism) + 1e-12
    )
    assert dps.accuracy.expected_error(scores, epsilon=epsilon, mechanism=mechanism) <= (
        dps.accuracy.expected_error_bound(scores, epsilon=epsilon, mechanism=mechanism) + 1e-12
    )


def test_the_bound_is_the_published_formula() -> None:
    """2 Du (ln m + 1) / epsilon for integer scores but for the tick given away."""
    scores = dps.Scores([5, 3, 1], sensitivity=2, kind="integer")
    bound = dps.accuracy.expected_error_bound(scores, epsilon=0.5, mechanism=dps.mechanism("exponential"))

    assert math.isclose(2 * 2 * (math.log(3) + 1) / 0.5, bound, rel_tol=0.2)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=2, max_size=8), st.floats(0.05, 10))
def test_permute_and_flip_is_never_worse(values, epsilon) -> None:
    """Theorem 3.9 of Chaves 2024: its tail is at most that of the exponential mechanism."""
    scores = dps.Scores(values, sensitivity=3)
    flip, classic = (dps.mechanism(name) for name in ("permute-and-flip", "exponential"))

    for theta in {0, *np.ptp(values) - np.array(values)}:
        assert dps.accuracy.error_tail(scores, epsilon=epsilon, theta=theta, mechanism=flip) <= (
            dps.accuracy.error_tail(scores, epsilon=epsilon, theta=theta, mechanism=classic) + 1e-12
        )


def test_corollary_4_4_1_holds_for_stable_sensitivities() -> None:
    """With a stable sensitivity shifted local dampening is never worse than the exponential mechanism."""
    at = dps.sensitivity.element(lambda t: [8, 4 + t, 2 + t], ceiling=8, reach=9)
    scores = dps.Scores([9.0, 5.0, 1.0], at)
    shifted, classic = dps.mechanism("shifted-local-dampening"), dps.mechanism("exponential")

    for epsilon in (0.1, 1, 4):
        assert dps.accuracy.expected_error(scores, epsilon=epsilon, mechanism=shifted) <= dps.accuracy.expected_error(
            scores, epsilon=epsilon, mechanism=classic
        )
        assert dps.accuracy.expected_error(
            scores, epsilon=epsilon, mechanism=shifted
        ) <= dps.accuracy.expected_error_bound(scores, epsilon=epsilon, mechanism=shifted)


def test_bounds_are_refused_where_they_fail() -> None:
    """A sensitivity that is not stable has no such bound, and neither has Laplace noise."""
    at = dps.sensitivity.element(lambda t: [1, 8], ceiling=8, reach=9)
    scores = dps.Scores([9.0, 5.0], at)
    with pytest.raises(ValueError, match="does not hold here"):
        dps.accuracy.expected_error_bound(scores, epsilon=1, mechanism=dps.mechanism("shifted-local-dampening"))
    with pytest.raises(ValueError, match="noise of this kind"):
        dps.accuracy.error_tail_bound(scores, epsilon=1, theta=1, mechanism=dps.mechanism("noisy-max-laplace"))
    with pytest.raises(ValueError, match="must be a number"):
        dps.accuracy.error_tail(scores, epsilon=1, theta=float("nan"), mechanism=dps.mechanism("exponential"))
    unbounded = dps.Scores([1.0], dps.sensitivity.local(lambda t: 1 + t))
    with pytest.raises(ValueError, match="public ceiling"):
        dps.accuracy.expected_error_bound(unbounded, epsilon=1, mechanism=dps.mechanism("local-dampening"))


SMOOTH = [
    dps.mechanism("smooth-noisy-max"),
    dps.mechanism("smooth-noisy-max", noise="cauchy-2", phi=0.5),
    dps.mechanism("smooth-noisy-max", noise="exponential"),
    dps.mechanism("smooth-noisy-max", noise="exponential", delta=1e-6),
    dps.mechanism("smooth-noisy-max", noise="laplace"),
    dps.mechanism("smooth-private-selection", sides=2),
]


@pytest.mark.parametrize(
    "mechanism",
    # Laws of Laplace noise are sums of many pieces.
    [pytest.param(each, id=repr(each), marks=pytest.mark.slow if "laplace" in repr(each) else ()) for each in SMOOTH],
)
@pytest.mark.parametrize("kind", ["integer", pytest.param("real", marks=pytest.mark.slow)])
def test_bounds_of_smooth_mechanisms_hold_and_are_attained(mechanism, kind: str) -> None:
    """For random scores never below the exact figures; where all rivals are equal the tail is the exact one."""
    rng = np.random.default_rng(48)
    known = dps.sensitivity.local(lambda t: 1.0 + t, ceiling=20)
    for epsilon in (1.0, 12.0):
        for _ in range(2):
            scores = dps.Scores(np.round(rng.exponential(15, rng.integers(1, 9))).astype(int), known, kind=kind)
            exact = dps.accuracy.expected_error(scores, epsilon=epsilon, mechanism=mechanism)
            assert exact <= dps.accuracy.expected_error_bound(scores, epsilon=epsilon, mechanism=mechanism) + 1e-9
            for theta in (0.5, 3, 11, 40):
                least = dps.accuracy.error_tail(scores, epsilon=epsilon, theta=theta, mechanism=mechanism)
                assert (
                    least
                    <= dps.accuracy.error_tail_bound(scores, epsilon=epsilon, theta=theta, mechanism=mechanism) + 1e-9
                )
        level = dps.Scores([9, 0, 0, 0], known, kind=kind)
        exact, bound = (
            tail(level, epsilon=epsilon, theta=9, mechanism=mechanism)
            for tail in (dps.accuracy.error_tail, dps.accuracy.error_tail_bound)
        )
        assert exact == pytest.approx(bound, rel=1e-6)
        wide = dps.accuracy.expected_error_bound(level, epsilon=epsilon, mechanism=mechanism)
        assert 9 * exact <= wide <= 9


def test_theorem_4_8_holds_for_exponential_noise_and_not_for_laplace() -> None:
    """Pr[error >= s (ln m + t)] <= e^-t: by the law of m - 1 equal rivals; two candidates and t = 6 refute it."""
    from dpselect.mechanisms.pmf import laplace_at, permute_and_flip_at

    def worst(law, many: int, t: float) -> float:
        gaps, counts = np.array([0.0, math.log(many) + t]), np.array([1, many - 1])
        return (many - 1) * math.exp(law(gaps, counts)[1])

    for many in (2, 3, 10, 1000):
        for t in (0.0, 1.0, 3.0, 6.0, 12.0):
            assert worst(permute_and_flip_at, many, t) <= math.exp(-t)
    assert worst(laplace_at, 2, 6.0) > 1.05 * math.exp(-6)


def test_a_single_candidate_is_never_wrong() -> None:
    """Whatever the noise."""
    alone = dps.Scores([3.0], 1)
    for mechanism in SMOOTH:
        assert 0 == dps.accuracy.expected_error_bound(alone, epsilon=1, mechanism=mechanism)
        assert 0 == dps.accuracy.error_tail_bound(alone, epsilon=1, theta=0.5, mechanism=mechanism)
