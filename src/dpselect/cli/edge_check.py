"""Counts of an edge file as it is understood, for the curator alone."""

from __future__ import annotations

from pathlib import Path

from dpselect.cli import reading
from dpselect.cli.graphs import FOLLOWERS
from dpselect.cli.options import nodes
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer
from dpselect.dataset.edge_counts import edge_counts


def of_edges(request: Request) -> Answer:
    """Return how the lines of an edge file are understood, with the public nodes.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :meth:`dpselect.Graph.read`.
    """
    _require_edges(request)
    ends = (request.source or "source", request.target or "target")
    # The question says which edges count, or else what the file says of itself.
    directed = FOLLOWERS in request.metric if request.metric else None
    lines, facts = edge_counts(request.file, nodes(request.nodes), ends, reading.of(request), directed=directed)
    return Answer("\n".join(lines), facts)


def _require_edges(request: Request) -> None:
    said = [name for name in ("column", "domains", "lower", "upper", "table") if request.get(name) is not None]
    if said or request.in_place:
        name = said[0] if said else "in-place"
        raise ValueError(f"--nodes checks a file of edges: leave --{name} out.")
    if not Path(request.file).is_file():
        raise ValueError("--nodes checks a file of edges that is on this machine: name one.")
