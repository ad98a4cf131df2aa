"""An answer as a page shows it: a single value, a table, and a picture of counts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpselect._display.markup import Mark, drawing, mark

if TYPE_CHECKING:
    from markupsafe import Markup

# Of a picture, in pixels: of each bar, and of the names and bars.
_BAR, _NAMES, _WIDE = 22, 130, 440
# Fields that say where in the order of the rows an answer is.
_PLACES = {"q": "share of the rows", "p": "percentile"}
_FORMULA, _FIGURE = ("=", "+", "-", "@", "\t", "\r"), re.compile(r"[+-]?[0-9.,]+(?:[eE][+-]?[0-9]+)?")
# Lists of rows, with what each row has.
_ROWS = {"counts": {"value", "count"}, "groups": {"group", "candidates"}}
_MOST_BARS, _MOST_LETTERS = 40, 15


@dataclass(frozen=True)
class AnswerShown:
    """An answer for a page.

    Attributes:
        value: where there is one alone, otherwise empty.
        header, rows: of a table, where there are several.
        notes: what else there is: a name and a value each.
        picture: of numbers, where there is one.
    """

    value: str = ""
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    picture: Markup | None = None

    @property
    def lines(self) -> list[tuple[str, ...]]:
        """Return the answer as lines of cells, the titles first where there are any."""
        if self.value:
            return [(self.value,)]
        return [self.header, *self.rows] if any(self.header) else [*self.rows]

    def with_interval(self, within: int) -> AnswerShown:
        """Return the same counts with the numbers that each lies between, so far on both sides."""
        ends = [int(row[-1].replace(",", "")) for row in self.rows]
        rows = tuple(
            (*row, _number(end - within), _number(end + within)) for row, end in zip(self.rows, ends, strict=True)
        )
        return replace(self, header=(*self.header, "from", "to"), rows=rows)


def answer_shown(answer: Any, query: Mapping[str, Any] = MappingProxyType({})) -> AnswerShown:
    """Return an answer for a page.

    Args:
        answer: as a certificate holds it.
        query: as it was asked, where that is known.

    >>> answer_shown({"candidates": [47]}, {"query": "median"}).value
    '47'
    >>> shown = answer_shown({"nurse": 12, "smith": -1}, {"query": "histogram", "column": "job"})
    >>> shown.header, shown.rows
    (('job', 'count'), (('nurse', '12'), ('smith', '-1')))
    """
    if not isinstance(answer, Mapping):
        return AnswerShown(value=words(answer))
    if "candidates" in answer:
        return _winners(answer, query)
    for name, keys in _ROWS.items():
        # As the command line has them: a list of rows, and what else there is.
        held = answer.get(name)
        if isinstance(held, list) and all(isinstance(row, Mapping) and keys <= row.keys() for row in held):
            beside = tuple((_words(each), words(value)) for each, value in answer.items() if each != name)
            return replace(answer_shown(_by_group(held), query), notes=beside)
    parts = [*answer.values()]
    first = parts[0] if parts else None
    if all(_is_number(each) for each in parts):
        rows = tuple((str(name), _number(value)) for name, value in answer.items())
        header = (str(query["column"]), "count") if "column" in query else ("", "")
        return AnswerShown(header=header, rows=rows, picture=_bars(answer))
    if isinstance(first, Mapping) and all(isinstance(each, Mapping) and [*each] == [*first] for each in parts):
        # Groups, each with the same names.
        names = tuple(map(str, first))
        table = tuple((str(group), *map(words, each.values())) for group, each in answer.items())
        return AnswerShown(header=(str(query.get("by", "group")), *names), rows=table)
    if isinstance(first, list) and all(isinstance(each, list) and len(each) == len(first) for each in parts):
        table = tuple((str(group), *map(words, each)) for group, each in answer.items())
        heads = _heads(query, len(first)) if query else ("",) * len(first)
        return AnswerShown(header=(str(query.get("by", "group")), *heads), rows=table)
    return AnswerShown(header=("", ""), rows=tuple((str(name), words(each)) for name, each in answer.items()))


def _winners(answer: Mapping[str, Any], query: Mapping[str, Any]) -> AnswerShown:
    candidates = answer["candidates"]
    beside = {name: each for name, each in answer.items() if name != "candidates"}
    columns = {n: each for n, each in beside.items() if isinstance(each, list) and len(each) == len(candidates)}
    notes = tuple((_words(name), words(each)) for name, each in beside.items() if name not in columns)
    if len(candidates) == 1 and not _place(query):
        single = tuple((name, words(each[0])) for name, each in columns.items())
        return AnswerShown(value=words(candidates[0]), notes=(*single, *notes))
    heads = _heads(query, len(candidates))
    rows = tuple(
        (head, *map(words, cells))
        for head, cells in zip(heads, zip(candidates, *columns.values(), strict=True), strict=True)
    )
    first = _PLACES.get(_place(query), "place")
    return AnswerShown(header=(first, "answer", *map(str, columns)), rows=rows, notes=notes)


def _by_group(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return rows of counts, or of winners, by value, or by group."""
    if any("candidates" in row for row in rows):
        return {str(row["group"]): row["candidates"] for row in rows}
    if not any("group" in row for row in rows):
        return {str(row["value"]): row["count"] for row in rows}
    held: dict[str, Any] = {}
    for row in rows:
        held.setdefault(str(row["group"]), {})[str(row["value"])] = row["count"]
    return held


