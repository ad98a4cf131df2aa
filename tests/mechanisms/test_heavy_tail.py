"""The tail of heavy-tailed noise."""

import decimal
from decimal import Decimal

import mpmath
import numpy as np
import pytest

from dpselect.mechanisms.smooth.heavy_tail import CONTEXT, HeavyTail

GAMMAS = [0, 2, 3, 4, 5, 6, 10, 256]


def exact(gamma: int, z: str) -> mpmath.mpf:
    """Pr[Z > z] in closed form: hypergeometric functions of another library."""
    z = mpmath.mpf(z)
    if not gamma:
        return 1 - 2 / mpmath.pi * (mpmath.atan(z) + z / (1 + z * z))
    share = mpmath.mpf(1) / gamma
    body = z * mpmath.hyp2f1(1, share, 1 + share, -(z**gamma))
    return 1 - body * gamma * mpmath.sin(mpmath.pi / gamma) / mpmath.pi


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("z", ["0", "1e-30", "0.37", "1", "1.0000001", "1.8", "1000"])
def test_tail_and_hazard_agree_with_another_library(gamma: int, z: str) -> None:
    """Decimals to forty digits, floats as their docstrings say."""
    if gamma == 256 and z == "1000":
        pytest.skip("A tail of 10^-767 is beyond the precision of the comparison.")
    tail = HeavyTail(gamma)
    with mpmath.workdps(220), decimal.localcontext(CONTEXT):
        mine, other = mpmath.mpf(str(tail.exact_tail(Decimal(z)))), exact(gamma, z)
        assert abs(mine / other - 1) < 1e-44
        height = 4 / mpmath.pi if not gamma else gamma * mpmath.sin(mpmath.pi / gamma) / mpmath.pi
        dense = height / (1 + mpmath.mpf(z) ** (gamma or 2)) ** (1 if gamma else 2)
        assert abs(mpmath.mpf(str(tail.exact_hazard(Decimal(z)))) * other / dense - 1) < 1e-43
        assert abs(float(tail.loss(np.float64(z))) + float(mpmath.log(other))) <= 2.0**-46 * (1 - mpmath.log(other))
        for hazard in (float(tail.hazard(np.float64(z))), tail.hazard_at(float(z))):
            assert abs(hazard * float(other / dense) - 1) < 2.0**-40 if other > 1e-200 else hazard > 0


@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_tail_has_the_shape_that_the_proofs_use(gamma: int) -> None:
    """The hazard rises to its top and falls; z hazard(z) rises to the power of the tail; z f / F falls from 1."""
    tail = HeavyTail(gamma)
    z = np.exp(np.linspace(np.log(1e-3), np.log(1e4) / tail.power, 20_001))
    hazard, loss, top = tail.hazard(z), tail.loss(z), float(tail.top[0])

    assert (np.diff(hazard[z < top]) > 0).all()
    assert (np.diff(hazard[z > top]) < 0).all()
    assert (np.diff(z * hazard) > -1e-11).all()
    assert (z * hazard).max() <= tail.power * (1 + 1e-12)
    assert (np.diff(z * hazard * np.exp(-loss) / -np.expm1(-loss)) < 1e-11).all()
    assert hazard.max() <= tail.steepest <= float(tail.hazard(np.float64(top))) * (1 + 1e-9)


def test_steepest_slopes_are_those_that_were_published() -> None:
    """1.06176286 for Student t, .72462 and 2.0528 for generalised Cauchy, rounded up there."""
    slopes = [float(HeavyTail(gamma).steepest) / HeavyTail(gamma).root for gamma in (0, 2, 4)]

    assert slopes == pytest.approx([1.06176286, 0.72461135, 2.05275577], abs=5e-9)
