"""Public periods of a calendar, side by side: what a date counts in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, overload

import numpy as np

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.sources import days
from dpselect.sources.cell_types import OUTSIDE
from dpselect.sources.distinct import Distinct
from dpselect.sources.public_names import Integers, PublicNames

# Bounds lie before it, so that the day behind the last one is a date, too.
_END = date(9999, 1, 1)


@dataclass(frozen=True, eq=False)
class _PeriodNames(Sequence[str]):
    """Names of periods, each made when it is asked for."""

    step: str
    first: int
    size: int

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        numbers = range(self.first, self.first + self.size)[place]
        if isinstance(numbers, int):
            return days.name(numbers, self.step)
        return [days.name(each, self.step) for each in numbers]


@dataclass(frozen=True, repr=False, eq=False)
class Periods(PublicNames):
    """Days, weeks, months, quarters or years between two public dates; make them with :meth:`between`.

    They are a public list: ``domain=`` of counts, ``groups=``. A date counts in the period that holds it, a moment by
    its day.

    Attributes:
        names: of the periods: ``"2025-12-31"``, of weeks their Monday, ``"2025-12"``, ``"2025-Q4"`` or ``"2025"``.
        step: ``"day"``, ``"week"``, ``"month"``, ``"quarter"`` or ``"year"``.
        first: which period is the first, counted from that of 1970-01-01.
        moved: whether what lies outside counts in the first or the last one, and not nowhere.
        order: ``"dmy"`` or ``"mdy"`` where text writes dates so; 2025-12-31 is always read.

    >>> [*Periods.between("2025-11-15", "2026-01-01", "month").names]
    ['2025-11', '2025-12', '2026-01']

    Limits: Dates have days, and no zones. A moment counts by its day as it is written; a type of moments with a time
    zone is refused, because an engine would take the zone of the session. Text says a date as 2025-12-31, in databases
    in no other order. Weeks begin on Mondays, and bounds lie between the years 1 and 9998. Models, totals, ``select``
    and bins take no dates.
    """

    step: str = field(default="day", kw_only=True)
    first: int = field(default=0, kw_only=True)
    moved: bool = field(default=False, kw_only=True)
    order: str | None = field(default=None, kw_only=True)

    @classmethod
    def between(cls, lower: date | str, upper: date | str, step: str = "day") -> Periods:
        """Return the periods from that of a first date to that of a last one, both included; weeks begin on Mondays.

        Args:
            lower, upper: dates, or text such as ``"2025-12-31"``.
            step: ``"day"``, ``"week"``, ``"month"``, ``"quarter"`` or ``"year"``.

        Raises:
            TypeError, ValueError: not such dates or step; fewer than two periods.
        """
        if not isinstance(step, str) or step not in days.STEPS:
            raise InputError(f"The step between dates is {', '.join(days.STEPS[:-1])} or {days.STEPS[-1]}: name one.")
        ends = [days.number_of(public_date(name, each)) for name, each in (("lower", lower), ("upper", upper))]
        first, last = days.period(np.array(ends), step).tolist()
        if not first < last:
            raise InputError(f"lower lies in an earlier {step} than upper: pass the public bounds of the dates.")
        size = last - first + 1
        return cls("periods", _PeriodNames(step, first, size), None, step=step, first=first)

    def start(self, place: int) -> date:
        """Return the first day of a period, by its place."""
        return days.start(self.first + place, self.step)

    @property
    def ends(self) -> tuple[date, date]:
        """Return the first day of the first period, and the last day of the last one."""
        behind = days.start(self.first + len(self), self.step)
        return self.start(0), days.day_of(days.number_of(behind) - 1)

    def moving(self) -> Periods:
        """Return the same periods, where what lies outside counts in the nearest one."""
        return replace(self, moved=True)

    def in_date_order(self, order: str | None) -> Periods:
        """Return the same periods of dates that text writes in an order of day, month and year."""
        return replace(self, order=order)

    def codes(self, column: Distinct, called: Any) -> Integers:
        """Return the place of the period in every row, negative where it is none of the list, shape (n,).

        Raises:
            ValueError: a column of a type without dates; types are public.
        """
        if column.retyped and column.cells.dtype.kind not in "MOUT":
            # Without a single date pandas takes a column for one of numbers.
            return column.read(np.full(column.cells.size, OUTSIDE, dtype=np.int64))
        day = days.days(column.cells, self.order, called)
        low, high = map(days.number_of, self.ends)
        outside = (day < low) | (day > high)
        places = days.period(np.clip(day, low, high), self.step) - self.first
        return column.read(np.where(day == days.NO_DAY if self.moved else outside, OUTSIDE, places).astype(np.int64))


def public_date(name: str, value: Any) -> date:
    """Return a public date (``TypeError``, ``ValueError``: not one between the years 1 and 9998)."""
    if isinstance(value, np.datetime64):
        value = value.astype("M8[D]").item()
    if isinstance(value, str):
        number = days.day_of_text(value) if len(value) == len("2025-12-31") else None
        value = None if number is None else days.day_of(number)
    if isinstance(value, datetime) or not isinstance(value, date):
        raise InputTypeError(
            f"{name} is a real number, or a date such as 2025-12-31: pass what is public about the dates."
        )
    if not value < _END:
        raise InputError(f"{name} is a date before 9999-01-01: pass what is public about the dates.")
    return value


def is_date(value: Any) -> bool:
    """Return whether a public bound is a date, or text, and not a number."""
    return isinstance(value, (date, str, np.datetime64))


def require_without_zone(values: Any, called: Any) -> None:
    """Refuse a column of moments whose type has a time zone, whose days depend on where one is (``ValueError``)."""
    kind = getattr(values, "type", None)
    zone = getattr(kind, "tz", None) if kind is not None else getattr(getattr(values, "dtype", None), "time_zone", None)
    if zone is not None:
        raise with_zone(called)


def with_zone(called: Any) -> ValueError:
    """Return the refusal of a column of moments with a time zone."""
    return InputError(
        f"Column {called!r} holds moments of a time zone: cast it to dates, as of the zone that you mean."
    )
