"""Records in csv files, which are text: each cell is read once per scan, and the queries of a tree see codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any
from uuid import uuid4

from dpselect.sources import encoding
from dpselect.sources.encoding import Domain
from dpselect.sources.temporary import Temporary
from dpselect.sources.warehouse import CONNECTION_LOST, Warehouse, guard_engine
from dpselect.views.stored_records import StoredRecords


@contextmanager
def text_read_once(
    warehouse: Warehouse,
    attributes: Sequence[Domain],
    target: Domain,
    unknown: str,
    temporary: Temporary | None = None,
) -> Iterator[StoredRecords]:
    """Yield the records of a table; those of csv files by views of our own DuckDB, gone afterwards.

    Without views every comparison with a bin edge would read the text anew. They hold no rows. What records write goes
    to ``temporary``.

    Raises:
        ValueError: a column is missing, or of a type that cannot hold its domain.
        ConnectionError: the engine failed.
    """
    records = StoredRecords(warehouse, attributes, target, unknown, temporary=temporary)
    if not warehouse.is_csv:
        yield records
        return
    backend, tables = warehouse.table.get_backend(), []

    def view(rows: Any) -> Any:
        tables.append(f"dpselect_{uuid4().hex}")
        return guard_engine(lambda: backend.create_view(tables[-1], rows), CONNECTION_LOST)

    try:
        table, domains, mark = warehouse.table, [*attributes, target], uuid4().hex
        numbers = {
            f"{mark} {place}": encoding.number(table[each.name])
            for place, each in enumerate(domains)
            if each.edges is not None and table[each.name].type().is_string()
        }
        read = view(table.mutate(**numbers)) if numbers else table
        coded = [encoding.CodeDomain(f"a{place}", each.size) for place, each in enumerate(domains)]
        columns = {}
        for place, (column, each) in enumerate(zip(coded, domains, strict=True)):
            value = read[f"{mark} {place}"] if f"{mark} {place}" in numbers else None
            columns[column.name] = encoding.code(
                encoding.prepare_column(read[each.name], each, unknown == "clip", value), each
            )
        key = {} if warehouse.key is None else {"key": read[warehouse.key]}
        source = replace(warehouse, table=view(read.select(**columns, **key)), key="key" if key else None)
        yield StoredRecords(source, coded[:-1], coded[-1], unknown, temporary=temporary)
    finally:
        for name in reversed(tables):
            with suppress(Exception):
                backend.drop_view(name)
