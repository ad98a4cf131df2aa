"""Edges in files, as two arrays of ids or labels.

Whether ids are integers or text is said by the caller, never by the file. A line that is not an edge, or whose ids are
not of that kind, is left out by itself, because whether there is an answer must not depend on one edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from dpselect.kernel.errors import Advice, InputError
from dpselect.sources import edge_forms, edge_lines, edge_tables, pajek, tables
from dpselect.sources.csv_text import integer
from dpselect.sources.edge_ends import COLUMNS, EdgeRows, Edges, Ends, Kind
from dpselect.sources.edge_forms import EdgeForm, WantedEdges
from dpselect.sources.tables import AS_IT_IS, FileOptions
from dpselect.sources.urls import missing, no_table, require_plain, without_secrets
from dpselect.sources.web import local

ENDINGS = (*edge_tables.ENDINGS, *edge_forms.ENDINGS)
WEIGHT = "weight"
_WANTED = (
    f"one that ends in {', '.join(ENDINGS)}, or give a file of lines, such as out.NAME of KONECT, the ending .edges"
)
# Files of text whose first line says what they are.
_HEADED = (".csv", ".mtx", ".net", ".gml")


def read(
    path: str | Path,
    *,
    kind: Kind,
    ends: Ends = COLUMNS,
    reading: FileOptions = AS_IT_IS,
    label: str | None = None,
    directed: bool = False,
) -> Edges:
    """Return the source and target of every edge in a file, and how many rows were left out.

    Ends have shape (edges,) each, int64 or texts as objects: one long label would make a fixed width of all.

    ``.parquet`` and ``.csv`` hold the columns ``source`` and ``target``, or those of ``ends``. A line of ``.txt`` or
    ``.edges`` is its first two fields, separated by white space, a comma or a semicolon; what follows is ignored. An
    entry of ``.mtx`` that is not zero is an edge, and so is a line of ``.net`` below ``*Arcs`` or ``*Edges``, and an
    element ``edge`` of ``.gml``, ``.graphml`` or ``.gexf``. Text is UTF-8, lines may be compressed (``.gz``), and blank
    lines and those that begin with ``#`` or ``%`` are skipped. Left out and counted are rows of a table of another
    length, what is not an edge, an empty end, and an end that is not an integer of 64 bits where integers are asked
    for.

    Args:
        path: the file.
        kind: ``int`` or ``str``: what ids are; ``str`` leaves text as it is ("007"), and writes out the integers of a
            parquet column.
        ends: the columns of the two ends, where they are called otherwise.
        reading: how the text of a table is written, and which rows are edges; ``.tsv`` and ``.xlsx`` are tables too.
        label: the attribute that names nodes in a file that lists them; without it, ends are ids.
        directed: an edge that says of itself that it has no direction is left out.

    Raises:
        FileNotFoundError: no such file.
        ValueError: another kind of file, or one whose ends or nodes have no names; a missing column, or a parquet
            column that is neither integers nor text; a file whose head says that it is something else.
        ImportError: pyarrow is not installed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "edges.csv"
    ...     _ = file.write_text("source,target\\n3,1\\n2,x\\n2,0\\n")
    ...     read(file, kind=int)
    (array([3, 2]), array([1, 0]), 1)
    """
    path, ending = _ending(path)
    form = edge_forms.of(ending)
    _require_sound(ending, form, ends, reading, label)
    if form is None:
        return edge_tables.read(path, ending, kind, ends, reading)
    return form.rows(path, WantedEdges(kind, label, directed=directed)).edges


def read_weights(
    path: str | Path,
    *,
    kind: Kind,
    ends: Ends = COLUMNS,
    reading: FileOptions = AS_IT_IS,
    label: str | None = None,
    weight: str = WEIGHT,
) -> EdgeRows:
    """Return every edge of a file with its weight; those of a table are as its columns have them.

    Else a weight is text: the third field of a line, the value of an entry, or an attribute of the edge. It is empty
    where an edge has none; in ``.net`` and ``.gexf`` it is then 1.

    Raises:
        FileNotFoundError, ValueError, ImportError: as :func:`read`; weights that have no names, or are not there as the
            head of the file says.
    """
    if len({*ends, weight}) < 3:
        raise InputError("An edge has two ends and a weight: name three different columns.")
    path, ending = _ending(path)
    form = edge_forms.of(ending)
    _require_sound(ending, form, ends, reading, label)
    if form is None:
        return _columns(path, [*ends, weight], reading)
    require_weight(ending, weight)
    return form.rows(path, WantedEdges(kind, label, weight))


def _columns(path: Path, names: list[str], reading: FileOptions) -> EdgeRows:
    """Return the ends and the weights of a table, numbers with a point."""
    columns = tables.arrows(path, names, reading)
    if len(columns) < len(names):
        raise InputError(
            Advice(
                "The file needs the columns {columns}, named in its header: if they are called otherwise, pass "
                "{ends= and weight=|--source, --target and --weight-column}.",
                columns=", ".join(names),
            )
        )
    reading.dialect.require_decimal()
    source, target, cells = (columns[name] for name in names)
    return EdgeRows(source, target, 0, reading.dialect.number(cells))


def kind_of(labels: Sequence[Any] | None) -> Kind:
    """Return the kind of ids that a public list of labels has; without one they are integers."""
    return str if labels and isinstance(labels[0], str) else int


def public_nodes(path: str | Path, nodes: Any, label: str | None = None) -> Any:
    """Return the public nodes as the edges of a file call them.

    So many nodes are the numbers from 1 on where the form of the file counts from 1, and the Path of a file that lists
    its nodes stands for these: passing it declares that they are public.

    Raises:
        FileNotFoundError, ValueError: no such file; one without nodes.

    >>> public_nodes("edges.mtx", 3), public_nodes("edges.txt", 3)
    (range(1, 4), 3)
    """
    if isinstance(nodes, Path):
        lists = edge_forms.of(nodes.name)
        if lists is None or lists.nodes is None:
            return nodes
        if not nodes.is_file():
            raise missing(nodes)
        return lists.nodes(nodes, label)
    form = edge_forms.of(str(path))
    counted = isinstance(nodes, (int, np.integer)) and not isinstance(nodes, bool) and nodes > 0
    return range(form.first, form.first + int(nodes)) if counted and form is not None and form.first else nodes


def require_labels(path: str | Path, labels: Sequence[Any] | None, label: str | None = None) -> None:
    """Refuse public labels that no edge of a file can spell (``ValueError``): their edges would go.

    >>> require_labels("edges.csv", ["Lee, Ann"])
    """
    name = str(path).lower()
    form = edge_forms.of(name)
    texts = [each for each in labels or () if isinstance(each, str)]
    if name.endswith(edge_lines.ENDINGS):
        wrong = next((each for each in texts if not edge_lines.is_field(each)), None)
        if wrong is not None:
            raise InputError(
                f"The public node {wrong!r} cannot stand in a {_suffix(name)} file of edges, where white space, a "
                "comma or a semicolon ends a label and # or % begins a comment: write the edges as .csv, with the "
                "columns source and target."
            )
    if form is not None and form.numbers and label is None and any(integer(each) is None for each in texts):
        advice = "list numbers" if form.nodes is None else 'pass label="label" for nodes that are listed by name'
        raise InputError(f"Edges of a {_suffix(name)} file join numbers: {advice}.")


def require_label(path: str | Path, label: str | None) -> None:
    """Refuse a label in a file whose nodes have none, or have another one alone (``ValueError``).

    >>> require_label("a.gml", "name")
    """
    ending = _suffix(str(path))
    if label is not None and not lists_nodes(ending):
        raise InputError(f"Nodes have no labels in a {ending} file: leave label out.")
    if label is not None and ending in pajek.ENDINGS and label != pajek.LABEL:
        raise InputError(f'Nodes of a {ending} file have one name, their label: pass label="{pajek.LABEL}".')


def require_weight(path: str | Path, weight: str) -> None:
    """Refuse a name of weights that have none (``ValueError``).

    >>> require_weight("a.mtx", "weight")
    """
    form = edge_forms.of(str(path))
    if form is not None and not form.names_weights and weight != WEIGHT:
        raise InputError(
            f'The weights of a {_suffix(str(path))} file have no names: call them "{WEIGHT}", or leave the name out.'
        )


def direction(path: str | Path) -> bool | None:
    """Return whether a file says that its edges are directed or that they are not; ``None`` where it says neither.

    Raises:
        FileNotFoundError, ValueError: as :func:`read`.
    """
    path, ending = _ending(path)
    form = edge_forms.of(ending)
    return None if form is None else form.is_directed(path)


def columns(path: str | Path, reading: FileOptions = AS_IT_IS) -> list[str]:
    """Return the names of the columns of an edge file; one that is not a table has none.

    A writer declares an attribute in GraphML where an edge has it, so one edge may decide what is declared.

    Raises:
        FileNotFoundError, ValueError, ImportError: as :func:`read`.
    """
    path, ending = _ending(path)
    return edge_tables.columns(path, ending, reading) if edge_forms.of(ending) is None else []


def unread(path: str | Path, kind: Kind, most: int, *, label: str | None = None, directed: bool = False) -> list[str]:
    """Return the first lines or elements of a file without a header that are not edges; they are private.

    Raises:
        FileNotFoundError, ValueError: as :func:`read`.
    """
    path, ending = _ending(path)
    form = edge_forms.of(ending)
    wanted = WantedEdges(kind, label, directed=directed)
    return [] if form is None else [*islice(form.wrong(path, wanted), most)]


def is_utf16(path: str | Path) -> bool:
    """Return whether a file of lines is in UTF-16, by its mark (errors as :func:`read`)."""
    path, ending = _ending(path)
    return ending.removesuffix(".gz") in (".txt", ".edges") and edge_lines.is_utf16(path)


def lists_nodes(path: str | Path) -> bool:
    """Return whether files of this name list their nodes, which may have labels there.

    >>> lists_nodes("a.gml"), lists_nodes("a.mtx")
    (True, False)
    """
    form = edge_forms.of(str(path))
    return form is not None and form.nodes is not None


def _require_sound(ending: str, form: EdgeForm | None, ends: Ends, reading: FileOptions, label: str | None) -> None:
    """Refuse what is said of a file and is not in its form, and one name for both ends."""
    if reading != AS_IT_IS and form is not None:
        raise InputError(f"How a table is written goes with a table of edges: leave it out for a {ending} file.")
    if ends != COLUMNS and form is not None:
        raise InputError(f"The ends of edges in a {ending} file have no names: leave the names of columns out.")
    if ends[0] == ends[1]:
        raise InputError("An edge has two ends: name two different columns.")
    require_label(ending, label)


def _ending(path: str | Path) -> tuple[Path, str]:
    """Return the path of an edge file, and how it ends."""
    require_plain(str(path))
    path = local(path)
    ending = _suffix(path.name)
    if not ending:
        raise no_table(path, without_secrets(str(path)), _WANTED, "an edge file")
    if not path.is_file():
        raise missing(path)
    # Where the first line may be an edge, no edge decides what is refused: check says it.
    if ending.removesuffix(".gz") in _HEADED and edge_lines.is_utf16(path):
        raise InputError(f"{path.name} is in UTF-16, which is not read here: save the edges as UTF-8.")
    return path, ending


def _suffix(name: str) -> str:
    return next((suffix for suffix in ENDINGS if name.lower().endswith(suffix)), "")
