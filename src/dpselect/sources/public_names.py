"""A public list of names, and which of them a cell is: nothing outside of the list decides anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, InputTypeError
from dpselect.sources import cell_types, frames
from dpselect.sources.categories import EXACT, TRUTH, Categories, exact_number, plain_number
from dpselect.sources.cell_types import OUTSIDE
from dpselect.sources.dialects import trim
from dpselect.sources.distinct import Distinct

Integers = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class PublicNames:
    """Names that are public, each once.

    Attributes:
        argument: what a caller calls the list.
        names: the names, in the order of their codes.
        categories: how cells are read, ``None`` for a range.
    """

    argument: str
    names: Sequence[Any]
    categories: Categories | None

    @classmethod
    def of(cls, names: Any, argument: str) -> PublicNames:
        """Return a list of names.

        Args:
            names: a range of step 1, or text and numbers in a list, an array or a series; or what this returns.
            argument: what a caller calls it.

        Raises:
            TypeError, ValueError: not such a list, an empty one, or one that names something twice.
        """
        if isinstance(names, PublicNames):
            return names
        if isinstance(names, range):
            if not names or names.step != 1 or max(abs(names[0]), abs(names[-1])) >= EXACT:
                raise InputError(
                    Advice(
                        "A range of {argument} has at least one name, step 1, and lies within 2^53.", argument=argument
                    )
                )
            return cls(argument, names, None)
        if isinstance(names, (str, bytes, dict)) or not hasattr(names, "__len__"):
            raise InputTypeError(f"{argument} lists public names: pass a list of text or numbers, or a range.")
        listed = tuple(each.item() if isinstance(each, np.generic) else each for each in frames.column(names).tolist())
        if not listed or not all(isinstance(each, (str, int, float)) and each == each for each in listed):
            raise InputError(f"{argument} lists public names: text or numbers, none missing, at least one.")
        if len(set(listed)) != len(listed):
            raise InputError(f"{argument} lists a name twice: pass each public name once.")
        try:
            return cls(argument, listed, Categories.of(listed))
        except ValueError as error:
            raise InputError(f"{argument}: {error}") from None

    def __len__(self) -> int:
        return len(self.names)

    def in_date_order(self, order: str | None) -> PublicNames:  # noqa: ARG002
        """Return the same list for text that writes dates in an order of day, month and year."""
        return self

    def codes(self, column: Distinct, called: Any) -> Integers:
        """Return the code of the name in every row, negative where it is none of the list, shape (n,).

        Raises:
            ValueError: a column whose type no list names, or which may have rounded the integers of this one.
        """
        kind = column.cells.dtype.kind
        if kind not in cell_types.READABLE:
            raise InputError(
                f"Column {called!r} is {column.cells.dtype} in the table, which a list cannot name: cast it to text."
            )
        if self.categories is None:
            return column.read(_in_range(column.cells, self.names[0], len(self.names)))
        if column.retyped or kind == "f":
            self._require_exact(called)
        return column.read(cell_types.places(column.cells, self.categories))

    def _require_exact(self, called: Any) -> None:
        if any(not isinstance(each, str) and abs(each) >= EXACT for each in self.names):
            raise InputError(
                f"Column {called!r} may have rounded integers beyond 2^53, and {self.argument} lists such integers: "
                "cast the column to text, or to integers that may be missing (Int64)."
            )


def _in_range(values: NDArray[Any], first: int, size: int) -> Integers:
    """Return how far above ``first`` each cell is that stands for an integer of the range, else ``OUTSIDE``."""
    if values.dtype.kind in "UTO":
        read = [_integer(cell) for cell in values.tolist()]
        places = [OUTSIDE if each is None or not first <= each < first + size else each - first for each in read]
        return np.array(places, dtype=np.int64)
    if values.dtype.kind == "f":
        # Narrow floats would round the ends of the range.
        values = values.astype(np.float64)
    inside = (values >= first) & (values <= first + size - 1)
    if values.dtype.kind == "f":
        inside &= values == np.floor(values)
    codes = np.full(values.size, OUTSIDE, dtype=np.int64)
    codes[inside] = values[inside].astype(np.int64) - first
    return codes


def _integer(cell: Any) -> int | None:
    """Return the integer that a cell stands for, by the rules of categories."""
    if isinstance(cell, str):
        cell = TRUTH.get(trim(cell).lower(), exact_number(cell))
        number = None if cell is None or abs(cell) == np.inf else cell
    else:
        number = plain_number(cell)
    return int(number) if number is not None and number == int(number) else None
