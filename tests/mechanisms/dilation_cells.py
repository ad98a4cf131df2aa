"""Certify what a witness claims about the cost of a growing scale, by cells of gaps and of noise, without the library.

For a witness A, n rivals and a cost K it is checked that J(a, D) <= 0 for every a >= 0 and every gap D >= 0, where

    J(a, D) = n Int_a^inf f(z) (D - A(z)) rho(z + D) dz + A(a) f(a) - K Pr[Z > a],

f the density of one-sided Student t over sqrt 3 and rho = f / F. Every term is bounded over a cell by what it is at the
ends, every rounding by a factor. Why that bounds the cost: src/dpselect/mechanisms/smooth/dilation.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi, sqrt

import numpy as np
from scipy.special import stdtr

# Relative errors of floats and of sums of them are far below this.
_SAFE = 1e-9
_BATCH, _MOST = 64, 60_000


@dataclass(frozen=True)
class Witness:
    """A: it is 0 at 0, straight between knots, and proportional to z beyond the last."""

    at: list[float]
    heights: list[float]

    def __call__(self, z: np.ndarray) -> np.ndarray:
        """Return A(z)."""
        last = self.heights[-1] / self.at[-1]
        return np.interp(z, self.at, self.heights) + last * np.maximum(z - self.at[-1], 0)


def density(z: np.ndarray) -> np.ndarray:
    """f, which falls."""
    return 4 / pi / (1 + z * z) ** 2


def tail(z: np.ndarray) -> np.ndarray:
    """Pr[Z > z]."""
    return 2 * stdtr(3, -z * sqrt(3))


def reversed_hazard(w: np.ndarray) -> np.ndarray:
    """rho = f / F, which falls, as w rho(w) <= 1 does."""
    w = np.maximum(w, 1e-300)
    return density(w) / (2 / pi * (np.arctan(w) + w / (1 + w * w)))


class Cells:
    """The cells of noise for one witness, and the worst J over them for cells of gaps."""

    def __init__(self, witness: Witness, rivals: int, cost: float, count: int = 2000) -> None:
        # The witnesses' last knot is eight times the gap that costs most.
        self.unit, self.end = witness.at[-1] / 8, witness.at[-1] * 200
        near, geometric = np.linspace(0, self.unit / 5, 400), np.geomspace(self.unit / 300, self.end, count)
        self.edges = e = np.unique(np.concatenate([[0.0, 1.0], witness.at, near, geometric]))
        self.rivals, self.cost, heights, self.tails = rivals, cost, witness(e), tail(e)
        self.mass, slopes = self.tails[:-1] - self.tails[1:], np.diff(heights) / np.diff(e)
        self.least, self.last = np.minimum(heights[:-1], heights[1:]), heights[-1]
        fall = 4 * e / (1 + e * e)
        falls = np.maximum(heights[:-1], heights[1:]) * np.maximum(fall[:-1], fall[1:])
        # J at an edge, and minus its slope over f, but for the integral.
        self.fixed = heights * density(e) * (1 + _SAFE) - cost * self.tails * (1 - _SAFE)
        self.sloping = falls * (1 + _SAFE) - slopes + _SAFE * np.abs(slopes) - cost
        # Beyond the last edge z hazard(z) is at most 3, and A(z) / z what it is at the edge.
        self.beyond = 3 * self.last / self.end
        self.steady = max(float((heights * density(e) / self.tails).max()), self.beyond) * (1 + _SAFE) - cost

    def worst(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """At least the largest J over Pr[Z > a] for gaps from low to high, shape of low."""
        low, high = low[:, None], high[:, None]
        lead = high - self.least
        gain = np.minimum(lead * reversed_hazard(self.edges[:-1] + low), 1.0) * (1 + _SAFE)
        loss = lead * reversed_hazard(self.edges[1:] + high) * (1 - _SAFE)
        values = np.where(lead >= 0, gain, loss)
        parts = self.mass * values * np.where(lead >= 0, 1 + _SAFE, 1 - _SAFE)
        rest = np.maximum(0, high - self.last) * reversed_hazard(self.end + low) * (1 + _SAFE)
        sums, sizes = (
            np.concatenate([np.cumsum(p[:, ::-1], axis=1)[:, ::-1], np.zeros_like(low)], axis=1)
            for p in (parts, np.abs(parts))
        )
        at_edges = self.rivals * (sums + 1e-11 * sizes + rest * self.tails[-1]) + self.fixed
        within = np.maximum(0, self.rivals * values + self.sloping) * self.mass * (1 + _SAFE)
        inside = ((at_edges[:, 1:] + within) / self.tails[1:]).max(axis=1)
        return np.maximum(inside, (self.rivals * rest)[:, 0] + self.beyond - self.cost)

    def certified(self, depth: int = 9) -> bool:
        """Return whether J <= 0 everywhere: cells of gaps that do not show it are halved, up to so many times."""
        far = self.unit
        # D rho(z + D) <= D rho(D), which falls.
        while self.rivals * far * float(reversed_hazard(np.array(far))) > 0.002 * self.cost:
            far *= 1.3
        if self.rivals * far * float(reversed_hazard(np.array(far))) * (1 + _SAFE) + self.steady > 0:
            return False
        near = 1e-3 * self.unit / self.rivals
        edges = np.concatenate([[0.0], np.geomspace(near, far, int(log(far / near) / 0.05) + 2)])
        low, high = edges[:-1], edges[1:]
        for _ in range(depth):
            batches = range(0, low.size, _BATCH)
            bad = np.concatenate([self.worst(low[i : i + _BATCH], high[i : i + _BATCH]) for i in batches]) > 0
            if not bad.any():
                return True
            low, high = low[bad], high[bad]
            middle = np.where(low > 0, np.sqrt(low * high), high / 8)
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
            if low.size > _MOST:
                return False
        return False
