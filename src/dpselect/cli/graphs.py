"""The graph of a command: an edge file, a shipped graph, or a table in an engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import dpselect as dps
from dpselect.cli import reading
from dpselect.cli.options import nodes
from dpselect.cli.places import stays
from dpselect.cli.request import Request
from dpselect.sources.graphs import WEIGHTS, Dropped, named
from dpselect.sources.warehouse import Warehouse
from dpselect.views import StoredGraph

G = TypeVar("G")
# Metrics that read other things than single edges, or take an option of their own.
FOLLOWERS, WEIGHTED, DECAY = "followers", "weighted-degree", "linear-decay"
# Metrics whose sensitivity follows from a public bound on degrees.
BOUNDED = ("ego-betweenness", DECAY, "open-pairs", "triangles", "two-step-reach")
Whole = dps.Graph | dps.data.DirectedGraph | dps.data.WeightedGraph | StoredGraph
AnyGraph = Whole | dps.data.TruncatedGraph


def graph_of(request: Request) -> AnyGraph:
    """Return the graph, and note what of its form was dropped."""
    return _heard(request, _read)


def undirected(request: Request) -> dps.Graph:
    """Return an edge file in memory, or a shipped graph, and note what of its form was dropped."""
    graph = _heard(request, _in_memory)
    _complete(request, graph)
    return graph


def _heard(request: Request, read: Callable[[Request], G]) -> G:
    with warnings.catch_warnings(record=True) as dropped:
        warnings.simplefilter("always", Dropped)
        graph = read(request)
    # Words of other libraries may quote what is private. Weights do not matter to a list of followers.
    words = [each.message.args[0] for each in dropped if each.category is Dropped and isinstance(each.message, Dropped)]
    request.dropped += [each for each in words if each != WEIGHTS or FOLLOWERS not in request.get("metric", ())]
    return graph


def _read(request: Request) -> AnyGraph:
    if not request.truncate:
        _require_used(request)
        return _complete(request, _whole(request))
    if request.max_degree is None:
        raise ValueError("--truncate needs --max-degree: how many edges of each node are read at most.")
    if FOLLOWERS in request.metric:
        raise ValueError("followers takes lists of any length: leave out --truncate.")
    if WEIGHTED in request.metric:
        raise ValueError(f"{WEIGHTED} takes any number of edges: leave out --truncate.")
    return dps.data.TruncatedGraph(_complete(request, _whole(request)), request.max_degree)


def _require_used(request: Request) -> None:
    """Refuse a bound that nothing would use: whoever passes one may believe that it protects (``ValueError``)."""
    if request.max_degree is not None and not {*request.metric} & {*BOUNDED}:
        raise ValueError(
            f"--max-degree goes with {', '.join(BOUNDED)}, or with --truncate: {' and '.join(request.metric)} has no "
            "use for it, leave it out."
        )


def _complete(request: Request, graph: Whole) -> Whole:
    """Return the graph, or refuse rows that are not edges of it where the curator asked for that (``ValueError``)."""
    if request.get("missing") == "refuse":
        if isinstance(graph, StoredGraph) or not _is_file(request):
            raise ValueError("--missing refuse goes with an edge file that is read into memory: leave it out.")
        reading.require_named(request, request.graph, *_ends(request))
        if graph.strangers_dropped:
            raise ValueError(
                "Some edges have an end that is missing or is not a public node, and --missing refuse was asked for: "
                "fix them, or pass --missing drop."
            )
    return graph


def _whole(request: Request) -> Whole:
    if WEIGHTED in request.metric:
        return _weighted(request)
    if request.weight_column or request.weight_cap or request.weight_kind:
        raise ValueError(f"--weight-column, --weight-cap and --weight-kind go with --metric {WEIGHTED}.")
    if request.decay is not None and DECAY not in request.metric:
        raise ValueError(f"--decay goes with --metric {DECAY}.")
    if FOLLOWERS in request.metric and {*request.metric} != {FOLLOWERS}:
        raise ValueError("followers protects the whole list of a person and other metrics one edge: name it alone.")
    if stays(request, request.graph):
        reading.require_memory(request)
        return StoredGraph(Warehouse.open(request.graph, request.table), nodes(request.nodes), ends=_ends(request))
    if FOLLOWERS not in request.metric:
        return _in_memory(request)
    if not _is_file(request):
        raise ValueError("followers needs edges that have directions: name an edge file, shipped graphs have none.")
    return dps.data.DirectedGraph.read(
        request.graph, nodes=nodes(request.nodes), ends=_ends(request), **_written(request)
    )


def _in_memory(request: Request) -> dps.Graph:
    if _is_file(request):
        return dps.Graph.read(request.graph, nodes=nodes(request.nodes), ends=_ends(request), **_written(request))
    graph = dps.Graph.named(request.graph)
    _require_shipped(request)
    return graph


def _written(request: Request) -> dict[str, Any]:
    """Return how the edge file is written; fractions are for weights alone."""
    asked = reading.keywords(request)
    if name := next((each for each in ("decimal", "thousands") if each in asked), None):
        raise ValueError(f"--{name} goes with --metric {WEIGHTED}: leave it out.")
    return asked


def _require_shipped(request: Request) -> None:
    if reading.keywords(request):
        raise ValueError("How a file is read goes with an edge file: leave it out for a shipped graph.")
    if request.nodes is not None:
        raise ValueError("--nodes goes with an edge file: the nodes of a shipped graph are known.")
    if request.source is not None or request.target is not None:
        raise ValueError("--source and --target name columns of an edge file: a shipped graph has none.")


def _weighted(request: Request) -> dps.data.WeightedGraph:
    if {*request.metric} != {WEIGHTED}:
        raise ValueError(f"{WEIGHTED} counts weights and other metrics count edges: name it alone.")
    if stays(request, request.graph):
        raise ValueError(f"{WEIGHTED} is added up in memory: export the edges to a .csv or .parquet file.")
    column, kind = request.weight_column or "weight", request.weight_kind or "real"
    if _is_file(request):
        public = nodes(request.nodes)
        ends = _ends(request)
        return dps.data.WeightedGraph.read(
            request.graph,
            public,
            ends=ends,
            weight=column,
            cap=request.weight_cap,
            kind=kind,
            **reading.keywords(request),
        )
    _require_shipped(request)
    graph = named(request.graph)
    return dps.data.WeightedGraph.from_networkx(graph, weight=column, cap=request.weight_cap, kind=kind)


def _is_file(request: Request) -> bool:
    path = Path(request.graph)
    return bool(path.suffix) or path.exists()


def _ends(request: Request) -> tuple[str, str]:
    return request.source or "source", request.target or "target"
