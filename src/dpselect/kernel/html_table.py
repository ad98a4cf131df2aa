"""Small tables for notebooks: escaped, without scripts, of public facts alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

# What a notebook shows of a long list.
MOST = 20
_CELL = "text-align:left;vertical-align:top"


def table(title: str, rows: Iterable[tuple[str, Any]]) -> str:
    """Return names and values, one per row; a value of ``None`` or ``""`` is left out.

    >>> table("A < B", [("epsilon", 1), ("delta", None)]).count("<tr>"), "A &lt; B" in table("A < B", [])
    (1, True)
    """
    body = "".join(
        f'<tr><th scope="row" style="{_CELL}">{escape(name)}</th><td style="{_CELL}">{cell(value)}</td></tr>'
        for name, value in rows
        if value is not None and value != ""
    )
    return f'<table><caption style="{_CELL}"><b>{escape(title)}</b></caption><tbody>{body}</tbody></table>'


def grid(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table with a header; of many rows the first are shown, and how many there are."""
    head = "".join(f'<th scope="col" style="{_CELL}">{escape(name)}</th>' for name in header)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{cell(each)}</td>' for each in row) + "</tr>" for row in rows[:MOST]
    )
    more = f"<p>{len(rows)} rows; the first {MOST} are shown</p>" if len(rows) > MOST else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def cell(value: Any) -> str:
    """Return a value as escaped text; of a long list, the first entries and how many there are.

    >>> cell({"answer": ["<a>", 2]})
    'answer: &lt;a&gt;, 2'
    """
    if isinstance(value, Mapping):
        return "<br>".join(f"{escape(str(name))}: {cell(each)}" for name, each in value.items())
    if isinstance(value, (list, tuple)):
        more = f", … ({len(value)} in all)" if len(value) > MOST else ""
        return escape(", ".join(map(str, value[:MOST])) + more)
    return escape(str(value))
