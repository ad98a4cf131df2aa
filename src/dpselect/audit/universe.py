"""Finite universes: every tiny database of a kind, and who is whose neighbour.

What holds on a whole universe is proved there by enumeration. Each maker says what one database is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.neighbours import Neighbours, neighbours
from dpselect.views import DirectedGraph, Graph

# Beyond this many databases an enumeration takes minutes.
MOST_DATABASES = 2**17


@dataclass(frozen=True, repr=False)
class Universe:
    """All databases of one kind, with their neighbour graph.

    Attributes:
        name: what it holds, in words.
        relation: the neighbour relation.
        near: shape (n, k): the neighbours of each database, rows filled up with the database itself.
        database: position to database, as the utility wants it.
        words: position to a description, for counterexamples.
        sizes: shape (n,): how large each database is, so that the smallest counterexample can be found.
    """

    name: str
    relation: Neighbours
    near: NDArray[np.int32]
    database: Callable[[int], Any]
    words: Callable[[int], str]
    sizes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.near)

    def __getitem__(self, position: int) -> Any:
        return self.database(position)

    def __iter__(self) -> Iterator[Any]:
        return (self.database(position) for position in range(len(self)))

    def pairs(self) -> NDArray[np.int64]:
        """Return every pair of neighbours once, shape (pairs, 2)."""
        first = np.repeat(np.arange(len(self)), self.near.shape[1])
        both = np.stack((first, self.near.ravel()), axis=1).astype(np.int64)
        return np.unique(both[both[:, 0] < both[:, 1]], axis=0)

    def distances(self, position: int) -> NDArray[np.int64]:
        """Return the distance of every database from one, shape (n,); -1 where there is no way."""
        distance = np.full(len(self), -1)
        distance[position], frontier, steps = 0, np.array([position]), 0
        while frontier.size:
            steps += 1
            reached = np.unique(self.near[frontier])
            frontier = reached[distance[reached] < 0]
            distance[frontier] = steps
        return distance

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the maximum over each database and its neighbours; ``values`` has shape (n, ...)."""
        largest = values.copy()
        for column in self.near.T:
            np.maximum(largest, values[column], out=largest)
        return largest

    def __repr__(self) -> str:
        return f"Universe({self.name}: {len(self)} databases, {self.relation.value} neighbours)"


def vectors(length: int, grid: Sequence[float], relation: str = "substitution") -> Universe:
    """Return vectors over a grid; a database is an array of records.

    Substitution: all vectors of that length, one entry replaced. Add-remove: all vectors of at most that
    length, one entry inserted or deleted anywhere.

    >>> vectors(2, [0, 1, 2])
    Universe(vectors of length 2 over 3 values: 9 databases, substitution neighbours)
    """
    values = np.asarray(grid)
    steps: Iterable[Iterable[Hashable]]
    if neighbours(relation) is Neighbours.SUBSTITUTION:
        _refuse_large(len(values) ** length, "vectors", "a smaller grid or length")
        rows = list(itertools.product(range(len(values)), repeat=length))
        steps = (((*row[:i], v, *row[i + 1 :]) for i in range(length) for v in range(len(values))) for row in rows)
        name = f"vectors of length {length} over {len(values)} values"
    else:
        total = sum(len(values) ** size for size in range(length + 1))
        _refuse_large(total, "vectors", "a smaller grid or length")
        rows = [r for size in range(length + 1) for r in itertools.product(range(len(values)), repeat=size)]
        steps = (_insertions_and_deletions(row, len(values), length) for row in rows)
        name = f"vectors of length at most {length} over {len(values)} values"
    return _enumerate(name, neighbours(relation), rows, steps, lambda row: values[list(row)], lambda row: len(row))


def multisets(values: Sequence[Any], most: int, relation: str = "add-remove") -> Universe:
    """Return multisets of labelled records; a database is an array of records, sorted by label.

    Add-remove, and person where each is a person: at most ``most`` records. Substitution: exactly ``most``.

    >>> multisets(["a", "b", "c"], 12)
    Universe(multisets of at most 12 records of 3 kinds: 455 databases, add-remove neighbours)
    """
    labels = np.array(list(values))
    counted = tables((len(labels),), most, relation)
    kinds = f"{len(labels)} kinds"
    size = "exactly" if neighbours(relation) is Neighbours.SUBSTITUTION else "at most"
    return Universe(
        f"multisets of {size} {most} records of {kinds}",
        counted.relation,
        counted.near,
        lambda x: np.repeat(labels, counted.database(x)),
        lambda x: "{" + ", ".join(map(str, np.repeat(labels, counted.database(x)))) + "}",
        counted.sizes,
    )


