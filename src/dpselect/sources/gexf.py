"""The form of GEXF files, which Gephi and NetworkX write: an edge that names no weight weighs 1."""

from __future__ import annotations

from dpselect.sources.xml_graphs import XmlForm

ENDING = ".gexf"
FORM = XmlForm(
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
