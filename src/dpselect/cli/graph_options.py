"""A graph described by options, and the parts of its file that are left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dpselect.cli import dataset_options
from dpselect.cli.dataset_options import PANEL
from dpselect.cli.options import nodes, number, one_of, option, whole
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError
from dpselect.queries.metrics import FOLLOWERS, METRICS, WEIGHTED

if TYPE_CHECKING:
    from dpselect.dataset import Dataset

_KINDS = ("real", "integer")
WORDS = (
    " of edges (.parquet, .csv, .txt, .edges, .mtx, .net, .gml, .graphml, .gexf, text also with .gz), the URL of a "
    "database, or a graph that ships with NetworkX, such as lesmis"
)
OPTIONS = (
    *dataset_options.description_options("graph"),
    option(
        "--weight-column",
        metavar="NAME",
        panel=PANEL,
        rare=True,
        help="the column, or the attribute of edges, that holds weights (default weight)",
    ),
    option(
        "--weight-cap",
        type=number,
        metavar="W",
        panel=PANEL,
        rare=True,
        help="the public cap on the weights between two nodes",
    ),
    option(
        "--weight-kind",
        type=one_of(_KINDS),
        metavar="|".join(_KINDS),
        panel=PANEL,
        rare=True,
        help="real weights or integer ones (default real)",
    ),
    option("--workers", type=whole, default=1, metavar="N", rare=True, help="threads that count (default 1)"),
)


def one_off(request: Request) -> Dataset:
    """Return the graph that options say.

    Raises:
        ValueError: what does not go together, or is of no use, by its options.
    """
    asked, truncated = {*request.metric}, bool(request.get("truncate"))
    weights = {name: request.get(f"weight_{name}") for name in ("column", "cap", "kind")}
    if WEIGHTED not in asked and any(each is not None for each in weights.values()):
        raise InputError(f"--weight-column, --weight-cap and --weight-kind go with the metric {WEIGHTED}.")
    if WEIGHTED in asked and weights["cap"] is None:
        raise InputError(
            f"{WEIGHTED} adds up weights: pass --weight-cap, what everything between two nodes counts at most."
        )
    bounded = [name for name, metric in METRICS.items() if metric.bounded]
    if request.max_degree is not None and not truncated and not asked & {*bounded}:
        raise InputError(
            f"--max-degree goes with {', '.join(bounded)}, or with --truncate: {' and '.join(request.metric)} has no "
            "use for it, leave it out."
        )
    said = {name: each for name, each in weights.items() if each is not None}
    more: dict[str, Any] = {"weight": {"column": "weight"} | said} if said else {}
    return edges(request, **more)


def edges(request: Request, **more: Any) -> Dataset:
    """Return the graph with the nodes that options name, and further keys."""
    said, request.nodes = request.nodes, nodes(request.nodes, attribute=request.get("label"))
    try:
        return dataset_options.one_off(request, "graph", **more)
    finally:
        request.nodes = said


@contextmanager
def note_graph_parts(request: Request) -> Iterator[None]:
    """Note what the form of a graph has and is left out, to be said beside the answer."""
    # A page of help loads no NumPy.
    from dpselect.sources.graphs import WEIGHTS, GraphPartsWarning

    with warnings.catch_warnings(record=True) as dropped:
        warnings.simplefilter("always", GraphPartsWarning)
        yield
    # Words of other libraries may quote what is private. Weights do not matter to a list of followers.
    words = [
        each.message.args[0]
        for each in dropped
        if each.category is GraphPartsWarning and isinstance(each.message, GraphPartsWarning)
    ]
    request.outcome.dropped += [each for each in words if each != WEIGHTS or FOLLOWERS not in request.metric]
