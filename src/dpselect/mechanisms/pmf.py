"""The exact distribution of each sampler, from the same integers and the same Fraction.

Every function takes distinct gaps (how far below the best, in ticks), how many candidates share each, and the
rate, and returns the natural logarithm of the probability of *one* candidate of each group.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.units import double

Floats = NDArray[np.float64]

# Nodes of Gauss-Legendre quadrature per panel: 12 reach 1e-15 for permute-and-flip, 16 leave room.
_NODES = 16
# Values held at a time, 8 bytes each.
_BLOCK = 2**21


def exponential(gaps: NDArray[np.int64], counts: NDArray[np.int64], rate: Fraction) -> Floats:
    """Return log Pr of the exponential sampler: softmax of -rate * gap."""
    exponent = exponents(gaps, rate)
    total: float = np.log((counts * np.exp(-exponent)).sum())
    return -exponent - total


def permute_and_flip(gaps: NDArray[np.int64], counts: NDArray[np.int64], rate: Fraction) -> Floats:
    """Return log Pr of permute-and-flip, p = exp(-rate * gap): see :func:`permute_and_flip_at`."""
    return permute_and_flip_at(exponents(gaps, rate), counts)


def permute_and_flip_at(exponent: Floats, counts: NDArray[np.int64]) -> Floats:
    """Return log p_r + log Int_0^1 prod over s != r of (1 - p_s x) dx, p = exp(-exponent).

    The panels halve towards 0 until they resolve 1 / sum p, where the product falls off; relative error below 1e-12.
    """
    chance = np.exp(-exponent)
    weight = (counts * chance).sum()
    halvings = int(np.ceil(np.log2(weight))) + 2
    edges = np.concatenate(([0.0], 2.0 ** -np.arange(halvings, -1.0, -1.0)))
    nodes, weights = _quadrature(edges)

    # log prod_s (1 - p_s x), every candidate included; the one of r is divided out below.
    heights = np.empty(nodes.size)
    step = max(1, _BLOCK // exponent.size)
    for block in _blocks(nodes.size, step):
        heights[block] = np.log1p(-nodes[block, None] * chance) @ counts.astype(np.float64)
    # Nodes whose height cannot matter are left out: the integral is at least about 1 / weight.
    kept = heights > -90.0
    nodes, scaled = nodes[kept], weights[kept] * np.exp(heights[kept])

    integral = np.empty(exponent.size)
    for block in _blocks(exponent.size, max(1, _BLOCK // nodes.size)):
        integral[block] = (scaled / (1.0 - chance[block, None] * nodes)).sum(axis=1)
    return np.log(integral) - exponent


def laplace(gaps: NDArray[np.int64], counts: NDArray[np.int64], rate: Fraction) -> Floats:
    """Return log Pr of noisy max with Laplace noise: see :func:`laplace_at`."""
    return laplace_at(exponents(gaps, rate), counts)


def laplace_at(exponent: Floats, counts: NDArray[np.int64]) -> Floats:
    """Return log Int f(z - u_r) prod over s != r of F(z - u_s) dz, u = -exponent, all different.

    Panels split at every distinct score, where F has a kink. Above a score F is 1 - e^-(z-u)/2, whose
    logarithm and reciprocal are power series in e^-(z-u)/2 <= 1/2: sums over candidates become 53 running
    sums.
    """
    order = np.argsort(exponent)[::-1]
    scores, number = -exponent[order], counts[order].astype(np.float64)
    edges = _edges(scores, number)
    nodes, weights = _quadrature(edges)
    with np.errstate(divide="ignore"):
        mass = np.log(weights) + _log_of_all_below(nodes, scores, number)

    # Below u_r the factor f / F of r is 1; above it is the sum of (e^-(z-u_r)/2)^k, k >= 1.
    passed = np.searchsorted(nodes, scores)
    below = np.concatenate(([-np.inf], np.logaddexp.accumulate(mass)))[passed]
    result = np.empty(exponent.size)
    result[order] = np.logaddexp(below, _log_tails(nodes, mass, scores, passed))
    return result


def discrete_laplace(values: NDArray[np.int64], rate: Fraction) -> Floats:
    """Return log Pr of values of exact two-sided geometric noise.

    >>> float(np.exp(discrete_laplace(np.arange(-60, 61), Fraction(1))).sum().round(12))
    1.0
    """
    x = float(rate)
    return np.asarray(np.log(np.tanh(x / 2)) - x * np.abs(values))


def discrete_gaussian(values: NDArray[np.int64], variance: Fraction) -> Floats:
    """Return log Pr of values of exact discrete Gaussian noise.

    >>> float(np.exp(discrete_gaussian(np.arange(-60, 61), Fraction(9))).sum().round(12))
    1.0
    """
    spread, places = float(variance), np.arange(1, 40)
    if spread < 1:
        total = math.log1p(2 * float(np.exp(-(places**2) / (2 * spread)).sum()))
    else:
        # Poisson's summation formula.
        total = math.log(2 * math.pi * spread) / 2 + math.log1p(2 * math.exp(-2 * math.pi**2 * spread))
    return np.asarray(-(np.asarray(values, dtype=np.float64) ** 2) / (2 * spread) - total)


def exponents(gaps: NDArray[np.int64], rate: Fraction) -> Floats:
    """Return gap * rate, finite: beyond the largest rate every loser's probability is nothing anyway."""
    return np.multiply(gaps, double(rate), dtype=np.float64)


