"""Events that stay in their engine: different persons, or rows, are counted there, and only counts leave it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.sources import encoding
from dpselect.sources.candidates import Candidates
from dpselect.sources.collation import require_exact
from dpselect.sources.warehouse import Warehouse
from dpselect.views.row_source import RowSource


@contextmanager
def stored_popularity(source: Any, person: str | None, item: str, domain: Any) -> Iterator[Candidates]:
    """Yield the items of a table in its engine, scored by how many different persons, or rows, have each.

    Args:
        source: a Warehouse, whatever :meth:`Warehouse.open` takes, or a :class:`RowSource` of one; a connection that
            is opened here is closed.
        person: a column; ``None`` where every row is one record, and rows are counted.
        item: a column.
        domain: the public items, as for :class:`dpselect.data.Candidates`, but ``"rows"``.

    Raises:
        TypeError, ValueError: a column is missing; the domain and the items are not both integers, or both text; a
            collation takes different items for equal.
    """
    if isinstance(domain, str):
        raise InputError("An item without a row is an item too: pass domain= as a range, a list or a table.")
    with _open_warehouse(source) as place:
        place.require([item] if person is None else [person, item])
        table = place.table
        name = table[item]
        if name.type().is_string():
            require_exact(place, [item])
        if place.is_csv and not _is_text(domain):
            # Csv files are text, and a name that is not an integer is none of these.
            name = encoding.integer_of_text(name)
        if person is None:
            rows = table.select(item=name)
            counted = rows.group_by("item").agg(count=rows.count().cast("int64"))
        else:
            # Rows that name nobody go one by one.
            rows = table.select(person=table[person], item=name).filter(~encoding.is_missing(table[person]))
            counted = rows.group_by("item").agg(count=rows.person.nunique().cast("int64"))
        metadata = {**place.metadata, "item": item} | ({} if person is None else {"person": person})
        # The types of csv files are declared by now.
        files = () if place.is_csv else place.files
        yield Candidates(
            replace(place, table=counted, key=None, metadata=metadata, files=files),
            "item",
            "count",
            1,
            domain=domain,
            neighbours="add-remove" if person is None else "person",
            range_bound=1,
            unique="declared",
            zero="worst",
        )


def stored_names(source: Any, person: str, item: str, most: int) -> tuple[NDArray[np.int64], list[Any], dict[str, str]]:
    """Return how many different persons have each of the most frequent names, best first, the names, and metadata.

    Of names that equally many have, those come first that the engine orders first.

    Args:
        source: a Warehouse, whatever :meth:`Warehouse.open` takes, or a :class:`RowSource` of one.
        person, item: columns. Rows without a person or a name are left out.
        most: how many names.

    Raises:
        TypeError, ValueError: a column is missing; names that are neither text nor integers, or of text whose
            collation takes different names for equal.
        ConnectionError: the engine failed.
    """
    with _open_warehouse(source) as place:
        place.require([person, item])
        table, kind = place.table, place.table.schema()[item]
        if not (kind.is_string() or kind.is_integer()) or kind.is_uint64():
            raise InputTypeError("Names must be text, or integers of at most 64 bits with their sign: cast the column.")
        if kind.is_string():
            require_exact(place, [item])
        gone = encoding.is_missing(table[person]) | encoding.is_missing(table[item])
        rows = table.select(person=table[person], item=table[item]).filter(~gone)
        counted = rows.group_by("item").agg(persons=rows.person.nunique().cast("int64"))
        result = place.ask(counted.order_by(counted.persons.desc(), counted["item"]).limit(most))
        metadata = {**place.metadata, "person": person, "item": item}
    return result["persons"].astype(np.int64), result["item"].tolist(), metadata


def _open_warehouse(source: Any) -> Warehouse:
    return Warehouse.open(source.place, source.table) if isinstance(source, RowSource) else Warehouse.open(source)


def _is_text(domain: Any) -> bool:
    """Return whether a public list is of text."""
    if isinstance(domain, range):
        return False
    if isinstance(domain, (list, tuple)):
        return bool(domain) and isinstance(domain[0], str)
    return not (hasattr(domain, "dtype") and domain.dtype.kind in "iu")
