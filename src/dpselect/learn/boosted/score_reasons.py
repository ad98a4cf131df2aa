"""Reasons why a boosted model gives a record its label: the columns that move the score most, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.boosted.additive_model import AdditiveModel
from dpselect.learn.domains import Attribute

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# So many columns are named on each side, if they move the score by as much as this.
_NAMED, _LEAST = 3, 0.05


def reasons(model: Any, codes: Sequence[Integers], chances: Floats, moves: Floats) -> list[str]:
    """Return a sentence for each record.

    Args:
        model: a fitted boosted classifier.
        codes: of each column, shape (n,).
        chances: of each class, shape (n, classes).
        moves: contributions, shape (n, columns) or (n, columns, classes), in log-odds.
    """
    winners, rates = model._places(chances), model._base_rates()
    if moves.ndim == 2:
        # One score speaks for the second class, and as much against the first.
        towards = moves * np.where(winners == 1, 1.0, -1.0)[:, None]
    else:
        towards = np.take_along_axis(moves, winners[:, None, None], axis=2)[:, :, 0]
    words = [RangeWords(each, alike) for each, alike in zip(model.attributes_, alike_codes(model.model_), strict=True)]
    labels = [str(label) for label in model.classes_.tolist()]
    return [
        f"{labels[winner]} (chance {chances[row, winner]:.2f}, {rates[winner]:.2f} among all), because "
        + because([words[place].of(int(codes[place][row])) for place in range(len(words))], towards[row], _LEAST)
        for row, winner in enumerate(winners.tolist())
    ]


def alike_codes(model: AdditiveModel) -> list[Integers]:
    """Return for each column which codes no tile tells apart from the one before: the same number, shape (size,)."""
    steps = [np.zeros(size, dtype=np.bool_) for size in model.sizes]
    for tile in model.tiles:
        for column, offsets in zip(tile.columns, tile.parts_of, strict=True):
            steps[column][1:] |= offsets[1:] != offsets[:-1]
    return [np.cumsum(each) for each in steps]


class RangeWords:
    """Names of the values of one column: numbers by the widest range that the model takes for one value."""

    def __init__(self, attribute: Attribute, alike: Integers) -> None:
        self._attribute, self._alike = attribute, alike
        self._said: dict[int, str] = {}

    def of(self, code: int) -> str:
        """Return the column and what a code of it means, -1 or less where it has none."""
        if code not in self._said:
            self._said[code] = f"{self._attribute.name} {self._meaning(code)}"
        return self._said[code]

    def _meaning(self, code: int) -> str:
        attribute = self._attribute
        if code < 0:
            return "is missing or not a number" if attribute.is_ordered else "is missing or not listed"
        if not attribute.is_ordered or (attribute.missing and code == attribute.size - 1):
            return attribute.meaning(np.array([code]))
        known = attribute.size - attribute.missing
        return attribute.meaning(np.flatnonzero(self._alike[:known] == self._alike[code]))


def because(values: Sequence[str], moves: Floats, least: float) -> str:
    """Return the largest moves towards a label, and the largest away from it; smaller ones than ``least`` go unsaid."""
    order = np.argsort(-np.abs(moves), kind="stable").tolist()
    telling = [place for place in order if abs(moves[place]) >= least]
    towards = [place for place in telling if moves[place] > 0][:_NAMED]
    away = [place for place in telling if moves[place] < 0][:_NAMED]
    said = join_words([f"{values[place]} ({moves[place]:+.2f})" for place in towards])
    if not towards:
        said = "it is the likelier label before any column is looked at"
    return said + (f", despite {join_words([f'{values[p]} ({moves[p]:+.2f})' for p in away])}" if away else "")


def join_words(parts: Sequence[str]) -> str:
    """Return words with commas, and "and" before the last."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""
