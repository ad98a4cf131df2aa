"""Edges in the graphs of other libraries, as nodes and two sequences of ends.

What a reader drops is said aloud, but only where the form of the input says it: a type, a header, the name of a column.
Whether a matrix is symmetric, or an edge has a weight, is private, and no warning may depend on it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect._optional import not_installed
from dpselect.kernel.errors import Advice, InputError, InputTypeError

_DIRECTIONS = Advice(
    "Directions are dropped: an edge joins both of its ends. "
    "{dpselect.utilities.followers|The metric followers} counts who points to a node."
)
WEIGHTS = Advice(
    "Weights are dropped: an edge is there, or it is not. {dpselect.utilities.weighted_degree adds|The metric "
    "weighted-degree with --weight-cap adds} them up."
)
_ENTRIES = (
    "Entries of a matrix are read as edges without weight or direction: pass a matrix of booleans where that is meant."
)
_NAMES = ("weight", "weights")


class GraphPartsWarning(UserWarning):
    """Parts of the form of a graph that are left out, in words that quote nothing."""


def warn_of_directions(directed: bool) -> None:
    """Warn the caller of this library that the form has directions, which an undirected graph has not."""
    if directed:
        warnings.warn(GraphPartsWarning(_DIRECTIONS), stacklevel=_outside())


def warn_of_weights(columns: Iterable[str]) -> None:
    """Warn the caller of this library where columns are weights by their name."""
    if any(column.strip().lower() in _NAMES for column in columns):
        warnings.warn(GraphPartsWarning(WEIGHTS), stacklevel=_outside())


def warn_of_entries(matrix: Any) -> None:
    """Warn the caller of this library where the type of a matrix leaves room for weights, whatever its entries are."""
    if getattr(matrix, "dtype", None) != np.bool_:
        warnings.warn(_ENTRIES, GraphPartsWarning, stacklevel=_outside())


def _outside() -> int:
    """Return how many calls lie between a warning and the line that is not of this library."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "dpselect":
        level, frame = level + 1, frame.f_back
    return level


def of_networkx(graph: Any) -> tuple[list[Hashable], list[Hashable], list[Hashable]]:
    """Return the nodes, sources and targets of a NetworkX graph; directions, keys and weights go.

    >>> import networkx
    >>> of_networkx(networkx.path_graph(3))
    ([0, 1, 2], [0, 1], [1, 2])
    """
    ends = list(zip(*(edge[:2] for edge in graph.edges()), strict=True)) or [(), ()]
    return list(graph.nodes()), list(ends[0]), list(ends[1])


def of_igraph(graph: Any) -> tuple[list[Hashable], list[Hashable], list[Hashable]]:
    """Return the nodes, sources and targets of an igraph graph: names where all vertices have them, else 0 .. n-1.

    Raises:
        TypeError: not an igraph graph.
    """
    if not (hasattr(graph, "vs") and hasattr(graph, "get_edgelist")):
        raise InputTypeError("This is not an igraph graph: pass an igraph.Graph.")
    named = "name" in graph.vs.attributes()
    names: list[Hashable] = list(graph.vs["name"]) if named else list(range(graph.vcount()))
    ends = graph.get_edgelist()
    return names, [names[a] for a, _ in ends], [names[b] for _, b in ends]


def of_scipy(matrix: Any) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Return the number of nodes, and the sources and targets, of a square sparse matrix.

    Entries stored twice are added up first; an entry that is then neither zero nor NaN is an edge.

    Raises:
        TypeError: not a sparse matrix.
        ValueError: the matrix is not square.

    >>> from scipy.sparse import csr_array
    >>> size, source, target = of_scipy(csr_array([[0, 2, 0], [0, 0, 1], [0, 0, 0]]))
    >>> size, source.tolist(), target.tolist()
    (3, [0, 1], [1, 2])
    """
    if not hasattr(matrix, "tocsr"):
        raise InputTypeError("An adjacency matrix is sparse: pass a SciPy sparse matrix, as csr_array(matrix).")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError("An adjacency matrix is square: pass shape (n, n).")
    rows = matrix.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    entries = rows.tocoo()
    present = (entries.data != 0) & ~np.isnan(entries.data)
    return int(matrix.shape[0]), entries.row[present], entries.col[present]


def shipped_graph(name: str) -> Any:
    """Return a graph that ships with NetworkX, as a NetworkX graph.

    Raises:
        ValueError: no such graph; the message lists them.
        ImportError: networkx is not installed.

    >>> len(shipped_graph("karate"))
    34
    """
    try:
        import networkx
    except ImportError:
        raise not_installed("Shipped graphs need networkx", "graph") from None
    makers = {
        "lesmis": networkx.les_miserables_graph,
        "karate": networkx.karate_club_graph,
        "florentine-families": networkx.florentine_families_graph,
        "davis-southern-women": networkx.davis_southern_women_graph,
    }
    if name not in makers:
        raise InputError(f"The shipped graph {name!r} does not exist: pass {', '.join(makers)}, or an edge file.")
    return makers[name]()
