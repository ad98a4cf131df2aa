"""Smooth Noisy Max."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit import privacy_loss
from dpselect.mechanisms.smooth import chaves_2024 as published
from dpselect.mechanisms.smooth import noise_distributions as noises
from dpselect.mechanisms.smooth.dilation import rival_bound
from dpselect.mechanisms.smooth.smooth_noisy_max import calibrate
from tests.universes import random_problem

STUDENT = noises.student_t()


def calibrated(m: int, epsilon: float, phi: float, noise: str = "student-t") -> tuple[float, float]:
    """Beta and c of the library, c in units of the noise as laws have it."""
    beta, c = calibrate(m, Fraction(epsilon), range_bound=2, phi=Fraction(phi), noise=noise)
    return float(beta), float(c) / (3**0.5 if noise == "student-t" else 1)


# Searches that run at once; -m slow runs them all.
QUICK = {(1, 10_000), (20, 2)}


def loss(
    counts, here, there, scale_here: float, scale_there: float, noise: noises.NoiseDistribution = STUDENT
) -> float:
    """The worst log-ratio between two databases given scores and scales, from the exact law."""
    return float(np.abs(law(counts, here, scale_here, noise) - law(counts, there, scale_there, noise)).max())


def law(counts, scores, scale: float, noise: noises.NoiseDistribution) -> np.ndarray:
    """The exact law of the winner, in logarithms."""
    ticks = np.round(-(np.max(scores) - np.array(scores)) / scale * 2**30).astype(np.int64)
    gaps, group = np.unique(ticks.max() - ticks, return_inverse=True)
    grouped = np.bincount(group, weights=counts).astype(np.int64)
    return noises.log_pmf(gaps, grouped, Fraction(1, 2**30), noise)[group]


def worst_found(m: int, epsilon: float, beta: float, c: float, noise: noises.NoiseDistribution = STUDENT) -> float:
    """Search: one candidate against m - 1 others, every gap, every move, the scale moving by e^beta either way."""
    worst = 0.0
    for gap in np.concatenate(([0.0], np.exp(np.linspace(-2, 8, 24)))):
        for sign in (-1, 1):
            here = law((1, m - 1), (0.0, -sign * gap), c, noise)
            for a, move in itertools.product((-beta, 0.0, beta), (-1, 1)):
                small = min(1.0, math.exp(a))
                moved = (small * move, -sign * gap - small * move)
                there = law((1, m - 1), moved, c * math.exp(a), noise)
                worst = max(worst, float(np.abs(here - there).max()))
    return worst / epsilon


@pytest.mark.parametrize(
    ("epsilon", "m"),
    [
        pytest.param(epsilon, m, marks=() if (epsilon, m) in QUICK else pytest.mark.slow)
        for epsilon in (0.1, 1, 5, 20)
        for m in (2, 3, 10, 100, 1000, 10_000)
    ],
)
def test_no_search_finds_a_violation(epsilon: float, m: int) -> None:
    """With our calibration at the default phi the worst case found stays below epsilon."""
    beta, c = calibrated(m, epsilon, 0.15)

    assert worst_found(m, epsilon, beta, c) <= 1


@pytest.mark.parametrize(
    ("gamma", "m", "epsilon", "phi"),
    [
        pytest.param(gamma, m, epsilon, phi, marks=() if quick else pytest.mark.slow)
        for gamma, m in ((2, 2), (2, 1000), (4, 2), (4, 10_000))
        for epsilon, phi in ((1, 0.15), (1, 0.8), (8, 0.8))
        for quick in [(gamma, m, epsilon, phi) in {(2, 2, 1, 0.8), (4, 10_000, 1, 0.15)}]
    ],
)
def test_no_search_finds_a_violation_with_cauchy_noise(gamma: int, m: int, epsilon: float, phi: float) -> None:
    """Generalised Cauchy noise of gamma 2 and 4; without the floor gamma - 1 of K it would fail at (2, 2, .8)."""
    beta, c = calibrated(m, epsilon, phi, f"cauchy-{gamma}")

    assert worst_found(m, epsilon, beta, c, noises.cauchy(gamma)) <= 1


def test_cauchy_noise_needs_the_floor_of_its_dilation_cost() -> None:
    """K = kappa R(m) alone loses 1.46 epsilon for gamma = 2, two candidates and phi = .8."""
    c = 2 * 0.72462 / 0.2
    beta = 0.8 / (1.04824 * float(rival_bound(2)))

    assert 1.4 < worst_found(2, 1, beta, c, noises.cauchy(2)) < 1.5


@pytest.mark.parametrize("phi", [*(pytest.param(phi, marks=pytest.mark.slow) for phi in (0.05, 0.5)), 0.9])
def test_any_public_share_is_safe(phi: float) -> None:
    """Also far from the default."""
    beta, c = calibrated(1000, 1, phi)

    assert worst_found(1000, 1, beta, c) <= 1


def test_the_search_finds_what_is_wrong() -> None:
    """The same search rejects a scale that moves four times as fast as it may, and a slide of twice the length."""
    beta, c = calibrated(10_000, 1, 0.5)

    assert worst_found(10_000, 1, 4 * beta, c) > 1
    beta, c = calibrated(2, 1, 0.5)
    assert worst_found(2, 1, beta, c / 2) > 1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("epsilon", [0.5, 8])
def test_the_exact_loss_on_small_universes(seed: int, epsilon: float) -> None:
    """With exact sensitivities of random problems."""
    problem = random_problem(seed)
    found = privacy_loss(dps.mechanism("smooth-noisy-max"), problem.utility(), problem.universe, epsilon=epsilon)

    assert found.holds, str(found)
    assert math.isnan(found.stretch)


def test_a_candidate_that_is_safe_for_many_steps_wins() -> None:
    """A 0/1 score that cannot change within 200 steps needs almost no noise."""
    far = dps.sensitivity.local(lambda t: float(t >= 200), ceiling=1.0)
    scores = dps.Scores([1.0, *[0.0] * 99], far)

    assert dps.mechanism("smooth-noisy-max").pmf(scores, 1)[0] > 0.99 > dps.mechanism("exponential").pmf(scores, 1)[0]


def test_ten_candidates_and_a_lead_of_two_hundred() -> None:
    """0/1 scores at epsilon .1: wrong with probability .041 at the best share; .43 when slide and dilation add up."""
    best, added = 1.0, 1.0
    for phi in (0.65, 0.7, 0.75, 0.86):
        beta, c = calibrated(10, 0.1, phi)
        simple = phi * 0.1 / 3
        for rate, scale in ((beta, c), (simple, c * math.exp(-simple))):
            law_of_one = law((1, 9), (1.0, 0.0), scale * math.exp(-200 * rate), STUDENT)
            wrong = 9 * math.exp(law_of_one[1])
            best, added = (min(best, wrong), added) if rate == beta else (best, min(added, wrong))

    assert 0.040 < best < 0.0415
    assert 0.43 < added < 0.435


def test_it_has_no_unit_scores() -> None:
    """Its scale moves with the data, so nothing may treat it as a unit score."""
    assert not hasattr(dps.mechanism("smooth-noisy-max"), "effective")


@pytest.mark.slow
def test_the_published_beta_fails_for_many_candidates() -> None:
    """Student t at beta = epsilon / 8: above epsilon at 10^4 candidates, below at 300 with one-sided noise."""
    two_sided = chaves_scale("student-t", 10**4)

    assert 1.4 < worst_found(10**4, 1, *two_sided, noises.student_t(2)) < 1.44
    assert worst_found(300, 1, *chaves_scale("student-t", 300), noises.student_t(1)) <= 1


@pytest.mark.parametrize("epsilon", [1e-12, 0.1, 1, 20, 10**6])
def test_the_published_beta_is_released_where_it_is_certified(epsilon: float) -> None:
    """At 250 candidates for every epsilon, and not at 300 for a small one: there our certificate does not hold."""
    mechanism = dps.mechanism("smooth-noisy-max", calibration="chaves-2024", sides=1)
    few, many = (dps.Scores(np.zeros(m), sensitivity=1) for m in (250, 300))

    assert dps.select(few, epsilon=epsilon, mechanism=mechanism).guarantee.epsilon == Fraction(str(epsilon))
    if epsilon < 1:
        with pytest.raises(dps.PrivacyError, match="certified for up to 250"):
            dps.select(many, epsilon=epsilon, mechanism=mechanism)


def chaves_scale(noise: str, m: int) -> tuple[float, float]:
    """Beta and scale of a published calibration at epsilon 1."""
    beta, c = published._calibrate(
        m, Fraction(1), range_bound=2, noise=noise, delta=1e-6, sigma=0.5, phi=0.5, alpha="printed"
    )
    return float(beta), float(c) / (3**0.5 if noise == "student-t" else 1)


def test_the_exponent_as_printed_fails_for_two_candidates() -> None:
    """S = exp(-j epsilon): the scale moves by e^epsilon a step; Pr[loser] 1.440e-3 against 6.74e-5."""
    c = chaves_scale("student-t", 2)[1]
    # The winner is safe for four steps in one database and for five in the other.
    found = loss((1, 1), (1.0, 0.0), (1.0, 0.0), c * math.exp(-4), c * math.exp(-5), noises.student_t(2))

    assert 3.0 < found < 3.1

    # The same law by name; with the floor of the program the scale stands still from the fifth step on.
    def law(steps: int, floor: float) -> np.ndarray:
        jump = dps.sensitivity.local(lambda t: float(t >= steps), ceiling=1.0)
        return as_released(floor).log_pmf(dps.Scores([1, 0], jump, kind="integer"), 1)

    assert pytest.approx(found, abs=1e-6) == np.abs(law(4, 0) - law(5, 0)).max()
    assert (law(5, 0.01) == law(6, 0.01)).all()
    assert (law(5, 0) != law(6, 0)).any()


def as_released(floor: float):
    """Smooth Noisy Max with the exponent that Lemma 5.4 prints."""
    return dps.mechanism(
        "smooth-noisy-max", calibration="chaves-2024", exponent="printed", floor=floor, unsound="reproduction"
    )


@pytest.mark.parametrize("given", [{"exponent": "printed"}, {"floor": 0.01}, {"exponent": "printed", "sides": 1}])
def test_the_printed_exponent_releases_nothing(given) -> None:
    """One-sided Student t is certified at epsilon / 8 only; at epsilon, or with a floor, there are laws alone."""
    with pytest.raises(dps.PrivacyError, match="not private"):
        dps.mechanism("smooth-noisy-max", calibration="chaves-2024", **given)
    fenced = dps.mechanism("smooth-noisy-max", calibration="chaves-2024", unsound="reproduction", **given)
    scores = dps.Scores([3, 1], 1, kind="integer")

    assert pytest.approx(1) == fenced.pmf(scores, 1).sum()
    with pytest.raises(dps.PrivacyError, match="releases nothing"):
        dps.select(scores, epsilon=1, mechanism=fenced)
    with pytest.raises(dps.PrivacyError, match="releases nothing"):
        dps.top_k(scores, 2, epsilon=1, mechanism=fenced)


def test_theorem_4_9_is_false() -> None:
    """Not never worse than permute-and-flip when S <= Du / 2: two candidates one apart, S = 1/2, Laplace noise."""
    epsilon = 1.0
    ticks = [np.array([0, 1])]
    laplace = np.exp(noises.log_pmf(ticks[0], np.array([1, 1]), Fraction(1, 2), noises.laplace(2)))
    exponential = math.exp(-epsilon / 2) / 2

    assert abs(laplace[1] - math.exp(-epsilon / 2) * (0.5 + epsilon / 8)) < 1e-12
    assert laplace[1] > exponential


HEPTH = [
    # p's share of exact answers among 4096 records: how many, S, epsilon, noise, probability of one of them.
    (12, 0.535, 1, "student-t", 0.0032),
    (12, 0.842, 1, "laplace", 0.0053),
    (7, 0.287, 10, "student-t", 0.0247),
    (7, 0.708, 10, "laplace", 0.6863),
    (2, 0.708, 10, "laplace", 0.4056),
]


@pytest.mark.parametrize(("right", "bound", "epsilon", "noise", "chance"), HEPTH)
def test_the_released_figures(right: int, bound: float, epsilon: int, noise: str, chance: float) -> None:
    """0/1 scores of 4096 records at the authors' (too small) smooth sensitivity: their probabilities, to the digit."""
    beta, _ = published._calibrate(
        2, Fraction(epsilon), range_bound=2, noise=noise, delta=1e-6, sigma=0.5, phi=0.5, alpha="released"
    )
    steps = round(-math.log(bound) / beta)
    far = dps.sensitivity.local(lambda t: float(t >= steps), ceiling=1.0)
    scores = dps.Scores(np.arange(4096) < right, far)
    mechanism = dps.mechanism(
        "smooth-noisy-max", calibration="chaves-2024", noise=noise, alpha="released", unsound="reproduction"
    )

    assert abs(mechanism.pmf(scores, epsilon)[:right].sum() - chance) < 1.01e-4


