"""One column of a table in memory, and what groups and persons its rows have, by their names."""

from __future__ import annotations

from typing import Any

from dpselect.sources import frames
from dpselect.sources.missing_column import no_column


def select_columns(table: Any, column: Any, by: Any, person: Any) -> tuple[Any, Any, Any]:
    """Return the values, groups and persons: as they are where no column is named, else those columns of the table.

    Raises:
        TypeError, ValueError: not a table; it has no such column.
    """
    if column is None:
        return table, by, person
    wanted = [name for name in (column, by, person) if isinstance(name, str) or name is column]
    there, columns = frames.some(table, list(dict.fromkeys(wanted)))
    for name in wanted:
        if name not in columns:
            raise no_column(name, there)
    return columns[column], *(columns[name] if isinstance(name, str) else name for name in (by, person))
