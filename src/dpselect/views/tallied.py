"""How many rows are in each public cell of a histogram: values of a list or bins of numbers, perhaps in groups.

Every row is read by itself: one outside of the public cells, of no listed group, or of nobody, is left out alone. Of
the rows that are left, each person's first few count, over all groups together: which ones follows from that person's
rows alone. Proof: ``release/counts.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice
from dpselect.sources import identity, tables
from dpselect.sources.cells import OUTSIDE
from dpselect.sources.distinct import distinct
from dpselect.sources.public_names import PublicNames
from dpselect.views.column import Column
from dpselect.views.events import columns_of
from dpselect.views.first_rows import first_rows

Integers = NDArray[np.int64]
# Below it, integers that a container has rounded for the sake of another row stay on their side of every edge.
_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class Bins:
    """Public bins of numbers, side by side; each holds its lower edge, the last its upper edge too.

    Attributes:
        edges: strictly increasing, shape (n + 1,).
    """

    edges: NDArray[np.float64]

    @classmethod
    def of(cls, edges: Any) -> Bins:
        """Return the bins between these edges.

        Raises:
            TypeError, ValueError: not numbers, fewer than two, not increasing, or beyond 2^53.
        """
        try:
            numbers = np.asarray([*edges], dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(Advice("{bins=|--bins} lists public edges: pass numbers such as 0, 18, 65, 120.")) from None
        if numbers.ndim != 1 or numbers.size < 2 or not (np.diff(numbers) > 0).all():
            raise ValueError(
                Advice("{bins=|--bins} lists public edges: pass at least two, each larger than the one before.")
            )
        if not (np.abs(numbers) < _EXACT).all():
            raise ValueError(Advice("An edge of {bins=|--bins} is beyond 2^53 in size: pass smaller ones."))
        return cls(numbers)

    @property
    def names(self) -> Sequence[str]:
        """Return what the bins are called, such as ``"[0, 18)"``."""
        words = [f"{edge:.15g}" for edge in self.edges.tolist()]
        last = len(self) - 1
        return [f"[{low}, {high}{']' if place == last else ')'}" for place, (low, high) in enumerate(pairwise(words))]

    def __len__(self) -> int:
        return self.edges.size - 1

    def codes(self, values: Any) -> Integers:
        """Return the bin of every row, ``OUTSIDE`` where it is in none, shape (n,)."""
        numbers = Column(values, kind="real").values
        codes = np.searchsorted(self.edges, numbers, side="right") - 1
        codes[numbers == self.edges[-1]] = len(self) - 1
        # What is missing, or not a number, is NaN, and compares with nothing.
        inside = (numbers >= self.edges[0]) & (numbers <= self.edges[-1])
        return np.where(inside, codes, OUTSIDE).astype(np.int64)


def tallied(
    table: Any,
    column: Any,
    cells: PublicNames | Bins,
    by: Any = None,
    groups: PublicNames | None = None,
    person: Any = None,
    most: int = 1,
) -> tuple[Integers, Mapping[str, str]]:
    """Return how many rows each cell holds, shape (cells,) or (groups, cells), and where the rows came from.

    Args:
        table: as for :meth:`dpselect.views.Events.read`.
        column, by, person: columns; ``None`` for no groups, or no persons.
        cells, groups: what is public.
        most: how many rows of one person count.

    Raises:
        TypeError, ValueError: not a table; a column is missing, or of a type that no list names.
    """
    wanted = [column, *(each for each in (by, person) if each is not None)]
    if isinstance(cells, Bins) and isinstance(table, tables.TableFile):
        table.reading.dialect.require_decimal()
    read, metadata = columns_of(table, list(dict.fromkeys(wanted)))
    codes = cells.codes(_numbers(table, read[column])) if isinstance(cells, Bins) else _named(cells, read, column)
    where = np.zeros_like(codes) if groups is None else _named(groups, read, by)
    mask = (codes >= 0) & (where >= 0)
    if person is None:
        rows = np.flatnonzero(mask)
    else:
        who = identity.persons(distinct(read[person]))
        rows = first_rows(np.where(mask, who, OUTSIDE), most)
    many = 1 if groups is None else len(groups)
    counts = np.bincount(where[rows] * len(cells) + codes[rows], minlength=many * len(cells)).astype(np.int64)
    names = {"column": column, "by": by, "person": person}
    metadata |= {name: str(value) for name, value in names.items() if value is not None}
    return counts if groups is None else counts.reshape(many, len(cells)), metadata


def items_tallied(
    table: Any, item: Any, names: PublicNames, by: Any = None, groups: PublicNames | None = None
) -> tuple[Integers, Mapping[str, str]]:
    """Return how many rows hold each public item, as :func:`tallied`, and where they came from.

    Raises:
        TypeError, ValueError: as :func:`tallied`.
    """
    counts, metadata = tallied(table, item, names, by, groups)
    # A ledger calls the column what the question calls it.
    return counts, {name: value for name, value in metadata.items() if name != "column"} | {"item": str(item)}


def _named(names: PublicNames, read: Mapping[Any, Any], column: Any) -> Integers:
    return names.codes(distinct(read[column]), column)


def _numbers(table: Any, values: Any) -> Any:
    """Return cells whose decimal mark is that of the file."""
    return table.reading.dialect.number(values) if isinstance(table, tables.TableFile) else values
