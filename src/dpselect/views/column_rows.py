"""One column of a table, and what its rows count for, by names of columns."""

from __future__ import annotations

from typing import Any

from dpselect.views.contributions import Contributions
from dpselect.views.picked import picked
from dpselect.views.stored_column import StoredColumn
from dpselect.views.table_counts import is_stored


def column_rows(
    table: Any, column: Any, by: Any, groups: Any, person: Any, rows_per_person: int | None
) -> tuple[Any, Contributions | None]:
    """Return the values of a column, and what their rows count for.

    Where no column is named, values, groups and persons are columns themselves. Of a table in memory the named columns
    are taken, and one in a file or an engine stays there until it is counted.

    Raises:
        PrivacyError, TypeError, ValueError: as :meth:`Contributions.of`; not a table; it has no such column.
    """
    if column is not None and is_stored(table):
        return StoredColumn(table, column), Contributions.of(by, groups, person, rows_per_person, named=True)
    values, by, person = picked(table, column, by, person)
    return values, Contributions.of(by, groups, person, rows_per_person)
