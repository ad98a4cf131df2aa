"""The largest weighted sensitivity where one edge moves both objectives: it pays for one of them only."""

from dpselect import Scores, audit, utilities
from dpselect.multiobjective import aggregate
from tests.contracts.faults.toys import admissibility

DETECTOR = "admissibility"
UNIVERSE = audit.graphs(4)


def both(graph, touched: str) -> Scores:
    """Degree and ego density of one graph: an edge at a node moves both."""
    return aggregate([utilities.degree(graph), utilities.ego_density(graph)], [1, 1], max_changed=touched)


def detect() -> str:
    """Declared as if an edge moved one of them."""
    return admissibility(lambda graph: both(graph, "one"), UNIVERSE)


def repaired() -> str:
    """The sum."""
    return admissibility(lambda graph: both(graph, "all"), UNIVERSE)
