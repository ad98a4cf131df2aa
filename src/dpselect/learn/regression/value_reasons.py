"""Reasons why a boosted regression gives a record its value: the columns that move it most, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.boosted.score_reasons import RangeWords, alike_codes, join_words
from dpselect.utilities.splits import Integers

Floats = NDArray[np.float64]
# So many columns are named.
_NAMED = 4


def reasons_of_values(model: Any, codes: Sequence[Integers], values: Floats, moves: Floats) -> list[str]:
    """Return a sentence for each record.

    Args:
        model: a fitted boosted regressor.
        codes: of each column, shape (n,).
        values: what is predicted, shape (n,).
        moves: contributions, shape (n, columns), in the units of the values.
    """
    words = [RangeWords(each, alike) for each, alike in zip(model.attributes_, alike_codes(model.model_), strict=True)]
    start = float(model.intercept_[0])
    sentences = []
    for row, value in enumerate(values.tolist()):
        order = np.argsort(-np.abs(moves[row]), kind="stable").tolist()
        told = [
            f"{words[place].of(int(codes[place][row]))} ({moves[row][place]:+.3g})"
            for place in order[:_NAMED]
            if moves[row][place]
        ]
        sentences.append(f"{value:.4g}, from {start:.4g}" + (f" because {join_words(told)}" if told else ""))
    return sentences