def words(value: Any) -> str:
    """Return plain values in one line."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {words(each)}" for name, each in value.items())
    if isinstance(value, list):
        # Entries that are mappings have commas of their own.
        return ("; " if any(isinstance(each, Mapping) for each in value) else ", ").join(map(words, value))
    return "none" if value is None else str(value)


def no_formula(cell: Any) -> Any:
    """Return a cell that no program of tables takes for a formula: a name that begins like one gets a quote before."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in _FORMULA and not _FIGURE.fullmatch(cell) else cell


def _words(name: str) -> str:
    """Return the name of a fact as people write it."""
    return str(name).replace("_", " ").replace("p value", "p-value")


def _heads(query: Mapping[str, Any], many: int) -> tuple[str, ...]:
    """Return what each of several answers is to."""
    places = query.get(_place(query), ())
    if len(places) == many:
        return tuple(f"{place:g}" for place in places)
    return ("answer",) if many == 1 else tuple(map(str, range(1, many + 1)))


def _place(query: Mapping[str, Any]) -> str:
    """Return the field that says where in the order of the rows answers are; empty where none does."""
    return next((name for name in _PLACES if query.get(name)), "")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else words(value)


def _bars(counts: Mapping[str, float]) -> Markup | None:
    """Return bars, or nothing where there are too many; noise may put a count below 0, so zero has a line."""
    if not 1 < len(counts) <= _MOST_BARS:
        return None
    low, high = min(0, *counts.values()), max(0, *counts.values())
    if low == high:
        return None
    scale = (_WIDE - _NAMES - 70) / (high - low)
    zero = _NAMES - low * scale
    marks: list[Mark] = []
    for place, (name, count) in enumerate(counts.items()):
        top, text = place * _BAR, str(name)
        short = text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
        wide, end = abs(count) * scale, zero + max(count, 0) * scale
        marks += [
            mark("text", short, x=_NAMES - 8, y=top + 15, text_anchor="end", font_size=13, fill="currentColor"),
            mark("rect", x=zero - max(-count, 0) * scale, y=top + 3, width=wide, height=_BAR - 6, fill="#0b3c5d"),
            mark("text", _number(count), x=end + 6, y=top + 15, font_size=13, fill="currentColor"),
        ]
    high_px = len(counts) * _BAR
    marks.append(mark("line", x1=zero, x2=zero, y1=0, y2=high_px, stroke="#767676"))
    return drawing(*marks, viewBox=f"0 0 {_WIDE} {high_px}", width=_WIDE, aria_label="The counts as bars")
