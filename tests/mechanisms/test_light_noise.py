"""Smooth Noisy Max with light-tailed noise, as a user builds and releases it."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpselect as dps
from dpselect.audit import privacy_loss
from dpselect.kernel.numbers import exact_epsilon
from dpselect.release.system_noise import SystemNoise
from tests.contracts.hostile import pairs
from tests.mechanisms.test_pmf import flip_by_enumeration
from tests.universes import chain, random_problem
from tests.verification.test_sampling import p_value, scores_for

PURE = [
    {"noise": "exponential"},
    {"noise": "laplace"},
    {"noise": "exponential", "clip": 6.9},
    {"noise": "exponential", "floor": 0.05, "phi": 0.5},
    {"noise": "laplace", "clip": 2, "phi": 0.85},
]
WITH_DELTA = [{"noise": noise, "delta": delta} for noise in ("exponential", "laplace") for delta in (1e-6, 0.01)]
LN_2 = math.log(2)


def built(parameters: dict) -> dps.mechanisms.Mechanism:
    """The mechanism of these parameters."""
    return dps.mechanism("smooth-noisy-max", **parameters)


def words(parameters: dict) -> str:
    """A readable name."""
    return " ".join(f"{name}={value}" for name, value in parameters.items())


@pytest.mark.parametrize("parameters", PURE, ids=words)
@pytest.mark.parametrize("epsilon", [0.1, 1, 20])
@pytest.mark.parametrize("seed", [0, 1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_exact_loss_is_at_most_epsilon(parameters: dict, epsilon: float, seed: int) -> None:
    """On random universes with exact sensitivities, integers and decimals, through the very ticks and rates."""
    problem = random_problem(seed, whole=seed != 1)
    found = privacy_loss(built(parameters), problem.utility(), problem.universe, epsilon=epsilon)

    assert found.holds, str(found)


@pytest.mark.slow
@pytest.mark.parametrize("parameters", PURE, ids=words)
@pytest.mark.parametrize("seed", range(12))
def test_the_exact_loss_is_at_most_epsilon_on_long_rows(parameters: dict, seed: int) -> None:
    """Twenty-five databases in a row, up to five candidates, scores that jump."""
    draw = np.random.default_rng(seed)
    m = int(draw.integers(2, 6))
    steps = draw.integers(-3, 4, (24, m)) * draw.integers(0, 2, (24, 1)) * draw.integers(1, 4, (24, 1))
    if seed % 2:
        turned = np.array([1] + [-1] * (m - 1)) * draw.choice([-1, 1], (24, 1))
        steps = np.abs(steps) * turned
    problem = chain(np.concatenate([np.zeros((1, m), dtype=int), np.cumsum(steps, axis=0)]))
    for epsilon in (0.1, 1, 5, 20):
        found = privacy_loss(built(parameters), problem.utility(element=False), problem.universe, epsilon=epsilon)
        assert found.holds, str(found)


@pytest.mark.parametrize("parameters", PURE, ids=words)
def test_ordered_lists_lose_at_most_epsilon(parameters: dict) -> None:
    """Peeling, where a floor has a smaller clip among fewer."""
    problem = random_problem(2)
    found = privacy_loss(built(parameters), problem.utility(), problem.universe, epsilon=1, k=2)

    assert found.holds, str(found)


@pytest.mark.parametrize("epsilon", ["1e-12", "1e-6", "0.001", "0.1"])
@pytest.mark.parametrize("scale", [1, 10**15, Fraction(1, 10**15)])
def test_small_epsilons_keep_their_promise_exactly(epsilon: str, scale) -> None:
    """With fifty digits, where the laws in floats see nothing: the clipped coins of the implementation, both ways."""
    mechanism, total = built({"noise": "exponential", "phi": 0.5}), exact_epsilon(Fraction(epsilon))
    jump = dps.sensitivity.local(lambda t: float(scale) * (0.01 if t < 7 else 1.0), ceiling=float(scale))
    later = dps.sensitivity.local(lambda t: float(scale) * (0.01 if t < 8 else 1.0), ceiling=float(scale))
    one, two = [3.0, 1.0, -0.5, -700.0], [2.99, 1.01, -0.49, -700.01]
    chances = []
    for values, at in ((one, jump), (two, later)):
        ticks, rate = mechanism.quantize(dps.Scores([v * float(scale) for v in values], at), total)
        clip = mechanism.sampler.clip(4)
        behind = [min(int(gap) * rate, clip) for gap in (ticks.max() - ticks).tolist()]
        # Fractions as whole multiples of a common one.
        common = math.lcm(*(gap.denominator for gap in behind))
        chances.append(flip_by_enumeration([int(gap * common) for gap in behind], Fraction(1, common)))
    with mpmath.workdps(50):
        losses = [abs(mpmath.log(here / there)) for here, there in zip(*chances, strict=True)]

        assert 0 < max(losses) <= mpmath.mpf(total.numerator) / total.denominator


@pytest.mark.parametrize("parameters", WITH_DELTA, ids=words)
@pytest.mark.parametrize("seed", range(3))
def test_the_divergence_is_at_most_delta(parameters: dict, seed: int) -> None:
    """Hockey-stick divergence on random universes, exact."""
    problem, mechanism = random_problem(seed), built(parameters)
    found = privacy_loss(mechanism, problem.utility(), problem.universe, epsilon=1)

    assert found.claim == (1, exact_epsilon(parameters["delta"]))
    assert found.holds, str(found)


@pytest.mark.parametrize("count", [34, pytest.param(17 * 60, marks=pytest.mark.slow)], ids=["few", "many"])
@pytest.mark.parametrize("parameters", [*PURE[:2], *WITH_DELTA[::2]], ids=words)
def test_numbers_at_the_ends_of_64_bits_keep_the_promise(parameters: dict, count: int) -> None:
    """True neighbours with hostile scores, ceilings and bounds: laws are laws, and lose what was promised at most."""
    mechanism, delta = built(parameters), parameters.get("delta", 0)
    # A law of Laplace noise takes long.
    for number, pair in enumerate(pairs(5, count // 4 if parameters["noise"] == "laplace" else count)):
        epsilon = (0.01, 1.0, 10.0)[number % 3]
        one, two = (mechanism.log_pmf(scores, epsilon) for scores in (pair.one, pair.two))
        assert abs(np.exp(one).sum() - 1) < 1e-9, pair
        blur = 2.0**-50 * np.maximum(np.abs(one), np.abs(two)) + 1e-11
        if delta:
            for here, there in ((one, two), (two, one)):
                assert np.maximum(0.0, np.exp(here) - np.exp(epsilon + there + blur)).sum() <= delta, pair
        else:
            assert float((np.abs(one - two) - blur).max()) <= epsilon * (1 + 1e-9), pair


def grown(x: int) -> dps.Scores:
    """Two candidates far apart whose sensitivity jumps one step later on the second database."""
    at = dps.sensitivity.local(lambda t: float(t >= 2 + x), ceiling=1.0)
    return dps.Scores([70.0, 0.0], at)


@pytest.mark.parametrize("parameters", WITH_DELTA, ids=words)
def test_a_delta_is_needed_and_kept(parameters: dict) -> None:
    """A pair whose worst outcome loses more than epsilon: within delta, and not without it."""
    universe = dps.audit.metric_space([[0, 1], [1, 0]])
    found = privacy_loss(built(parameters), grown, universe, epsilon=4)

    assert found.worst > 4
    assert 0 < found.delta <= parameters["delta"]
    assert found.holds
    assert "delta" in str(found)


@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param(each, id=words(each), marks=() if each in (PURE[1], PURE[2], WITH_DELTA[0]) else pytest.mark.slow)
        for each in (*PURE[:3], *WITH_DELTA)
    ],
)
def test_draws_follow_their_laws(parameters: dict, entropy) -> None:
    """Accepted at the law of this epsilon; rejected at 0.7 and 1.3 of it."""
    mechanism, epsilon, scores = built({"phi": 0.3} | parameters), Fraction(6), scores_for("")
    ticks, rate = mechanism.quantize(scores, epsilon)
    coins = SystemNoise(lambda: entropy)
    seen = np.bincount([coins.winners(mechanism.sampler, ticks, rate, 1)[0] for _ in range(4000)], minlength=12)

    assert p_value(seen, mechanism.pmf(scores, epsilon)) > 1e-4
    assert p_value(seen, mechanism.pmf(scores, epsilon * Fraction(7, 10))) < 1e-12
    assert p_value(seen, mechanism.pmf(scores, epsilon * Fraction(13, 10))) < 1e-12


@pytest.mark.parametrize(
    "parameters",
    [
        {"noise": "exponential", "clip": 0.01},
        {"noise": "exponential", "clip": 10**6, "phi": 1e-9},
        {"noise": "exponential", "delta": 1e-300, "phi": 1 - 1e-9},
        {"noise": "laplace", "delta": 0.999},
    ],
    ids=words,
)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10**300), 1, 10**300], ids=["smallest", "one", "largest"])
def test_public_numbers_at_their_ends_have_a_law_and_a_draw(parameters: dict, epsilon) -> None:
    """No overflow, no division by nothing, no search without an end; the best is never less likely than others."""
    late = dps.sensitivity.local(lambda t: 0.001 if t < 5 else 1.0, ceiling=1.0, reach=50)
    scores, mechanism = dps.Scores([3.0, 2.0, 0.0], late), built(parameters)
    law = mechanism.pmf(scores, epsilon)

    assert abs(law.sum() - 1) < 1e-9
    assert law[0] >= law[1] >= law[2]
    assert dps.select(scores, epsilon=epsilon, mechanism=mechanism).value in (0, 1, 2)


def test_a_floor_of_a_thousandth_is_the_default() -> None:
    """Neither a clip nor a delta is named."""
    assert built({"noise": "exponential"}).parameters == {"noise": "exponential", "floor": 0.001}
    assert "floor=0.001" in repr(built({"noise": "laplace"}))


def test_a_release_states_what_it_promises() -> None:
    """Pure with a clip; with its delta without one; and the ledger is asked for both."""
    scores = dps.Scores([90.0, 1.0], 1)
    with dps.budget(epsilon=2, delta=1e-6) as book:
        assert dps.select(scores, epsilon=1, mechanism=built(PURE[0])).guarantee == dps.Guarantee(1, scores.neighbours)
        assert dps.select(scores, epsilon=1, mechanism=built(WITH_DELTA[0])).guarantee.delta == Fraction(1, 10**6)
        assert book.totals.delta == Fraction(1, 10**6)


def test_log_normal_noise_has_a_law_and_is_not_released() -> None:
    """Its constants are floats: nothing is drawn, nothing is spent, and the refusal says what to use."""
    mechanism, scores = built({"noise": "laplace-log-normal", "delta": 1e-6}), dps.Scores([3.0, 1.0, 0.0], 1)
    law = mechanism.pmf(scores, 1)

    assert abs(law.sum() - 1) < 1e-9
    assert law[0] > law[1] > law[2]
    with dps.budget(epsilon=2, delta=1e-5) as book:
        with pytest.raises(dps.PrivacyError, match='noise="exponential"'):
            dps.select(scores, epsilon=1, mechanism=mechanism)
        assert 0 == book.totals.spends


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"noise": "exponential", "clip": 0}, ValueError, "^clip must be positive"),
        ({"noise": "exponential", "clip": 1e-3}, ValueError, "between 0.01 and"),
        ({"noise": "exponential", "clip": 1e7}, ValueError, "between 0.01 and"),
        ({"noise": "exponential", "floor": 0.2}, ValueError, "at most 0.1"),
        ({"noise": "laplace", "floor": -1}, ValueError, "^floor must be positive"),
        ({"noise": "laplace", "delta": 0}, ValueError, "delta must be positive"),
        ({"noise": "laplace", "delta": 1}, ValueError, "less than 1"),
        ({"noise": "laplace", "delta": 0.1, "clip": 3}, ValueError, "one of .* not clip= and delta="),
        ({"noise": "exponential", "sigma": 1}, ValueError, "has no sigma"),
        ({"noise": "exponential", "gamma": 4}, TypeError, "does not take"),
        ({"noise": "laplace-log-normal"}, ValueError, "pass delta="),
        ({"noise": "laplace-log-normal", "clip": 4}, ValueError, "pass delta="),
        ({"noise": "laplace-log-normal", "delta": 1e-6, "sigma": 9}, ValueError, "between 0.1 and 2"),
        ({"clip": 4}, ValueError, "student-t noise .* leave clip= out"),
        ({"delta": 1e-6}, ValueError, "costs no delta: leave delta= out"),
        ({"gamma": 4}, TypeError, "does not take gamma"),
        ({"noise": "cauchy"}, ValueError, "'cauchy-2', 'cauchy-4'.* 'cauchy' of dpselect.release_value is 'cauchy-2'"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict, error: type[Exception], message: str) -> None:
    """One sentence that says what to pass."""
    with pytest.raises(error, match=message):
        built(parameters)


def test_without_a_ceiling_it_is_refused() -> None:
    """Whatever the noise."""
    unbounded = dps.Scores([1.0, 2.0], dps.sensitivity.local(lambda t: 1 + t))
    for parameters in (*PURE, *WITH_DELTA):
        with pytest.raises(dps.PrivacyError, match="public ceiling"):
            built(parameters).pmf(unbounded, 1)
