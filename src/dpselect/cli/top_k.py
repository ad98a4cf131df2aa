"""dpselect top-k: name the k most influential nodes of a graph."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import dpselect as dps
from dpselect.cli.arguments import add_release, ledger_of, nodes, shown

# What each metric is drawn with unless --mechanism says otherwise: a public rule, the same for every graph.
DEFAULTS = {
    "degree": "permute-and-flip",
    "ego-betweenness": "shifted-local-dampening-flip",
    "ego-density": "local-dampening-flip",
}


def add(verbs: Any) -> None:
    """Add the command."""
    top = verbs.add_parser("top-k", help="name the k most influential nodes of a graph")
    add_data(top)
    top.add_argument("--k", type=int, default=1, help="how many nodes to name (default 1)")
    add_release(
        top,
        "permute-and-flip for degree, shifted-local-dampening-flip for ego-betweenness, local-dampening-flip for "
        "ego-density",
    )
    top.set_defaults(run=run)


def add_data(top: argparse.ArgumentParser) -> None:
    """Add the graph and what makes a node influential."""
    top.add_argument(
        "graph",
        metavar="GRAPH",
        help="an edge file (.parquet, .csv, .txt, also .csv.gz, .txt.gz), or a graph that ships with "
        "NetworkX, such as lesmis",
    )
    top.add_argument("--metric", required=True, choices=sorted(DEFAULTS), help="what makes a node influential")
    top.add_argument(
        "--nodes",
        metavar="N|FILE",
        help="the public nodes: their number when ids are 0 .. N-1, or a file with one label a line "
        "(required for edge files)",
    )
    top.add_argument(
        "--max-degree",
        type=int,
        help="a public bound on the number of neighbours of any node (ego-betweenness needs it, others do not use it)",
    )
    top.add_argument("--workers", type=int, default=1, help="threads for ego-betweenness (default 1)")


def scores(given: argparse.Namespace) -> dict[str, dps.Scores]:
    """Return the score of every node."""
    return {given.metric: _metric(given, _graph(given))}


def run(given: argparse.Namespace) -> str:
    """Return the named nodes as text or JSON."""
    mechanism = dps.mechanism(given.mechanism or DEFAULTS[given.metric])
    release = dps.top_k(
        scores(given)[given.metric], given.k, given.epsilon, mechanism=mechanism, ledger=ledger_of(given)
    )
    ranks = [f"{rank:>3}  {node}" for rank, node in enumerate(release.candidates, 1)]
    return shown(release, ranks, given, "in order of selection; ", metric=given.metric)


def _graph(given: argparse.Namespace) -> dps.Graph:
    path = Path(given.graph)
    if path.suffix or path.exists():
        return dps.Graph.read(path, nodes=nodes(given.nodes))
    graph = dps.Graph.named(given.graph)
    if given.nodes is not None:
        raise ValueError("--nodes goes with an edge file: the nodes of a shipped graph are known.")
    return graph


def _metric(given: argparse.Namespace, graph: dps.Graph) -> dps.Scores:
    if given.metric == "ego-betweenness":
        return dps.utilities.ego_betweenness(graph, max_degree=given.max_degree, workers=given.workers)
    return dps.utilities.degree(graph) if given.metric == "degree" else dps.utilities.ego_density(graph)
