"""Small tables for notebooks: escaped, without scripts, of public facts alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dpselect.kernel.markup import filled

# What a notebook shows of a long list.
MOST = 20


def table(title: str, rows: Iterable[tuple[str, Any]]) -> str:
    """Return names and values, one per row; a value of ``None`` or ``""`` is left out.

    >>> table("A < B", [("epsilon", 1), ("delta", None)]).count("<tr>"), "A &lt; B" in table("A < B", [])
    (1, True)
    """
    shown = [([name], _lines(value)) for name, value in rows if value is not None and value != ""]
    return str(filled("dpselect.kernel", "table.html", title=title, header=(), rows=shown, more=""))


def grid(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table with a header; of many rows the first are shown, and how many there are."""
    shown = [[_lines(value) for value in row] for row in rows[:MOST]]
    more = f"{len(rows)} rows; the first {MOST} are shown" if len(rows) > MOST else ""
    return str(filled("dpselect.kernel", "table.html", title="", header=header, rows=shown, more=more))


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
