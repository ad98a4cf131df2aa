"""Searches that try to break light-tailed noise on a moving scale: theorems 1 to 3 of the refereed page.

Quick ones for each theorem run at once; -m slow runs them all. Every figure is from exact laws.
"""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from dpselect.mechanisms.smooth import clip as clips
from dpselect.mechanisms.smooth import light_tails
from dpselect.mechanisms.smooth.light_tails import dilation_cost
from dpselect.mechanisms.smooth.noise_distributions import laplace_log_normal
from dpselect.mechanisms.smooth.noise_distributions import log_pmf as noises_law
from tests.mechanisms.smooth_pairs import Pair, common_gaps, divergence, exact, log_law, loss, worst

FAR = np.concatenate([[0.0], np.geomspace(0.01, 80, 60)])
# Relative errors of the laws, and of their logarithms.
LAW = 1e-10


def found_divergence(
    noise: str, m: int, epsilon: float, delta: float, phi: float, climbs: int, gaps: np.ndarray = FAR
) -> tuple[float, Pair]:
    """The largest hockey-stick divergence found, over delta."""
    beta, c = light_tails.calibrate(m, exact(epsilon), range_bound=2, noise=noise, phi=exact(phi), delta=exact(delta))
    rng = np.random.default_rng(5)
    most, pair = worst(lambda pair: divergence(noise, pair, float(c), epsilon), m, float(beta), gaps, rng, climbs)
    return most / delta, pair


@pytest.mark.parametrize("m", [2, 3, 10, 100, 1000])
def test_exponential_noise_uses_its_delta_up(m: int) -> None:
    """Theorem 1 is tight: at epsilon 1, delta 10^-6 and phi .5 the worst pair is within a thousandth of delta."""
    found, pair = found_divergence("exponential", m, 1, 1e-6, 0.5, climbs=2)

    assert 0.999 <= found <= 1 + 1e-9, pair


@pytest.mark.slow
@pytest.mark.parametrize("phi", [0.15, 0.5, 0.85])
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("epsilon", [0.1, 1, 10])
@pytest.mark.parametrize("m", [2, 3, 10, 100, 1000])
def test_no_search_breaks_exponential_noise_with_a_delta(m: int, epsilon: float, delta: float, phi: float) -> None:
    """Never above delta, and within a factor of five of it everywhere here."""
    found, pair = found_divergence("exponential", m, epsilon, delta, phi, climbs=6)

    assert 0.2 <= found <= 1 + 1e-9, pair


def test_laplace_noise_stays_within_its_delta() -> None:
    """Theorem 2, two candidates at epsilon 1: within a factor of five of delta."""
    found, pair = found_divergence("laplace", 2, 1, 1e-3, 0.5, 0, gaps=np.geomspace(1, 20, 12))

    assert 0.2 <= found <= 1, pair


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("epsilon", [0.1, 1, 10])
@pytest.mark.parametrize("m", [2, 3, 5, 10, 100, 1000])
def test_no_search_breaks_laplace_noise_with_a_delta(m: int, epsilon: float, delta: float) -> None:
    """Never above delta; the bound is loose by a factor of up to 30."""
    found, pair = found_divergence("laplace", m, epsilon, delta, 0.5, climbs=2, gaps=np.geomspace(0.3, 60, 18))

    assert 1 / 30 <= found <= 1, pair


def test_a_beta_that_is_a_little_larger_breaks_exponential_noise() -> None:
    """The search has power: at 1.01 beta it finds more than delta."""
    beta, c = light_tails.calibrate(10, exact(1), range_bound=2, noise="exponential", phi=exact(0.5), delta=exact(1e-6))
    rng = np.random.default_rng(1)

    assert worst(lambda pair: divergence("exponential", pair, float(c), 1), 10, 1.01 * float(beta), FAR, rng)[0] > 1e-6


