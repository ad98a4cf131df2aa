"""Triangles of edges that stay in their engine: it joins and counts, and only sums by node are asked for.

Nodes are numbered by rising degree, and an edge points to the larger number. So a node has at most sqrt(2 m) edges out,
m the number of edges, and there are at most m sqrt(m / 2) pairs of them to close, however many neighbours anybody has.
Numbers of 32 bits stand for labels of any type from there on.

What an engine builds a table of for a join is edges, and what streams past is pairs: no list of pairs or triangles is
written unless those tables are beyond the engine's memory. A pair is closed by one number that both of its edges make,
because a planner that could look for closing edges first would join edges at their larger ends, the hubs.
Parts keep tables small whatever the planner makes a table of: one part is the triangles whose lowest and middle corner
have given remainders, so in each of the square of their number there is that fraction of the edges, and of the pairs
that of its square. How many there are is public, and changes no count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.sources.engines import engine_of
from dpselect.sources.temporary import Temporary

# A pair of them is a number below 2^63.
MOST_NODES = 3 * 10**9


def corners(edges: Any, room: Temporary, size: int, parts: int) -> Iterator[Any]:
    """Yield tables of nodes and of how many triangles have a corner there, columns ``node`` and ``n``, to be added up.

    Args:
        edges: every edge once, columns ``a`` and ``b``.
        room: keeps edges and numbers where the engine may write; elsewhere every query computes them anew.
        size: how many nodes there are.
        parts: how many remainders.

    Raises:
        ValueError: more nodes than pairs of them can be numbered.
    """
    if size > MOST_NODES:
        raise InputError(f"An engine counts triangles among at most {MOST_NODES} nodes: declare fewer.")
    edges = _store_rows(edges, room)
    number = _store_rows(_number_nodes(edges, size), room)
    one, two = number.select(a=number.node, p=number.number), number.select(b=number.node, q=number.number)
    placed = edges.join(one, "a").join(two, "b").select("p", "q")
    first = placed.p < placed.q
    out = placed.select(x=first.ifelse(placed.p, placed.q), y=first.ifelse(placed.q, placed.p))
    if parts == 1:
        out = _store_rows(out, room)
        yield _name_nodes(_corners(_triangles(out, out, out, size)), number)
        return
    # Tables of their own, so that a planner knows how large they are.
    tables = [_store_rows(out.filter(out.x % parts == remainder), room) for remainder in range(parts)]
    for lowest in tables:
        for remainder, middle in enumerate(tables):
            near = lowest.filter(lowest.y % parts == remainder)
            yield _name_nodes(_corners(_triangles(near, lowest, middle, size)), number)


def _store_rows(rows: Any, room: Temporary) -> Any:
    return room.table(rows) if room.is_allowed else rows


def _number_nodes(edges: Any, size: int) -> Any:
    """Return the nodes with an edge, numbered by degree; equals by their names, so that a second run agrees."""
    import ibis

    ends = edges.select(node=edges.a).union(edges.select(node=edges.b))
    degree = ends.group_by("node").aggregate(n=ends.count())
    number = ibis.row_number().over(order_by=[degree.n, degree.node])
    return degree.select(node=degree.node, number=number.cast("int32" if size < 2**31 else "int64"))


def _triangles(near: Any, far: Any, across: Any, size: int) -> Any:
    """Return the triangles x < y < z of edges (x, y), (x, z) and (y, z) from these tables."""
    near, far = near.select(x=near.x, y=near.y), far.select(w=far.x, z=far.y)
    pairs = near.join(far, [near.x == far.w, near.y < far.z]).select("x", "y", "z")
    closing = across.select(key=across.x.cast("int64") * size + across.y)
    return pairs.join(closing, pairs.y.cast("int64") * size + pairs.z == closing.key).select("x", "y", "z")


def _corners(triangles: Any) -> Any:
    """Return how many triangles have each number at a corner."""
    import ibis

    if engine_of(triangles).arrays:
        # Once through the triangles, where three columns one after the other would be three times, or a copy of all.
        corner = triangles.select(number=ibis.array([triangles.x, triangles.y, triangles.z]).unnest())
    else:
        one, two, three = (triangles.select(number=triangles[name]) for name in ("x", "y", "z"))
        corner = one.union(two, three)
    return corner.group_by("number").aggregate(n=corner.count())


def _name_nodes(counts: Any, number: Any) -> Any:
    return counts.join(number, "number").select("node", "n")
