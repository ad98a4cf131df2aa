"""The cost of a scale that grows."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpselect.mechanisms.smooth import noise_distributions as noises
from dpselect.mechanisms.smooth.dilation import CHORDS, downwards, kappa, rival_bound
from dpselect.mechanisms.smooth.heavy_tail import HeavyTail
from tests.mechanisms.dilation_cells import Cells, Witness

STUDENT = HeavyTail(0)
WITNESSES = json.loads((Path(__file__).parent / "dilation_witnesses.json").read_text(encoding="utf-8"))
# Certified at once; -m slow certifies all.
QUICK = {0, 10}


def test_every_chord_has_its_witness() -> None:
    """The published numbers are those that are certified, and chords leave no gap."""
    ends = [(few, least, many, most) for few, least, many, most in CHORDS]

    assert ends == [(*sum(zip(w["rivals"], w["costs"], strict=True), ()),) for w in WITNESSES]
    assert [few for few, *_ in ends[1:]] == [many for *_, many, _ in ends[:-1]]


@pytest.mark.parametrize(
    "i", [pytest.param(i, marks=() if i in QUICK else pytest.mark.slow) for i in range(len(WITNESSES))]
)
def test_both_ends_of_a_chord_are_certified(i: int) -> None:
    """For every gap and every noise, by cells."""
    w = WITNESSES[i]
    witness = Witness(w["at"], w["heights"])

    assert witness.heights[0] == 0 <= min(np.diff(witness.heights))
    for rivals, cost in zip(w["rivals"], w["costs"], strict=True):
        assert Cells(witness, rivals, float(cost)).certified()


@pytest.mark.parametrize("i", [0, 10])
def test_a_cost_that_is_too_low_is_not_certified(i: int) -> None:
    """Two per cent below the published cost, and with a witness that is not one."""
    w = WITNESSES[i]
    cost = float(w["costs"][0])

    assert not Cells(Witness(w["at"], w["heights"]), w["rivals"][0], 0.98 * cost).certified(6)
    assert not Cells(Witness(w["at"], [0.7 * h for h in w["heights"]]), w["rivals"][0], cost).certified(4)


def common_gap(rivals: int) -> float:
    """The largest cost found when all rivals lie at one gap, by quadrature; in the units of the noise as drawn."""
    points, shares = np.polynomial.legendre.leggauss(24)
    edges = np.concatenate(([0.0], 2.0 ** np.arange(-20.0, 60.0)))
    half = np.diff(edges)[:, None] / 2
    z, weights = (edges[:-1, None] + half * (points + 1)).ravel(), (half * shares).ravel()
    tail = HeavyTail(0).loss

    def cost(gap: float) -> float:
        below = np.log(-np.expm1(-tail(z + gap)))
        mass = weights / (1 + z * z) ** 2 * np.exp(rivals * below)
        rho = 4 / np.pi / (1 + (z + gap) ** 2) ** 2 / np.exp(below)
        return float(rivals * gap * (mass * rho).sum() / mass.sum())

    return max(cost(gap) for gap in np.geomspace(0.1, 100, 400))


@pytest.mark.parametrize(
    ("m", "most"),
    [
        (2, 1.01),
        (5, 1.08),
        (100, 1.12),
        (10**6, 1.45),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((10, 1.10), (1000, 1.18), (10**4, 1.32))),
    ],
)
def test_the_cost_is_above_that_of_a_common_gap_and_not_far(m: int, most: float) -> None:
    """The worst scores known are a common gap: what is certified exceeds their cost by one to 45 per cent."""
    assert 1 <= float(downwards(STUDENT, m)) / common_gap(m - 1) < most


def test_the_cost_grows_and_stays_below_the_bound_for_all_m() -> None:
    """K(m) <= 3 R(m), attained beyond the last chord."""
    sizes = [*range(2, 200), 1000, 10**4, 10**5, 131073, 131074, 10**6, 10**9]
    costs = [downwards(STUDENT, m) for m in sizes]

    assert costs == sorted(costs)
    assert all(cost <= 3 * rival_bound(m) for cost, m in zip(costs, sizes, strict=True))
    assert downwards(STUDENT, 10**9) == 3 * rival_bound(10**9)


@pytest.mark.parametrize("m", [2, 3, 10, 1000, 10**6, 10**12])
def test_the_bound_of_rivals_is_rounded_up(m: int) -> None:
    """Above its closed form, by less than 10^-12."""
    import mpmath

    with mpmath.workdps(40):
        exact = (1 - mpmath.mpf(1) / m) * (1 + mpmath.lambertw((m - 1) * mpmath.exp(-1 - mpmath.mpf(m) / (m - 1))).real)
        bound = mpmath.mpf(rival_bound(m).numerator) / rival_bound(m).denominator
        assert 0 <= bound / exact - 1 < 1e-12


@pytest.mark.parametrize(("gamma", "least"), [(2, 1.04824), (4, 3.0009), (6, 5), (10, 9), (32, 31), (256, 255)])
def test_kappa_is_rounded_up(gamma: int, least: float) -> None:
    """Above what w f / F over -ln F is anywhere on a grid, by less than half a per cent."""
    tail = HeavyTail(gamma)
    w = np.exp(np.linspace(np.log(0.01), np.log(1e3) / tail.power, 50_001))
    losses = tail.loss(w)
    ratio = w * tail.hazard(w) * np.exp(-losses) / -np.expm1(-losses) / -np.log(-np.expm1(-losses))

    assert ratio.max() <= kappa(tail) < max(least, ratio.max()) * 1.005


@pytest.mark.parametrize(
    ("gamma", "m"),
    [
        pytest.param(g, m, marks=() if m in (2, 50) and g in (0, 2, 8) else pytest.mark.slow)
        for g in (0, 2, 4, 8)
        for m in (2, 9, 50, 1000)
    ],
)
def test_scaling_noise_costs_at_most_the_stated_factor(gamma: int, m: int) -> None:
    """By the exact law: grow the scale of all noises a little and compare, over gaps and groups."""
    noise = noises.cauchy(gamma) if gamma else noises.student_t()
    rng, worst = np.random.default_rng(m + gamma), 0.0
    d = 1e-3
    for k in range(40):
        first, second = np.exp(rng.uniform(-2, 4, 2)) if k % 4 == 0 else np.exp(-2 + 5 * k / 40) * np.array([1, 1.5])
        gaps = np.array([0, int(first * 2**20), int(max(second, first * 1.01) * 2**20)])
        some = int(rng.integers(0, m))
        counts = np.array([1, m - 1 - some, some])[[True, m - 1 > some, some > 0]]
        gaps = np.sort(gaps)[[True, m - 1 > some, some > 0]]
        here = noises.log_pmf(gaps, counts, Fraction(1, 2**20), noise)
        there = noises.log_pmf(gaps, counts, Fraction(int(2**60 * np.exp(-d)), 2**80), noise)
        worst = max(worst, float((here - there).max()) / d)

    assert worst <= float(downwards(HeavyTail(gamma), m))
    assert gamma or worst > 0.6 * float(downwards(HeavyTail(gamma), m))
