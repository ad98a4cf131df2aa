"""Conditions on the rows of a table, written as ``status = employed and age >= 18``: a public condition.

``column op value``, a value being a number, a date such as 2025-12-31 or text, joined by ``and`` and ``or`` (``and``
binds closer) and by parentheses. ``column in (value, ..)`` is an ``or`` of equals, and ``column between value and
value`` two comparisons; ``not`` turns those that it stands before into their opposites.

Nothing is evaluated but these comparisons, and each row is tested by itself: a cell that is missing, or is not of the
kind that it is compared with, fulfils no comparison. So it fulfils neither a condition nor its ``not``, as in SQL.
"""

from __future__ import annotations

import importlib
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.sources import csv_text, days
from dpselect.sources.column_cells import array_of, reals
from dpselect.sources.distinct import distinct
from dpselect.sources.periods import with_zone

Mask = NDArray[np.bool_]
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<>": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_EQUALITY = ("=", "==", "!=", "<>")
OPPOSITES = {"=": "!=", "==": "!=", "!=": "=", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_LONGEST, _DEEPEST = 10_000, 50
_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")|(?P<op>==|!=|<>|<=|>=|=|<|>)|(?P<paren>[()])"
    r"|(?P<word>[^\s'\"()=<>!]+))"
)
_FORM = "write conditions such as region = North and age >= 18, with quotes around what holds spaces"


