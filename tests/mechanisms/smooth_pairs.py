"""Pairs of neighbours for noise whose scale follows a smooth bound, and searches over them, on the library's own laws.

Everything is in groups of candidates that are alike; gaps are in units of the noise of the first database, whose smooth
bound is 1. The second has the bound e^grown, and scores that moved by at most the smaller of the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from dpselect.mechanisms.pmf import laplace_at, permute_and_flip_at

LAWS = {"exponential": permute_and_flip_at, "laplace": laplace_at}
# One and two groups behind the best, ahead or behind, the best rising or falling against them.
MOVES = ((1.0, -1.0), (-1.0, 1.0))


@dataclass(frozen=True)
class Pair:
    """Two neighbours.

    Attributes:
        gaps: how far each group lies behind a common origin in the first database.
        sizes: how many candidates each group has.
        moves: how far the scores of each group move, as a share of the smaller bound, from -1 to 1.
        grown: the logarithm of the second bound over the first.
    """

    gaps: tuple[float, ...]
    sizes: tuple[int, ...]
    moves: tuple[float, ...]
    grown: float


def log_law(noise: str, gaps: np.ndarray, sizes: tuple[int, ...], clip: float = math.inf) -> np.ndarray:
    """The exact law of one candidate of each group, in logarithms."""
    behind = np.minimum(gaps - gaps.min(), clip)
    levels, group = np.unique(behind, return_inverse=True)
    counts = np.zeros(levels.size, dtype=np.int64)
    np.add.at(counts, group, sizes)
    return LAWS[noise](levels, counts)[group]


def both_laws(noise: str, pair: Pair, c: float, clip: float = math.inf) -> tuple[np.ndarray, np.ndarray]:
    """The law on either database, noise of scale c times its bound."""
    here = np.array(pair.gaps)
    there = (here - np.array(pair.moves) * min(1.0, math.exp(pair.grown)) / c) / math.exp(pair.grown)
    return log_law(noise, here, pair.sizes, clip), log_law(noise, there, pair.sizes, clip)


def loss(noise: str, pair: Pair, c: float, clip: float = math.inf) -> float:
    """The largest log-ratio of an outcome, either way."""
    one, two = both_laws(noise, pair, c, clip)
    return float(np.abs(one - two).max())


def divergence(noise: str, pair: Pair, c: float, epsilon: float) -> float:
    """The least delta at which the first database is within e^epsilon of the second: all outcomes that say more."""
    one, two = both_laws(noise, pair, c)
    with np.errstate(under="ignore"):
        return float((pair.sizes * np.maximum(0.0, np.exp(one) - np.exp(epsilon + two))).sum())


def common_gaps(m: int, gaps: np.ndarray, beta: float) -> Iterator[Pair]:
    """One candidate ahead of all others, which are alike."""
    for grown in (-beta, 0.0, beta):
        for moves in MOVES:
            for gap in gaps.tolist():
                yield Pair((0.0, gap), (1, m - 1), moves, grown)


def refined(measure: Callable[[Pair], float], best: Pair, around: float) -> tuple[float, Pair]:
    """The largest value at a common gap near one that is large."""
    ahead, gap = best.gaps
    low, high = max(0.0, gap - around), gap + around

    def at(gap: float) -> Pair:
        return Pair((ahead, float(gap)), best.sizes, best.moves, best.grown)

    result = minimize_scalar(
        lambda gap: -measure(at(gap)), bounds=(low, high), method="bounded", options={"xatol": 1e-9}
    )
    return -result.fun, at(result.x)


def worst(
    measure: Callable[[Pair], float], m: int, beta: float, gaps: np.ndarray, rng: np.random.Generator, climbs: int = 0
) -> tuple[float, Pair]:
    """The largest value found: common gaps, two groups and six groups of their own.

    Args:
        measure: what is made large.
        m: candidates. beta: how far the logarithm of the bound moves. gaps: that are tried first.
        rng: for where climbs begin. climbs: how many there are, with ten times as many random pairs.
    """
    found = max(((measure(pair), pair) for pair in common_gaps(m, gaps, beta)), key=lambda each: each[0])
    around = float(np.diff(gaps).max()) if gaps.size > 1 else 1.0
    found = max(found, refined(measure, found[1], around), key=lambda each: each[0])
    for climb in range(climbs if m > 2 else 0):
        first = int(rng.integers(1, m - 1))
        sizes = (1, first, m - 1 - first) if climb % 3 else (1, 1, m - 2)
        moves = tuple(rng.choice([-1.0, 1.0], 3).tolist()) if climb > 1 else (1.0, -1.0, -1.0)
        grown = (-beta, beta)[climb % 2]
        start = found[1].gaps[-1] * rng.uniform(0.4, 1.2, 2) if climb % 2 else rng.exponential(5.0, 2)

        def at(gaps: np.ndarray, sizes=sizes, moves=moves, grown=grown) -> Pair:
            return Pair((0.0, *np.abs(gaps).tolist()), sizes, moves, grown)

        scale = max(found[0], 1e-300)
        result = minimize(
            lambda gaps, at=at, scale=scale: -measure(at(gaps)) / scale,
            start,
            method="Nelder-Mead",
            options={"maxfev": 60},
        )
        found = max(found, (measure(at(result.x)), at(result.x)), key=lambda each: each[0])
    for _ in range(10 * climbs if m > 2 else 0):
        groups = min(m, 6)
        sizes = (*[1] * (groups - 1), m - groups + 1)
        gaps_of_all = (0.0, *rng.exponential(8.0, groups - 1).tolist())
        pair = Pair(
            gaps_of_all, sizes, tuple(rng.choice([-1.0, 1.0], groups).tolist()), float(rng.choice([-beta, beta]))
        )
        found = max(found, (measure(pair), pair), key=lambda each: each[0])
    return found


def exact(text: str | float) -> Fraction:
    """A public number as it is written."""
    return Fraction(str(text))