def found_loss(noise: str, m: int, epsilon: float, phi: float, units: float, climbs: int) -> tuple[float, Pair, float]:
    """The largest loss found with a clip of so many units, over epsilon; the same pair's without the clip."""
    clip = exact(round(units, 6))
    beta, c = clips.calibrate(m, exact(epsilon), range_bound=2, phi=exact(phi), clip=lambda _: clip)
    far, step = float(beta), 2 / float(c)
    near = [units * math.exp(far), units * math.exp(-far), units + step, units - step, units * math.exp(-far) - step]
    gaps = np.unique(np.maximum(0.0, np.concatenate([np.linspace(0, units * 1.01, 10), near, [3 * units]])))
    rng = np.random.default_rng(3)
    most, pair = worst(lambda pair: loss(noise, pair, float(c), float(clip)), m, far, gaps, rng, climbs)
    return most / epsilon, pair, loss(noise, Pair((0.0, 60.0), (1, m - 1), (1.0, -1.0), -far), float(c)) / epsilon


def test_the_clip_is_nearly_used_up() -> None:
    """Theorem 3 at two candidates, epsilon .1, phi .15, T = 6.9: at most epsilon, and at least .99 of it."""
    found, pair, bare = found_loss("exponential", 2, 0.1, 0.15, 6.9, climbs=0)

    assert 0.99 <= found <= 1 + LAW / 0.1, pair
    assert bare > 1.9


