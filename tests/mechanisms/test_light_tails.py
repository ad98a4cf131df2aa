"""Calibrations of exponential and Laplace noise with a delta: on the safe side, and no further than twelve digits."""

from fractions import Fraction

import mpmath
import pytest

from dpselect.mechanisms.smooth.light_tails import _PEAKS, calibrate, dilation_cost

NOISES = ("exponential", "laplace")
SETTINGS = [
    (m, Fraction(epsilon), Fraction(delta), Fraction(phi))
    for m in (2, 5, 6, 1000)
    for epsilon in ("1e-12", "0.1", "1", "20")
    for delta, phi in (("1e-6", "0.5"), ("0.2", "0.15"), ("1e-300", "0.9"))
]


def exact(fraction: Fraction) -> mpmath.mpf:
    """A fraction with sixty digits."""
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def lost(noise: str, m: int, spent: mpmath.mpf, beta: mpmath.mpf) -> mpmath.mpf:
    """(U) as it is stated."""
    growth = mpmath.expm1(beta)
    if noise == "exponential":
        return mpmath.mpf(m - 1) / 2 * -mpmath.expm1(-beta) * mpmath.exp(-(spent + beta) / growth)
    t = spent / growth
    k = (1 + t) / (2 + t)
    return (m - 1) * (0.5 + t / 4) * mpmath.exp(-t) * (k / (k + growth)) ** (k / growth) * growth / (k + growth)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("m", "epsilon", "delta", "phi"), SETTINGS)
def test_both_conditions_hold_and_one_of_them_barely(noise: str, m: int, epsilon, delta, phi) -> None:
    """With sixty digits at beta; one part in 10^10 more breaks one of them."""
    beta, c = calibrate(m, epsilon, range_bound=2, noise=noise, phi=phi, delta=delta)
    assert c == 2 / ((1 - phi) * epsilon)
    with mpmath.workdps(80):

        def holds(at: mpmath.mpf) -> bool:
            slide = exact((1 - phi) * epsilon) * mpmath.exp(-at) + at * exact(dilation_cost(m, noise))
            return slide <= exact(epsilon) and lost(noise, m, exact(phi * epsilon), at) <= exact(delta)

        assert holds(exact(beta))
        assert not holds(exact(beta * (1 + Fraction(1, 10**10))))


@pytest.mark.parametrize("noise", NOISES)
def test_the_peaks_are_rounded_up(noise: str) -> None:
    """Suprema of W ln((1 + W) / 2W) and D w(D); the weight at the peak says up to how many rivals it decides."""
    with mpmath.workdps(30):

        def curve(at: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
            if noise == "exponential":
                return at * mpmath.log((1 + at) / (2 * at)), at
            weight = (1 + at) / (4 * mpmath.exp(at) - 2 - at)
            return at * weight, weight

        top = mpmath.findroot(lambda at: mpmath.diff(lambda x: curve(x)[0], at), 0.3 if noise == "exponential" else 1.3)
        supremum, weight = curve(top)
        peak, few = _PEAKS[noise]

        assert supremum <= exact(peak) <= supremum + mpmath.mpf("1e-5")
        assert mpmath.mpf(1) / (few + 1) <= weight < mpmath.mpf(1) / few


def test_five_candidates_of_laplace_noise_need_the_peak() -> None:
    """The root alone, 1.0212, is less than what the proof gives for four rivals, 1.0512."""
    root = float(mpmath.findroot(lambda d: 4 * (1 + d) - (4 * mpmath.exp(d) - 2 - d), 1))

    assert root < 1.0213 < 1.0512 < float(dilation_cost(5, "laplace")) < 1.0513


@pytest.mark.parametrize("m", [6, 7, 10, 100, 1000, 10**6, 10**12])
def test_dilation_costs_are_rounded_up(m: int) -> None:
    """ln(m/2), and the root of (m-1)(1+D) = 4 e^D - 2 - D."""
    with mpmath.workdps(70):
        root = mpmath.findroot(lambda d: (m - 1) * (1 + d) - (4 * mpmath.exp(d) - 2 - d), float(mpmath.log(m)) + 0.3)
        for noise, value in (("exponential", mpmath.log(mpmath.mpf(m) / 2)), ("laplace", root)):
            assert value <= exact(dilation_cost(m, noise)) <= value * (1 + mpmath.mpf("1e-9"))


def test_one_candidate_is_calibrated_as_two() -> None:
    """It is chosen anyway."""
    parameters = {"range_bound": 1, "noise": "exponential", "phi": Fraction(1, 2), "delta": Fraction(1, 10**6)}

    assert calibrate(1, Fraction(1), **parameters) == calibrate(2, Fraction(1), **parameters)


@pytest.mark.parametrize("noise", NOISES)
def test_an_enormous_epsilon_counts_as_six_hundred(noise: str) -> None:
    """The noise is nothing already."""
    parameters = {"range_bound": 2, "noise": noise, "phi": Fraction(1, 2), "delta": Fraction(1, 10**6)}

    assert calibrate(3, Fraction(10) ** 300, **parameters) == calibrate(3, Fraction(600), **parameters)
