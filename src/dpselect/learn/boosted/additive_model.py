"""The fitted model: a start and a sum of small tables, all integers. Everything in it may be published."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.learn.file_parts import integers_in
from dpselect.learn.importances import PartialDependence
from dpselect.views.gradient_sums import UNIT, Interaction

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
_CHUNK = 2**14
# No score of a fit is so large, and sums of all tiles of a file stay below 2^63.
_MOST_SCORE = 2**40
_DAMAGED_FILE = "This model file is damaged or was edited: train the model again."


class TileNoise(NamedTuple):
    """The noise in the values of a tile, on average over its parts: all of it follows from what was released.

    Attributes:
        released: the variance by the noise of gradients, in squares of units of scores, summed over outputs.
        sampled: the variance by the sampling of records, which later tiles repeat.
        pace: which part of an error of earlier tiles this one takes back, in units of 2^-16.
    """

    released: int
    sampled: int
    pace: int


@dataclass(frozen=True, eq=False)
class AdditiveModel:
    """The sum of a record's scores: the start, and for each tile the values of the part that the record is in.

    Attributes:
        sizes: how many codes each column has.
        start: in units of scores, shape (outputs,).
        tiles: in the order in which they were learned.
        values: for each tile, in units of scores, shape (parts, outputs).
        weights: about how many records have each code of each column: released, never negative, not all 0.
        noise: what noise did to each tile; none where it is not known, as in files of older versions.
    """

    sizes: tuple[int, ...]
    start: Integers
    tiles: tuple[Interaction, ...]
    values: tuple[Integers, ...]
    weights: tuple[Integers, ...]
    noise: tuple[TileNoise, ...] = ()

    def __repr__(self) -> str:
        kind = "additive" if self.additive else "with interactions"
        return f"AdditiveModel({len(self.tiles)} interactions of {len(self.sizes)} columns, {kind})"

    @property
    def outputs(self) -> int:
        """Return how many scores a record has."""
        return int(self.start.size)

    @property
    def additive(self) -> bool:
        """Return whether every tile is of one column, so that scores are sums of one curve for each column."""
        return all(len(tile.columns) == 1 for tile in self.tiles)

    @cached_property
    def curves(self) -> tuple[Integers, ...]:
        """Return for each column the sum of its own tiles, in units of scores, shape (size, outputs)."""
        sums = tuple(np.zeros((size, self.outputs), dtype=np.int64) for size in self.sizes)
        for tile, values in zip(self.tiles, self.values, strict=True):
            if len(tile.columns) == 1:
                sums[tile.columns[0]][:] += values[tile.parts_of[0]]
        return sums

    def scores(self, codes: Sequence[Integers]) -> Integers:
        """Return the scores of records, shape (outputs, n); a tile adds nothing where a column has no code."""
        lacking = [each < 0 for each in codes]
        scores = np.tile(self.start, (codes[0].size if codes else 0, 1))
        for column, (curve, code) in enumerate(zip(self.curves, codes, strict=True)):
            scores += np.where(lacking[column][:, None], 0, curve[code])
        for begin in range(0, len(scores), _CHUNK):
            here = slice(begin, begin + _CHUNK)
            for tile, values in self._joint():
                scores[here] += _of_tile(tile, values, [each[here] for each in codes], [each[here] for each in lacking])
        return scores.T

    def contributions(self, codes: Sequence[Integers]) -> tuple[Floats, Floats]:
        """Return what scores are a sum of: an intercept (outputs,), and for each record and column a share of it.

        Each tile is measured from its mean over the released weights, as if columns were independent, and what is left
        is divided evenly among its columns. So intercept and contributions add up to the scores.

        Returns: the intercept, and contributions of shape (n, columns, outputs), in units of scores.
        """
        means = self.means
        intercept = self.start + means.sum(axis=0)
        return np.asarray(intercept, dtype=np.float64), self._column_scores(codes) - means

    @cached_property
    def dependence(self) -> PartialDependence:
        """Return the partial dependence of the scores on every column; of an additive model its curves."""
        shares = [weights / weights.sum() for weights in self.weights]
        curves = [curve.astype(np.float64) for curve in self.curves]
        noise, sampled, left = np.zeros(len(shares)), np.zeros(len(shares)), np.ones(len(shares))
        for place in reversed(range(len(self.tiles))):
            tile, values = self.tiles[place], self.values[place]
            pairs = list(zip(tile.columns, tile.parts_of, strict=True))
            for column, offsets in pairs:
                held = _part_shares(tile, shares, column)
                if len(pairs) > 1:
                    parts = np.flatnonzero(held)
                    curves[column] += (held[parts, None, None] * values[parts[:, None] + offsets]).sum(axis=0)
                if self.noise:
                    groups, own = np.bincount(offsets, weights=shares[column]), self.noise[place]
                    spread = float((held**2).sum() * (groups * (1 - groups)).sum())
                    noise[column] += own.released * spread * left[column] ** 2
                    sampled[column] += math.sqrt(own.sampled * spread) * left[column]
                    left[column] *= 1 - own.pace / UNIT / len(pairs)
        centred = (curve - weights @ curve for curve, weights in zip(curves, shares, strict=True))
        return PartialDependence(tuple(shares), tuple(centred), noise + sampled**2)

    @cached_property
    def means(self) -> Floats:
        """Return the mean of what each column adds, shape (columns, outputs)."""
        shares = [weights / weights.sum() for weights in self.weights]
        means = np.zeros((len(self.sizes), self.outputs))
        for tile, values in zip(self.tiles, self.values, strict=True):
            means[list(tile.columns)] += _part_shares(tile, shares) @ values / len(tile.columns)
        return means

    def _column_scores(self, codes: Sequence[Integers]) -> Floats:
        """Return what each column adds to the scores of each record, shape (n, columns, outputs)."""
        lacking = [each < 0 for each in codes]
        pairs = zip(self.curves, codes, lacking, strict=True)
        added = np.stack([np.where(absent[:, None], 0.0, curve[code]) for curve, code, absent in pairs], axis=1)
        for tile, values in self._joint():
            part = _of_tile(tile, values, codes, lacking) / len(tile.columns)
            added[:, list(tile.columns)] += part[:, None]
        return added

    def _joint(self) -> Iterator[tuple[Interaction, Integers]]:
        """Yield the tiles of several columns, with their values."""
        pairs = zip(self.tiles, self.values, strict=True)
        return ((tile, values) for tile, values in pairs if len(tile.columns) > 1)

    def as_dict(self) -> dict[str, Any]:
        """Return the model as plain lists, for JSON."""
        return {
            "start": self.start.tolist(),
            "weights": [each.tolist() for each in self.weights],
            # A model of an older file has none, and is written as it was.
            **({"noise": [list(each) for each in self.noise]} if self.noise else {}),
            "tiles": [
                {
                    "columns": list(tile.columns),
                    "parts_of": [offsets.tolist() for offsets in tile.parts_of],
                    "values": values.tolist(),
                }
                for tile, values in zip(self.tiles, self.values, strict=True)
            ],
        }

    @classmethod
    def from_dict(cls, sizes: Sequence[int], content: dict[str, Any]) -> AdditiveModel:
        """Return the model of :meth:`as_dict`.

        Raises:
            ValueError: no such model of columns of these sizes.
        """
        try:
            values = tuple(_integers(each["values"], 2) for each in content["tiles"])
            tiles = tuple(
                Interaction(
                    tuple(each["columns"]), tuple(_integers(offsets, 1) for offsets in each["parts_of"]), len(table)
                )
                for each, table in zip(content["tiles"], values, strict=True)
            )
            model = cls(
                tuple(sizes),
                _integers(content["start"], 1),
                tiles,
                values,
                tuple(_integers(each, 1) for each in content["weights"]),
                tuple(TileNoise(*integers_in(each).tolist()) for each in content.get("noise", ())),
            )
            sound = model._sound()
        except (KeyError, TypeError, ValueError, IndexError, OverflowError):
            sound = False
        if not sound:
            raise InputError(_DAMAGED_FILE)
        return model

    def _sound(self) -> bool:
        held = len(self.weights) == len(self.sizes) and self.outputs > 0
        pairs = zip(self.weights, self.sizes, strict=True) if held else ()
        held = held and all(each.size == size and each.min() >= 0 and each.sum() > 0 for each, size in pairs)
        fits = all(
            type(column) is int and 0 <= column < len(self.sizes) and offsets.size == self.sizes[column]
            for tile in self.tiles
            for column, offsets in zip(tile.columns, tile.parts_of, strict=True)
        )
        held = held and len(self.noise) in (0, len(self.tiles))
        held = held and all(min(each) >= 0 and max(each) <= _MOST_SCORE and each.pace <= UNIT for each in self.noise)
        arrays = [self.start, *self.values, *self.weights]
        held = held and all(-_MOST_SCORE <= each.min() <= each.max() <= _MOST_SCORE for each in arrays)
        return held and fits and all(values.shape[1] == self.outputs for values in self.values)


def _part_shares(tile: Interaction, shares: Sequence[Floats], without: int = -1) -> Floats:
    """Return which share of the records each part of a tile has if columns are independent, shape (parts,).

    Args:
        tile, shares: of the codes of every column.
        without: a column that is taken to be in its first group.
    """
    held = np.zeros(tile.parts)
    held[0] = 1.0
    for column, offsets in zip(tile.columns, tile.parts_of, strict=True):
        if column == without:
            continue
        moved = np.zeros(tile.parts)
        for offset in np.unique(offsets).tolist():
            share = float(shares[column][offsets == offset].sum())
            moved[offset:] += share * held[: tile.parts - offset]
        held = moved
    return held


def _of_tile(
    tile: Interaction, values: Integers, codes: Sequence[Integers], lacking: Sequence[NDArray[np.bool_]]
) -> Integers:
    """Return what a tile adds to each record, shape (n, outputs): nothing where one of its columns has no code."""
    part = np.zeros(codes[0].size, dtype=np.int64)
    absent = np.zeros(codes[0].size, dtype=np.bool_)
    for column, offsets in zip(tile.columns, tile.parts_of, strict=True):
        part += offsets[codes[column]]
        absent |= lacking[column]
    return np.where(absent[:, None], 0, values[part])


def _integers(values: Any, dimensions: int) -> Integers:
    """Return an array of integers of so many dimensions, not empty."""
    array = integers_in(values, dimensions)
    if array.ndim != dimensions or not array.size:
        raise InputError(_DAMAGED_FILE)
    return array