@pytest.mark.parametrize("noise", ["exponential", pytest.param("laplace", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("m", "epsilon", "phi", "units"),
    [
        pytest.param(
            m, epsilon, phi, units, marks=() if (m, epsilon, phi, units) == (10, 1, 0.5, 5.0) else pytest.mark.slow
        )
        for m in (2, 10, 100, 1000)
        for epsilon in (0.1, 1, 5, 10)
        for phi in (0.15, 0.5, 0.85)
        for units in (1.0, 5.0, math.log(m / 2e-3))
    ],
)
def test_no_search_breaks_a_clip(noise: str, m: int, epsilon: float, phi: float, units: float) -> None:
    """Never above epsilon, for either noise; the hopeless pair loses more wherever the clip is left out."""
    found, pair, bare = found_loss(noise, m, epsilon, phi, units, climbs=3 if noise == "exponential" else 1)

    assert found <= 1 + LAW / epsilon, pair
    assert bare > 1.5


@pytest.mark.slow
def test_the_clip_also_makes_the_exponential_mechanism_private_on_a_moving_scale() -> None:
    """Gumbel noise: softmax of clipped gaps, 60,000 random pairs, the worst within a thousandth of epsilon."""
    rng, top = np.random.default_rng(4), 0.0
    for _ in range(60_000):
        m, units = int(rng.choice([2, 3, 10, 100])), int(rng.choice([1, 3, 6, 10, 14]))
        epsilon, phi = (float(rng.choice(some)) for some in ([0.1, 1, 5, 10], [0.15, 0.5, 0.85]))
        beta = phi * epsilon / units
        c = 2 * max(math.exp(-beta) / ((1 - phi) * epsilon), 1 / epsilon)
        grown = float(rng.choice([-beta, beta, 0.0, beta / 2, -beta / 2]))
        here = rng.uniform(0, 1.3 * units, m) if rng.random() < 0.4 else np.full(m, rng.uniform(0, 1.3 * units))
        here[0] = 0.0
        moves = np.where(np.arange(m) == rng.integers(m), -1, 1) * rng.choice([-1, 1])
        there = (here - moves * min(1.0, math.exp(grown)) / c) / math.exp(grown)
        logs = [-np.minimum(gaps - gaps.min(), units) for gaps in (here, there)]
        one, two = (log - np.log(np.exp(log).sum()) for log in logs)
        top = max(top, float(np.abs(one - two).max()) / epsilon)

    assert 0.999 < top <= 1 + 1e-9


def slope(noise: str, gaps: list[float], sizes: tuple[int, ...], step: float = 1e-4) -> float:
    """How fast ln Pr of the first group rises while all gaps grow."""
    up, down = (log_law(noise, np.array(gaps) * (1 + way * step), sizes)[0] for way in (1, -1))
    return float(up - down) / (2 * step)


# Exact suprema at a common gap: what a proof without slack would give.
COMMON = {"exponential": {2: 0.23196, 10: 1.127, 100: 2.999, 1000: 5.132}, "laplace": {2: 0.2628, 5: 0.6398, 10: 1.003}}


# One law of Laplace noise among ten is an integral of many pieces.
FEW = {"exponential": COMMON["exponential"], "laplace": {2: COMMON["laplace"][2]}}


@pytest.mark.parametrize(
    ("noise", "common"),
    [*FEW.items(), pytest.param("laplace", COMMON["laplace"], marks=pytest.mark.slow)],
    ids=lambda each: each if isinstance(each, str) else len(each),
)
def test_dilation_costs_cover_common_gaps(noise: str, common: dict[int, float]) -> None:
    """K is exact for two candidates, and above the exact supremum at one common gap for more."""
    for m, supremum in common.items():
        gaps = np.linspace(0.1, 1.3 * math.log(m) + 3, 80)
        found = max(slope(noise, [0.0, gap], (1, m - 1)) for gap in gaps.tolist())

        assert 0.998 * supremum < found < supremum * 1.0005
        assert found <= float(dilation_cost(m, noise))
    assert found_at_two(noise) > 0.9995 * float(dilation_cost(2, noise))


def found_at_two(noise: str) -> float:
    """The supremum for two candidates."""
    return max(slope(noise, [0.0, gap], (1, 1)) for gap in np.linspace(0.6, 1.5, 91).tolist())


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["exponential", "laplace"])
@pytest.mark.parametrize("m", [3, 4, 5, 6, 10, 100, 1000])
def test_no_gaps_cost_more_than_the_dilation_cost(noise: str, m: int) -> None:
    """Two and four groups with gaps of their own, climbing."""
    rng, most = np.random.default_rng(0), 0.0
    for climb in range(20 if noise == "exponential" else 8):
        groups = 2 if climb % 2 or m < 6 else 4
        cuts = np.sort(rng.choice(np.arange(1, m), groups - 1, replace=False)) if m > groups else np.arange(1, groups)
        sizes = (1, *np.diff([0, *cuts.tolist(), m - 1]).tolist()) if m > 3 else (1, 1, 1)
        gaps = np.abs(rng.uniform(0, 2 * math.log(m), len(sizes) - 1))
        best = slope(noise, [0.0, *gaps.tolist()], sizes)
        for step in range(60):
            tried = np.abs(gaps + rng.normal(size=gaps.size) * (0.5, 0.05)[step % 2])
            value = slope(noise, [0.0, *tried.tolist()], sizes)
            if value > best:
                best, gaps = value, tried
        most = max(most, best)

    assert 0 < most <= float(dilation_cost(m, noise))


def test_without_a_clip_no_beta_is_pure() -> None:
    """The smallest counterexample: two candidates, the scale moving by a thousandth, the loss beyond any epsilon."""
    for noise in ("exponential", "laplace"):
        for gap in (1e2, 1e3, 1e4, 1e5):
            found = loss(noise, Pair((0.0, gap), (1, 1), (0.0, 0.0), 1e-3), 1.0)
            assert 0.9e-3 * gap < found < 1.1e-3 * gap


def test_without_a_clip_laplace_log_normal_noise_is_not_pure_either() -> None:
    """Its tail is heavier and still falls faster than any power: every ten times further costs more than the last."""
    noise, two, losses = laplace_log_normal(0.5, 1), np.array([1, 1]), list[float]()
    for gap in (1, 10, 100, 1000):
        gaps, grown = np.array([0, gap]), Fraction(1001, 1000)
        losses.append(float(noises_law(gaps, two, 1 / grown, noise)[1] - noises_law(gaps, two, Fraction(1), noise)[1]))

    steps = [two - one for one, two in pairwise(losses)]
    assert 0.003 < steps[0] < steps[1] < steps[2]


def test_without_a_clip_no_beta_is_concentrated() -> None:
    """Renyi divergences of every order above e^beta / (e^beta - 1) have no bound; below it they stay."""
    beta = 0.5
    order = math.exp(beta) / math.expm1(beta)
    for noise in ("exponential", "laplace"):

        def renyi(alpha: float, gap: float, noise: str = noise) -> float:
            one, two = (log_law(noise, np.array([0.0, far]), (1, 1)) for far in (gap * math.exp(-beta), gap))
            return float(np.logaddexp.reduce(alpha * one + (1 - alpha) * two)) / (alpha - 1)

        assert renyi(1.1 * order, 1000) > 8 * renyi(1.1 * order, 100) > 8
        assert renyi(0.9 * order, 1000) < 2 * renyi(0.9 * order, 10)


def test_common_gaps_try_every_way() -> None:
    """The search is what it says: three scales, two ways to move, every gap."""
    assert len(list(common_gaps(7, np.arange(5.0), 0.1))) == 30
