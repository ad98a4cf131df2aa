"""Edges in Matrix Market files: the entries of a square sparse matrix, each on a line of its own; ids begin with 1."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.sources import edge_lines
from dpselect.sources.edge_ends import EdgeRows, Kind, arrow_module, of_tables

ENDINGS = (".mtx", ".mtx.gz")
# Some writers begin with one sign.
_FIRST = re.compile(
    r"%{1,2}MatrixMarket\s+matrix\s+(coordinate|array)\s+(real|integer|complex|pattern)\s+"
    r"(general|symmetric|skew-symmetric|hermitian)\s*",
    re.IGNORECASE,
)
_SIZE = re.compile(r"[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]+[0-9]{1,18}\s*")
# An entry that is zero, or NaN, is stored and is not an edge.
_ZERO = "^[+-]?(0+([.]0*)?|[.]0+)([eE][+-]?[0-9]+)?$|^[+-]?[nN][aA][nN]$"


@dataclass(frozen=True)
class _Head:
    """The head of a file: what its entries are, how they are stored, and how many lines come before them."""

    numbers: str
    storage: str
    lines: int


def is_directed(path: Path) -> bool | None:
    """Return that edges have no directions where the matrix is stored by halves, and else ``None``.

    Raises:
        ValueError: not a Matrix Market file of a square sparse matrix.
    """
    return None if _head(path).storage == "general" else False


def require_weights(path: Path) -> None:
    """Refuse a matrix without values, or with complex ones (``ValueError``)."""
    numbers = _head(path).numbers
    if numbers not in ("real", "integer"):
        raise InputError(
            f"The first line of {path.name} says that its entries are {numbers}, so edges have no weights: rank by "
            "another metric."
        )


def read(path: Path, kind: Kind, *, weights: bool) -> EdgeRows:
    """Return the entries of a matrix that are neither zero nor NaN, whatever number the head says there are.

    Raises:
        ValueError, ImportError: not a Matrix Market file of a square sparse matrix; pyarrow is not installed.
    """
    head = _head(path)
    with_values = head.numbers in ("real", "integer")
    tables, dropped = edge_lines.fields(path, integers=kind is int, weights=with_values, skipped=head.lines)
    if with_values:
        present = [_present(table) for table in tables]
        dropped += sum(table.num_rows for table in tables) - sum(table.num_rows for table in present)
        tables = present if weights else [table.drop_columns(["weight"]) for table in present]
    return of_tables(tables, kind, dropped)


def head_lines(path: Path) -> int:
    """Return how many lines come before the first entry (``ValueError``: not such a file)."""
    return _head(path).lines


def _present(table: Any) -> Any:
    compute = arrow_module("compute")
    zero = compute.match_substring_regex(table["weight"], _ZERO)
    return table.filter(compute.invert(zero)) if compute.any(zero).as_py() else table


def _head(path: Path) -> _Head:
    with edge_lines.open_text(path) as lines:
        found = _FIRST.fullmatch(next(lines, ""))
        if found is None:
            raise InputError(
                f"{path.name} does not begin with %%MatrixMarket matrix coordinate ...: add that line, or end its name "
                "in .edges if each line is an edge."
            )
        form, numbers, storage = (word.lower() for word in found.groups())
        if form == "array":
            raise InputError(f"The matrix of {path.name} is dense (array): save it as a sparse one, coordinate.")
        before, line = 1, ""
        for line in lines:
            if line.strip() and not line.startswith("%"):
                break
            before += 1
    size = _SIZE.fullmatch(line)
    if size is not None and int(size[1]) != int(size[2]):
        raise InputError(
            f"The matrix of {path.name} is not square, so its rows and columns are different nodes: give each node one "
            "name, and save the edges as .csv."
        )
    # Some writers leave the sizes out.
    return _Head(numbers, storage, before + (size is not None))
