"""Views: the little of the data that a utility may see."""

from dpselect.views.column import Column
from dpselect.views.directed_graph import DirectedGraph
from dpselect.views.events import Events
from dpselect.views.gradient_sums import GradientTable, Interaction, Loss
from dpselect.views.graph import Graph
from dpselect.views.records import NodeCounts, Records
from dpselect.views.stored_column import StoredColumn
from dpselect.views.stored_graph import StoredGraph
from dpselect.views.truncated_graph import TruncatedGraph
from dpselect.views.weighted_graph import WeightedGraph

__all__ = [
    "Column",
    "DirectedGraph",
    "Events",
    "GradientTable",
    "Graph",
    "Interaction",
    "Loss",
    "NodeCounts",
    "Records",
    "StoredColumn",
    "StoredGraph",
    "TruncatedGraph",
    "WeightedGraph",
]
