"""Every graph on a few nodes, and the exact element sensitivity of a node utility at every distance."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

import dpselect as dps


class Graphs:
    """All graphs on n nodes, or those of a maximum degree, with the edge-neighbour relation inside."""

    def __init__(self, nodes: int, max_degree: int | None = None) -> None:
        self.nodes = nodes
        self.ends = np.array(list(itertools.combinations(range(nodes), 2)))
        masks = range(2 ** len(self.ends))
        self.graphs = {}
        for mask in masks:
            edges = self.ends[[mask >> i & 1 == 1 for i in range(len(self.ends))]]
            graph = dps.Graph.from_edges(edges[:, 0], edges[:, 1], nodes=nodes)
            if max_degree is None or graph.degrees.max() <= max_degree:
                self.graphs[mask] = graph
        place = {mask: i for i, mask in enumerate(self.graphs)}
        self.near = np.array(
            [[place.get(mask ^ 1 << i, place[mask]) for i in range(len(self.ends))] for mask in self.graphs]
        )

    def table(self, utility: Callable[[dps.Graph], dps.Scores], distances: int) -> tuple[np.ndarray, ...]:
        """Return (bound, exact), both of shape (distances, graphs, nodes)."""
        scores = [utility(graph) for graph in self.graphs.values()]
        values = np.array([given.values for given in scores], dtype=float)
        bound = np.array([given.sensitivity.at(np.arange(distances)) for given in scores]).transpose(1, 0, 2)
        exact = [np.abs(values[self.near] - values[:, None]).max(axis=1)]
        for _ in range(distances - 1):
            exact.append(np.maximum(exact[-1], exact[-1][self.near].max(axis=1)))
        return bound, np.array(exact)

    def admissible(self, bound: np.ndarray, exact: np.ndarray) -> bool:
        """A1: the bound covers one step; A2: one distance further it covers what neighbours say."""
        first = (bound[0] >= exact[0] - 1e-12).all()
        then = all(
            (bound[t + 1] >= np.maximum(bound[t], bound[t][self.near].max(axis=1)) - 1e-12).all()
            for t in range(len(bound) - 1)
        )
        return bool(first and then)


def tightness(bound: np.ndarray, exact: np.ndarray) -> tuple[float, float]:
    """Return the share of cells where the bound is exact, and the worst ratio to a positive exact value."""
    positive = exact > 0
    return float(np.isclose(bound, exact).mean()), float((bound[positive] / exact[positive]).max())
