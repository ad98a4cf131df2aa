"""Counts of an edge file as it is understood, for the curator alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

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
    here = _among(source, size, labels) & _among(target, size, labels)
    strangers = [f"{a} {b}" for a, b in zip(source[~here][:SHOWN], target[~here][:SHOWN], strict=True)]
    between = [*zip(source[here].tolist(), target[here].tolist(), strict=True)]
    directed = edges.direction(path) is True if directed is None else directed
    # Without a direction an edge is a pair, and a loop is none either way.
    different = {pair if directed else frozenset(pair) for pair in between if pair[0] != pair[1]}
    loops = sum(a == b for a, b in between)
    degrees = Counter(end for pair in different for end in ([*pair][1:] if directed else pair))
    most = max(degrees.values(), default=0)
    joined = len({end for pair in different for end in pair})
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


def _among(ends: Any, size: int, labels: tuple[Any, ...] | None) -> Any:
    """Return which ends are public nodes."""
    if labels is None:
        return (ends >= 0) & (ends < size)
    public = {*labels}
    return np.fromiter((end in public for end in ends.tolist()), np.bool_, len(ends))


def examples(texts: list[str]) -> str:
    """Return the end of a line that shows some texts."""
    return f", such as {'; '.join(repr(text) for text in texts)}" if texts else ""
