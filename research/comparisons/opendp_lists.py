"""OpenDP's ``make_noisy_top_k`` at a given epsilon, where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray


def opendp_list(counts: NDArray[np.int64], k: int, epsilon: float) -> Callable[[], list[int]] | None:
    """Return how to draw one list, with the scale at which its own map promises epsilon; ``None`` without OpenDP.

    One record moves all counts in the same direction by at most 1: a monotonic distance of 1.
    """
    if find_spec("opendp") is None:
        return None
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain, metric = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int, monotonic=True)
    measurement = dp.m.make_noisy_top_k(domain, metric, dp.max_divergence(), k, k / epsilon)
    assert abs(measurement.map(1) - epsilon) < 1e-9 * epsilon
    listed = counts.tolist()
    return lambda: list(measurement(listed))
