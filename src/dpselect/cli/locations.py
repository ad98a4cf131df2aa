"""The location of a table: in a file, or in a database where it stays."""

from __future__ import annotations

from dpselect.cli.options import READING, flag, option
from dpselect.cli.request import Request
from dpselect.sources.web import is_database

OPTIONS = (
    option(
        "--table",
        metavar="NAME",
        panel=READING,
        help="the table, when a URL such as postgres://host/database or duckdb://FILE is given",
    ),
    flag("--in-place", "let DuckDB count in a file where it is, for tables beyond memory", READING),
)


def stays(request: Request, path: str) -> bool:
    """Return whether the table stays where it is and only counts are fetched."""
    return bool(request.get("table") or request.get("in_place") or is_database(path))
