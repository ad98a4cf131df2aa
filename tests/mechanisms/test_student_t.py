"""One-sided Student-t noise."""

import numpy as np
import pytest
from scipy import stats

from dpselect.mechanisms.smooth import student_t as heavy_tails

# Section 3.2 of the theory: epsilon and the shift it hides, rounded down.
TABLE = {
    0.1: 0.0941957,
    0.25: 0.2356561,
    0.5: 0.4725056,
    1: 0.9546116,
    2: 1.9877228,
    3: 3.1870460,
    5: 6.7159477,
    10: 36.454132,
    15: 193.17400,
    20: 1022.7895,
}


def test_density_tail_and_distribution_are_those_of_student_t() -> None:
    """Against SciPy, near 0 and far out."""
    z = np.array([1e-9, 1e-3, 0.5, 2.0, 30.0, 1e4])

    assert np.allclose(np.log(2) + stats.t.logpdf(z, 3), heavy_tails.log_density(z), rtol=1e-13)
    assert np.allclose(2 * stats.t.sf(z, 3), heavy_tails.tail(z), rtol=1e-13)
    assert np.allclose(np.log(1 - 2 * stats.t.sf(z[2:4], 3)), heavy_tails.log_distribution(z[2:4]), rtol=1e-12)


@pytest.mark.parametrize(("epsilon", "shift"), TABLE.items())
def test_shift_for_agrees_with_the_table_and_is_safe(epsilon: float, shift: float) -> None:
    """Seven digits; and sliding by the result costs at most epsilon on a fine grid."""
    found = heavy_tails.shift_for(float(epsilon))
    z = np.linspace(found, 10 * found + 100, 400_001)

    assert abs(found / shift - 1) < 2e-7
    assert (np.log(heavy_tails.tail(z - found)) - np.log(heavy_tails.tail(z))).max() <= epsilon


def test_enormous_epsilons_get_a_finite_shift() -> None:
    """The shift grows like e^(epsilon/3); it is capped, which is the safe side."""
    assert 1e80 < heavy_tails.shift_for(600.0) == heavy_tails.shift_for(1e300) < 1e90
