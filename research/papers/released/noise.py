"""The noise that the trees and forests of Chaves 2024 add to a 0/1 score. Simulated, and not private.

A score is 1 for the winner and 0 for all others, and S = exp(-lead beta), the lead being that of the *whole table* and
beta that of the *whole epsilon*, while a node of a tree spends epsilon / (2 (depth + 1)). Noise is two-sided, of scale
2 S / alpha:

    a node    student-t            beta = epsilon / 8           alpha = sqrt 3 |share - epsilon / 2| / 2
              laplace              beta = epsilon / (2 ln 2e6)  alpha = share
              laplace-log-normal   beta = epsilon / 2           alpha = e^(-3 s^2 / 2) (share - b / s)
    a leaf    student-t            beta = epsilon               alpha = sqrt 3 epsilon / 4
              laplace              beta = epsilon               alpha = epsilon
              laplace-log-normal   beta = epsilon               alpha = e^(-3 s^2 / 2) (share - b / s)

with b = epsilon / 8 in a node, b = epsilon / 2 and share = epsilon in a leaf of a forest, and s the positive root of
5 (share / b) s^3 - 5 s^2 - 1 = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.mechanisms.smooth import noise_distributions as noises

Floats = NDArray[np.float64]

KINDS = ("laplace-log-normal", "laplace", "student-t")
# Beyond this S is 0 in floats.
_MOST = 709.0
# One tick of a 0/1 score.
_FINE = 2**20


@dataclass(frozen=True)
class ReleasedNoise:
    """Noise of a kind, scaled by the lead of the whole table.

    Attributes:
        kind: of ``KINDS``. alpha, beta: as above. sigma: of Laplace-log-normal noise. least: the least S.
    """

    kind: str
    alpha: float
    beta: float
    sigma: float = 0.0
    least: float = 0.0

    def scale(self, lead: float) -> float:
        """Return 2 S / alpha."""
        return 2 * max(math.exp(-min(lead * self.beta, _MOST)), self.least) / self.alpha

    def drawn(self, lead: float, shape: int | tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Return noise of that shape."""
        if self.kind == "student-t":
            unit = rng.standard_t(3, shape)
        else:
            unit = rng.laplace(size=shape)
        if self.kind == "laplace-log-normal":
            unit = unit * np.exp(self.sigma * rng.normal(size=shape))
        return np.asarray(self.scale(lead) * unit)

    def log_law(self, winner: int, candidates: int, lead: float) -> Floats:
        """Return the logarithm of the exact law of the candidate that is named, when one scores 1 and the others 0."""
        laws = {"student-t": noises.student_t, "laplace": noises.laplace}
        law = laws[self.kind](2) if self.kind in laws else noises.laplace_log_normal(self.sigma, 2)
        rate = Fraction(1 / self.scale(lead)) / _FINE
        logs = noises.log_pmf(np.array([0, _FINE]), np.array([1, candidates - 1]), rate, law)
        return np.asarray(np.where(np.arange(candidates) == winner, logs[0], logs[1]))


def of_node(kind: str, epsilon: float, depth: int) -> ReleasedNoise:
    """Return the noise of a node of the greedy tree."""
    share = epsilon / (2 * (depth + 1))
    if kind == "student-t":
        return ReleasedNoise(kind, math.sqrt(3) * abs(share - epsilon / 2) / 2, epsilon / 8, least=1e-9)
    if kind == "laplace":
        return ReleasedNoise(kind, share, epsilon / (2 * math.log(2e6)), least=1e-9)
    sigma, alpha = _log_normal(share, epsilon / 8)
    return ReleasedNoise(kind, alpha, epsilon / 2, sigma, 1e-9)


def of_own_lead(share: float) -> ReleasedNoise:
    """Return Student-t noise as the thesis describes it: for a lead of the node's own, at the share that it spends."""
    return ReleasedNoise("student-t", math.sqrt(3) * share / 4, share / 8)


def of_leaf(kind: str, epsilon: float) -> ReleasedNoise:
    """Return the noise of a leaf of a forest."""
    if kind == "student-t":
        return ReleasedNoise(kind, math.sqrt(3) * epsilon / 4, epsilon)
    if kind == "laplace":
        return ReleasedNoise(kind, epsilon, epsilon)
    sigma, alpha = _log_normal(epsilon, epsilon / 2)
    return ReleasedNoise(kind, alpha, epsilon, sigma)


def _log_normal(share: float, b: float) -> tuple[float, float]:
    """Return sigma and alpha of Laplace-log-normal noise."""
    roots = np.roots([5 * share / b, -5, 0, -1])
    sigma = float(roots[np.abs(roots.imag).argmin()].real)
    return sigma, math.exp(-1.5 * sigma**2) * (share - b / sigma)
