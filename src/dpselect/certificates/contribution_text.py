"""A sentence for where only a few rows of each person count: one text for terminals, programs and certificates."""

from __future__ import annotations

# What an error is of.
SCOPE, EACH_GROUP, BOTH = "of the rows that count: ", "each group: ", "each group, of the rows that count: "


def step(rows: int) -> str:
    """Return what one step between databases is, after "per".

    >>> step(1), step(2)
    ('person, of whom one row counts', 'person, of whom 2 rows count')
    """
    return f"person, of whom {_few(rows)} {_count(rows)}"


def protects(rows: int) -> str:
    """Return who is protected.

    >>> protects(2)
    'one person with all of their rows; only 2 rows of each count'
    """
    return f"one person with all of their rows; only {_few(rows)} of each {_count(rows)}"


def scope(*, grouped: bool, persons: bool) -> str:
    """Return what an error is of, where that is not the whole release."""
    if grouped:
        return BOTH if persons else EACH_GROUP
    return SCOPE if persons else ""


def _few(rows: int) -> str:
    return "one row" if rows == 1 else f"{rows} rows"


def _count(rows: int) -> str:
    return "counts" if rows == 1 else "count"