def test_published_calibrations_are_fenced() -> None:
    """Not private, so: by explicit name, for laws only; the certified case is a mechanism like any other."""
    with pytest.raises(dps.PrivacyError, match="not private"):
        dps.mechanism("smooth-noisy-max", calibration="chaves-2024", noise="laplace")
    scores = dps.Scores([3.0, 1.0], 1)
    fenced = dps.mechanism(
        "smooth-noisy-max", calibration="chaves-2024", noise="laplace-log-normal", unsound="reproduction"
    )
    assert abs(fenced.pmf(scores, 1).sum() - 1) < 1e-9
    with pytest.raises(dps.PrivacyError, match="releases nothing"):
        dps.select(scores, epsilon=1, mechanism=fenced)

    certified = dps.mechanism("smooth-noisy-max", calibration="chaves-2024", sides=1)
    assert dps.select(scores, epsilon=50, mechanism=certified).value in (0, 1)
    with pytest.raises(dps.PrivacyError, match="up to 250"):
        certified.pmf(dps.Scores(np.zeros(301), 1), 0.1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"noise": "gauss"}, "noise is one of 'student-t'"),
        ({"calibration": "mine"}, "calibration is"),
        ({"calibration": "chaves-2024", "noise": "cauchy-2"}, "noise must be"),
        ({"calibration": "chaves-2024", "unsound": "yes"}, "unsound is"),
        ({"calibration": "chaves-2024", "sides": 3}, "sides is 1 or 2"),
        ({"calibration": "chaves-2024", "exponent": "mine"}, "exponent is"),
        ({"calibration": "chaves-2024", "floor": 1}, "exponent is"),
        ({"calibration": "chaves-2024", "noise": "laplace", "delta": 0}, "delta and phi"),
    ],
)
def test_unknown_parameters_are_refused(given, message: str) -> None:
    """One sentence that lists what there is."""
    with pytest.raises(ValueError, match=message):
        dps.mechanism("smooth-noisy-max", **given)