@dataclass(frozen=True)
class Comparison:
    """One column compared with one public value: a number, a date, or text."""

    column: str
    sign: str
    value: float | str | date

    def mask(self, columns: Mapping[str, Any], numbers: Mapping[str, Any], date_order: str | None) -> Mask:
        """Return which rows fulfil it; ``numbers`` are columns as numbers, those of text written with a point."""
        compare = _OPERATORS[self.sign]
        if isinstance(self.value, float):
            values = reals(array_of(numbers[self.column])).values
            return np.asarray(compare(values, self.value) & ~np.isnan(values), dtype=np.bool_)
        cells = columns[self.column]
        if isinstance(self.value, date):
            return self._day(cells, self.value, date_order)
        return self._text(cells, self.value)

    def _day(self, cells: Any, value: date, order: str | None) -> Mask:
        """Return which rows hold a day before, on or after another one; a moment counts by its day."""
        if getattr(cells.type, "tz", None) is not None:
            if self.sign in _EQUALITY:
                return self._text(cells, value.isoformat())
            raise with_zone(self.column)
        column = distinct(cells)
        held = days.days(column.cells, order, self.column)
        fulfilled = _OPERATORS[self.sign](held, days.number_of(value)) & (held != days.NO_DAY)
        return column.read(fulfilled.astype(np.int64)) > 0

    def _text(self, cells: Any, value: str) -> Mask:
        """Return which rows hold this text, or another, without a comparison per row in Python."""
        types = importlib.import_module("pyarrow.types")
        if types.is_temporal(cells.type):
            return self._equal(cells, self._instant(cells.type))
        if types.is_string(cells.type) or types.is_large_string(cells.type):
            # As bytes: a command line may pass what is not text.
            return self._equal(cells.cast("large_binary"), value.encode("utf-8", "surrogatepass"))
        compare = _OPERATORS[self.sign]
        return _of_each(cells, lambda cell: cell is not None and bool(compare(_cell_text(cell), value)))

    def _equal(self, cells: Any, value: Any) -> Mask:
        """Return which rows hold this value of their type, or another."""
        compute = importlib.import_module("pyarrow.compute")
        equal = compute.equal(cells, value)
        mask = equal if self.sign in ("=", "==") else compute.invert(equal)
        return np.asarray(compute.fill_null(mask, False).to_numpy(), dtype=np.bool_)

    def _instant(self, kind: Any) -> Any:
        """Return the value as one of a type of dates or times.

        No cell becomes text: one that Python has no date for would refuse the table.
        """
        arrow = importlib.import_module("pyarrow")
        try:
            return arrow.scalar(self.value).cast(kind)
        except arrow.ArrowException:
            raise InputError(
                f"{self.value!r} is not a value of {self.column!r}, a column of {kind}: write dates as "
                "2024-01-31, times as '2024-01-31 10:00:00', with a Z behind them where the column has a time zone."
            ) from None

    def opposite(self) -> Comparison:
        """Return what holds of every cell that can be compared and does not fulfil it."""
        return replace(self, sign=OPPOSITES[self.sign])

    @property
    def names(self) -> tuple[str, ...]:
        """Return the column."""
        return (self.column,)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the column if it is compared with a number."""
        return (self.column,) if isinstance(self.value, float) else ()


@dataclass(frozen=True)
class Junction:
    """Conditions joined by ``and`` or ``or``."""

    word: str
    parts: tuple[Comparison | Junction, ...]

    def mask(self, columns: Mapping[str, Any], numbers: Mapping[str, Any], date_order: str | None) -> Mask:
        """Return which rows fulfil it."""
        join = np.logical_and if self.word == "and" else np.logical_or
        masks = [part.mask(columns, numbers, date_order) for part in self.parts]
        return np.asarray(join.reduce(masks), dtype=np.bool_)

    def opposite(self) -> Junction:
        """Return the other junction of the opposites of its parts (De Morgan)."""
        return Junction("or" if self.word == "and" else "and", tuple(part.opposite() for part in self.parts))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns, in order."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.names))

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the columns that are compared with numbers, in order."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.numbers))


@dataclass(frozen=True)
class Condition:
    """A public condition on the columns of a row. Make one with :meth:`of`."""

    text: str
    tree: Comparison | Junction

    @classmethod
    def of(cls, text: str) -> Condition:
        """Return the condition that a text says.

        Raises:
            ValueError: anything else.

        >>> Condition.of("region = North and (age >= 18 or 'job held' != none)").names
        ('region', 'age', 'job held')
        >>> Condition.of("not (region in (North, South) or age between 18 and 30)").tree.word
        'and'
        """
        if not isinstance(text, str) or len(text) > _LONGEST:
            raise InputError(f"A condition is a text of at most {_LONGEST} characters: {_FORM}.")
        return cls(text, _Parser(text).whole())

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns that it reads, in order."""
        return self.tree.names

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the columns that it compares with numbers, in order."""
        return self.tree.numbers

    def mask(
        self, columns: Mapping[str, Any], numbers: Mapping[str, Any] | None = None, date_order: str | None = None
    ) -> Mask:
        """Return which rows fulfil it, shape (n,), each judged by its own cells.

        Args:
            columns: chunked arrow columns by name, at least those of ``names``.
            numbers: those of ``numbers`` as numbers, text of which is written with a point; ``None`` for ``columns``.
            date_order: ``"dmy"`` or ``"mdy"`` where text writes dates so; 2025-12-31 is always read.

        Raises:
            TypeError, ValueError: a number is compared with a column of a type such as dates, or a date with one
                without dates; types are public.
        """
        return self.tree.mask(columns, columns if numbers is None else numbers, date_order)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [*self._tokens(text), ("end", "")]
        self.depth = 0

    def whole(self) -> Comparison | Junction:
        result = self._junction("or")
        if self.tokens[0][0] != "end":
            raise self._wrong()
        return result

    def _tokens(self, text: str) -> Iterator[tuple[str, str]]:
        position, text = 0, text.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._wrong()
            kind = str(match.lastgroup)
            word = match[kind]
            if kind == "quoted":
                word = word[1:-1].replace(word[0] * 2, word[0])
            yield ("join" if kind == "word" and word.lower() in ("and", "or") else kind), word
            position = match.end()

    def _junction(self, word: str) -> Comparison | Junction:
        parts = [self._part(word)]
        while self.tokens[0][0] == "join" and self.tokens[0][1].lower() == word:
            self.tokens.pop(0)
            parts.append(self._part(word))
        return parts[0] if len(parts) == 1 else Junction(word, tuple(parts))

    def _part(self, word: str) -> Comparison | Junction:
        return self._junction("and") if word == "or" else self._single()

    def _single(self) -> Comparison | Junction:
        opposite = False
        while self._is_word("not") and self.tokens[1][0] != "op":
            self.tokens.pop(0)
            opposite = not opposite
        found = self._bracket() if self.tokens[0] == ("paren", "(") else self._comparison()
        return found.opposite() if opposite else found

    def _bracket(self) -> Comparison | Junction:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._wrong()
        self.tokens.pop(0)
        result = self._junction("or")
        self._require("paren", ")")
        self.depth -= 1
        return result

    def _comparison(self) -> Comparison | Junction:
        column = self._take("word", "quoted")[1]
        if self.tokens[0][0] == "op":
            return self._value_comparison(column, self._take("op")[1])
        opposite = self._is_word("not")
        if opposite:
            self.tokens.pop(0)
        found = self._range(column) if self._is_word("between") else self._list(column)
        return found.opposite() if opposite else found

    def _range(self, column: str) -> Junction:
        self.tokens.pop(0)
        lowest = self._value_comparison(column, ">=")
        self._require("join", "and")
        return Junction("and", (lowest, self._value_comparison(column, "<=")))

    def _list(self, column: str) -> Comparison | Junction:
        if not self._is_word("in"):
            raise self._wrong()
        self.tokens.pop(0)
        self._require("paren", "(")
        end = self.tokens.index(("paren", ")")) if ("paren", ")") in self.tokens else 0
        # A comma ends a value here, and elsewhere is a letter of one.
        self.tokens[:end] = [
            (kind, each)
            for kind, word in self.tokens[:end]
            for each in (re.findall("[^,]+|,", word) if kind == "word" else [word])
        ]
        found = [self._member(column)]
        while self._is_word(","):
            self.tokens.pop(0)
            found.append(self._member(column))
        self._require("paren", ")")
        return found[0] if len(found) == 1 else Junction("or", tuple(found))

    def _member(self, column: str) -> Comparison:
        if self._is_word("null"):
            raise InputError(f"{self.text!r} has null in a list, which is equal to no cell: leave it out.")
        if self._is_word(","):
            raise self._wrong()
        return self._value_comparison(column, "=")

    def _value_comparison(self, column: str, sign: str) -> Comparison:
        kind, word = self._take("word", "quoted")
        number = csv_text.number(word) if kind == "word" else None
        value: float | str | date = word if number is None or math.isnan(number) else number
        if kind == "word" and len(word) == len("2025-12-31") and (day := days.day_of_text(word)) is not None:
            value = days.day_of(day)
        if isinstance(value, str) and sign not in _EQUALITY:
            point = word.replace(",", ".")
            if kind == "word" and csv_text.number(point) is not None:
                raise InputError(f"In {self.text!r}, numbers in a condition have a point: write {point}.")
            raise InputError(
                f"{self.text!r} orders text: {sign} compares numbers and dates such as 2025-12-31, and text is = or != "
                "another."
            )
        return Comparison(column, sign, value)

    def _is_word(self, word: str) -> bool:
        kind, said = self.tokens[0]
        return kind == "word" and said.lower() == word

    def _require(self, kind: str, word: str) -> None:
        if self._take(kind)[1].lower() != word:
            raise self._wrong()

    def _take(self, *kinds: str) -> tuple[str, str]:
        if self.tokens[0][0] not in kinds:
            raise self._wrong()
        return self.tokens.pop(0)

    def _wrong(self) -> ValueError:
        return InputError(f"{self.text!r} is not a condition: {_FORM}.")


def _of_each(cells: Any, fulfils: Callable[[Any], bool]) -> Mask:
    """Return which rows hold a cell that fulfils a test."""
    try:
        encoded = cells.dictionary_encode().combine_chunks()
    except importlib.import_module("pyarrow").ArrowException:
        # Such as lists, which Arrow does not tell apart.
        return np.fromiter(map(fulfils, cells.to_pylist()), dtype=np.bool_, count=len(cells))
    # The last one is for rows without a cell.
    fulfilled = np.array([*map(fulfils, encoded.dictionary.to_pylist()), False], dtype=np.bool_)
    return np.asarray(fulfilled[encoded.indices.cast("int64").fill_null(-1).to_numpy()], dtype=np.bool_)


def _cell_text(cell: Any) -> str:
    """Return a cell of a typed column as text; truth values as tables write them."""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
