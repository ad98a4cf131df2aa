"""PrivateSQL on ego betweenness: one noisy view per node, the budget split over the views.

The view of node c holds, for every pair u < v of other nodes, q(u, v): how many paths of length two join u and v among
the neighbours of c and c itself, and 0 unless both are neighbours of c that are not adjacent to each other. Without
noise the sum of 1 / q over its positive cells is the ego betweenness of c. Every cell of every view gets exact
two-sided geometric noise for L(D) at epsilon / n, and the nodes with the largest sums are named:

    L(D) = max over s < D of (D - 1 - s) (1 + s) + s (s - 1) / 2

is the most that one edge moves a view in graphs of maximum degree D.
Neighbours: edge. Public: the nodes and D.

For reproduction: a cell of 0 that noise lifts to 1 counts like a true pair, so the answer is nearly random.

References: Farias 2021, sections 6.4.2.1 and 6.5.1; Kotsogiannis et al. 2019. Errata: the sensitivity of 1448 at D = 10
is printed without a proof, and what cutting the edges of crowded nodes costs has no bound: here D is a promise about
every graph that might have been held, as for ``ego_betweenness``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import Bound, require_rate
from dpselect.kernel.errors import InputError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release.open_session import open_session
from dpselect.release.release import Release
from dpselect.utilities.ego_betweenness import public_degree, require_degrees
from dpselect.views import Graph

Integers = NDArray[np.int64]
NAME = "private-sql"
# Nodes whose views fit memory: n^3 / 2 cells of 8 bytes.
_MOST = 500


def private_sql(
    graph: Graph, k: int = 1, *, max_degree: int | None = None, epsilon: Epsilon, ledger: Accountant | None = None
) -> Release[tuple[Any, ...]]:
    """Name the k nodes whose noisy views have the largest ego betweenness, in order.

    Args:
        graph: 3 to 500 public nodes; the views have about n^3 / 2 cells.
        k: how many nodes to name.
        max_degree: a public bound on the degree of every graph that might have been held. Never read it from the
            private graph. Bounds beyond n - 1 count as n - 1.
        epsilon: the budget of all views together.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for neighbours that differ in one edge.

    Raises:
        PrivacyError: ``max_degree`` is missing.
        ValueError: ``max_degree`` is not an integer, below 2, or exceeded by the graph; k or the number of nodes is out
            of range; nothing was spent.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> star = Graph.from_edges([0, 0, 0, 0], [1, 2, 3, 4], nodes=6)
    >>> from dpselect import budget
    >>> with budget(epsilon=10**4, neighbours="edge"):
    ...     private_sql(star, max_degree=5, epsilon=10**4).value
    (0,)
    """
    size, bound = len(graph), public_degree(max_degree, len(graph))
    if size > _MOST:
        raise InputError(f"The views of more than {_MOST} nodes do not fit memory: use utilities.ego_betweenness.")
    if isinstance(k, (bool, np.bool_)) or not isinstance(k, (int, np.integer)) or not 1 <= k <= size:
        raise InputError(f"k must be an integer from 1 to {size}: how many nodes to name.")
    require_degrees(graph, bound)
    guarantee = Guarantee(exact_epsilon(epsilon), Neighbours.EDGE)
    moved = Bound(least(bound), Neighbours.EDGE).times(size)
    require_rate(guarantee.epsilon / moved.total)
    cells, drawn = views(graph), others(size)
    with open_session(guarantee, mechanism=NAME, ledger=ledger, metadata=graph.metadata) as draws:
        cells[drawn] = draws.counts(cells[drawn], guarantee.epsilon, moved)
    winners = np.argsort(-betweenness(cells), kind="stable")[:k]
    return Release(tuple(graph.candidates[node] for node in winners.tolist()), NAME, guarantee)


def views(graph: Graph) -> Integers:
    """Return the cells of all views, shape (n, n (n - 1) / 2), pairs u < v in lexical order.

    >>> views(Graph.from_edges([0, 1, 2], [1, 2, 3], nodes=4))      # (0,1) (0,2) (0,3) (1,2) (1,3) (2,3)
    array([[0, 0, 0, 0, 0, 0],
           [0, 1, 0, 0, 0, 0],
           [0, 0, 0, 0, 1, 0],
           [0, 0, 0, 0, 0, 0]])
    """
    size = len(graph)
    near = np.zeros((size, size), dtype=np.int64)
    near[np.repeat(np.arange(size), graph.degrees), graph.indices] = 1
    upper = np.triu_indices(size, 1)
    cells = np.zeros((size, upper[0].size), dtype=np.int64)
    for node in range(size):
        circle = np.flatnonzero(near[node])
        inside = near[np.ix_(circle, circle)]
        view = np.zeros((size, size), dtype=np.int64)
        view[np.ix_(circle, circle)] = np.where(inside, 0, 1 + inside @ inside)
        cells[node] = view[upper]
    return cells


def others(size: int) -> NDArray[np.bool_]:
    """Return which cells of a view are of two other nodes, as :func:`views`: the rest is 0 in every graph."""
    pairs = np.stack(np.triu_indices(size, 1), axis=1)
    return np.asarray((pairs[None, :, :] != np.arange(size)[:, None, None]).all(axis=2))


def least(max_degree: int) -> int:
    """Return the most that one edge moves a view, all cells added up.

    >>> least(10)
    37
    """
    return max((max_degree - 1 - s) * (1 + s) + s * (s - 1) // 2 for s in range(max_degree))


def betweenness(cells: NDArray[Any]) -> NDArray[np.float64]:
    """Return the sum of 1 / q over the positive cells of every view that are of two other nodes."""
    positive = (cells > 0) & others(cells.shape[0])
    return np.asarray(np.divide(1.0, cells, out=np.zeros(cells.shape), where=positive).sum(axis=1))
