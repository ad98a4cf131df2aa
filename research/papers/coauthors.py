"""A made-up co-authorship graph of the size of DBLP: 317,080 nodes, 1,049,866 edges. A simulation, not the data.

Papers are written one after the other, and all authors of a paper are joined. A paper has 2 + Geometric(0.45) authors,
at most 60. While the authors known so far are fewer than 30, or than their share of the edges so far, the first author
is new; otherwise somebody known: with chance 0.6 anybody, else with chances proportional to the papers written. Every
further author is new by the same rule, else with chance 0.55 an earlier co-author of the first, else somebody known.
Nobody gets more than 343 co-authors, the largest degree that the papers print. The last papers are cut, so both sizes
are met exactly.

It has the sizes of DBLP, a largest degree of 342, a median degree of 4 and a mean clustering of 0.64. Experiments on it
say so in the name of their panel; nothing about the real DBLP follows from them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.views import Graph

NAME = "DBLP-like (simulated)"
NODES, EDGES, MAX_DEGREE = 317_080, 1_049_866, 343
_LARGEST_TEAM, _TEAM, _LOYAL = 60, 0.45, 0.55
_FOUNDERS = 30
_EVEN = 0.6
_CHUNK = 2**16


def coauthors(nodes: int = NODES, edges: int = EDGES, max_degree: int = MAX_DEGREE, *, seed: int = 20_110_601) -> Graph:
    """Return the graph; the same seed gives the same graph.

    Args:
        nodes, edges: how many, exactly.
        max_degree: nobody has more co-authors.
        seed: of the simulation.

    Raises:
        ValueError: so many edges do not fit.

    >>> graph = coauthors(1000, 3000, 80)
    >>> len(graph), int(graph.degrees.sum()) // 2
    (1000, 3000)
    """
    if 4 * edges > nodes * min(max_degree, nodes - 1):
        raise InputError("So many edges do not fit: pass more nodes, or a larger max_degree.")
    source, target = _papers(nodes, edges, max_degree, np.random.default_rng(seed))
    return Graph.from_edges(source, target, nodes=nodes)


def _papers(
    nodes: int, edges: int, max_degree: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    near: list[list[int]] = [[], []]
    joined: set[int] = set()
    source: list[int] = []
    target: list[int] = []
    written = [0, 1]
    uniform = _stream(rng)

    def known(among: list[int]) -> int:
        return among[int(next(uniform) * len(among))]

    def newcomer() -> bool:
        return len(near) < nodes and (len(near) < _FOUNDERS or len(near) * edges <= nodes * len(source))

    while len(source) < edges:
        team: list[int] = []
        size = min(2 + int(np.log1p(-next(uniform)) / np.log1p(-_TEAM)), _LARGEST_TEAM)
        for _ in range(size):
            if newcomer():
                author = len(near)
                near.append([])
            elif team and near[team[0]] and next(uniform) < _LOYAL:
                author = known(near[team[0]])
            elif next(uniform) < _EVEN:
                author = int(next(uniform) * len(near))
            else:
                author = known(written)
            if author not in team and len(near[author]) + size <= max_degree:
                team.append(author)
        for place, one in enumerate(team):
            for other in team[:place]:
                pair = min(one, other) * nodes + max(one, other)
                if pair not in joined and len(source) < edges:
                    joined.add(pair)
                    source.append(one)
                    target.append(other)
                    near[one].append(other)
                    near[other].append(one)
        written += team
    return np.array(source, dtype=np.int64), np.array(target, dtype=np.int64)


def _stream(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(_CHUNK).tolist()
