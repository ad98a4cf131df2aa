"""Made-up public histograms, to train and compare algorithms on: never a private database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpselect.histograms.count_arrays import COUNT_CLIP, Floats, Integers, require_counts, require_shape
from dpselect.histograms.public_numbers import PublicNumbers
from dpselect.kernel.errors import InputError

Profile = Callable[[tuple[int, ...], PublicNumbers], Floats]


def make(name: str, shape: Any, scale: int, *, seed: int = 0) -> Integers:
    """Return a made-up histogram of exactly ``scale`` records over a domain.

    Args:
        name: one of ``EVERY_SHAPE``.
        shape: (n,) or (rows, columns).
        scale: how many records.
        seed: the same seed gives the same histogram.

    Raises:
        TypeError, ValueError: an unknown name; no domain; a scale that is not a number of records.

    >>> make("clustered", (16, 16), 1000, seed=3).sum()
    np.int64(1000)
    """
    if name not in EVERY_SHAPE:
        raise InputError(f"name must be one of {', '.join(EVERY_SHAPE)}, not {name!r}.")
    sides, numbers = require_shape(shape), PublicNumbers(seed)
    return _records(EVERY_SHAPE[name](sides, numbers), _scale(scale), numbers)


def resample(counts: ArrayLike, scale: int, *, seed: int = 0) -> Integers:
    """Return a histogram of exactly ``scale`` records with the shape of a public one (the generator of DPBench).

    Raises:
        TypeError, ValueError: counts that are not a histogram or sum to 0; a scale that is not a number of records.

    >>> resample([30, 0, 10], 8, seed=1).sum()
    np.int64(8)
    """
    checked = require_counts(counts)
    if not checked.any():
        raise InputError("An empty histogram has no shape: pass counts with at least one record.")
    return _records(checked.astype(np.float64), _scale(scale), PublicNumbers(seed))


def _uniform(shape: tuple[int, ...], _: PublicNumbers) -> Floats:
    return np.ones(shape)


def _power_decay(shape: tuple[int, ...], numbers: PublicNumbers) -> Floats:
    """Cells fall as rank^-a in a random order, a from 0.8 to 2."""
    size = int(np.prod(shape))
    exponent = 0.8 + 1.2 * numbers.uniform(1)[0]
    weights = np.arange(1.0, size + 1) ** -exponent
    return np.asarray(weights[np.argsort(numbers.uniform(size))].reshape(shape))


def _decay(shape: tuple[int, ...], numbers: PublicNumbers) -> Floats:
    """Cells fall smoothly from a corner, as a power of the distance."""
    exponent = 0.5 + 2 * numbers.uniform(1)[0]
    return np.asarray((1.0 + np.indices(shape).sum(axis=0)) ** -exponent)


def _gaussians(shape: tuple[int, ...], numbers: PublicNumbers) -> Floats:
    """Two to nine round hills."""
    weights = np.zeros(shape)
    for _ in range(2 + numbers.below(8, 1)[0]):
        width = 0.01 + 0.14 * numbers.uniform(1)[0] ** 2
        weights += numbers.uniform(1)[0] * _hill(shape, width, numbers)
    return weights + 1e-9


def _sparse(shape: tuple[int, ...], numbers: PublicNumbers) -> Floats:
    """0.1% to 10% of the cells are occupied, at random, unevenly."""
    size = int(np.prod(shape))
    share = 10 ** (-3 + 2 * numbers.uniform(1)[0])
    occupied = numbers.uniform(size) < share
    occupied[numbers.below(size, 1)] = True
    return np.asarray((occupied * numbers.uniform(size) ** -1.2).reshape(shape))


def _steps(shape: tuple[int, ...], numbers: PublicNumbers) -> Floats:
    """Flat rectangles, one over the other, on a low floor."""
    weights = np.full(shape, 0.01)
    for _ in range(3 + numbers.below(20, 1)[0]):
        ends = [np.sort(numbers.below(side + 1, 2)) for side in shape]
        weights[tuple(slice(a, b) for a, b in ends)] = numbers.uniform(1)[0] ** 2
    return weights


def _clusters(shape: tuple[int, ...], numbers: PublicNumbers) -> Floats:
    """Dozens of tight clusters of very different weights; most cells are empty."""
    weights = np.zeros(shape)
    for rank in range(1, 21 + numbers.below(40, 1)[0]):
        hill = _hill(shape, 0.002 + 0.015 * numbers.uniform(1)[0], numbers)
        weights += hill * (hill > 1e-3) / rank
    return weights


def _spike(shape: tuple[int, ...], numbers: PublicNumbers) -> Floats:
    """One cell holds most records, a few lines through it hold the rest."""
    weights = np.zeros(shape)
    centre = tuple(int(numbers.below(side, 1)[0]) for side in shape)
    for axis in range(len(shape)):
        np.moveaxis(weights, axis, -1)[*centre[:axis], *centre[axis + 1 :]] = numbers.uniform(shape[axis]) ** 8
    weights[centre] = 1 + 9 * weights.sum()
    return weights


def _hill(shape: tuple[int, ...], width: float, numbers: PublicNumbers) -> Floats:
    """Return a round hill of height 1 somewhere; ``width`` is its deviation as a share of the longest side."""
    deviation = max(0.5, width * max(shape))
    distance = np.zeros(shape)
    for axis, side in enumerate(shape):
        offset = np.arange(side) - numbers.uniform(1)[0] * side
        distance = distance + np.square(offset).reshape([-1 if other == axis else 1 for other in range(len(shape))])
    return np.asarray(np.exp(-distance / (2 * deviation**2)))


EVERY_SHAPE: dict[str, Profile] = {
    "uniform": _uniform,
    "power law": _power_decay,
    "decay": _decay,
    "gaussians": _gaussians,
    "sparse": _sparse,
    "steps": _steps,
    "clustered": _clusters,
    "spiked": _spike,
}


def _records(weights: Floats, scale: int, numbers: PublicNumbers) -> Integers:
    """Return counts that sum to the scale: Poisson in every cell, then single records more or fewer."""
    chances = weights.ravel() / weights.sum()
    counts = _poisson(chances * scale, numbers)
    over = int(counts.sum()) - scale
    if over < 0:
        counts += _positions(np.cumsum(chances), -over, numbers)
    while over > 0:
        counts = np.maximum(counts - _positions(np.cumsum(counts / counts.sum()), over, numbers), 0)
        over = int(counts.sum()) - scale
    return counts.reshape(weights.shape)


def _positions(cumulative: Floats, many: int, numbers: PublicNumbers) -> Integers:
    at = np.searchsorted(cumulative, numbers.uniform(many) * cumulative[-1], side="right")
    return np.bincount(np.minimum(at, cumulative.size - 1), minlength=cumulative.size).astype(np.int64)


def _poisson(means: Floats, numbers: PublicNumbers) -> Integers:
    """Return Poisson numbers, by inversion up to a mean of 40 and by their normal limit beyond."""
    drawn = np.rint(np.maximum(means + np.sqrt(means) * numbers.normal(means.size), 0)).astype(np.int64)
    small = np.flatnonzero(means <= 40)
    uniform, term = numbers.uniform(small.size), np.exp(-means[small])
    reached, counts = term.copy(), np.zeros(small.size, dtype=np.int64)
    for count in range(1, 150):
        counts += uniform > reached
        term *= means[small] / count
        reached += term
    drawn[small] = counts
    return drawn


def _scale(scale: Any) -> int:
    if isinstance(scale, bool) or not isinstance(scale, (int, np.integer)) or not 0 <= scale <= COUNT_CLIP:
        raise InputError("scale must be an integer >= 0: how many records to make.")
    return int(scale)
