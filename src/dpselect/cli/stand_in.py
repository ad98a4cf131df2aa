"""A made-up table in the place of the data: what a command costs and promises does not depend on its rows.

It has the columns that the command names, and no rows but those with public names.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dpselect.cli import domains, reading
from dpselect.cli.request import Request
from dpselect.cli.verbs import snp
from dpselect.sources import tables
from dpselect.sources.locators import is_url

# Options that name columns of a table, and of an edge file what they are where they are left out.
_COLUMNS = ("column", "person", "item", "key", "by", "label", "value", "thresholds", "candidate", "score")
_EDGES = {"source": "source", "target": "target", "weight_column": "weight"}
# Verbs whose rows have public names, and the columns that are public.
_NAMED = {
    "above": ("label", "thresholds"), "snp": ("label",), "median": ("label",), "select": ("candidate", "by"),
}  # fmt: skip
# Options that name the private column beside them: no condition may read it, and no name may come from it.
_PRIVATE = {"above": "value", "select": "score", "median": "column"}
# What is said of a file; the made-up one is plain.
_OF_FILE = ("separator", "decimal", "thousands", "encoding", "where", "in_place", "table", "temporary_table")
_UNNAMED = "value"


@contextmanager
def in_place_of_data(request: Request) -> Iterator[None]:
    """Let a command read a made-up table; of its own it reads public names alone.

    Raises:
        OSError, ValueError: the public names cannot be read.
    """
    source = "graph" if "graph" in request.parameters else "file"
    named = str(request.get(source))
    if source == "graph" and not (Path(named).suffix or Path(named).exists() or is_url(named)):
        # A graph that ships with NetworkX is public.
        yield
        return
    columns = _columns(request, named)
    for name in _OF_FILE:
        if name in request.parameters:
            setattr(request, name, False if name in ("in_place", "temporary_table") else None)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "made-up.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
        setattr(request, source, str(path))
        yield


def _columns(request: Request, file: str) -> dict[str, Sequence[Any]]:
    """Return the columns of the made-up table, by their names."""
    if "graph" in request.parameters:
        weights = "weighted-degree" in request.metric
        ends = {name: value for name, value in _EDGES.items() if weights or name != "weight_column"}
        return {request.get(name) or value: [] for name, value in ends.items()}
    if request.command == "train":
        people = [] if request.person is None else [request.person]
        return {name: [] for name in [*domains.read(request.domains), *people]}
    public = _public_names(request, file)
    rows = len(next(iter(public.values()), []))
    names = [request.get(name) for name in _COLUMNS if request.get(name) is not None]
    names += snp.PRIVATE if request.command == "snp" else []
    if "column" in request.parameters and request.column is None:
        # The only column of a file, whatever its name.
        names.append(_UNNAMED)
    return {name: public.get(name, [0] * rows) for name in names}


def _public_names(request: Request, file: str) -> dict[str, Sequence[Any]]:
    """Return the public columns of the table itself, where its rows have public names.

    Raises:
        PrivacyError: a condition on the private column would decide which there are.
    """
    options = [name for name in _NAMED.get(request.command, ()) if request.get(name) is not None]
    private = _private(request)
    if request.command == "median" and options:
        reading.require_all(request)
    elif request.command in ("above", "select"):
        for name in private:
            reading.require_public(request, name)
    result = dict[str, Sequence[Any]]()
    for name in options:
        column = request.get(name)
        # The command itself refuses names from its private column; here they are not even read.
        if column not in private:
            result[column] = _public_cells(request, file, name, column)
    return result


def _private(request: Request) -> tuple[str, ...]:
    """Return the private columns beside public names: each column may be, where none is named."""
    if request.command == "snp":
        return snp.PRIVATE
    if request.command not in _PRIVATE:
        return ()
    named = request.get(_PRIVATE[request.command])
    return (request.label,) if named is None and request.label is not None else (named,)


def _public_cells(request: Request, file: str, name: str, column: str) -> Sequence[Any]:
    how = reading_of(request)
    if name == "thresholds":
        return [str(cell) for cell in tables.table(file, [column], how)[column]]
    if name == "by":
        cells: list[Any] = tables.arrows(file, [column], how)[column].to_pylist()
        return cells
    labels = tables.labels if request.get("by") is None else tables.repeated_labels
    return labels(file, column, f"--{name}", how)


def reading_of(request: Request) -> tables.Reading:
    """Return how the table itself is read."""
    return tables.Reading.of(**reading.keywords(request)) if "separator" in request.parameters else tables.AS_IT_IS
