"""Dates of cells, each read by itself, and the public periods that they lie in."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from dpselect.data import Periods
from dpselect.sources.days import ISO, NO_DAY, STEPS, day_of, day_of_text, days, name, number_of, period, start
from dpselect.sources.distinct import distinct
from dpselect.views.row_question import codes_of

# Text, and its day where nothing, dmy or mdy is declared.
TEXTS: dict[str, tuple[str | None, str | None, str | None]] = {
    "2025-12-31": ("2025-12-31",) * 3,
    " 2025-12-31\t": ("2025-12-31",) * 3,
    "2025-12-31 23:59:59.999": ("2025-12-31",) * 3,
    "2025-12-31T23:59:59Z": ("2025-12-31",) * 3,
    "2025-12-31T23:59:59+02:00": ("2025-12-31",) * 3,
    "2024-02-29": ("2024-02-29",) * 3,
    "0001-01-01": ("0001-01-01",) * 3,
    "9999-12-31": ("9999-12-31",) * 3,
    "31.12.2025": (None, "2025-12-31", None),
    "12/31/2025": (None, None, "2025-12-31"),
    "1.2.2025": (None, "2025-02-01", "2025-01-02"),
    "01-02-2025 10:00": (None, "2025-02-01", "2025-01-02"),
    # No day of the calendar, or no date.
    **dict.fromkeys(
        ("2025-02-29", "1900-02-29", "2025-13-01", "2025-00-01", "2025-01-00", "0000-01-01", "2025-1-1", "20251231",
         "31.12.25", "31.12/2025", "2025-12-31x", "2025-12-31 x", "2025-12-31\n", "", "nan", "45000",
         "٢٠٢٥-01-01", "2025−01−01", "+2025-01-01"),
        (None, None, None),
    ),
}  # fmt: skip


def of_text(text: str | None) -> int | None:
    """The number of a day."""
    return None if text is None else number_of(date.fromisoformat(text))


def test_engines_look_for_the_days_that_are_read_here() -> None:
    """Each day of the calendar, and each text that is none."""
    sought = re.compile(ISO)
    texts = [f"{year:04}-{month:02}-{day:02}" for year in (*range(0, 9), *range(1895, 2105), 2400, 9999)
             for month in range(14) for day in range(33)]  # fmt: skip
    wrong = [each for each in (*texts, *TEXTS) if bool(sought.fullmatch(each)) != (day_of_text(each) is not None)]

    assert [] == wrong


@pytest.mark.parametrize("text", TEXTS)
def test_text_says_a_day_or_none(text: str) -> None:
    """2025-12-31 whatever is declared, other orders where they are."""
    assert [of_text(each) for each in TEXTS[text]] == [day_of_text(text, order) for order in (None, "dmy", "mdy")]


def test_every_kind_of_cell_says_its_day() -> None:
    """Dates, moments by their own day, and nothing else: a number is not a date."""
    east = timezone(timedelta(hours=9))
    cells = [
        date(2025, 1, 2), datetime(2025, 1, 2, 23, 59), datetime(2025, 1, 2, 1, tzinfo=east), "2025-01-02",
        np.datetime64("2025-01-02T13"), None, float("nan"), np.datetime64("NaT", "D"), 20090, "x", [1], timedelta(1),
        np.timedelta64(5, "D"), b"2025-01-02", True, Ellipsis,
    ]  # fmt: skip
    array = np.empty(len(cells), dtype=object)
    array[:] = cells

    assert [20090] * 5 + [NO_DAY] * 11 == days(array, None, "d").tolist()


def test_a_date_that_cannot_be_asked_is_missing_alone() -> None:
    """A class of somebody's own does not end the reading."""

    class Odd(date):
        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        def __hash__(self) -> int:
            raise RuntimeError

    assert [1, -1, 0] == codes_of(
        Periods.between("2025-01-01", "2025-01-02"), [date(2025, 1, 2), Odd(2025, 1, 1), date(2025, 1, 1)], "d"
    ).tolist()


@given(some.dates(date(1, 1, 1), date(9998, 12, 31)), some.sampled_from(STEPS))
def test_a_period_holds_its_days(day: date, step: str) -> None:
    """From its first one up to that of the next, and no other."""
    (number,) = period(np.array([number_of(day)]), step).tolist()

    assert start(number, step) <= day < start(number + 1, step)
    assert day == day_of(number_of(day))
    assert start(number, step) == start(number, step).replace(**_first(step, day))


