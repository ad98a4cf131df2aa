"""PrivateSQL on ego betweenness, as Farias 2021 runs it: one truncated view per node, the budget split over the views.

The view of node c holds, for every pair u < v of other nodes, q(u, v): how many paths of length two join u and v among
the neighbours of c and c itself, and 0 unless both are neighbours of c that are not adjacent to each other. Every cell
of every view gets Laplace noise of scale sensitivity / (B / n); then EBC^(c) is the sum of 1 / q^ over pairs with
q^ > 0. A cell of 0 that noise lifts a little above 0 then counts for very much, however large the budget, unless cells
are rounded to whole numbers first. This is a simulation with seeded noise: only its finding, near random, is claimed,
not the printed cells.

Sensitivity of a view, for graphs of maximum degree D:

- ``GIVEN``: 1448 at D = 10, as printed, taken as given.
- ``elastic(D)``: our own stated bound by the rules of elastic sensitivity. A join of A and B on a key costs
  mf(A) S(B) + mf(B) S(A) + S(A) S(B), mf the largest frequency of the key. The edge table holds both directions, so
  S = 2 and mf = D: the paths e1, e2 have 4 D + 4. Each of the three joins with the neighbours of c (S = 1, mf = 1,
  key frequency D^2 among paths) turns S into 2 S + D^2, the join with the adjacent pairs (S = 2, key frequency D) into
  3 S + 2 D. Half of that, because only pairs u < v are asked for: 1588 at D = 10.
- ``least(D)`` of ``dpselect.papers.private_sql``: the least there is, 37 at D = 10: far kinder to PrivateSQL than
  its own bound. That file has the version that can be released.

References: Farias 2021, sections 6.4.2.1, 6.5.1 and Appendix B; Kotsogiannis et al. 2019; Johnson et al. 2018.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect._optional import not_installed
from dpselect.views import Graph

GIVEN = {10: 1448}

# Appendix B, term by term, for one u, v and c.
PRINTED = """
SELECT count(*)
FROM edge e1, edge e2,
    (SELECT np1.id1 AS idd1, np1.id2 AS idd2, coalesce(cnt_2, 0) AS cnt_1
     FROM node_pair AS np1 LEFT OUTER JOIN
        (SELECT np2.id1 AS id1, np2.id2 AS id2, count(*) AS cnt_2
         FROM node_pair AS np2, edge e3
         WHERE e3.a = np2.id1 AND e3.b = np2.id2
         GROUP BY np2.id1, np2.id2) AS pair2
     ON np1.id1 = pair2.id1 AND np1.id2 = pair2.id2) AS magic1,
    (SELECT e4.a AS m2id, count(*) AS cnt_4 FROM edge e4 WHERE e4.b = $c GROUP BY e4.a) AS magic2,
    (SELECT e5.a AS m3id, count(*) AS cnt_5 FROM edge e5 WHERE e5.b = $c GROUP BY e5.a) AS magic3,
    (SELECT node.id AS m4id, coalesce(cnt_7, 0) AS cnt_6
     FROM node LEFT OUTER JOIN
        (SELECT e6.a AS m5id, count(*) AS cnt_7 FROM edge e6 WHERE e6.b = $c GROUP BY e6.a) AS magic5
     ON node.id = magic5.m5id
     WHERE magic5.cnt_7 > 0 OR node.id = $c) AS magic4
WHERE e1.b = e2.a AND e1.a = $u AND e2.b = $v AND e1.a = idd1 AND e2.b = idd2 AND cnt_1 = 0
    AND m2id = e1.a AND m3id = e2.b AND m4id = e2.a
"""

# The same for all u < v and c at once.
GROUPED = """
SELECT c.id AS c, e1.a AS u, e2.b AS v, count(*) AS q
FROM node c
    JOIN edge nu ON nu.b = c.id
    JOIN edge e1 ON e1.a = nu.a
    JOIN edge e2 ON e2.a = e1.b AND e2.b > e1.a
    JOIN edge nv ON nv.b = c.id AND nv.a = e2.b
    LEFT JOIN edge nw ON nw.b = c.id AND nw.a = e1.b
    ANTI JOIN edge uv ON uv.a = e1.a AND uv.b = e2.b
WHERE nw.a IS NOT NULL OR e1.b = c.id
GROUP BY c.id, e1.a, e2.b
"""


def connection(graph: Graph) -> Any:
    """Return a database with the tables node, node_pair and edge (both directions) of a graph.

    Raises:
        ImportError: duckdb is not installed.
    """
    try:
        import duckdb
    except ImportError:
        raise not_installed("PrivateSQL needs duckdb", "reproduce") from None
    database = duckdb.connect(":memory:")
    database.execute("SET threads = 1")
    source = np.repeat(np.arange(len(graph)), graph.degrees)
    database.execute("CREATE TABLE node AS SELECT unnest($1::INTEGER[]) AS id", [list(range(len(graph)))])
    database.execute("CREATE TABLE node_pair AS SELECT x.id AS id1, y.id AS id2 FROM node x, node y WHERE x.id <> y.id")
    database.execute(
        "CREATE TABLE edge AS SELECT unnest($1::INTEGER[]) AS a, unnest($2::INTEGER[]) AS b",
        [source.tolist(), graph.indices.tolist()],
    )
    return database


def truncated(graph: Graph, max_degree: int) -> Graph:
    """Return the graph without the edges of nodes that have more than ``max_degree`` of them.

    >>> truncated(Graph.from_edges([0, 0, 0, 3], [1, 2, 3, 4], nodes=5), 2).degrees
    array([0, 0, 0, 1, 1])
    """
    source = np.repeat(np.arange(len(graph)), graph.degrees)
    mask = (graph.degrees[source] <= max_degree) & (graph.degrees[graph.indices] <= max_degree)
    return Graph.from_edges(source[mask], graph.indices[mask], nodes=len(graph))


def views(graph: Graph) -> NDArray[np.int64]:
    """Return the cells of all views, shape (n, n (n - 1) / 2), pairs u < v in lexical order: one grouped query."""
    size = len(graph)
    with connection(graph) as database:
        rows = database.execute(GROUPED).fetchnumpy()
    place = np.zeros((size, size), dtype=np.int64)
    place[np.triu_indices(size, 1)] = np.arange(size * (size - 1) // 2)
    cells = np.zeros((size, size * (size - 1) // 2), dtype=np.int64)
    cells[rows["c"], place[rows["u"], rows["v"]]] = rows["q"]
    return cells


def elastic(max_degree: int) -> int:
    """Return our elastic bound on what one edge moves a view by.

    >>> elastic(10)
    1588
    """
    total = 4 * max_degree + 4
    for _ in range(3):
        total = 2 * total + max_degree**2
    return -(-(3 * total + 2 * max_degree) // 2)


def noisy(cells: NDArray[np.int64], budget: float, sensitivity: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the cells of all n views with Laplace noise at budget / n each: a simulation."""
    return np.asarray(cells + rng.laplace(scale=sensitivity * cells.shape[0] / budget, size=cells.shape))
