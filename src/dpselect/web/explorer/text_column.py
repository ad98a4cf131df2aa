"""A column of a public table: text, held as its different cells and which of them stands where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dpselect.sources import csv_text

# Of the cells that are not empty so many must be numbers, for a column of numbers.
_MOST_NUMBERS = 0.9


class TextColumn(Sequence[str]):
    """The cells of a column in the order of the rows; an empty text is a missing cell.

    Attributes:
        texts: the different cells, each once.
        codes: shape (n,): which of them stands in each row.

    >>> column = TextColumn.of(["tea", "milk", "tea", ""])
    >>> len(column), column[2], column.counts
    (4, 'tea', (('tea', 2), ('milk', 1)))
    """

    def __init__(self, texts: Sequence[str], codes: NDArray[np.int64]) -> None:
        self.texts, self.codes = tuple(texts), codes

    @classmethod
    def of(cls, cells: Iterable[str]) -> TextColumn:
        """Return the column of these cells."""
        places: dict[str, int] = {}
        codes = np.fromiter((places.setdefault(cell, len(places)) for cell in cells), np.int64)
        return cls(tuple(places), codes)

    @classmethod
    def of_arrow(cls, column: Any) -> TextColumn:
        """Return a column of arrow, of any type that can be written as text."""
        import pyarrow

        coded = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        if not pyarrow.types.is_dictionary(coded.type):
            coded = coded.cast(pyarrow.string()).dictionary_encode()
        texts = ["" if text is None else str(text) for text in coded.dictionary.to_pylist()]
        codes = coded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False).astype(np.int64)
        return cls([*texts, ""], codes)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self.texts[code] for code in self.codes[place].tolist()]
        return self.texts[int(self.codes[place])]

    def __len__(self) -> int:
        return int(self.codes.size)

    @cached_property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """Counts of each different cell, the most frequent first; missing cells are left out."""
        many: dict[str, int] = {}
        for text, count in zip(self.texts, np.bincount(self.codes, minlength=len(self.texts)).tolist(), strict=True):
            if count and text.strip():
                many[text] = many.get(text, 0) + count
        return tuple(sorted(many.items(), key=lambda pair: (-pair[1], pair[0])))

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The cells that are numbers, in the order of the rows: others, and endless ones, are left out."""
        spelled = (csv_text.number(text) for text in self.texts)
        known = np.array([np.nan if number is None else number for number in spelled], dtype=np.float64)
        cells = known[self.codes] if known.size else known
        result: NDArray[np.float64] = cells[np.isfinite(cells)]
        result.setflags(write=False)
        return result

    @cached_property
    def is_numeric(self) -> bool:
        """Return whether nearly all cells that are not missing are numbers."""
        filled = sum(count for _, count in self.counts)
        return bool(filled) and self.numbers.size >= _MOST_NUMBERS * filled