@pytest.mark.parametrize("phi", [0, 1, -0.1, 2, float("nan")])
def test_phi_lies_between_zero_and_one(phi) -> None:
    """The share is public and proper."""
    with pytest.raises(ValueError, match="phi must lie between 0 and 1"):
        dps.mechanism("smooth-noisy-max", phi=phi)


def test_without_a_ceiling_it_is_refused() -> None:
    """The search for the smooth bound must end."""
    with pytest.raises(dps.PrivacyError, match="public ceiling"):
        dps.mechanism("smooth-noisy-max").pmf(dps.Scores([1.0, 2.0], dps.sensitivity.local(lambda t: 1 + t)), 1)


@pytest.mark.parametrize("phi", [1e-7, 1e-12, 1e-30, 1e-300])
def test_a_share_too_small_for_the_search_is_refused(phi: float) -> None:
    """In one sentence of ours, when the mechanism is made; a millionth is enough."""
    for noise in ("student-t", "cauchy-2", "cauchy-4"):
        with pytest.raises(ValueError, match="^phi is at least 1e-6 with this noise: less leaves no scale"):
            dps.mechanism("smooth-noisy-max", noise=noise, phi=phi)
    scores = dps.utilities.tdt([9, 4, 0], [1, 4, 0], families=10)
    assert 1 == pytest.approx(dps.mechanism("smooth-noisy-max", phi=1e-6).pmf(scores, 1).sum())
