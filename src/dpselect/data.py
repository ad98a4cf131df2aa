"""Tables, columns and graphs for questions."""

from dpselect.sources.candidates import Candidates as Candidates
from dpselect.sources.periods import Periods as Periods
from dpselect.sources.tables import TableFile as TableFile
from dpselect.sources.warehouse import Warehouse as Warehouse
from dpselect.views import Column as Column
from dpselect.views import DirectedGraph as DirectedGraph
from dpselect.views import StoredColumn as StoredColumn
from dpselect.views import StoredGraph as StoredGraph
from dpselect.views import TruncatedGraph as TruncatedGraph
from dpselect.views import WeightedGraph as WeightedGraph

__all__ = [
    "Candidates",
    "Column",
    "DirectedGraph",
    "Periods",
    "StoredColumn",
    "StoredGraph",
    "TableFile",
    "TruncatedGraph",
    "Warehouse",
    "WeightedGraph",
]
