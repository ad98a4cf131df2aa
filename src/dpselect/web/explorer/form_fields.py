"""Fields that a user can change on a page. The values stand in the address, so that a view can be sent to a
colleague.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dpselect.kernel.errors import InputError

# Values of a query by name, in the order in which they stand there.
Query = Mapping[str, Sequence[str]]
Pairs = list[tuple[str, str]]
# So many rows can be edited by hand, of so many letters each; more come from a file.
ROWS, LETTERS = 40, 120
# An epsilon has so many, as in a query.
_DECIMALS = 6
# A name ends up in a command that is copied to a terminal: nothing in it may end a line, or show it otherwise.
_HIDDEN_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def exact_text(number: float) -> str:
    """Return the shortest text that reads as this very number, for addresses, commands and Python.

    An epsilon with fewer digits would pay another price than the page shows.

    >>> exact_text(0.1234567), exact_text(2.0)
    ('0.1234567', '2')
    """
    return repr(number).removesuffix(".0")


class Field(Protocol):
    """One input of a form.

    Attributes:
        name: in the address.
        label: before the input.
        help: one sentence below it, if any.
        macro: what draws it in ``fields.html``.
    """

    @property
    def name(self) -> str:
        """Return the name in the address."""
        ...

    def read(self, query: Query) -> Any:
        """Return the value that an address gives, or the one that stands there at first.

        Raises:
            ValueError: what is wrong with it, in one sentence.
        """
        ...

    def write(self, value: Any) -> Pairs:
        """Return what an address has for a value."""
        ...


@dataclass(frozen=True)
class NumberField:
    """A number.

    Attributes:
        low, high: what it may be, both included.
        whole: only whole numbers.
        slider: a slider beside it, on a log scale from ``low`` to ``high``, as for epsilon; such a number has at most
            six decimals, as queries do.
    """

    name: str
    label: str
    default: float
    low: float
    high: float
    whole: bool = False
    slider: bool = False
    help: str = ""
    macro: str = "number"

    def read(self, query: Query) -> float | int:
        """Return the number."""
        text = _single(query, self.name)
        if text is None or not text.strip():
            return self.default
        try:
            value: float | int = int(text) if self.whole else float(_with_point(text))
        except ValueError:
            value = math.nan
        if not self.low <= value <= self.high:
            kind = "a whole number" if self.whole else "a number"
            raise InputError(f"{self.label} is {kind} from {self.low:,g} to {self.high:,g}.")
        if self.slider and round(value, _DECIMALS) != value:
            raise InputError(f"{self.label} has at most {_DECIMALS} decimals: leave out the others.")
        return value

    def write(self, value: Any) -> Pairs:
        """Return the number as text that reads as the same."""
        return [(self.name, exact_text(value))]


@dataclass(frozen=True)
class ChoiceField:
    """One of several.

    Attributes:
        options: what stands in the address, and what a user reads.
    """

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    default: str
    help: str = ""
    macro: str = "choice"

    def read(self, query: Query) -> str:
        """Return what was chosen."""
        text = _single(query, self.name)
        if text is None:
            return self.default
        if text not in (value for value, _ in self.options):
            raise InputError(f"{self.label} is one of {', '.join(value for value, _ in self.options)}.")
        return text

    def write(self, value: Any) -> Pairs:
        """Return what was chosen."""
        return [(self.name, str(value))]


@dataclass(frozen=True)
class SeveralField:
    """One or more of several, in their own order.

    Attributes:
        options: what stands in the address, and what a user reads.
        default: those that are chosen at first.
    """

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    default: tuple[str, ...]
    help: str = ""
    macro: str = "several"

    def read(self, query: Query) -> tuple[str, ...]:
        """Return what was chosen."""
        # The form sends an empty value too, so that nothing chosen differs from nothing said.
        if self.name not in query:
            return self.default
        chosen = {text for text in query[self.name] if text}
        known = [value for value, _ in self.options]
        if not chosen or not chosen <= {*known}:
            raise InputError(f"{self.label} are one or more of {', '.join(known)}.")
        return tuple(value for value in known if value in chosen)

    def write(self, value: Any) -> Pairs:
        """Return what was chosen, one after the other."""
        return [(self.name, each) for each in value]


@dataclass(frozen=True)
class TextField:
    """A line of text."""

    name: str
    label: str
    default: str
    help: str = ""
    macro: str = "words"

    def read(self, query: Query) -> str:
        """Return the text."""
        text = _single(query, self.name)
        if text is not None and len(text) > 10 * LETTERS:
            raise InputError(f"{self.label} has at most {10 * LETTERS:,} letters.")
        if text is not None and _HIDDEN_CHARACTERS.search(text):
            raise InputError(f"{self.label} has a character that is not shown: leave it out.")
        return self.default if text is None else text

    def write(self, value: Any) -> Pairs:
        """Return the text."""
        return [(self.name, str(value))]


@dataclass(frozen=True)
class CountsField:
    """Names with a count each, in rows that can be edited; an empty name leaves a row out.

    Attributes:
        default: names and counts at first.
        low, high: what a count may be.
        unit: what is counted.
    """

    name: str
    label: str
    default: tuple[tuple[str, int], ...]
    low: int = 0
    high: int = 10**9
    unit: str = "count"
    help: str = ""
    macro: str = "counts"

    def read(self, query: Query) -> tuple[tuple[str, int], ...]:
        """Return names and counts, shape (m,)."""
        rows = _rows(query, self.name, (f"{self.name}-count",), self.label)
        return self.default if rows is None else tuple((name, self._count(name, *cells)) for name, cells in rows)

    def write(self, value: Iterable[tuple[str, int]]) -> Pairs:
        """Return a name and a count for each row."""
        return [pair for name, count in value for pair in ((self.name, name), (f"{self.name}-count", str(count)))]

    def _count(self, name: str, text: str) -> int:
        return _whole(text, f"The {self.unit} of {name}", self.low, self.high)


@dataclass(frozen=True)
class FiguresField:
    """Names with several whole numbers each, in rows that can be edited; an empty name leaves a row out.

    Attributes:
        default: names and their numbers at first.
        columns: what the numbers of a row are called.
        low, high: what a number may be.
    """

    name: str
    label: str
    columns: tuple[str, ...]
    default: tuple[tuple[str, tuple[int, ...]], ...]
    low: int = 0
    high: int = 10**9
    help: str = ""
    macro: str = "figures"

    @property
    def keys(self) -> tuple[str, ...]:
        """Return what the numbers are called in the address."""
        return tuple(f"{self.name}-{number}" for number in range(1, len(self.columns) + 1))

    def read(self, query: Query) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Return names with their numbers, shape (m, columns)."""
        rows = _rows(query, self.name, self.keys, self.label)
        if rows is None:
            return self.default
        return tuple((name, tuple(self._numbers(name, cells))) for name, cells in rows)

    def write(self, value: Iterable[tuple[str, tuple[int, ...]]]) -> Pairs:
        """Return a name and its numbers for each row."""
        keys = (self.name, *self.keys)
        return [pair for name, cells in value for pair in zip(keys, (name, *map(str, cells)), strict=True)]

    def _numbers(self, name: str, cells: Sequence[str]) -> Iterable[int]:
        for column, text in zip(self.columns, cells, strict=True):
            yield _whole(text, f"{column} of {name}", self.low, self.high)


