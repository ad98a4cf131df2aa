"""dpselect top-k: name the k most influential nodes of a graph."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from typing import Any

import dpselect as dps
from dpselect.cli.arguments import add_place, add_release, mechanism_of, nodes, shown, stays, weight, whole
from dpselect.cli.paths import add_input
from dpselect.cli.spending import purse_of
from dpselect.sources.warehouse import Warehouse
from dpselect.views import StoredGraph

# What each metric is drawn with unless --mechanism says otherwise: a public rule, the same for every graph.
DEFAULTS = {
    "degree": "permute-and-flip",
    "ego-betweenness": "shifted-local-dampening-flip",
    "ego-density": "local-dampening-flip",
}

# What several metrics together are drawn with.
COMBINED = "local-dampening-flip"


def add(verbs: Any) -> None:
    """Add the command."""
    top = verbs.add_parser("top-k", help="name the k most influential nodes of a graph")
    add_data(top)
    top.add_argument("--k", type=whole, default=1, help="how many nodes to name (default 1)")
    add_release(
        top,
        "permute-and-flip for degree, shifted-local-dampening-flip for ego-betweenness, local-dampening-flip for "
        "ego-density and for several metrics",
    )
    top.set_defaults(run=run)


def add_data(top: argparse.ArgumentParser) -> None:
    """Add the graph and what makes a node influential."""
    add_input(
        top,
        "graph",
        metavar="GRAPH",
        help="an edge file (.parquet, .csv, .txt, also .csv.gz, .txt.gz), or a graph that ships with "
        "NetworkX, such as lesmis; or a URL, whose --table has the columns source and target",
    )
    add_place(top)
    top.add_argument(
        "--metric",
        required=True,
        action="append",
        type=_one,
        choices=sorted(DEFAULTS),
        help="what makes a node influential; give it again for each further metric, to combine them",
    )
    top.add_argument(
        "--pareto", action="store_true", help="several metrics: prefer nodes that few others beat in every metric"
    )
    top.add_argument(
        "--weights", nargs="+", type=_weight, metavar="W", help="several metrics: the weight of each, in their order"
    )
    add_input(
        top,
        "--nodes",
        metavar="N|FILE",
        help="the public nodes: their number when ids are 0 .. N-1, or a file with one label a line "
        "(required for edge files)",
    )
    top.add_argument(
        "--max-degree",
        type=whole,
        help="a public bound on the number of neighbours of any node (ego-betweenness needs it, others do not use it)",
    )
    top.add_argument("--workers", type=whole, default=1, help="threads for ego-betweenness (default 1)")


def scores(given: argparse.Namespace) -> dict[str, dps.Scores]:
    """Return the score of every node."""
    graph = _graph(given)
    if len(set(given.metric)) != len(given.metric):
        raise ValueError("A metric is given twice: name each once.")
    if len(given.metric) == 1:
        if given.pareto or given.weights:
            raise ValueError("--pareto and --weights combine several metrics: give --metric more than once.")
        return {given.metric[0]: _metric(given.metric[0], given, graph)}
    if given.pareto == bool(given.weights):
        raise ValueError("Several metrics are combined by --pareto or by --weights: choose one of them.")
    found = [_metric(metric, given, graph) for metric in given.metric]
    name = " and ".join(given.metric)
    if given.pareto:
        return {f"{name}, Pareto": dps.pareto(found)}
    return {f"{name}, weighted": dps.aggregate(found, given.weights)}


def run(given: argparse.Namespace) -> str:
    """Return the named nodes as text or JSON."""
    mechanism = mechanism_of(given, COMBINED if len(given.metric) > 1 else DEFAULTS[given.metric[0]])
    ((name, found),) = scores(given).items()
    # Weights are public, and without them nobody could say later what was ranked.
    weights = dict(zip(given.metric, map(str, given.weights or []), strict=bool(given.weights)))
    told = " + ".join(f"{weight} x {metric}" for metric, weight in weights.items())
    book = purse_of(given, metric=name, **({"weights": told} if told else {}))
    release = dps.top_k(found, given.k, given.epsilon, mechanism=mechanism, ledger=book)
    ranks = [f"{rank:>3}  {node}" for rank, node in enumerate(release.candidates, 1)]
    note = f"in order of selection by {told or name}; "
    return shown(release, ranks, given, note, metric=name, **({"weights": weights} if weights else {}))


def parts(given: argparse.Namespace) -> list[dps.Scores]:
    """Return the score of every node by each metric."""
    graph = _graph(given)
    return [_metric(metric, given, graph) for metric in given.metric]


def several(given: argparse.Namespace, stray: list[str]) -> str:
    """Return a hint where words too many come from several metrics after one --metric, or an empty text."""
    words = {*stray, getattr(given, "graph", None)}
    return "; give --metric again for each further metric" if words & set(DEFAULTS) else ""


def _one(text: str) -> str:
    """Return one metric, or say how several are given."""
    if "," in text:
        raise argparse.ArgumentTypeError(f"{text!r} are several: give --metric again for each further metric")
    return text


def _weight(text: str) -> Fraction:
    """Return a weight; as many words as follow are taken for weights, the graph too."""
    try:
        return weight(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, and the graph before --weights") from None


def _graph(given: argparse.Namespace) -> dps.Graph | StoredGraph:
    if stays(given, given.graph):
        return StoredGraph(Warehouse.open(given.graph, given.table), nodes(given.nodes))
    path = Path(given.graph)
    if path.suffix or path.exists():
        return dps.Graph.read(path, nodes=nodes(given.nodes))
    graph = dps.Graph.named(given.graph)
    if given.nodes is not None:
        raise ValueError("--nodes goes with an edge file: the nodes of a shipped graph are known.")
    return graph


def _metric(metric: str, given: argparse.Namespace, graph: dps.Graph | StoredGraph) -> dps.Scores:
    if metric == "ego-betweenness":
        return dps.utilities.ego_betweenness(graph, max_degree=given.max_degree, workers=given.workers)
    return dps.utilities.degree(graph) if metric == "degree" else dps.utilities.ego_density(graph)
