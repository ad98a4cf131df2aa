"""Events as selections see them: which person has which item, each pair once, and perhaps in which group.

Every row is read by itself: one that names nobody, or nothing of the public lists, is left out alone. What is kept of a
person follows from that person's own rows, from public lists and from coins.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.sources import frames, identity, tables
from dpselect.sources.distinct import distinct
from dpselect.sources.missing_column import no_column
from dpselect.sources.public_names import PublicNames
from dpselect.views.row_question import codes_of
from dpselect.views.row_source import RowSource

Integers = NDArray[np.int64]
# Draws a uniform integer below each bound.
Below = Callable[[Integers], Integers]
# A number of this size is drawn for everything that a person with too much may keep.
_PRIORITIES = 2**32
_MOST_CODES = 2**62


@dataclass(frozen=True, repr=False, eq=False)
class Events:
    """Private triples of person, group and item, each once, sorted.

    Attributes:
        persons: a number for each person, shape (n,).
        items: codes of items, shape (n,).
        size: how many codes there are.
        groups: codes of groups, shape (n,); ``None`` without groups.
        metadata: where the events came from, for the ledger.
    """

    persons: Integers
    items: Integers
    size: int
    groups: Integers | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(
        cls, table: Any, person: Any, item: Any, names: PublicNames, by: Any = None, places: PublicNames | None = None
    ) -> Events:
        """Return the events of a table about items of a public list.

        Args:
            table: pandas, polars or arrow, a mapping of columns, an array, the path of a file, or a file with
                what is declared of it.
            person, item: columns.
            names: the public items.
            by: the column of groups; ``None`` for none.
            places: the public groups.

        Raises:
            TypeError, ValueError: not a table; a column is missing, or of a type that no list names.
        """
        columns, metadata = columns_of(table, [person, item] if by is None else [person, item, by])
        order = table.reading.dialect.date_order if isinstance(table, tables.TableFile) else None
        who, what = (
            identity.persons(distinct(columns[person])),
            codes_of(names.in_date_order(order), columns[item], item),
        )
        where = None
        if by is not None and places is not None:
            where = codes_of(places.in_date_order(order), columns[by], by)
            metadata |= {"by": str(by)}
        metadata |= {"person": str(person), "item": str(item)}
        return _different(who, what, len(names), where, metadata)

    @classmethod
    def from_table(cls, table: Any, person: Any, item: Any) -> tuple[Events, list[Any]]:
        """Return the events of a table and the names of its items, which are private.

        Names are in an order that does not depend on the data: numbers by size, then text.

        Raises:
            TypeError, ValueError: as :meth:`read`.
        """
        columns, metadata = columns_of(table, [person, item])
        codes, names = identity.number_names(distinct(columns[item]))
        order = identity.in_public_order(names)
        ordered: list[Any] = [None] * len(names)
        for name, place in zip(names, order.tolist(), strict=True):
            ordered[place] = name
        codes = np.append(order, -1)[codes]
        metadata |= {"person": str(person), "item": str(item)}
        return _different(identity.persons(distinct(columns[person])), codes, len(names), None, metadata), ordered

    def counts(self) -> Integers:
        """Return how many different persons have each item, shape (size,); for events without groups."""
        return np.bincount(self.items, minlength=self.size)

    def at_most(self, items: int, below: Below) -> Events:
        """Return the events in which every person keeps at most so many different items.

        Which of them follows from what that person has, and from fresh coins.
        """
        return self._only(_first(self.persons, items, below))

    def in_groups(self, most: int, below: Below) -> Events:
        """Return the events in which every person is in at most ``most`` different groups, as :meth:`at_most`."""
        assert self.groups is not None
        starts = np.flatnonzero(_new(self.persons) | _new(self.groups))
        kept = _first(self.persons[starts], most, below)
        return self._only(np.repeat(kept, np.diff(np.append(starts, self.persons.size))))

    def counts_by_group(self, groups: int) -> Iterator[Integers]:
        """Yield how many different persons have each item, of one group after the other, shape (size,) each."""
        assert self.groups is not None
        order = np.argsort(self.groups, kind="stable")
        ends = np.searchsorted(self.groups[order], np.arange(groups + 1))
        for start, end in pairwise(ends.tolist()):
            yield np.bincount(self.items[order[start:end]], minlength=self.size)

    def _only(self, mask: NDArray[np.bool_]) -> Events:
        groups = None if self.groups is None else self.groups[mask]
        return replace(self, persons=self.persons[mask], items=self.items[mask], groups=groups)

    def __repr__(self) -> str:
        return "Events(private)"


def columns_of(table: Any, wanted: list[Any], numbers: Collection[Any] = ()) -> tuple[dict[Any, Any], dict[str, str]]:
    """Return the wanted columns as their container has them, some of numbers, and where they came from.

    Raises:
        TypeError, ValueError: not a table; it has no such column; columns of different lengths.
    """
    table = table.place if isinstance(table, RowSource) else table
    file = tables.TableFile(table) if isinstance(table, (str, Path)) else table
    if isinstance(file, tables.TableFile):
        source = file.path
        columns, there = tables.arrows(source, wanted, file.reading, numbers), tables.names(source, file.reading)
        metadata = file.metadata
    else:
        there, columns = frames.some(table, wanted)
        source, metadata = None, {}
    for name in wanted:
        if name not in columns:
            raise no_column(name, there, source)
    if len({len(columns[name]) for name in wanted}) > 1:
        raise InputError("The columns have different lengths: pass one value per record in every column.")
    return columns, metadata


def _different(
    who: Integers, what: Integers, size: int, where: Integers | None = None, metadata: Mapping[str, str] | None = None
) -> Events:
    """Return every (person, group, item) once, sorted; what has a negative number is left out."""
    known = (who >= 0) & (what >= 0)
    if where is not None:
        known &= where >= 0
    if not known.all():
        who, what, where = who[known], what[known], None if where is None else where[known]
    metadata, most = metadata or {}, int(who.max(initial=0)) + 1
    groups = np.zeros_like(who) if where is None else where
    width = int(groups.max(initial=0)) + 1
    if most >= _MOST_CODES // (width * max(size, 1)):
        order = np.lexsort((what, groups, who))
        persons, groups, items = who[order], groups[order], what[order]
        new = _new(persons) | _new(groups) | _new(items)
        return Events(persons[new], items[new], size, None if where is None else groups[new], metadata)
    # One number for each pair or triple sorts faster than two or three.
    key = (who * width + groups) * size + what
    key.sort()
    rest, items = np.divmod(key[_new(key)], size)
    persons, groups = np.divmod(rest, width)
    return Events(persons, items, size, None if where is None else groups, metadata)


def _new(values: Integers) -> NDArray[np.bool_]:
    """Return where a value differs from the one before it."""
    new = np.ones(values.size, dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def _first(owners: Integers, most: int, below: Below) -> NDArray[np.bool_]:
    """Return which of the things of each owner are kept: a random choice of at most ``most``; owners are sorted.

    Things of one owner that draw the same number keep their order, which is public.
    """
    starts = np.flatnonzero(_new(owners))
    sizes = np.diff(np.append(starts, owners.size))
    mask = np.ones(owners.size, dtype=np.bool_)
    many = np.repeat(sizes > most, sizes).nonzero()[0]
    if not many.size:
        return mask
    drawn = below(np.full(many.size, _PRIORITIES, dtype=np.int64))
    order = np.lexsort((drawn, owners[many]))
    own = sizes[sizes > most]
    rank = np.arange(many.size) - np.repeat(np.cumsum(own) - own, own)
    mask[many[order[rank >= most]]] = False
    return mask
