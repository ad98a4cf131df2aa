"""Noisy counts in rows: for programs, and as a table that steers no terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpselect.cli.release_text import escape_name
from dpselect.cli.tables import AnswerTable


def count_rows(counts: Mapping[Any, Any], *, grouped: bool) -> tuple[list[dict[str, Any]], AnswerTable]:
    """Return counts as objects and as a table.

    Args:
        counts: by value, or by group and then by value.
        grouped: whether it is the latter.
    """
    groups = counts if grouped else {None: counts}
    rows = [
        ({} if group is None else {"group": group}) | {"value": value, "count": count}
        for group, held in groups.items()
        for value, count in held.items()
    ]
    table = AnswerTable(
        (*(["group"] if grouped else []), "count", "value"),
        [
            [*([escape_name(row["group"])] if grouped else []), escape_name(row["count"]), escape_name(row["value"])]
            for row in rows
        ],
        frozenset({1 if grouped else 0}),
    )
    return rows, table
