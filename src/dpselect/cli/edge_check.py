"""Counts of an edge file as it is understood, for the curator alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from dpselect.cli import reading
from dpselect.cli.graphs import FOLLOWERS
from dpselect.cli.options import nodes
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer
from dpselect.sources import edges
from dpselect.views.graph import declared

# How many examples are shown of what was not understood.
SHOWN = 3
PRIVATE = "Private: these counts are for the curator alone; publish none of them, and set no bounds by them."


def of_edges(request: Request) -> Answer:
    """Return how the lines of an edge file are understood, with the public nodes.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :meth:`dpselect.Graph.read`.
    """
    _require_edges(request)
    size, labels = declared(nodes(request.nodes))
    edges.require_labels(request.file, labels)
    kind = edges.kind_of(labels)
    ends = (request.source or "source", request.target or "target")
    how = reading.of(request)
    source, target, dropped = edges.read(request.file, kind=kind, ends=ends, reading=how)
    here = _among(source, size, labels) & _among(target, size, labels)
    strangers = [f"{a} {b}" for a, b in zip(source[~here][:SHOWN], target[~here][:SHOWN], strict=True)]
    between = [*zip(source[here].tolist(), target[here].tolist(), strict=True)]
    directed = _is_directed(request)
    # Without a direction an edge is a pair, and a loop is none either way.
    different = {pair if directed else frozenset(pair) for pair in between if pair[0] != pair[1]}
    loops = sum(a == b for a, b in between)
    degrees = Counter(end for pair in different for end in ([*pair][1:] if directed else pair))
    most = max(degrees.values(), default=0)
    joined = len({end for pair in different for end in pair})
    unread = edges.unread(request.file, kind, SHOWN)
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
    return Answer("\n".join(lines), facts)


def _is_directed(request: Request) -> bool:
    """Return whether an edge points from its source to its target: in the question, or else in what the file says."""
    return FOLLOWERS in request.metric or (not request.metric and edges.direction(request.file) is True)


def _require_edges(request: Request) -> None:
    said = [name for name in ("column", "domains", "lower", "upper", "table") if request.get(name) is not None]
    if said or request.in_place:
        name = said[0] if said else "in-place"
        raise ValueError(f"--nodes checks a file of edges: leave --{name} out.")
    if not Path(request.file).is_file():
        raise ValueError("--nodes checks a file of edges that is on this machine: name one.")


def _among(ends: Any, size: int, labels: tuple[Any, ...] | None) -> Any:
    """Return which ends are public nodes."""
    if labels is None:
        return (ends >= 0) & (ends < size)
    public = {*labels}
    return np.fromiter((end in public for end in ends.tolist()), np.bool_, len(ends))


def examples(texts: list[str]) -> str:
    """Return the first few of what was not understood, as the end of a line."""
    return f", such as {'; '.join(repr(text) for text in texts)}" if texts else ""
