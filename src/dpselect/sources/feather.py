"""Feather files: columns with the types of a schema, as in parquet files."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpselect._optional import not_installed
from dpselect.kernel.errors import InputError
from dpselect.sources import arrow_text

ENDINGS = (".feather", ".arrow")


def schema(path: Path) -> Any:
    """Return the arrow schema.

    Raises:
        ImportError, ValueError: pyarrow is not installed; not a complete file.
    """
    with _open_arrow(path) as file:
        return file.schema


def batches(path: Path, names: Sequence[Any]) -> Iterator[dict[Any, Any]]:
    """Yield columns as chunked arrow arrays, a part of the rows at a time.

    Raises:
        ImportError, ValueError: as :func:`schema`; two columns of one name.
    """
    arrow = importlib.import_module("pyarrow")
    with _open_arrow(path) as file:
        for name in names:
            if file.schema.names.count(name) > 1:
                raise InputError(f"{path.name} has two columns called {name!r}: give every column a name of its own.")
        for place in range(file.num_record_batches):
            batch = file.get_batch(place)
            yield {name: arrow_text.readable(arrow.chunked_array([batch.column(name)])) for name in names}


def columns(path: Path, names: Sequence[Any]) -> dict[Any, Any]:
    """Return columns as chunked arrow arrays; those that the file lacks are left out (errors as :func:`batches`)."""
    arrow, there = importlib.import_module("pyarrow"), schema(path)
    wanted = [name for name in dict.fromkeys(names) if name in there.names]
    read = [*batches(path, wanted)]
    if not read:
        return {name: arrow.chunked_array([], there.field(name).type) for name in wanted}
    tables = [arrow.table({str(place): each[name] for place, name in enumerate(wanted)}) for each in read]
    whole = arrow.concat_tables(tables, promote_options="permissive")
    return {name: whole[str(place)] for place, name in enumerate(wanted)}


@contextmanager
def _open_arrow(path: Path) -> Iterator[Any]:
    try:
        arrow = importlib.import_module("pyarrow")
        ipc = importlib.import_module("pyarrow.ipc")
    except ImportError:
        raise not_installed("Reading tables needs pyarrow", "graph") from None
    try:
        with arrow.memory_map(str(path)) as source:
            yield ipc.open_file(source)
    except (arrow.ArrowException, OSError):
        raise InputError(f"{path.name} is not a complete feather file.") from None
