"""Calendar days in cells, each cell read by itself, and the periods of days.

A day is the number of days since 1970-01-01 of the Gregorian calendar. A moment counts by its day, as it is written.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.sources.cell_types import is_missing

Integers = NDArray[np.int64]
STEPS = ("day", "week", "month", "quarter", "year")
# Of a cell that says no day; as NumPy has it.
NO_DAY = int(np.iinfo(np.int64).min)
_EPOCH = date(1970, 1, 1).toordinal()
# 1970-01-01 was a Thursday, and weeks begin on Mondays.
_MONDAY = 3
_TIME = "([T ][0-9:.,+Z -]{0,40})?"
_LEAP = "(0[48]|[2468][048]|[13579][26])"
_MONTHS = "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])"
_YEAR = "(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
# What engines look for: days of the calendar from the year 1 on, as 2025-12-31.
ISO = f"[ \t]*({_YEAR}-({_MONTHS})|([0-9]{{2}}{_LEAP}|{_LEAP}00)-02-29){_TIME}[ \t]*"
_ISO = re.compile(f"[ \t]*([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}}){_TIME}[ \t]*")
_OTHER = re.compile(f"[ \t]*([0-9]{{1,2}})([./-])([0-9]{{1,2}})\\2([0-9]{{4}}){_TIME}[ \t]*")


def day_of_text(text: str, order: str | None = None) -> int | None:
    """Return the day that a text says, ``None`` where it says none.

    Args:
        text: such as 2025-12-31, perhaps with a time behind it.
        order: ``"dmy"`` also reads 31.12.2025 and ``"mdy"`` 12/31/2025, with points, slashes or hyphens.

    >>> day_of_text("1970-01-02"), day_of_text("2.1.1970 10:00", "dmy"), day_of_text("2.1.1970"), day_of_text("now")
    (1, 1, None, None)
    """
    written = _ISO.fullmatch(text)
    if written is not None:
        year, month, day = written[1], written[2], written[3]
    else:
        other = None if order is None else _OTHER.fullmatch(text)
        if other is None:
            return None
        year = other[4]
        month, day = (other[3], other[1]) if order == "dmy" else (other[1], other[3])
    try:
        return date(int(year), int(month), int(day)).toordinal() - _EPOCH
    except ValueError:
        return None


def days(values: NDArray[Any], order: str | None, called: Any) -> Integers:
    """Return the day of every cell of an array, ``NO_DAY`` where it says none, shape (n,).

    Raises:
        ValueError: a type without days; types are public.
    """
    if values.dtype.kind == "M":
        return np.asarray(values.astype("M8[D]").astype(np.int64))
    if values.dtype.kind not in "OUT":
        raise InputError(f"Column {called!r} is {values.dtype} in the table, which has no dates: cast it to dates.")
    read = (_day(cell, order) for cell in values.tolist())
    return np.fromiter((NO_DAY if each is None else each for each in read), dtype=np.int64, count=values.size)


def _day(cell: Any, order: str | None) -> int | None:
    """Return the day of one cell, whatever it is."""
    if isinstance(cell, str):
        return day_of_text(str.__str__(cell), order)
    try:
        if is_missing(cell):
            return None
        if isinstance(cell, date):
            return date.toordinal(cell) - _EPOCH
        if isinstance(cell, np.datetime64):
            return int(cell.astype("M8[D]").astype(np.int64))
    except Exception:
        # A class of somebody's own: this cell alone is none.
        return None
    return None


def period(day: Integers, step: str) -> Integers:
    """Return which period each day lies in, counted from that of 1970-01-01; weeks begin on Mondays.

    >>> period(np.array([-4, -3, 0, 3, 4]), "week").tolist(), period(np.array([-1, 0, 30, 31]), "month").tolist()
    ([-1, 0, 0, 0, 1], [-1, 0, 0, 1])
    """
    if step == "day":
        return day
    if step == "week":
        return (day + _MONDAY) // 7
    unit = "M8[Y]" if step == "year" else "M8[M]"
    many = np.asarray(day, dtype=np.int64).astype("M8[D]").astype(unit).astype(np.int64)
    return np.asarray(many // 3 if step == "quarter" else many)


def start(number: int, step: str) -> date:
    """Return the first day of a period.

    >>> start(1, "quarter"), start(0, "week"), start(-1, "year")
    (datetime.date(1970, 4, 1), datetime.date(1969, 12, 29), datetime.date(1969, 1, 1))
    """
    if step in ("day", "week"):
        return date.fromordinal(_EPOCH + (number if step == "day" else 7 * number - _MONDAY))
    months = number * {"month": 1, "quarter": 3, "year": 12}[step]
    return date(1970 + months // 12, months % 12 + 1, 1)


def name(number: int, step: str) -> str:
    """Return what a period is called: 2025-12-31, of weeks their Monday, 2025-12, 2025-Q4, or 2025."""
    first = start(number, step)
    if step in ("day", "week"):
        return first.isoformat()
    year = f"{first.year:04}"
    return {"month": f"{year}-{first.month:02}", "quarter": f"{year}-Q{(first.month + 2) // 3}", "year": year}[step]


def number_of(day: date) -> int:
    """Return a day as a number."""
    return day.toordinal() - _EPOCH


def day_of(number: int) -> date:
    """Return a day by its number."""
    return date(1970, 1, 1) + timedelta(days=number)