def tables(shape: Sequence[int], most: int, relation: str = "add-remove") -> Universe:
    """Return contingency tables; a database is an int64 array of that shape.

    Add-remove: at most ``most`` records in all cells together. Substitution: exactly ``most``.

    >>> tables((2, 2), 3)
    Universe(tables of shape 2 x 2 with at most 3 records: 35 databases, add-remove neighbours)
    """
    cells = math.prod(shape)
    exactly = neighbours(relation) is Neighbours.SUBSTITUTION
    total = math.comb(most + cells - 1, cells - 1) if exactly else math.comb(most + cells, cells)
    _refuse_large(total, "tables", "fewer cells or records")
    rows = [row for size in range(most + 1) if not exactly or size == most for row in _compositions(size, cells)]
    steps = (_exchanges(row) if exactly else _one_more_or_less(row, most) for row in rows)
    size = "exactly" if exactly else "at most"
    return _enumerate(
        f"tables of shape {' x '.join(map(str, shape))} with {size} {most} records",
        neighbours(relation),
        rows,
        steps,
        lambda row: np.array(row, dtype=np.int64).reshape(tuple(shape)),
        sum,
    )


def graphs(nodes: int, max_degree: int | None = None) -> Universe:
    """Return all simple graphs on that many public nodes; a database is a :class:`Graph`.

    With ``max_degree`` only those graphs, and neighbours inside them.

    >>> graphs(4)
    Universe(graphs on 4 nodes: 64 databases, edge neighbours)
    >>> len(graphs(4, max_degree=2))
    41
    """
    ends = list(itertools.combinations(range(nodes), 2))
    _refuse_large(2 ** len(ends), "graphs", "at most 6 nodes")
    masks = np.arange(2 ** len(ends))
    present = masks[:, None] >> np.arange(len(ends)) & 1
    degrees = present @ np.array([[v in end for v in range(nodes)] for end in ends], np.int64).reshape(len(ends), nodes)
    allowed = masks if max_degree is None else masks[degrees.max(axis=1, initial=0) <= max_degree]
    place = np.full(len(masks), -1, dtype=np.int32)
    place[allowed] = np.arange(len(allowed))
    near = place[allowed[:, None] ^ (1 << np.arange(len(ends)))]
    near = np.where(near < 0, np.arange(len(allowed), dtype=np.int32)[:, None], near)

    def edges(x: int) -> tuple[tuple[int, int], ...]:
        return tuple(itertools.compress(ends, present[allowed[x]]))

    bound = "" if max_degree is None else f" of maximum degree {max_degree}"
    return Universe(
        f"graphs on {nodes} nodes{bound}",
        Neighbours.EDGE,
        near,
        lambda x: _graph(nodes, edges(x)),
        lambda x: "the graph with edges " + (", ".join(f"{a}-{b}" for a, b in edges(x)) or "none"),
        present[allowed].sum(axis=1),
    )


@lru_cache(2**11)
def _graph(nodes: int, edges: tuple[tuple[int, int], ...]) -> Graph:
    """Return a graph, made once."""
    return Graph.from_edges([a for a, _ in edges], [b for _, b in edges], nodes=nodes)