def _quadrature(edges: Floats) -> tuple[Floats, Floats]:
    """Return nodes and weights of composite Gauss-Legendre quadrature on consecutive panels."""
    points, shares = _rule()
    half = np.diff(edges)[:, None] / 2
    nodes = edges[:-1, None] + half * (points + 1)
    return nodes.ravel(), (half * shares).ravel()


@lru_cache(maxsize=1)
def _rule() -> tuple[Floats, Floats]:
    points, shares = np.polynomial.legendre.leggauss(_NODES)
    return points, shares


def _blocks(size: int, step: int) -> list[slice]:
    return [slice(start, start + step) for start in range(0, size, step)]


_TERMS = np.arange(1.0, 54.0)
# Half a unit of noise per panel; 60 units from every kink the integrand is flat, or below 1e-26 of its peak.
_PANEL, _FAR = 0.5, 60.0


def _edges(scores: Floats, number: Floats) -> Floats:
    """Return panel edges: every score that matters, graded around each, with one panel in a wide gap."""
    second = scores[-1] if number[-1] > 1 or scores.size == 1 else scores[-2]
    low, high = second - _FAR, scores[-1] + _FAR + np.log(number.sum())
    kinks = np.concatenate(([low], scores[scores > low], [high]))
    parts = []
    for left, right in pairwise(kinks.tolist()):
        if right - left <= 2 * _FAR:
            parts.append(np.linspace(left, right, max(2, int(np.ceil((right - left) / _PANEL)) + 1))[:-1])
        else:
            graded = np.arange(0.0, _FAR, _PANEL)
            parts += [left + graded, right - _FAR + graded]
    return np.append(np.concatenate(parts), high)


def _log_of_all_below(nodes: Floats, scores: Floats, number: Floats) -> Floats:
    """Return sum_s n_s log F(z - u_s) at every node; scores ascending."""
    passed = np.searchsorted(scores, nodes)
    # Scores above z: log F = (z - u) - log 2.
    over, weight = np.append(np.cumsum(number[::-1])[::-1], 0.0), number * (scores + np.log(2.0))
    result: Floats = nodes * over[passed] - np.append(np.cumsum(weight[::-1])[::-1], 0.0)[passed]
    # Scores below z: -sum_k (e^-(z-u)/2)^k / k, from running sums A_k(j) = sum_{i<=j} n_i e^{k(u_i - u_j)}.
    running, sums = np.zeros(_TERMS.size), np.empty((scores.size, _TERMS.size))
    decay = np.exp(-np.diff(scores, prepend=scores[0])[:, None] * _TERMS)
    for j in range(scores.size):
        running = running * decay[j] + number[j]
        sums[j] = running
    for block in _blocks(nodes.size, _BLOCK // 64):
        at = passed[block] - 1
        some = at >= 0
        ratio = scores[at[some]] - nodes[block][some] - np.log(2.0)
        result[block][some] -= ((np.exp(ratio[:, None] * _TERMS) / _TERMS) * sums[at[some]]).sum(axis=1)
    return result


def _log_tails(nodes: Floats, mass: Floats, scores: Floats, passed: NDArray[np.intp]) -> Floats:
    """Return log of the sum over z > u_r of e^mass(z) sum_k (e^-(z-u_r)/2)^k, k >= 1; scores ascending."""
    # Suffix sums T_k(i) = sum_{j>=i} e^(mass_j - k (z_j - z_i)), in logs, read at the first node above u_r. Only the
    # steps from one node to the next are sums of two; what stands between two scores is summed at once.
    running, ends = np.full(_TERMS.size, -np.inf), nodes.size
    result = np.full(scores.size, -np.inf)
    for r in range(scores.size - 1, -1, -1):
        first = passed[r]
        if first == nodes.size:
            continue
        if first < ends:
            own = slice(first, ends)
            new = mass[own, None] - (nodes[own] - nodes[first])[:, None] * _TERMS
            if ends < nodes.size:
                new = np.vstack((new, running - (nodes[ends] - nodes[first]) * _TERMS))
            running, ends = log_sum(new), first
        result[r] = log_sum(running + _TERMS * (scores[r] - nodes[first] - np.log(2.0)))
    return result


def log_sum(terms: Floats) -> Floats:
    """Return ln of the sum of e^terms over the first axis."""
    largest = np.maximum(terms.max(axis=0), np.finfo(np.float64).min)
    with np.errstate(divide="ignore"):
        return np.asarray(largest + np.log(np.exp(terms - largest).sum(axis=0)))
