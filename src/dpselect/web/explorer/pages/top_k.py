"""Top k of a graph: who is named first, what one edge changes, and which metric finds those who connect others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dpselect.analysis.charts.pmf_chart import chance_text, pmf_bars
from dpselect.analysis.recommend_metric import ComparedMetrics, compared_metrics, expected_list, recommend_from
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import MECHANISMS
from dpselect.queries import TopK
from dpselect.release.questions import flips_units
from dpselect.scores.scores import Scores
from dpselect.views import Graph
from dpselect.web.explorer import example_dataset
from dpselect.web.explorer.example_data import teams
from dpselect.web.explorer.explorer_page import Chart, Commands, Content, Note, PageTable, Part, State, View
from dpselect.web.explorer.form_fields import ChoiceField, Field, NumberField, TextField, exact_text
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.opening import keywords, opening, options
from dpselect.web.explorer.query_commands import shell_of
from dpselect.web.explorer.ranking import (
    EVERY,
    METRICS,
    Edge,
    Ranking,
    neighbour,
    public_graph,
    rank_nodes,
    require_short,
    telling,
)

_OWN, _TEAMS = "default", "teams"
_PYTHON = "from dpselect.web.explorer.example_data import teams\n\ngraph = teams()"
# Up to so many nodes the metrics are compared from the start.
_MOST_COMPARED = 1000
_MOST_SHOWN = 5


def _fields(material: Material) -> Sequence[Field]:
    mechanisms = ((_OWN, "the metric's own"), *((name, name) for name in MECHANISMS))
    size, degree = len(material.graph), int(material.graph.degrees.max(initial=0))
    most = max(2, size - 1)
    bound = (
        NumberField(
            "max_degree",
            "Maximum degree",
            min(most, max(5, math.ceil(1.5 * degree))),
            2,
            most,
            whole=True,
            help="A public bound on the neighbours of any node. It is never read from a private graph.",
        ),
    )
    small = "yes" if size <= _MOST_COMPARED else "no"
    return (
        NumberField(
            "epsilon", "Epsilon", 1, 0.001, 1000, slider=True, help="For the whole list; smaller is more private."
        ),
        ChoiceField(
            "graph",
            "Graph",
            (("given", material.graph_name), (_TEAMS, "made up: six teams, three brokers")),
            "given",
            help="Among teams degree misleads: compare the metrics there at epsilon 10.",
        ),
        ChoiceField(
            "metric", "Metric", tuple((name, name) for name in METRICS), "degree", help="What makes a node matter."
        ),
        NumberField("k", "Nodes to name", 3, 1, max(1, min(100, size - 1)), whole=True),
        *(bound if material.max_degree is None else ()),
        ChoiceField("mechanism", "Mechanism", mechanisms, _OWN),
        ChoiceField(
            "edge",
            "Neighbour",
            (("telling", "the edge that tells most"), ("named", "the edge between two nodes")),
            "telling",
            help="One edge more or less: tried are the pairs of the best nodes, or choose two.",
        ),
        TextField("one", "One node", ""),
        TextField("other", "The other node", ""),
        ChoiceField(
            "compare",
            "Compare metrics",
            (("yes", "yes"), ("no", "no")),
            small,
            help="Which of them names the brokers; a large graph takes a second, the first one of a machine a minute.",
        ),
    )


def _view(state: State, material: Material) -> View:
    teamed = state["graph"] == _TEAMS
    if material.max_degree is not None:
        # The made-up teams have a bound of their own.
        state = {**state, "max_degree": max(material.max_degree, int(teams().degrees.max()) if teamed else 0)}
    graph, total, k = (
        public_graph(teams() if teamed else material.graph),
        exact_epsilon(state["epsilon"]),
        int(state["k"]),
    )
    if k >= len(graph):
        raise InputError(f"A list of {k} is all of the graph's {len(graph)} nodes: ask for fewer.")
    ranking = _ranking(state)
    scores = rank_nodes(graph, ranking)
    edge = telling(graph, ranking) if state["edge"] == "telling" else _changed_edge(graph, ranking, state)
    mechanism = ranking.drawn_with(scores)
    here, there = (mechanism.log_pmf(each, total / k) for each in (scores, edge.scores))
    said = _headline(scores, mechanism, here, total, k)
    change = _change(scores, edge, float(np.abs(here - there).max()), total, k)

    part = f" for {k} names" if k > 1 else ""

    def draw(width: float) -> Any:
        return pmf_bars(scores, np.exp(here), np.exp(there), mechanism.name, float(total), width, part=part)

    parts: list[Part] = [
        Chart("How likely each node is to be named first", draw, f"Bars: this graph. Marks: {_step(scores, edge)}."),
        Note("One edge more or less", (change,)),
        *_metrics(graph, state, total),
    ]
    return View(
        said,
        parts,
        _commands(state, ranking, material),
        _example(state, material.graph_python if not teamed else _PYTHON, ranking, edge, len(graph)),
    )


def _headline(scores: Scores, mechanism: Mechanism, here: Any, total: Fraction, k: int) -> str:
    """Return how likely the right nodes are named: exactly for one, nearly for a list."""
    pmf, values = np.exp(here), scores.values
    best = np.flatnonzero(values == values.max())
    first = scores.candidates[int(best[0])]
    who = f"{first} is" if best.size == 1 else f"{first} or another of the {best.size} best nodes is"
    said = f"{who} named first with probability {chance_text(float(pmf[best].sum()))}."
    if k == 1:
        return said
    if not flips_units(mechanism):
        return f"{said} How many of a list of {k} are right is known for mechanisms that draw it in one pass."
    return f"{said} Of a list of {k}, {right_of(scores, mechanism, total, k):.2f} are expected to be right."


def right_of(scores: Scores, mechanism: Mechanism, epsilon: Fraction, k: int) -> float:
    """Return how many of the k named are expected to be as good as the k-th best node, right to about 0.03 k.

    The list is drawn in one pass by permute-and-flip; nothing is drawn here.
    """
    ticks, rate = mechanism.quantize(scores, epsilon / k)
    kth = np.partition(scores.values, len(scores) - k)[len(scores) - k]
    return float(expected_list(ticks, rate, k)[scores.values >= kth].sum())


def _change(scores: Scores, edge: Edge, loss: float, total: Fraction, k: int) -> str:
    allowed = f"epsilon allows {_factor(total / k)}"
    if k > 1:
        allowed = (
            f"epsilon / {k}, which pays for the first place, allows {_factor(total / k)}, and the whole list may "
            f"change by {_factor(total)}"
        )
    step = f"O{_step(scores, edge)[1:]}"
    return f"{step}, changes the chance of a first place by a factor of {_factor(loss)} at most; {allowed}."


def _step(scores: Scores, edge: Edge) -> str:
    names = f"{scores.candidates[edge.one]} and {scores.candidates[edge.other]}"
    return f"one edge {'more' if edge.added else 'less'}, between {names}"


def _factor(loss: float | Fraction) -> str:
    """Return e to a loss, as long as it is a number that anybody reads."""
    return f"{math.exp(loss):.3g}" if loss < 20 else f"e^{float(loss):.3g}"


def _changed_edge(graph: Graph, ranking: Ranking, state: State) -> Edge:
    ends = [_place(graph, str(state[name])) for name in ("one", "other")]
    if ends[0] == ends[1]:
        raise InputError("An edge joins two different nodes: name another.")
    return neighbour(graph, ranking, *ends)


def _place(graph: Graph, name: str) -> int:
    names = _names(graph)
    if name.strip() not in names:
        few = ", ".join(list(names)[:_MOST_SHOWN])
        raise InputError(f"Name two nodes of this public graph for an edge, such as {few}.")
    return names[name.strip()]


@lru_cache(maxsize=4)
def _names(graph: Graph) -> dict[str, int]:
    return {str(label): place for place, label in enumerate(graph.candidates)}


@lru_cache(maxsize=8)
def _compare_metrics(graph: Graph, most: int, k: int) -> ComparedMetrics:
    require_short(graph, EVERY)
    return compared_metrics(graph, most, k)


def _metrics(graph: Graph, state: State, total: Fraction) -> Sequence[Part]:
    """Return which metric names the brokers: the advice and the table of ``dpselect.accuracy.recommend_metric``."""
    title, k = "Which metric names those who connect others", int(state["k"])
    if state["compare"] == "no":
        return (Note(title, ("Choose yes at Compare metrics: a page of a large graph then takes a second.",)),)
    advice = recommend_from(_compare_metrics(graph, int(state["max_degree"]), k), k, total)
    header = ("metric", "mechanism", "recall", "share", "recall without noise", "share without noise")
    rows = [
        (row.metric, row.mechanism, *(f"{each:.2f}" for each in (row.recall, row.share, *row.limit)))
        for row in advice.table
    ]
    note = (
        f"Recall: the expected part of the true top {k} by ego betweenness that is named. Share: the ego betweenness "
        "of those named, as a part of the most that there is. Right to about 0.02."
    )
    return Note(title, (advice.sentence,)), PageTable("Metrics side by side", header, rows, note)


def _ranking(state: State) -> Ranking:
    named = None if state["mechanism"] == _OWN else str(state["mechanism"])
    return Ranking(state["metric"], int(state["max_degree"]), int(state["k"]), named)


def _score_code(ranking: Ranking, graph: str) -> str:
    """Return what makes the scores, in Python."""
    words = "".join(f", {name}={value!r}" for name, value in ranking.arguments.items()).replace("'", '"')
    scores = f"dps.utilities.{ranking.function}({graph}{words})"
    return f"dps.utilities.margin({scores}, {ranking.k})" if ranking.by_margin else scores


def _mechanism_code(ranking: Ranking) -> str:
    return f', mechanism="{ranking.mechanism}"' if ranking.mechanism else ""


def _commands(state: State, ranking: Ranking, material: Material) -> Commands:
    reading = material.graph_reading
    query = TopK(ranking.metric, k=ranking.k, mechanism=ranking.mechanism, epsilon=exact_epsilon(state["epsilon"]))
    if material.description:
        commands = example_dataset.commands(material.description, query)
        if not ranking.needs_max_degree or material.max_degree is not None:
            return commands
        line = f"max_degree = {ranking.most} into {material.description}"
        return replace(commands, note=f"{commands.note} {ranking.metric} needs a public bound: write {line}.")
    epsilon = exact_text(state["epsilon"])
    bound = f"--max-degree {ranking.most}" if ranking.needs_max_degree else ""
    said = ("--nodes nodes.txt", bound, "--ledger friends.ledger", options(reading))
    shell = shell_of(query, "friends.csv", *said)
    python = (
        opening(
            "friends.ledger",
            'nodes = Path("nodes.txt").read_text(encoding="utf-8").splitlines()',
            f'graph = dps.Graph.read("friends.csv", nodes=nodes{keywords(reading)})',
            paths=True,
        )
        + f"scores = {_score_code(ranking, 'graph')}\n"
        f"dps.top_k(scores, {ranking.k}, epsilon={epsilon}{_mechanism_code(ranking)}, ledger=ledger)"
    )
    note = (
        f"friends.csv has an edge in each row, with the columns {reading.get('source', 'source')} and "
        f"{reading.get('target', 'target')}; nodes.txt has the name of each "
        "public node on a line of its own. Choose the metric here, on a public graph like yours: never by looking at "
        "the private one."
    )
    return Commands(shell, python, note)


def _example(state: State, graph: str, ranking: Ranking, edge: Edge, size: int) -> str:
    """Return Python that makes the same graph and its neighbour, and shows the law and the table."""
    epsilon = exact_text(state["epsilon"])
    pair = (min(edge.one, edge.other), max(edge.one, edge.other))
    lines = [
        "from dataclasses import replace\n\nimport numpy as np\n\nimport dpselect as dps",
        graph,
        f"# A neighbour: the graph with one edge {'more' if edge.added else 'less'}.",
        "ends = zip(np.repeat(np.arange(len(graph)), graph.degrees).tolist(), graph.indices.tolist())",
        f"edges = sorted({{(a, b) for a, b in ends if a < b}} ^ {{{pair}}})",
        f"other = replace(dps.Graph.from_edges(*zip(*edges), nodes={size}), labels=graph.labels)",
        f"here, there = ({_score_code(ranking, 'each')} for each in (graph, other))",
    ]
    if state["compare"] == "yes":
        asked = f"graph, {ranking.k}, epsilon={epsilon}, max_degree={ranking.most}"
        lines.append(f'print(dps.accuracy.recommend_metric({asked}, data="public"))')
    share = epsilon if ranking.k == 1 else f"{epsilon} / {ranking.k}"
    lines.append(f"dps.plot.pmf_chart(here, epsilon={share}{_mechanism_code(ranking)}, neighbour=there)")
    return "\n".join(lines)


PAGE = Content(_fields, _view, {"one": ("edge", ("named",)), "other": ("edge", ("named",))})
