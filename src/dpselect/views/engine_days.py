"""Periods of a calendar as expressions of an engine: arithmetic of integers on years, months and days."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.sources import days
from dpselect.sources.engines import engine_of
from dpselect.sources.periods import Periods, with_zone


def place_in(periods: Periods, column: Any, called: Any) -> Any:
    """Return the expression of the place of every row's period, int64, negative where it has none.

    Raises:
        ValueError: a column of a type without dates, or with a time zone.
    """
    kind = column.type()
    if kind.is_timestamp() and kind.timezone is not None:
        raise with_zone(called)
    if (kind.is_date() or kind.is_timestamp()) and not engine_of(column).has_dates:
        # What such a column holds is text.
        column = column.cast("string")
    if column.type().is_string():
        place = _of_text(periods, column)
    elif kind.is_date() or kind.is_timestamp():
        place = _of_dates(periods, column)
    else:
        raise InputError(f"Column {called!r} is {kind} in the table, which has no dates: cast it to dates.")
    return place.cast("int64").fill_null(-1)


def _of_dates(periods: Periods, column: Any) -> Any:
    """Return the place of dates or moments; what is outside is compared, and never taken apart."""
    low, last = periods.ends
    first, behind = low, last + timedelta(days=1)
    if column.type().is_timestamp():
        first, behind = datetime.combine(first, time()), datetime.combine(behind, time())
    below, above = column < first, column >= behind
    inside = (below | above).ifelse(first, column)
    number = _period(inside.year(), inside.month(), inside.day(), periods.step) - periods.first
    return _period_place(periods, column.isnull(), below, above, number)


def _of_text(periods: Periods, column: Any) -> Any:
    """Return the place of what text says, as :func:`dpselect.sources.days.day_of_text` reads it."""
    is_written = column.re_search(f"^{days.ISO}$").fill_null(False)
    # Nothing else is cast.
    text = is_written.ifelse(column.lstrip(), "0001-01-01")
    year, month, day = (text.substr(start, many).cast("int64") for start, many in ((0, 4), (5, 2), (8, 2)))
    number = _period(year, month, day, periods.step) - periods.first
    low, high = (each.isoformat() for each in periods.ends)
    # The signs of such texts have the order of their dates, whatever an engine collates by.
    return _period_place(periods, ~is_written, text.substr(0, 10) < low, text.substr(0, 10) > high, number)


def _period_place(periods: Periods, lacking: Any, below: Any, above: Any, number: Any) -> Any:
    """Return the place of a period; a date outside counts in the first or the last one, or nowhere."""
    import ibis

    first, last = (0, len(periods) - 1) if periods.moved else (-1, -1)
    # Side by side: SQLite does not read deep expressions.
    return ibis.cases((lacking, -1), (below, first), (above, last), else_=number)


def _period(year: Any, month: Any, day: Any, step: str) -> Any:
    """Return the number of a period, as :func:`dpselect.sources.days.period` counts them."""
    year, month, day = (each.cast("int64") for each in (year, month, day))
    # From the year 0 on, so that nothing is negative, and back to 1970.
    if step == "year":
        return year - 1970
    months = year * 12 + month - 1
    if step in ("month", "quarter"):
        return months - 1970 * 12 if step == "month" else _quotient(months, 3) - 1970 * 4
    # Years that begin in March, so that the day that is sometimes missing is their last.
    years = year - (month <= 2).ifelse(1, 0)
    within = _quotient((month + (month <= 2).ifelse(9, -3)) * 153 + 2, 5) + day - 1
    number = years * 365 + _quotient(years, 4) - _quotient(years, 100) + _quotient(years, 400) + within
    return number - 719468 if step == "day" else _quotient(number + 2, 7) - 102781


def _quotient(number: Any, by: int) -> Any:
    """Return the whole quotient of integers that are not negative, and so small that doubles are exact."""
    return (number / by).floor().cast("int64")
