"""Edges in files, as two arrays of ids or labels.

Whether ids are integers or text is said by the caller, never by the file. A line that is not an edge, or whose ids are
not of that kind, is left out by itself, because whether there is an answer must not depend on one edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpselect.sources import edge_ends, edge_lines, edge_tables, graphml
from dpselect.sources.edge_ends import COLUMNS, Edges, Ends, Kind, is_edge, of_texts
from dpselect.sources.locators import missing, no_table, require_plain, without_secrets
from dpselect.sources.tables import AS_IT_IS, Reading
from dpselect.sources.web import local

_LINES = (".txt", ".txt.gz")
_KNOWN = (*edge_tables.ENDINGS, *_LINES, graphml.ENDING)


def read(path: str | Path, *, kind: Kind, ends: Ends = COLUMNS, reading: Reading = AS_IT_IS) -> Edges:
    """Return the source and target of every edge in a file, and how many rows were left out.

    Ends have shape (edges,) each, int64 or texts as objects: one long label would make a fixed width of all.

    ``.parquet`` and ``.csv`` hold the columns ``source`` and ``target``, or those of ``ends``; ``.graphml`` holds ids
    of nodes. A line of ``.txt`` is its first two fields, separated by white space, a comma or a semicolon; what follows
    is ignored. Text is UTF-8, may be compressed (``.gz``), and its blank lines and the lines that begin with ``#``, in
    ``.txt`` also with ``%``, are skipped. Left out and counted are rows of a table of another length, and those with an
    empty end, with an end that is not an integer where integers are asked for, or with an integer beyond 64 bits.

    Args:
        path: the file.
        kind: ``int`` or ``str``: what ids are; ``str`` leaves text as it is ("007"), and writes out the integers of a
            parquet column.
        ends: the columns of the two ends, where they are called otherwise.
        reading: how the text of a table is written, and which rows are edges; ``.tsv`` and ``.xlsx`` are tables too.

    Raises:
        FileNotFoundError: no such file.
        ValueError: another kind of file, or one whose ends have no names; a missing column, or
            a parquet column that is neither integers nor text.
        ImportError: pyarrow is not installed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "edges.csv"
    ...     _ = file.write_text("source,target\\n3,1\\n2,x\\n2,0\\n")
    ...     read(file, kind=int)
    (array([3, 2]), array([1, 0]), 1)
    """
    path, form = _form(path)
    _require_named(form, ends)
    if form in edge_tables.ENDINGS:
        return edge_tables.read(path, form, kind, ends, reading)
    if reading != AS_IT_IS:
        raise ValueError(f"How a table is written goes with a table of edges: leave it out for a {form} file.")
    if form == graphml.ENDING:
        every = list(graphml.edges(path))
        pairs = [pair for pair in every if is_edge(pair, kind)]
        return of_texts([a for a, _ in pairs], [b for _, b in pairs], kind, len(every) - len(pairs))
    return _of_lines(path, kind)


def kind_of(labels: Sequence[Any] | None) -> Kind:
    """Return the kind of ids that a public list of labels has; without one they are integers."""
    return str if labels and isinstance(labels[0], str) else int


def require_labels(path: str | Path, labels: Sequence[Any] | None) -> None:
    """Refuse public labels that no line of a text without a header can spell (``ValueError``): their edges would go.

    >>> require_labels("edges.csv", ["Lee, Ann"])
    """
    if not str(path).lower().endswith(_LINES):
        return
    wrong = next((each for each in labels or () if isinstance(each, str) and not edge_lines.is_field(each)), None)
    if wrong is not None:
        raise ValueError(
            f"The public node {wrong!r} cannot stand in a .txt file of edges, where white space, a comma or a "
            "semicolon ends a label and # or % begins a comment: write the edges as .csv, with the columns source and "
            "target."
        )


def direction(path: str | Path) -> bool | None:
    """Return whether a file says that its edges are directed or that they are not; ``None`` where it says neither.

    Raises:
        FileNotFoundError, ValueError: as :func:`read`.
    """
    path, form = _form(path)
    return graphml.is_directed(path) if form == graphml.ENDING else None


def columns(path: str | Path, reading: Reading = AS_IT_IS) -> list[str]:
    """Return the names of the columns of an edge file; a file without a header has none, and so has GraphML.

    A writer declares an attribute in GraphML where an edge has it, so one edge may decide what is declared.

    Raises:
        FileNotFoundError, ValueError, ImportError: as :func:`read`.
    """
    path, form = _form(path)
    return edge_tables.columns(path, form, reading) if form in edge_tables.ENDINGS else []


def unread(path: str | Path, kind: Kind, most: int) -> list[str]:
    """Return the first lines of a text without a header that are not edges; they are private.

    Raises:
        FileNotFoundError, ValueError: as :func:`read`.
    """
    path, form = _form(path)
    return edge_lines.unread(path, lambda pair: is_edge(pair, kind), most) if form in _LINES else []


def _require_named(form: str, ends: Ends) -> None:
    """Refuse names for ends that have none, and one name for both."""
    if ends != COLUMNS and form not in edge_tables.ENDINGS:
        raise ValueError(f"The ends of edges in a {form} file have no names: leave the names of columns out.")
    if ends[0] == ends[1]:
        raise ValueError("An edge has two ends: name two different columns.")


def _form(path: str | Path) -> tuple[Path, str]:
    """Return the path of an edge file, and how it ends."""
    require_plain(str(path))
    path = local(path)
    form = next((suffix for suffix in _KNOWN if path.name.lower().endswith(suffix)), None)
    if form is None:
        raise no_table(path, without_secrets(str(path)), f"one that ends in {', '.join(_KNOWN)}", "an edge file")
    if not path.is_file():
        raise missing(path)
    return path, form


def _of_lines(path: Path, kind: Kind) -> Edges:
    """Return the edges of a text without a header: the first two fields of each line."""
    fields, dropped = edge_lines.fields(path, integers=kind is int)
    sources, targets, wrong = zip(*(edge_ends.of_table(each, kind, COLUMNS) for each in fields), strict=True)
    return np.concatenate(sources), np.concatenate(targets), dropped + sum(wrong)
