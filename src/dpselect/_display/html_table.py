"""Small tables for notebooks: escaped, without scripts, of public facts alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

_LEFT = ' style="text-align:left;vertical-align:top"'
# What a notebook shows of a long list.
MOST = 20


def table(title: str, rows: Iterable[tuple[str, Any]]) -> str:
    """Return names and values, one per row; a value of ``None`` or ``""`` is left out.

    >>> table("A < B", [("epsilon", 1), ("delta", None)]).count("<tr>"), "A &lt; B" in table("A < B", [])
    (1, True)
    """
    shown = [([name], _lines(value)) for name, value in rows if value is not None and value != ""]
    return _table(title, (), shown)


def grid(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table with a header; of many rows the first are shown, and how many there are."""
    shown = [[_lines(value) for value in row] for row in rows[:MOST]]
    more = f"{len(rows)} rows; the first {MOST} are shown" if len(rows) > MOST else ""
    return _table("", header, shown) + (f"<p>{escape(more)}</p>" if more else "")


def _table(title: str, header: Sequence[str], rows: Iterable[Sequence[Sequence[str]]]) -> str:
    caption = f"<caption{_LEFT}><b>{escape(title)}</b></caption>" if title else ""
    head = "".join(f'<th scope="col"{_LEFT}>{escape(name)}</th>' for name in header)
    body = "".join(f"<tr>{''.join(_cells(row, heads=not header))}</tr>" for row in rows)
    return f"<table>{caption}{f'<thead><tr>{head}</tr></thead>' if header else ''}<tbody>{body}</tbody></table>"


def _cells(row: Sequence[Sequence[str]], *, heads: bool) -> Iterator[str]:
    """Yield the cells of a row, each of several lines; without a header the first one names the row."""
    for place, lines in enumerate(row):
        text = "<br>".join(map(escape, lines))
        yield f'<th scope="row"{_LEFT}>{text}</th>' if heads and not place else f"<td{_LEFT}>{text}</td>"


def _lines(value: Any) -> list[str]:
    """Return a value as lines of text: names and values apart, of a long list the first entries and how many.

    >>> _lines({"answer": ["<a>", 2], "unit": "euros"})
    ['answer: <a>, 2', 'unit: euros']
    """
    if isinstance(value, Mapping):
        return [f"{name}: {line}" for name, each in value.items() for line in _lines(each)]
    if isinstance(value, (list, tuple)):
        more = f", … ({len(value)} in all)" if len(value) > MOST else ""
        return [", ".join(map(str, value[:MOST])) + more]
    return [str(value)]
