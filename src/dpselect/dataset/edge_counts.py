"""Counts of an edge file as it is understood, for the curator alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.dataset.description_parts import WeightColumn
from dpselect.sources import edges
from dpselect.sources.column_cells import array_of, reals
from dpselect.sources.tables import FileOptions
from dpselect.views.nodes import declared_nodes, places_of

# How many examples are shown of what was not understood.
MOST_SHOWN = 3
PRIVATE = "Private: these counts are for the curator alone; publish none of them, and set no bounds by them."
# Where fewer edges than this part join two public nodes, something is declared in another way than the file has it.
_FEW = 0.1


def edge_counts(
    path: str,
    nodes: Any,
    ends: tuple[str, str],
    reading: FileOptions,
    *,
    directed: bool | None = None,
    label: str | None = None,
    weight: WeightColumn | None = None,
) -> tuple[list[str], dict[str, Any]]:
    """Return how the lines of an edge file are understood, with the public nodes: as lines, and as facts.

    Args:
        path: the file of edges.
        nodes: how many public nodes there are, or their names.
        ends: the columns of the two ends.
        reading: how the file is read.
        directed: whether an edge points from its source to its target; ``None`` for what the file says of itself.
        label: the attribute that names nodes.
        weight: the weights that are counted too.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :meth:`dpselect.Graph.read`.
    """
    size, labels = declared_nodes(edges.public_nodes(path, nodes, label))
    edges.require_labels(path, labels, label)
    kind = edges.kind_of(labels)
    only = directed is True
    source, target, dropped = edges.read(path, kind=kind, ends=ends, reading=reading, label=label, directed=only)
    tails, heads = places_of(source, size, labels), places_of(target, size, labels)
    here = (tails >= 0) & (heads >= 0)
    between = np.stack([tails[here], heads[here]], axis=1)
    directed = edges.direction(path) is True if directed is None else directed
    apart = between[between[:, 0] != between[:, 1]]
    # Without a direction an edge is a pair, and a loop is none either way.
    different = np.unique(apart if directed else np.sort(apart, axis=1), axis=0)
    _, degrees = np.unique(different[:, 1] if directed else different, return_counts=True)
    facts: dict[str, Any] = {
        "private": "these counts are for the curator alone",
        "rows": len(source) + dropped,
        "not_an_edge": dropped,
        "unread": edges.unread(path, kind, MOST_SHOWN, label=label, directed=only),
        "other_nodes": int((~here).sum()),
        "strangers": [f"{a} {b}" for a, b in zip(source[~here][:MOST_SHOWN], target[~here][:MOST_SHOWN], strict=True)],
        "between": len(between),
        "loops": len(between) - len(apart),
        "repeated": len(apart) - len(different),
        "directed": directed,
        "edges": len(different),
        "nodes_with_an_edge": np.unique(different).size,
        "nodes": size,
        "most_followers" if directed else "largest_degree": int(degrees.max(initial=0)),
    }
    facts["remedy"] = _remedy(path, facts, np.concatenate([source, target]), labels, label)
    lines = _lines(facts)
    if weight is not None:
        how = {"ends": ends, "reading": reading, "label": label}
        line, facts["weights"] = _weights(_numbers(path, kind, size, labels, weight, how), weight)
        lines.append(line)
    return lines, facts


def _numbers(
    path: str, kind: Any, size: int, labels: Any, weight: WeightColumn, how: dict[str, Any]
) -> NDArray[np.float64]:
    """Return the weights of edges between public nodes, ``nan`` where a cell is not a number."""
    rows = edges.read_weights(path, kind=kind, weight=weight.column, **how)
    known = [places_of(end, size, labels) >= 0 for end in (rows.source, rows.target)]
    return reals(array_of(rows.weight)).values.astype(np.float64)[known[0] & known[1]]


def _lines(facts: dict[str, Any]) -> list[str]:
    """Return how edges are understood, for a terminal."""
    size, directed = facts["nodes"], facts["directed"]
    known = f"{facts['edges']}, of {facts['nodes_with_an_edge']} of {size} nodes"
    return [
        PRIVATE,
        *([] if facts["remedy"] is None else [f"probably: {facts['remedy']}"]),
        f"not an edge: {facts['not_an_edge']}{examples(facts['unread'])}",
        f"an end is not among the {size} nodes: {facts['other_nodes']}{examples(facts['strangers'])}",
        f"both ends are among the {size} nodes: {facts['between']}",
        f"an edge of a node with itself: {facts['loops']}",
        f"an edge that was there before: {facts['repeated']}",
        f"different edges {'with' if directed else 'without'} direction: {known}",
        f"most followers: {facts['most_followers']}" if directed else f"largest degree: {facts['largest_degree']}",
        f"lines or rows, comments apart: {facts['rows']}",
    ]


def _remedy(
    path: str, facts: dict[str, Any], ids: NDArray[Any], labels: Sequence[Any] | None, label: str | None
) -> Any:
    """Return what to declare otherwise where nearly no edge joins two public nodes; ``None`` where enough do."""
    rows, size, few = facts["rows"], facts["nodes"], facts["between"] < _FEW * facts["rows"]
    counted = labels is None or isinstance(labels, range)
    if not rows or not size:
        return None
    if few and edges.is_utf16(path):
        return "the file is in UTF-16, which is not read here: save it as UTF-8"
    if counted and few and facts["not_an_edge"] >= (1 - _FEW) * rows:
        return "ends are not integers: list the names of the nodes"
    if counted:
        first = labels.start if isinstance(labels, range) else 0
        least, most = int(ids.min(initial=first + 1)), int(ids.max(initial=0))
        if not first and least == 1 and most == size:
            return f"ids seem to begin with 1: write nodes = {size + 1}, or list them"
        if first and least == 0 and most < size:
            return "ids seem to begin with 0: list them"
        return f"ids are not {first} to {first + size - 1}: list them" if few else None
    if not few:
        return None
    if label is not None:
        return f"no node has one of these names as its {label}: compare the list with the file"
    if edges.lists_nodes(path):
        return 'nodes are listed by name and edges join ids: add label = "name", whatever attribute holds the names'
    return "edges join other names than those of the list: compare it with the file"


def _weights(numbers: NDArray[np.float64], weight: WeightColumn) -> tuple[str, dict[str, int]]:
    """Return what was read of the weights of edges between public nodes."""
    lacking = np.isnan(numbers)
    facts = {
        "numbers": int((~lacking).sum()),
        "lacking": int(lacking.sum()),
        "negative_or_zero": int((numbers <= 0).sum()),
        "above_the_cap": int((numbers > float(weight.cap)).sum()),
    }
    line = (
        f"weights: {facts['numbers']} numbers, {facts['lacking']} lacking; {facts['negative_or_zero']} negative or 0, "
        f"{facts['above_the_cap']} above the cap"
    )
    return line, facts


def examples(texts: list[str]) -> str:
    """Return the end of a line that shows some texts."""
    return f", such as {'; '.join(repr(text) for text in texts)}" if texts else ""
