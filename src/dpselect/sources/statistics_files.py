"""Files of statistics programs as text: SPSS (.sav, .zsav) and Stata (.dta).

A value with a label is its label, a category; in a column that is declared to be of numbers it is its code. One that
the file declares as missing is missing. Others are spelled: whole numbers without a fraction, dates as 2024-01-31, and
weeks, months, quarters and halves of years as their first day. Every cell is spelled out by itself, from its own bytes.
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from dpselect._optional import not_installed
from dpselect.kernel.errors import InputError
from dpselect.sources import days
from dpselect.sources.categories import spellings

ENDINGS = (".sav", ".zsav", ".dta")
# Rows that are read at a time.
_ROWS = 2**18
_DAY = 86400
# Days from the beginning of each calendar to 1970-01-01, and how many of its units a day has, by formats.
_SPSS, _STATA = 141428, 3653
_FORMATS: tuple[tuple[re.Pattern[str], int, int], ...] = (
    (re.compile(r"(DATETIME|YMDHMS)[0-9.]*"), _SPSS, _DAY),
    (re.compile(r"([AESJ]?DATE|MOYR|QYR|WKYR)[0-9.]*"), _SPSS, _DAY),
    (re.compile(r"%-?t?d.*"), _STATA, 1),
    (re.compile(r"%-?tc.*", re.IGNORECASE), _STATA, 1000 * _DAY),
)
# Periods of Stata since 1960, by formats: how many a year has, and how many months or days each but its last has. A
# year is a number there, and remains one.
_PERIODS: tuple[tuple[re.Pattern[str], int, int, int], ...] = (
    (re.compile(r"%-?tw.*"), 52, 0, 7),
    (re.compile(r"%-?tm.*"), 12, 1, 0),
    (re.compile(r"%-?tq.*"), 4, 3, 0),
    (re.compile(r"%-?th.*"), 2, 6, 0),
)
# Days that a date of Python reaches.
_FIRST, _LAST = -719162, 2932896


@dataclass(frozen=True)
class CodeColumn:
    """The name of a column of numbers: its cells are their codes, whatever labels the file has for them."""

    name: Any


def names(path: Path) -> list[str]:
    """Return the names of the variables.

    Raises:
        ImportError: pyreadstat is not installed.
        ValueError: not a complete file of its kind.
    """
    return [*_facts(path).column_names]


def labelled_codes(path: Path, name: str) -> dict[float, str]:
    """Return the numbers of a variable that have labels (errors as :func:`names`)."""
    known = _facts(path).variable_value_labels.get(name) or {}
    return {float(code): str(label) for code, label in known.items() if not isinstance(code, str)}


def columns(path: Path, wanted: Sequence[Any]) -> dict[Any, Any]:
    """Return variables as arrow arrays of text (errors as :func:`names`)."""
    arrow = importlib.import_module("pyarrow")
    read, there = [*batches(path, wanted)], {*names(path)}
    present = [each for each in wanted if (each.name if isinstance(each, CodeColumn) else each) in there]
    return {name: arrow.chunked_array([each[name].chunk(0) for each in read], arrow.string()) for name in present}


def batches(path: Path, wanted: Sequence[Any]) -> Iterator[dict[Any, Any]]:
    """Yield variables as arrow arrays of text, a part of the rows at a time (errors as :func:`names`)."""
    arrow, facts = importlib.import_module("pyarrow"), _facts(path)
    named = {each: each.name if isinstance(each, CodeColumn) else each for each in wanted}
    there = [name for name in facts.column_names if name in named.values()]
    spell = {each: _speller(facts, name, labelled=each is name) for each, name in named.items() if name in there}
    start = 0
    while True:
        # Each byte is a letter here, so that no cell is refused for its encoding, and none is a date of Python's.
        held, _ = _read(
            path,
            usecols=there,
            row_offset=start,
            row_limit=_ROWS,
            encoding="ISO-8859-1",
            output_format="dict",
            disable_datetime_conversion=True,
        )
        many = len(next(iter(held.values()), ()))
        if not many:
            return
        yield {
            each: arrow.chunked_array([arrow.array([*map(spelled, held[named[each]])], arrow.string())])
            for each, spelled in spell.items()
        }
        start += many
        if many < _ROWS:
            return


def _facts(path: Path) -> Any:
    return _read(path, metadataonly=True)[1]


def _read(path: Path, **how: Any) -> Any:
    """Return what pyreadstat reads; what it says when it fails may quote cells, so it is not repeated."""
    try:
        reader = importlib.import_module("pyreadstat")
    except ImportError:
        raise not_installed("Reading files of SPSS and Stata needs pyreadstat", "statistics") from None
    read = reader.read_dta if path.suffix.lower() == ".dta" else reader.read_sav
    try:
        return read(str(path), **how)
    except Exception:
        raise InputError(f"{path.name} is not a complete file of SPSS or Stata.") from None


def _speller(facts: Any, name: str, *, labelled: bool) -> Callable[[Any], str | None]:
    """Return what spells the cells of a variable, by what the file declares of it, and by its labels if wanted."""
    known = (facts.variable_value_labels.get(name) or {}) if labelled else {}
    labels = {_key(value): str(label) for value, label in known.items()}
    form = str(facts.original_variable_types.get(name, ""))
    dated = next(((begin, units) for pattern, begin, units in _FORMATS if pattern.fullmatch(form)), None)
    spans = next((each for pattern, *each in _PERIODS if pattern.fullmatch(form)), None)
    # Stata's files say none: newer ones have UTF-8, older ones mostly this.
    encodings = (facts.file_encoding,) if facts.file_encoding else ("utf-8", "cp1252")

    def spelled(cell: Any) -> str | None:
        if isinstance(cell, str):
            text = _decode(cell, encodings)
            return labels.get(text, text) if text else None
        if cell is None or (number := float(cell)) != number:
            return None
        label = labels.get(number)
        if label is not None:
            return label
        if spans is not None:
            return _first_day(number, *spans)
        return spellings(number)[0] if dated is None else _moment(number, *dated)

    return spelled


def _key(value: Any) -> Any:
    return value if isinstance(value, str) else float(value)


def _decode(cell: str, encodings: Sequence[str]) -> str | None:
    """Return a text in the first of these encodings that it is of, ``None`` where it is of none."""
    for encoding in encodings:
        try:
            return cell.encode("latin-1").decode(encoding)
        except (UnicodeError, LookupError):
            continue
    return None


def _first_day(number: float, many: int, months: int, length: int) -> str | None:
    """Return the first day of a week, month, quarter or half of a year, and ``None`` far from all calendars."""
    year = 1960 + math.floor(number / many) if math.isfinite(number) else 0
    if not number.is_integer() or not 1 <= year <= 9999:
        return None
    place = int(number) % many
    return (date(year, 1 + months * place, 1) + timedelta(days=length * place)).isoformat()


def _moment(number: float, begin: int, units: int) -> str | None:
    """Return a date as text, with its time where it has one, and ``None`` far from all calendars."""
    if not math.isfinite(number):
        return None
    whole = math.floor(number / units)
    if not _FIRST <= whole - begin <= _LAST:
        return None
    day, rest = days.day_of(whole - begin).isoformat(), number - whole * units
    minutes, seconds = divmod(int(rest * _DAY / units), 60)
    return f"{day} {minutes // 60:02}:{minutes % 60:02}:{seconds:02}" if minutes or seconds else day
