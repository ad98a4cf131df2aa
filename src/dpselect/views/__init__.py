"""Views: the little of the data that a utility may see."""

from dpselect.views.column import Column
from dpselect.views.directed_graph import DirectedGraph
from dpselect.views.events import Events
from dpselect.views.graph import Graph
from dpselect.views.records import Counts, Records
from dpselect.views.scored import Loss, Scored, Tile
from dpselect.views.stored_column import StoredColumn
from dpselect.views.stored_graph import StoredGraph
from dpselect.views.truncated_graph import TruncatedGraph
from dpselect.views.weighted_graph import WeightedGraph

__all__ = [
    "Column",
    "Counts",
    "DirectedGraph",
    "Events",
    "Graph",
    "Loss",
    "Records",
    "Scored",
    "StoredColumn",
    "StoredGraph",
    "Tile",
    "TruncatedGraph",
    "WeightedGraph",
]
