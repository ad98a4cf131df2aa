"""One-sided Student-t noise."""

import numpy as np
from scipy import stats

from dpselect.mechanisms.smooth import student_t as heavy_tails


def test_density_tail_and_distribution_are_those_of_student_t() -> None:
    """Against SciPy, near 0 and far out."""
    z = np.array([1e-9, 1e-3, 0.5, 2.0, 30.0, 1e4])

    assert np.allclose(np.log(2) + stats.t.logpdf(z, 3), heavy_tails.log_density(z), rtol=1e-13)
    assert np.allclose(2 * stats.t.sf(z, 3), heavy_tails.tail(z), rtol=1e-13)
    assert np.allclose(np.log(1 - 2 * stats.t.sf(z[2:4], 3)), heavy_tails.log_distribution(z[2:4]), rtol=1e-12)
