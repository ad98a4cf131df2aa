"""Graphs on which metrics are asked for brokers: two of the papers', and three made-up families where degree misleads.

Each made-up graph comes from a public generator with a fixed seed, the same at every call, and was chosen by how few
of the first by ego betweenness degree ranks first, before any mechanism ran on it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from research.papers import nodes

# Of every made-up graph: what a platform might allow, far above the largest degree (218).
_MAX_DEGREE = 400

Ends = tuple[NDArray[np.int64], NDArray[np.int64]]


def communities() -> dps.Graph:
    """Return 40 communities of 60 to 159, in which three of five pairs are adjacent, and 40 brokers.

    A broker is adjacent to 30 to 80 nodes, drawn from all communities alike.
    """
    rng = np.random.default_rng(1)
    sizes = rng.integers(60, 160, 40)
    rng = np.random.default_rng(1)
    ends, members = _dense(sizes, rng)
    for broker in range(members, members + 40):
        near = rng.choice(members, int(rng.integers(30, 81)), replace=False)
        ends.append((np.full(near.size, broker), near))
    return _joined(ends, members + 40)


def affiliations() -> dps.Graph:
    """Return who shares a group: everyone is in one of 40 departments of 20 to 199, some in a few of 400 teams of 8.

    The union of cliques of a random bipartite graph: teams draw their members from everyone alike. A large department
    makes a large degree, and several teams make a broker.
    """
    rng = np.random.default_rng(1)
    sizes = rng.integers(20, 200, 40)
    people = int(sizes.sum())
    groups = np.split(np.arange(people), np.cumsum(sizes)[:-1])
    groups += [rng.choice(people, 8, replace=False) for _ in range(400)]
    pairs = [np.triu_indices(group.size, 1) for group in groups]
    return _joined([(group[one], group[other]) for group, (one, other) in zip(groups, pairs, strict=True)], people)


def partition() -> dps.Graph:
    """Return a planted partition: 40 communities of 20 to 159, pairs adjacent with chance 0.6, others with 0.001.

    Nobody is made a broker; some have a few more edges outside than others.
    """
    rng = np.random.default_rng(1)
    sizes = rng.integers(20, 160, 40)
    ends, members = _dense(sizes, rng)
    community = np.repeat(np.arange(sizes.size), sizes)
    many = int(rng.binomial(members * (members - 1) // 2, 0.001))
    one, other = rng.integers(0, members, (2, many))
    outside = community[one] != community[other]
    return _joined([*ends, (one[outside], other[outside])], members)


MADE_UP: dict[str, Callable[[], dps.Graph]] = {
    "communities": communities,
    "affiliations": affiliations,
    "partition": partition,
}
NAMES = (*MADE_UP, "enron", "github")


def graph_of(name: str) -> tuple[dps.Graph, int]:
    """Return a graph and its public maximum degree."""
    return (MADE_UP[name](), _MAX_DEGREE) if name in MADE_UP else (nodes.graph(name), nodes.GRAPHS[name][1])


def _dense(sizes: NDArray[np.int64], rng: np.random.Generator) -> tuple[list[Ends], int]:
    """Return the ends of edges inside communities, three of five pairs, and the number of nodes."""
    ends, members = list[Ends](), 0
    for size in sizes.tolist():
        one, other = np.triu_indices(size, 1)
        adjacent = rng.random(one.size) < 0.6
        ends.append((one[adjacent] + members, other[adjacent] + members))
        members += size
    return ends, members


def _joined(ends: list[Ends], count: int) -> dps.Graph:
    source, target = (np.concatenate(part) for part in zip(*ends, strict=True))
    return dps.Graph.from_edges(source, target, nodes=count)