def _rows(query: Query, field: str, keys: Sequence[str], label: str) -> list[tuple[str, tuple[str, ...]]] | None:
    """Return the rows that have a name, with the text of their other cells; ``None`` where the address has no row."""
    names, cells = query.get(field, ()), [query.get(key, ()) for key in keys]
    if not names:
        return None
    if any(len(each) != len(names) for each in cells) or len(names) > ROWS + 1:
        raise InputError(f"{label} are up to {ROWS} names, with {'a count' if len(keys) == 1 else 'numbers'} each.")
    rows = [(name.strip(), row) for name, *row in zip(names, *cells, strict=True) if name.strip()]
    if len({name for name, _ in rows}) < len(rows) or not rows or len(rows) > ROWS:
        raise InputError(f"{label} are up to {ROWS} names, each of them once.")
    if any(len(name) > LETTERS for name, _ in rows):
        raise InputError(f"A name has at most {LETTERS} letters.")
    if any(_HIDDEN_CHARACTERS.search(name) for name, _ in rows):
        raise InputError("A name has a character that is not shown: leave it out.")
    return [(name, tuple(row)) for name, row in rows]


def _whole(text: str, what: str, low: int, high: int) -> int:
    try:
        value = int(text or "0")
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise InputError(f"{what} is a whole number from {low:,} to {high:,}.")
    return value


def _single(query: Query, name: str) -> str | None:
    values = query.get(name, ())
    return values[-1] if values else None


def _with_point(text: str) -> str:
    """Return a number whose decimal mark is a comma with a point; a number with several marks stays as it is."""
    return text.replace(",", ".") if text.count(",") == 1 and "." not in text else text