def _first(step: str, day: date) -> dict[str, int]:
    if step == "day":
        return {"year": day.year, "month": day.month, "day": day.day}
    if step == "week":
        monday = day - timedelta(days=day.weekday())
        return {"year": monday.year, "month": monday.month, "day": monday.day}
    month = {"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "year": 1}[step]
    return {"year": day.year, "month": month, "day": 1}


def test_periods_are_called_as_people_call_them() -> None:
    """By their first day, month, quarter or year; weeks by their Monday."""
    day = number_of(date(2025, 12, 31))
    names = [name(int(period(np.array([day]), step)[0]), step) for step in STEPS]

    assert ["2025-12-31", "2025-12-29", "2025-12", "2025-Q4", "2025"] == names


WRONG: list[tuple[tuple[Any, ...], str]] = [
    (("2025-01-01", "2025-01-31", "month"), "earlier month"),
    (("2025-01-02", "2025-01-01"), "earlier day"),
    (("2025-01-01", 7), "upper is a real number, or a date"),
    (("2025-1-1", "2026-01-01"), "lower is a real number, or a date"),
    ((datetime(2025, 1, 1), "2026-01-01"), "lower is a real number, or a date"),
    (("2025-01-01", "9999-12-31"), "before 9999"),
    (("2025-01-01", "2026-01-01", "hour"), "The step between dates is day, week, month, quarter or year"),
    (("2025-01-01", "2026-01-01", ["day"]), "The step between dates"),
]


@pytest.mark.parametrize("asked, sentence", WRONG, ids=str)
def test_bounds_that_are_not_dates_are_refused(asked: tuple[Any, ...], sentence: str) -> None:
    """In one sentence."""
    with pytest.raises((TypeError, ValueError), match=sentence):
        Periods.between(*asked)


def test_what_lies_outside_counts_nowhere_or_in_the_nearest() -> None:
    """As histograms and medians ask."""
    periods = Periods.between("2025-02-10", "2025-04-03", "month")
    cells = ["2025-01-31", "2025-02-01", "2025-04-30", "2025-05-01", "9999-12-31", "0001-01-01", "x", None]

    assert [-1, 0, 2, -1, -1, -1, -1, -1] == periods.codes(distinct(cells), "d").tolist()
    assert [0, 0, 2, 2, 2, 0, -1, -1] == periods.moving().codes(distinct(cells), "d").tolist()
    assert (date(2025, 2, 1), date(2025, 4, 30)) == periods.ends


@pytest.mark.parametrize("unit", ["s", "ns", "D", "h", "M"])
def test_moments_of_numpy_lie_in_their_day(unit: str) -> None:
    """Before 1970 too."""
    moments = np.array(["1969-12-31T23:59", "1970-01-01T00:00", "NaT"], dtype=f"M8[{unit}]")
    first = -31 if unit == "M" else -1

    assert [first, 0, NO_DAY] == days(moments, None, "d").tolist()


def test_types_without_dates_are_refused() -> None:
    """Types are public; a column of pandas has none of its own."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    periods = Periods.between("2025-01-01", "2025-01-02")
    for column in (np.array([1, 2]), np.array([1.5]), np.array([1], "m8[s]"), polars.Series([1])):
        with pytest.raises(ValueError, match="which has no dates: cast it to dates"):
            codes_of(periods, column, "d")
    for zoned in (
        polars.Series([datetime(2025, 1, 1)]).dt.replace_time_zone("UTC"),
        polars.Series([datetime(2025, 1, 1)]).dt.replace_time_zone("UTC").to_arrow(),
    ):
        with pytest.raises(ValueError, match="moments of a time zone: cast it to dates"):
            codes_of(periods, zoned, "d")
    assert [-1, -1] == codes_of(periods, pandas.Series([1.0, None]), "d").tolist()
    assert [0, 1, -1] == codes_of(periods, pandas.Series(["2025-01-01", "2025-01-02", None]), "d").tolist()
    stamps = pandas.Series(pandas.to_datetime(["2025-01-01 00:00", "2025-01-02 13:00", None]))
    assert [0, 1, -1] == codes_of(periods, stamps, "d").tolist()
    assert [0, 1, -1] == codes_of(periods, stamps.dt.tz_localize("Asia/Tokyo"), "d").tolist()


def test_one_cell_moves_no_other() -> None:
    """Of a column that people hold in memory, whatever is written beside it."""
    honest = [f"2025-01-{each:02}" for each in range(1, 29)] * 3
    periods = Periods.between("2025-01-01", "2025-01-28")
    for hostile in (
        *TEXTS,
        None,
        7,
        1e300,
        b"x",
        [1],
        object(),
        date(1, 1, 1),
        datetime.max,
        np.datetime64("NaT", "D"),
    ):
        one, more = (Counter(codes_of(periods, cells, "d").tolist()) for cells in (honest, [*honest, hostile]))
        assert not one - more
        assert 1 == sum((more - one).values())
