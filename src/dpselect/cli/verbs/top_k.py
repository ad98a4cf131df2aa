"""dpselect top-k: name the k most influential nodes of a graph."""

from __future__ import annotations

from collections.abc import Sequence

import dpselect as dps
from dpselect.cli import paths, places, reading
from dpselect.cli.graphs import DECAY, FOLLOWERS, WEIGHTED, AnyGraph, graph_of
from dpselect.cli.options import READING, Exact, flag, number, one_of, option, weight_of, whole
from dpselect.cli.release import best, mechanism_of, ranked, released
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer, Verb
from dpselect.mechanisms.joint_top_k import JOINT
from dpselect.release.one_shot import ONE_SHOT, PEELING

# What each metric is drawn with unless --mechanism says otherwise: a public rule, the same for every graph.
DEFAULTS = {
    "degree": "permute-and-flip",
    "ego-betweenness": "permute-and-flip",
    "ego-density": "local-dampening-flip",
    "open-pairs": "local-dampening-flip",
    "followers": "permute-and-flip",
    "log-betweenness": "permute-and-flip",
    DECAY: "permute-and-flip",
    "core-number": "permute-and-flip",
    # Dampened, triangles would be ranked by other things: triangles.md says by which.
    "triangles": "permute-and-flip",
    "two-step-reach": "local-dampening-flip",
    "weighted-degree": "permute-and-flip",
}
# Metrics that are ranked by their margins unless --mechanism or --method joint is given: dampened, their order is not
# their own, and permute-and-flip on the scores needs far more epsilon.
_BY_MARGIN = {"ego-betweenness", DECAY}
# What several metrics together are drawn with, and margins.
COMBINED = "local-dampening-flip"
MARGIN = "permute-and-flip"
# What the scores of a metric count.
_UNITS = {
    "degree": "neighbours",
    FOLLOWERS: FOLLOWERS,
    "core-number": "shells",
    "triangles": "triangles",
    "two-step-reach": "halves of a node",
    DECAY: "parts of a pair",
}
# Mechanisms that gain by a sensitivity close to the exact one. Shifted scores would rank by what nodes share, and
# the others read its ceiling only.
_CLOSE = {
    "local-dampening",
    "local-dampening-flip",
    "local-dampening-t",
    "smooth-noisy-max",
    "smooth-private-selection",
}
_AGAIN = "give --metric again for each further metric"


def scores(request: Request) -> dict[str, dps.Scores]:
    """Return the score of every node."""
    graph = graph_of(request)
    if len(set(request.metric)) != len(request.metric):
        raise ValueError("A metric is given twice: name each once.")
    if len(request.metric) == 1:
        if request.pareto or request.weights:
            raise ValueError("--pareto and --weights combine several metrics: give --metric more than once.")
        return {request.metric[0]: _metric(request.metric[0], request, graph)}
    if request.pareto == bool(request.weights):
        raise ValueError("Several metrics are combined by --pareto or by --weights: choose one of them.")
    objectives = [_metric(metric, request, graph) for metric in request.metric]
    name = " and ".join(request.metric)
    if request.pareto:
        return {f"{name}, Pareto": dps.multiobjective.pareto(objectives)}
    return {f"{name}, weighted": dps.multiobjective.aggregate(objectives, [*request.weights])}


