"""Edges of GraphML files: the form that NetworkX, igraph, Gephi and yEd write."""

from __future__ import annotations

from pathlib import Path

from dpselect.sources import xml_graphs
from dpselect.sources.xml_graphs import XmlForm

ENDING = ".graphml"
FORM = XmlForm(
    noun="GraphML",
    root=b"graphml",
    direction="edgedefault",
    own_direction="directed",
    undirected=("false", "0"),
    declaration=b"key",
    title="attr.name",
    value=b"data",
    reference=("key",),
    cell="",
    weight="",
)


def nodes(path: Path, label: str | None = None) -> list[str]:
    """Return the ids of all nodes or their labels, in their order, isolated ones included.

    Asking declares that they are public.

    Raises:
        FileNotFoundError: no such file.
        ValueError: not a complete GraphML file, or one without nodes.
    """
    return xml_graphs.nodes(path, FORM, label)
