"""Rows of a described table, wherever it is, with what orders the rows of each person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class RowOrder:
    """A column that orders the rows of each person.

    Attributes:
        column: its name.
        numeric: whether it is of numbers, however they are written.
        dates: whether it is of dates, however they are written.
    """

    column: str
    numeric: bool = False
    dates: bool = False


@dataclass(frozen=True, repr=False, eq=False)
class RowSource:
    """A table that functions about columns take in place of one in memory; no row is read before it is counted.

    Attributes:
        place: a table in memory, a file with what is declared of it, or the URL of a database.
        table: the table of a database.
        order: what orders the rows of each person; ``None`` for a hash of what they count for.
    """

    place: Any
    table: str | None = None
    order: RowOrder | None = None
    # The description of the table says where it is.
    metadata: ClassVar[Mapping[str, str]] = {}

    def __repr__(self) -> str:
        return "RowSource(private)"