def run(request: Request) -> Answer:
    """Return the named nodes."""
    request.margin = request.margin or _by_margin(request)
    default = COMBINED if len(request.metric) > 1 else DEFAULTS[request.metric[0]]
    default = MARGIN if request.margin else default
    mechanism = mechanism_of(request, "exponential" if request.method == JOINT else default)
    ((name, scored),) = scores(request).items()
    unit = _UNITS.get(name, "")
    if request.margin:
        unit = unit if scored.sensitivity.fixed else "edges"
        scored = dps.utilities.margin(scored, request.k)
    # Weights are public, and without them nobody could say later what was ranked.
    weights = dict(zip(request.metric, map(str, request.weights), strict=True)) if request.weights else {}
    formula = " + ".join(f"{weight} x {metric}" for metric, weight in weights.items())
    recorded = {"metric": name} | ({"weights": formula} if formula else {})
    # So is how fast pairs lose their worth.
    decay = {"decay": _decay(request)} if DECAY in request.metric else {}
    recorded |= {each: str(value) for each, value in decay.items()}
    recorded |= {"margin": "yes"} if request.margin else {}
    release = best(request, scored, mechanism, request.k, unit, request.method, gaps=True, **recorded)
    whole = "protected is the whole list of a person, whatever its length; " if name == FOLLOWERS else ""
    if name == WEIGHTED:
        whole = f"protected is everything between two nodes, counted up to {request.weight_cap}; "
    if request.truncate:
        whole = (
            f"at most {request.max_degree} edges of each node were read, and any error is about those; "
            "protected is one edge of the whole graph; "
        )
    note = f"in order of selection by {'the margin of ' if request.margin else ''}{formula or name}; {whole}"
    facts = {
        **decay,
        "weights": weights,
        "margin": request.margin,
        "truncated_to": request.max_degree if request.truncate else None,
    }
    more = {fact: value for fact, value in facts.items() if value}
    return released(release, ranked(release), note, unit, metric=name, **more)


def _by_margin(request: Request) -> bool:
    """Return whether the one metric is ranked by its margin, where nothing was asked for: a public rule."""
    asked = request.mechanism is not None or request.method == JOINT
    return not asked and len(request.metric) == 1 and request.metric[0] in _BY_MARGIN


def objectives(request: Request) -> list[dps.Scores]:
    """Return the score of every node by each metric."""
    graph = graph_of(request)
    return [_metric(metric, request, graph) for metric in request.metric]


def several(request: Request, stray: Sequence[str]) -> str:
    """Return a hint where words too many come from several metrics after one --metric, or an empty text."""
    return f"; {_AGAIN}" if {*stray, request.graph} & {*DEFAULTS} else ""


def _weight(text: str) -> object:
    """Return a weight; as many words as follow are taken for weights, the graph too."""
    try:
        return weight_of(text)
    except ValueError as error:
        raise ValueError(f"{error}, and the graph before --weights") from None


def _decay(request: Request) -> int:
    return 20 if request.decay is None else int(request.decay)


def _metric(metric: str, request: Request, graph: AnyGraph) -> dps.Scores:
    if isinstance(graph, dps.data.TruncatedGraph):
        return graph.scores(lambda kept: _metric(metric, request, kept))
    if isinstance(graph, dps.data.WeightedGraph):
        return dps.utilities.weighted_degree(graph)
    if isinstance(graph, dps.data.DirectedGraph) or metric == FOLLOWERS:
        return dps.utilities.followers(graph)
    if metric == "ego-betweenness":
        close = request.get("margin") or (len(request.metric) == 1 and request.get("mechanism") in _CLOSE)
        return dps.utilities.ego_betweenness(
            graph,
            max_degree=request.max_degree,
            workers=request.workers,
            sensitivity="refined" if close else "degree",
        )
    if metric == DECAY:
        return dps.utilities.linear_decay(graph, request.max_degree, decay=_decay(request), workers=request.workers)
    if metric == "log-betweenness":
        return dps.utilities.log_betweenness(graph, request.workers)
    if metric == "open-pairs":
        return dps.utilities.open_pairs(graph, request.max_degree, request.workers)
    if metric == "core-number":
        return dps.utilities.core_number(graph)
    if metric == "triangles":
        return dps.utilities.triangles(graph, request.max_degree, request.workers)
    if metric == "two-step-reach":
        return dps.utilities.two_step_reach(graph, request.max_degree, request.workers)
    return dps.utilities.degree(graph) if metric == "degree" else dps.utilities.ego_density(graph)