def directed_graphs(nodes: int) -> Universe:
    """Return all directed graphs on that many public nodes; a database is a :class:`DirectedGraph`.

    A neighbour has one node's whole list of edges more, or fewer: one of the two lists is empty. Every edge is there
    twice, and every node that has edges also points to itself, because files hold such rows.

    >>> directed_graphs(3)
    Universe(directed graphs on 3 nodes: 64 databases, person neighbours)
    """
    _refuse_large(2 ** (nodes * (nodes - 1)), "directed graphs", "at most 4 nodes")
    others = [[v for v in range(nodes) if v != u] for u in range(nodes)]
    lists = [[c for size in range(nodes) for c in itertools.combinations(each, size)] for each in others]
    rows = list(itertools.product(*lists))

    def steps(row: tuple[tuple[int, ...], ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
        for u, listed in enumerate(row):
            for other in [()] if listed else lists[u]:
                yield (*row[:u], other, *row[u + 1 :])

    def read(row: tuple[tuple[int, ...], ...]) -> DirectedGraph:
        pairs = [(u, v) for u, listed in enumerate(row) for v in (*listed, *listed, *([u] if listed else []))]
        ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return DirectedGraph.from_edges(ends[:, 0], ends[:, 1], nodes=nodes)

    return _enumerate(
        f"directed graphs on {nodes} nodes",
        Neighbours.PERSON,
        rows,
        map(steps, rows),
        read,
        lambda row: sum(map(bool, row)),
    )


def families(count: int) -> Universe:
    """Return the tables (b, c) that ``count`` families of a TDT study can give; a database is a pair.

    One family contributes (0,0), (1,0), (0,1), (2,0), (1,1) or (0,2), and a neighbour replaces one, so two
    tables are neighbours when ceil(max(|db|, |dc|, |db + dc|) / 2) is 1.

    >>> families(3)
    Universe(TDT tables of 3 families: 28 databases, family neighbours)
    """
    rows = [(b, c) for b in range(2 * count + 1) for c in range(2 * count + 1 - b)]
    moves = [(db, dc) for db in range(-2, 3) for dc in range(-2, 3) if max(abs(db), abs(dc), abs(db + dc)) <= 2]
    steps = (((b + db, c + dc) for db, dc in moves) for b, c in rows)
    return _enumerate(f"TDT tables of {count} families", Neighbours.FAMILY, rows, steps, lambda row: row, sum)


def metric_space(distance: ArrayLike, relation: str = "add-remove") -> Universe:
    """Return an arbitrary finite metric space; a database is its position.

    Args:
        distance: shape (n, n), symmetric, integers; neighbours are at distance 1.
        relation: the name under which the neighbours go.

    Raises:
        ValueError: the matrix is not square or not symmetric.

    >>> metric_space([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    Universe(a space of 3 databases: 3 databases, add-remove neighbours)
    """
    matrix = np.asarray(distance)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or (matrix != matrix.T).any():
        raise InputError("Distances must be a square symmetric matrix: pass shape (n, n).")
    steps = (np.flatnonzero(row == 1).tolist() for row in matrix)
    rows = list(range(len(matrix)))
    return _enumerate(
        f"a space of {len(rows)} databases",
        neighbours(relation),
        rows,
        steps,
        lambda row: row,
        lambda row: row,
    )


def score_vectors(length: int, top: int, moves: Sequence[int] = (-1, 0, 1)) -> Universe:
    """Return integer scores from 0 to ``top``; a neighbour moves every score by one of ``moves``, or takes that back.

    For what is given as a rule about scores: ``moves=(0, 1)`` where one record moves all in the same direction.

    >>> score_vectors(2, 2)
    Universe(2 scores from 0 to 2: 9 databases, add-remove neighbours)
    """
    _refuse_large((top + 1) ** length, "score vectors", "fewer scores")
    rows = list(itertools.product(range(top + 1), repeat=length))
    both = [(d, sign) for d in itertools.product(moves, repeat=length) for sign in (1, -1)]
    steps = ((tuple(v + sign * m for v, m in zip(row, d, strict=True)) for d, sign in both) for row in rows)
    return _enumerate(
        f"{length} scores from 0 to {top}",
        Neighbours.ADD_REMOVE,
        rows,
        steps,
        lambda row: np.array(row, dtype=np.int64),
        sum,
    )


def _enumerate(
    name: str,
    relation: Neighbours,
    rows: Sequence[Hashable],
    steps: Iterable[Iterable[Hashable]],
    database: Callable[[Any], Any],
    size: Callable[[Any], int],
) -> Universe:
    """Return a universe from keys and the keys next to each; keys outside are left out."""
    place = {row: i for i, row in enumerate(rows)}
    lists = [sorted({place[key] for key in step if key in place} - {i}) for i, step in enumerate(steps)]
    width = max(map(len, lists), default=0)
    near = np.array([listed + [i] * (width - len(listed)) for i, listed in enumerate(lists)], dtype=np.int32)
    return Universe(
        name,
        relation,
        near.reshape(len(rows), width),
        lambda x: database(rows[x]),
        lambda x: str(rows[x]),
        np.array([size(row) for row in rows], dtype=np.int64),
    )


def _refuse_large(count: int, what: str, remedy: str) -> None:
    if count > MOST_DATABASES:
        raise InputError(f"That universe has {count} {what} and {MOST_DATABASES} fit: take {remedy}.")


def _insertions_and_deletions(row: tuple[int, ...], kinds: int, most: int) -> Iterator[tuple[int, ...]]:
    yield from (row[:i] + row[i + 1 :] for i in range(len(row)))
    if len(row) < most:
        yield from ((*row[:i], v, *row[i:]) for i in range(len(row) + 1) for v in range(kinds))


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to put ``total`` records into cells."""
    for bars in itertools.combinations(range(total + parts - 1), parts - 1):
        ends = (-1, *bars, total + parts - 1)
        yield tuple(b - a - 1 for a, b in itertools.pairwise(ends))


def _one_more_or_less(row: tuple[int, ...], most: int) -> Iterator[tuple[int, ...]]:
    for i, count in enumerate(row):
        if sum(row) < most:
            yield (*row[:i], count + 1, *row[i + 1 :])
        if count:
            yield (*row[:i], count - 1, *row[i + 1 :])


def _exchanges(row: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for i, j in itertools.permutations(range(len(row)), 2):
        if row[i]:
            changed = list(row)
            changed[i] -= 1
            changed[j] += 1
            yield tuple(changed)
