"""Counts of an edge file as it is understood, for the curator alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.sources import edges
from dpselect.sources.tables import Reading
from dpselect.views.graph import declared

# How many examples are shown of what was not understood.
SHOWN = 3
PRIVATE = "Private: these counts are for the curator alone; publish none of them, and set no bounds by them."


def edge_counts(
    path: str, nodes: Any, ends: tuple[str, str], reading: Reading, *, directed: bool | None = None
) -> tuple[list[str], dict[str, Any]]:
    """Return how the lines of an edge file are understood, with the public nodes: as lines, and as facts.

    Args:
        path: the file of edges.
        nodes: how many public nodes there are, or their names.
        ends: the columns of the two ends.
        reading: how the file is read.
        directed: whether an edge points from its source to its target; ``None`` for what the file says of itself.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :meth:`dpselect.Graph.read`.
    """
    size, labels = declared(nodes)
    edges.require_labels(path, labels)
    kind = edges.kind_of(labels)
    source, target, dropped = edges.read(path, kind=kind, ends=ends, reading=reading)
    tails, heads = _numbers(source, size, labels), _numbers(target, size, labels)
    here = (tails >= 0) & (heads >= 0)
    strangers = [f"{a} {b}" for a, b in zip(source[~here][:SHOWN], target[~here][:SHOWN], strict=True)]
    between = np.stack([tails[here], heads[here]], axis=1)
    directed = edges.direction(path) is True if directed is None else directed
    apart = between[between[:, 0] != between[:, 1]]
    # Without a direction an edge is a pair, and a loop is none either way.
    different = np.unique(apart if directed else np.sort(apart, axis=1), axis=0)
    loops = len(between) - len(apart)
    _, degrees = np.unique(different[:, 1] if directed else different, return_counts=True)
    most = int(degrees.max(initial=0))
    joined = np.unique(different).size
    unread = edges.unread(path, kind, SHOWN)
    facts: dict[str, Any] = {
        "private": "these counts are for the curator alone",
        "rows": len(source) + dropped,
        "not_an_edge": dropped,
        "unread": unread,
        "other_nodes": int((~here).sum()),
        "strangers": strangers,
        "loops": loops,
        "repeated": len(between) - loops - len(different),
        "directed": directed,
        "edges": len(different),
        "nodes_with_an_edge": joined,
        "nodes": size,
        "most_followers" if directed else "largest_degree": most,
    }
    lines = [
        PRIVATE,
        f"not an edge: {facts['not_an_edge']}{examples(unread)}",
        f"an end is not among the {size} nodes: {facts['other_nodes']}{examples(strangers)}",
        f"an edge of a node with itself: {loops}",
        f"an edge that was there before: {facts['repeated']}",
        f"different edges {'with' if directed else 'without'} direction: {len(different)}, of {joined} of {size} nodes",
        f"{'most followers' if directed else 'largest degree'}: {most}",
        f"lines or rows, comments apart: {facts['rows']}",
    ]
    return lines, facts


def _numbers(ends: Any, size: int, labels: Sequence[Any] | None) -> NDArray[np.int64]:
    """Return the number of each end among the public nodes, shape (edges,); -1 where it is not one of them."""
    if labels is None:
        return np.where((ends >= 0) & (ends < size), ends, -1).astype(np.int64)
    number = {label: place for place, label in enumerate(labels)}
    return np.fromiter((number.get(end, -1) for end in ends.tolist()), np.int64, len(ends))


def examples(texts: list[str]) -> str:
    """Return the end of a line that shows some texts."""
    return f", such as {'; '.join(repr(text) for text in texts)}" if texts else ""
