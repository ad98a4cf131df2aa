"""The cost of releasing the best of a secret number of private runs, for any law of that number.

Let f be the generating function of the law, f(t) = E t^K. An output that a run gives with a vanishing chance, while a
share t of runs gives nothing better, is released with a density f'(t). A neighbour may divide that share by E =
e^epsilon, or multiply by E what is missing to 1; so the price is epsilon + max over t of ln f'(t) / f'(u), with u the
larger of t / E and 1 - E (1 - t). That is one-dimensional, and no smaller number holds for all algorithms.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial.polynomial import polyval
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_epsilon

_CELLS = 64
# Cells are halved until the bound is this near to what some t attains.
_NEAR, _ROUNDING = 1e-6, 1e-9


def price_of_runs(chances: ArrayLike, *, epsilon: Epsilon) -> float:
    """Return what the best of K runs costs: an upper bound, above the least one by a millionth at most.

    Args:
        chances: of 1, 2, 3, ... runs; public, summing to 1.
        epsilon: of one run.

    Raises:
        ValueError: chances that are negative or do not sum to 1.
        TypeError: epsilon is not a number.

    References: after Papernot and Steinke 2022, for any law.

    >>> round(price_of_runs([0, 0, 0, 1], epsilon=0.5), 3)           # always four runs
    2.0
    >>> round(price_of_runs([0.5, 0.25, 0.25], epsilon=0.5), 3)
    0.826
    """
    pmf = np.asarray(chances, dtype=np.float64)
    if pmf.ndim != 1 or not pmf.size or (pmf < 0).any() or not math.isclose(pmf.sum(), 1, rel_tol=1e-9):
        raise InputError("chances must be at least 0 and sum to 1: those of 1, 2, 3, ... runs.")
    of_run = float(exact_epsilon(epsilon))
    growth = math.exp(of_run)
    first = int(np.flatnonzero(pmf)[0])
    slopes = (pmf * np.arange(1, pmf.size + 1))[first:]

    def bounded(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a bound of the log-ratio on cells, and on points its value: f' = t^first g, and t / u falls."""
        moved = np.maximum(np.maximum(low / growth, 1 - growth * (1 - low)), 0)
        ratio = np.where(low > 0, low / np.where(moved > 0, moved, 1), growth)
        return np.asarray(first * np.log(ratio) + np.log(polyval(high, slopes) / polyval(moved, slopes)))

    edges = np.linspace(0, 1, _CELLS + 1)
    low, high, best = edges[:-1], edges[1:], 0.0
    while True:
        best = max(best, float(bounded(high, high).max()))
        worst = bounded(low, high)
        open_ = worst > best + _NEAR
        if not open_.any():
            return of_run + best + _NEAR + _ROUNDING
        low, high = low[open_], high[open_]
        middle = (low + high) / 2
        low, high = np.append(low, middle), np.append(middle, high)