# Parts of the page of help.
_SEVERAL, _WEIGHTED = "With several metrics", f"With --metric {WEIGHTED}"
NODES = paths.input(
    "--nodes",
    metavar="N|FILE",
    help="the public nodes: their number when ids are 0 .. N-1 (1 .. N in .mtx and .net), a file with one label per "
    "line, or a .graphml file, whose nodes are then public (required for edge files)",
)
ENDS = (
    option(
        "--source",
        metavar="NAME",
        panel=READING,
        help="the column of one end of an edge, or of who points (default source)",
    ),
    option("--target", metavar="NAME", panel=READING, help="the column of the other end (default target)"),
)
DATA = (
    paths.input(
        "graph",
        metavar="GRAPH",
        help="an edge file (.parquet, .csv, .txt, .edges, .mtx, .net, .gml, .graphml, .gexf, text also with .gz), or a "
        "graph that ships with NetworkX, such as lesmis; or a URL, whose --table has one edge per row. Edges are read "
        "without direction, but for followers: source points to target",
    ),
    *places.OPTIONS,
    *ENDS,
    *reading.OPTIONS,
    reading.EVENTS,
    option(
        "--metric",
        required=True,
        multiple=True,
        type=one_of(sorted(DEFAULTS), _AGAIN),
        metavar="METRIC",
        help=f"what makes a node influential: {', '.join(sorted(DEFAULTS))}; give it again for each further metric, "
        "to combine them",
    ),
    flag("--pareto", "prefer nodes that few others beat in every metric", _SEVERAL),
    option(
        "--weights",
        several=True,
        type=Exact("weight", _weight),
        metavar="W...",
        panel=_SEVERAL,
        help="the weight of each metric, in their order",
    ),
    NODES,
    option(
        "--max-degree",
        type=whole,
        metavar="N",
        help="a public bound on the number of neighbours of any node, which open-pairs, ego-betweenness, "
        "linear-decay, triangles, two-step-reach and --truncate need",
    ),
    option(
        "--weight-column",
        metavar="NAME",
        panel=_WEIGHTED,
        help="the column of weights, or the attribute of edges (default weight)",
    ),
    option(
        "--weight-cap",
        type=number,
        metavar="W",
        panel=_WEIGHTED,
        help="what everything between two nodes counts at most, a public number",
    ),
    option(
        "--weight-kind",
        type=one_of(("integer", "real")),
        metavar="KIND",
        panel=_WEIGHTED,
        help="real weights or integer ones (default real)",
    ),
    flag(
        "--truncate",
        "read at most --max-degree edges of each node, by a public rule, so that no graph breaks that bound; one edge "
        "then counts as three, which the sensitivity pays for",
    ),
    option(
        "--decay",
        type=whole,
        metavar="K",
        help="linear-decay: from so many common neighbours on a pair counts nothing, a public number (default 20)",
    ),
    option(
        "--workers",
        type=whole,
        default=1,
        metavar="N",
        help="threads for open-pairs, ego-betweenness, log-betweenness, linear-decay, triangles and two-step-reach "
        "(default 1)",
    ),
)
VERB = Verb(
    run,
    (
        option("--k", type=whole, default=1, metavar="K", help="how many nodes to name (default 1)"),
        *DATA,
        option(
            "--method",
            type=one_of((ONE_SHOT, PEELING, JOINT)),
            metavar="METHOD",
            help="how a list is drawn: one-shot, peeling, or joint (by its worst place, for degree); by default the "
            "first that the mechanism and the ledger allow",
        ),
        flag(
            "--margin",
            "rank by how many edges a node is from changing sides of the list of k: with a large epsilon that names "
            "the k best, which dampening does not (the default of ego-betweenness and linear-decay)",
        ),
    ),
    "dpselect top-k lesmis --metric degree --k 3 --epsilon 1",
    about="Protected: whether any one edge is in the graph; not a node with all of its edges. followers protects all "
    "edges of one source.",
    spends=True,
    mechanism="permute-and-flip for degree, weighted-degree, followers, core-number, triangles and log-betweenness, "
    "for ego-betweenness and linear-decay by their margins, and with --margin; local-dampening-flip for open-pairs, "
    "ego-density, two-step-reach and several metrics",
    hint=several,
)
