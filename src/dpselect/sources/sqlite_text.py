"""Cells of SQLite, in which any row may hold what its column does not declare: such as bytes that are not text.

Such a cell is missing, by itself; otherwise functions of the engine would fail for all rows, and one row would decide
what others are in Python.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from hashlib import md5
from typing import Any

_BATCH = 10**6


def sound_table(table: Any) -> Any:
    """Return a table of SQLite whose cells are what its columns declare: int64, float64, truth values, else text.

    A cell of 2.5 is missing in a column of integers. Texts are compared as they are, whatever a column declares.
    """
    with suppress(Exception):
        _provide(table.get_backend().con)
    return table.mutate(**{name: _sound_cell(table[name]) for name in table.columns})


def _sound_cell(column: Any) -> Any:
    """Return a cell where its column declares such cells, else NULL."""
    kind, held = column.type(), column.typeof()
    if kind.is_boolean():
        return ((held == "integer") & column.cast("int64").isin([0, 1])).ifelse(column, None)
    if kind.is_integer() or (kind.is_decimal() and kind.scale == 0):
        return (held == "integer").ifelse(column.cast("int64"), None)
    if kind.is_numeric():
        return held.isin(["integer", "real"]).ifelse(column.cast("float64"), None)
    bytes_, length, glob, text = _functions()
    spelled = column.cast("string")
    # Letters of ASCII alone: no function of Python is called for them.
    plain = (held == "text") & (glob("*[^ -~]*", spelled) == 0) & (length(spelled) == bytes_(spelled.cast("binary")))
    return plain.ifelse(spelled, text(spelled.cast("binary")))


def batches(expression: Any) -> Any:
    """Return the rows of an expression as a reader of record batches, each cell by itself.

    Unasked, Ibis would take them through a frame of pandas, where one row decides the type of a column.
    """
    import pyarrow
    from ibis.backends.sql import SQLBackend

    kinds = expression.as_table().schema()
    truths = {name: expression[name].cast("int64") for name, kind in kinds.items() if kind.is_boolean()}
    asked = expression.mutate(**truths) if truths else expression
    read = SQLBackend.to_pyarrow_batches(asked.get_backend(), asked, chunk_size=_BATCH)
    schema = kinds.to_pyarrow()
    parts = (pyarrow.Table.from_batches([part]).cast(schema).combine_chunks() for part in read)
    return pyarrow.RecordBatchReader.from_batches(schema, (each for part in parts for each in part.to_batches()))


@cache
def _functions() -> tuple[Any, ...]:
    import ibis

    def octet_length(cell: bytes) -> int:  # type: ignore[empty-body]
        """Return the number of bytes; ibis reads the types alone."""

    def length(cell: str) -> int:  # type: ignore[empty-body]
        """Return the number of letters before a letter of zero."""

    def glob(pattern: str, cell: str) -> int:  # type: ignore[empty-body]
        """Return whether a text is of this pattern."""

    def dpselect_text(cell: bytes) -> str:  # type: ignore[empty-body]
        """Return a cell that is text, in the engine."""

    builtin = ibis.udf.scalar.builtin
    return builtin(octet_length, name="length"), builtin(length), builtin(glob), builtin(dpselect_text)


def _provide(connection: Any) -> None:
    """Give a connection the functions, in the encoding that its database has."""
    encoding = str(connection.execute("PRAGMA encoding").fetchone()[0])

    def text(cell: bytes | None) -> str | None:
        try:
            return None if cell is None else cell.decode(encoding)
        except UnicodeDecodeError:
            return None

    def digest(cell: str | None) -> str | None:
        return None if cell is None else md5(cell.encode(), usedforsecurity=False).hexdigest()

    connection.create_function("dpselect_text", 1, text, deterministic=True)
    connection.create_function("md5", 1, digest, deterministic=True)
