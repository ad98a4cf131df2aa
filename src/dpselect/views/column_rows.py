"""One column of a table, and what its rows count for, by names of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpselect.kernel.errors import InputTypeError
from dpselect.sources import frames
from dpselect.sources.missing_column import no_column
from dpselect.sources.periods import Periods
from dpselect.sources.warehouse import is_expression
from dpselect.views.column import Column
from dpselect.views.contribution_bounds import ContributionBounds
from dpselect.views.row_question import codes_of
from dpselect.views.stored_column import StoredColumn
from dpselect.views.table_counts import is_stored


def column_rows(
    table: Any,
    column: Any,
    by: Any,
    groups: Any,
    person: Any,
    rows_per_person: int | None,
    periods: Periods | None = None,
) -> tuple[Any, ContributionBounds | None]:
    """Return the values of a column, and what their rows count for.

    Where no column is named, values, groups and persons are columns themselves. Of a table in memory the named columns
    are taken, and one in a file or an engine stays there until it is counted. Of dates, the values are the places of
    public periods.

    Raises:
        PrivacyError, TypeError, ValueError: as :meth:`ContributionBounds.of`; not a table; it has no such column.
    """
    if column is not None and is_stored(table):
        return StoredColumn(table, column, periods=periods), ContributionBounds.of(
            by, groups, person, rows_per_person, named=True
        )
    values, by, person = select_columns(table, column, by, person)
    if periods is not None:
        values = _places(values, periods, "values" if column is None else column)
    return values, ContributionBounds.of(by, groups, person, rows_per_person)


def _places(values: Any, periods: Periods, called: Any) -> Any:
    """Return the places of periods that dates of a column lie in; those that are not there are missing."""
    if isinstance(values, (Column, StoredColumn)):
        raise InputTypeError("A Column holds numbers, and these bounds are dates: pass the column of dates itself.")
    if is_expression(values):
        return StoredColumn.of(values, periods)
    places = codes_of(periods, values, called)
    return np.ma.masked_array(places, mask=places < 0)


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
