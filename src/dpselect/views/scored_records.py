"""Records in memory with scores: the sums of one tile in a few passes over them.

Sums are of integers below 2^53 in size, which floating point adds exactly and NumPy adds fastest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.views.gradient_sums import (
    BINARY,
    SQUARED,
    UNIT,
    WIDEST,
    Interaction,
    Loss,
    chances,
    exp_table,
    norm_above,
    sigmoid_table,
)

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# So many records at a time stay in the processor's cache.
_CHUNK = 2**14
# With more classes the quotient of two integers may be nearer to a whole number than a double tells.
_MOST_CLASSES = 100


class ScoredRecords:
    """Records in memory with scores.

    Args:
        codes: for every attribute the codes of the records, shape (n,).
        labels: shape (n,).
        loss: what is summed.
        start: the scores of every record, shape (outputs,).
    """

    def __init__(self, codes: Sequence[NDArray[Any]], labels: NDArray[Any], loss: Loss, start: Integers) -> None:
        self._codes, self._labels, self._loss = codes, labels.astype(np.int64), loss
        self._scores = np.tile(start.astype(np.int32)[:, None], (1, labels.size))
        self._tables = _binary_tables(loss) if loss.kind == BINARY else (np.zeros(0), np.zeros(0))
        # Where the parts of the last tile are: what is added next is nearly always for it.
        self._last: tuple[Interaction, NDArray[np.intp]] | None = None

    def sums(self, tile: Interaction) -> tuple[Integers, Integers]:
        """Return the sums of gradients and of Hessians at the current scores, each of shape (parts, outputs)."""
        parts, outputs = self._parts(tile), self._loss.outputs
        total = np.zeros((2, outputs, tile.parts))
        for begin in range(0, parts.size, _CHUNK):
            here = slice(begin, begin + _CHUNK)
            both = self._derivatives(self._scores[:, here], self._labels[here])
            for derivative, sums in zip(both, total, strict=True):
                for output in range(outputs):
                    sums[output] += np.bincount(parts[here], derivative[output], tile.parts)
        gradients, hessians = total.astype(np.int64)
        return gradients.T, hessians.T

    def add(self, tile: Interaction, values: Integers) -> None:
        """Add ``values[part, output]``, in units of scores, to the scores of the records of each part."""
        parts, added = self._parts(tile), values.astype(np.int32)
        for output, scores in enumerate(self._scores):
            column = np.ascontiguousarray(added[:, output])
            for begin in range(0, parts.size, _CHUNK):
                here = slice(begin, begin + _CHUNK)
                scores[here] += column[parts[here]]

    def _parts(self, tile: Interaction) -> NDArray[np.intp]:
        if self._last is None or self._last[0] is not tile:
            parts = np.empty(self._labels.size, dtype=np.intp)
            offsets = [each.astype(np.intp) for each in tile.parts_of]
            for begin in range(0, parts.size, _CHUNK):
                here = slice(begin, begin + _CHUNK)
                part = offsets[0][self._codes[tile.columns[0]][here]]
                for column, offset in zip(tile.columns[1:], offsets[1:], strict=True):
                    part += offset[self._codes[column][here]]
                parts[here] = part
            self._last = tile, parts
        return self._last[1]

    def _derivatives(self, scores: NDArray[np.int32], labels: Integers) -> tuple[Floats, Floats]:
        """Return the clipped gradients and the Hessians of some records, integers, each of shape (outputs, n)."""
        if self._loss.kind == SQUARED:
            residual = (scores[0] - (self._loss.first + self._loss.step * labels)) * float(UNIT // 2**10)
            clip = float(self._loss.clip)
            return np.clip(residual, -clip, clip)[None], np.full((1, labels.size), float(UNIT))
        if self._loss.kind == BINARY:
            places = np.clip(scores[0], -WIDEST, WIDEST) + (labels * (2 * WIDEST + 1) + WIDEST)
            gradients, hessians = self._tables
            return gradients[places][None], hessians[places][None]
        return _softmax(scores, labels, self._loss)

    def __repr__(self) -> str:
        return f"ScoredRecords(attributes={len(self._codes)}, outputs={self._loss.outputs})"


def _binary_tables(loss: Loss) -> tuple[Floats, Floats]:
    """Return the clipped gradient and the Hessian at every score, for the first class and then for the second."""
    chance = sigmoid_table()
    gradients = np.clip(np.concatenate((chance, chance - UNIT)), -loss.clip, loss.clip)
    return gradients.astype(np.float64), np.tile(chance * (UNIT - chance) // UNIT, 2).astype(np.float64)


def _softmax(scores: NDArray[np.int32], labels: Integers, loss: Loss) -> tuple[Floats, Floats]:
    """Return clipped gradients and Hessians of several classes, rounded toward zero."""
    if loss.outputs > _MOST_CLASSES:
        chance = chances(scores.astype(np.int64)).astype(np.float64)
    else:
        weights = _exp()[np.clip(scores, -WIDEST, WIDEST) + WIDEST]
        # Exact: a quotient of integers below 2^45 and 2^36 that is not an integer is 2^-36 from the nearest, at least.
        chance = np.floor(weights * UNIT / weights.sum(axis=0))
    hessians = np.floor(chance * (UNIT - chance) / UNIT)
    gradients = chance
    gradients[labels, np.arange(labels.size)] -= UNIT
    if loss.norm == 1:
        sizes = np.abs(gradients).sum(axis=0)
        norms = np.maximum(sizes, loss.clip)
    else:
        squares = (gradients**2).sum(axis=0)
        norms = np.full(labels.size, float(loss.clip))
        large = squares > float(loss.clip) ** 2
        norms[large] = norm_above(squares[large].astype(np.int64))
    return np.trunc(gradients * loss.clip / norms), hessians


def _exp() -> Floats:
    return exp_table().astype(np.float64)
