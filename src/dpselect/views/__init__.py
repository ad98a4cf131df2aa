"""Views: the little of the data that a utility may see."""

from dpselect.views.column import Column
from dpselect.views.graph import Graph

__all__ = ["Column", "Graph"]
