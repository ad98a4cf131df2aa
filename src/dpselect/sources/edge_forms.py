"""Forms of edge files that are not tables, with the properties and the reader of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dpselect.sources import edge_lines, gml, graphml, matrix_market, pajek, xml_graphs
from dpselect.sources.edge_ends import EdgeRows, Kind, is_edge, of_elements, of_tables, wrong_elements
from dpselect.sources.edge_texts import EdgeTexts
from dpselect.sources.xml_graphs import XmlForm

_GEXF = XmlForm(
    noun="GEXF",
    root=b"gexf",
    direction="defaultedgetype",
    own_direction="type",
    undirected=("undirected", "mutual"),
    declaration=b"attribute",
    title="title",
    value=b"attvalue",
    reference=("for", "id"),
    cell="value",
    weight="1",
)


@dataclass(frozen=True)
class WantedEdges:
    """The parts of the edges of a file that are wanted.

    Attributes:
        kind: what ids are.
        label: the attribute that names nodes; ``None`` for their ids.
        weight: the attribute of weights; ``None`` for none.
        directed: edges that say of themselves that they have no direction are left out.
    """

    kind: Kind
    label: str | None = None
    weight: str | None = None
    directed: bool = False


@dataclass(frozen=True)
class EdgeForm:
    """A form of edge files that are not tables.

    Attributes:
        endings: how their names end.
        rows: reads the edges.
        wrong: yields the first lines or elements that are not edges; they are private.
        is_directed: whether edges have directions, as the head of a file says; ``None`` where it says neither.
        nodes: lists the nodes by their ids or by a label; ``None`` where a file lists none.
        names_weights: whether weights have a name; else they are called weight.
        first: the first id, where the form says that ids are so many integers.
        numbers: whether ids are integers by the form.
    """

    endings: tuple[str, ...]
    rows: Callable[[Path, WantedEdges], EdgeRows]
    wrong: Callable[[Path, WantedEdges], Iterator[str]]
    is_directed: Callable[[Path], bool | None]
    nodes: Callable[[Path, str | None], list[str]] | None = None
    names_weights: bool = False
    first: int = 0
    numbers: bool = False


def of(name: str) -> EdgeForm | None:
    """Return the form of a file by its name, ``None`` for tables and all else.

    >>> of("a.mtx").first, of("a.csv")
    (1, None)
    """
    return next((form for form in EVERY if name.lower().endswith(form.endings)), None)


def _line_rows(path: Path, wanted: WantedEdges) -> EdgeRows:
    if wanted.weight is not None:
        edge_lines.require_weights(path)
    edge_lines.is_directed(path)
    tables, dropped = edge_lines.fields(path, integers=wanted.kind is int, weights=wanted.weight is not None)
    return of_tables(tables, wanted.kind, dropped)


def _matrix_rows(path: Path, wanted: WantedEdges) -> EdgeRows:
    if wanted.weight is not None:
        matrix_market.require_weights(path)
    return matrix_market.read(path, wanted.kind, weights=wanted.weight is not None)


def _wrong_lines(path: Path, wanted: WantedEdges, skipped: Callable[[Path], int] = lambda _: 0) -> Iterator[str]:
    return edge_lines.wrong(path, lambda pair: is_edge(pair, wanted.kind), skipped(path))


def _element_form(
    endings: tuple[str, ...],
    read: Callable[[Path, WantedEdges], EdgeTexts],
    is_directed: Callable[[Path], bool | None],
    nodes: Callable[[Path, str | None], list[str]],
    first: int = 0,
    *,
    numbers: bool = False,
) -> EdgeForm:
    """Return a form whose elements are read one by one."""
    return EdgeForm(
        endings,
        lambda path, wanted: of_elements(read(path, wanted), wanted.kind),
        lambda path, wanted: wrong_elements(read(path, wanted), wanted.kind),
        is_directed,
        nodes,
        names_weights=not first,
        first=first,
        numbers=numbers,
    )


def _xml_form(ending: str, words: XmlForm) -> EdgeForm:
    def read(path: Path, wanted: WantedEdges) -> EdgeTexts:
        return xml_graphs.read(path, words, label=wanted.label, weight=wanted.weight, directed=wanted.directed)

    return _element_form(
        (ending,),
        read,
        partial(xml_graphs.is_directed, form=words),
        lambda path, label: xml_graphs.nodes(path, words, label),
    )


EVERY = (
    EdgeForm(edge_lines.ENDINGS, _line_rows, _wrong_lines, edge_lines.is_directed),
    EdgeForm(
        matrix_market.ENDINGS,
        _matrix_rows,
        partial(_wrong_lines, skipped=matrix_market.head_lines),
        matrix_market.is_directed,
        first=1,
        numbers=True,
    ),
    _element_form(
        pajek.ENDINGS,
        lambda path, wanted: pajek.read(path, label=wanted.label, directed=wanted.directed),
        lambda _: None,
        pajek.nodes,
        first=1,
        numbers=True,
    ),
    _element_form(
        gml.ENDINGS,
        lambda path, wanted: gml.read(path, label=wanted.label, weight=wanted.weight),
        gml.is_directed,
        gml.nodes,
        numbers=True,
    ),
    _xml_form(graphml.ENDING, graphml.FORM),
    _xml_form(".gexf", _GEXF),
)
ENDINGS = tuple(ending for form in EVERY for ending in form.endings)
