"""Recommend a metric that names the brokers of graphs like this one, on a graph that may be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect._display.html_table import grid, table
from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.kernel.numbers import Epsilon, exact_epsilon, whole
from dpselect.mechanisms import mechanism
from dpselect.scores.margin import margin
from dpselect.scores.scores import Scores
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views import Graph, StoredGraph
from dpselect.views.graph_like import GraphLike

# A simpler question is preferred where it has nearly as much; a list with less than half is not worth its epsilon.
_NEARLY, _LEAST = 0.02, 0.5
# Halvings of an interval of a few thousand units of noise.
_HALVINGS = 80
_FLIP = "permute-and-flip"
# Of exponential noise; beyond it floats see nothing.
_LARGEST_NOISE = 800.0


@dataclass(frozen=True)
class MetricRow:
    """The nodes that one metric names, judged by ego betweenness.

    Attributes:
        metric: as ``dpselect top-k --metric`` calls it, or its margin (:func:`dpselect.utilities.margin`).
        mechanism: what draws it.
        recall: the expected share of the true top k that is named.
        share: the expected ego betweenness of those named, as a share of that of the true top k.
        limit: recall and share at infinite epsilon.
    """

    metric: str
    mechanism: str
    recall: float
    share: float
    limit: tuple[float, float]


@dataclass(frozen=True)
class MetricRecommendation:
    """Advice on the metric to ask for on graphs like this one.

    Attributes:
        metric: the one, or the margin of the one, whose list has the most ego betweenness; the simpler one where two
            are equal within 0.02.
        mechanism: what draws it.
        sentence: the advice in words.
        table: one row per metric, in the order of their sensitivities.
    """

    metric: str
    mechanism: str
    sentence: str
    table: tuple[MetricRow, ...]

    def _repr_html_(self) -> str:
        rows = [
            (row.metric, row.mechanism, *(f"{each:.2f}" for each in (row.recall, row.share, *row.limit)))
            for row in self.table
        ]
        header = ("metric", "mechanism", "recall", "share", "recall without noise", "share without noise")
        return table("Recommendation", [("advice", self.sentence)]) + grid(header, rows)

    def __str__(self) -> str:
        head = f"{'':<44}{'at this epsilon':>18}{'without noise':>17}"
        lines = [self.sentence, "", head, f"{'metric, mechanism':<44}" + f"{'recall':>10}{'share':>8}" * 2]
        for row in self.table:
            figures = f"{row.recall:>10.2f}{row.share:>8.2f}{row.limit[0]:>10.2f}{row.limit[1]:>8.2f}"
            lines.append(f"{f'{row.metric}, {row.mechanism}':<44}{figures}")
        return "\n".join(lines)


def recommend_metric(
    graph: GraphLike, k: int, *, epsilon: Epsilon, max_degree: int, data: str | None = None
) -> MetricRecommendation:
    """Compare metrics on a graph that may be looked at, and say which names the nodes that connect others, the brokers.

    Lists are judged by ego betweenness: how many of its true top k they have, and how much of it. The figures are
    expectations for lists drawn in one pass with epsilon for the whole list, computed without drawing and right to
    about 0.02. What a private graph would be asked for must not be chosen by looking at that graph.

    Args:
        graph: a public graph, or one that is too old to need protection, and resembles the private one.
        k: how many nodes a list names.
        epsilon: of the whole list.
        max_degree: the public bound that will be used for the private graph.
        data: ``"public"`` or ``"example"``.

    Raises:
        PrivacyError: ``data`` or ``max_degree`` is missing or something else.
        ValueError: epsilon is not positive and finite; ``k`` is not from 1 to one less than the nodes; the graph
            exceeds ``max_degree``.
        ImportError: numba is not installed, which more than 384 nodes need; the first call for so many on a machine
            compiles loops, for up to a minute.

    >>> import dpselect as dps
    >>> old = dps.Graph.from_name("lesmis")
    >>> advice = dps.accuracy.recommend_metric(old, 5, epsilon=10, max_degree=76, data="public")
    >>> advice.metric, advice.mechanism
    ('degree', 'permute-and-flip')

    Limits: Brokers who are not the best connected need much epsilon. On the three made-up graphs where degree misleads,
    no list of five has more than 0.07 of the true top 5 at epsilon 1 (measured). ``recommend_metric`` and ``python -m
    research compare metrics`` take a public or old graph in memory, and their expectations are right to about 0.02;
    public facts do not say whether the private graph resembles it.
    """
    if data not in ("public", "example"):
        raise PrivacyError(
            'A metric chosen by looking at the private graph leaks: pass data="public" or data="example" for a graph '
            "that may be seen, and ask the private one for the metric that it names."
        )
    graph = require_undirected(graph)
    total, most = exact_epsilon(epsilon), whole(k, "k", "how many nodes a list names")
    if most >= len(graph):
        raise InputError(f"A list of {most} is all of the graph's {len(graph)} nodes: ask for fewer.")
    return recommend_from(compared_metrics(graph, max_degree, most), most, total)


@dataclass(frozen=True, eq=False)
class ComparedMetrics:
    """The metrics that are compared, whatever epsilon is.

    Attributes:
        asked: metric, mechanism and scores, from the simplest question on.
        truth: the ego betweenness of all nodes, shape (n,).
    """

    asked: Sequence[tuple[str, str, Scores]]
    truth: NDArray[np.float64]


def recommend_from(compared: ComparedMetrics, k: int, epsilon: Fraction) -> MetricRecommendation:
    """Return the advice of :func:`recommend_metric` from scores that are known already."""
    rows = [_row(metric, name, scores, compared.truth, k, epsilon) for metric, name, scores in compared.asked]
    best = max(rows, key=lambda row: row.share)
    use = next(row for row in rows if row.share >= best.share - _NEARLY)
    return MetricRecommendation(use.metric, use.mechanism, _sentence(use, rows[0], k, epsilon), tuple(rows))


def compared_metrics(graph: Graph | StoredGraph, max_degree: int, k: int) -> ComparedMetrics:
    """Return the scores of every metric that is compared, for lists of k."""
    from dpselect import utilities

    # The maximum degree is refused before anything long begins.
    pairs = utilities.open_pairs(graph, max_degree=max_degree)
    betweenness = utilities.ego_betweenness(graph, max_degree=max_degree)
    asked = [
        ("degree", _FLIP, utilities.degree(graph)),
        ("open-pairs", "local-dampening-flip", pairs),
        ("margin of open-pairs", _FLIP, margin(pairs, k)),
        ("log-betweenness", _FLIP, utilities.log_betweenness(graph)),
        ("margin of linear-decay", _FLIP, margin(utilities.linear_decay(graph, max_degree=max_degree), k)),
        ("margin of ego-betweenness", _FLIP, margin(betweenness, k)),
    ]
    return ComparedMetrics(asked, betweenness.values.astype(np.float64))


def _row(metric: str, name: str, scores: Scores, truth: NDArray[np.float64], k: int, epsilon: Fraction) -> MetricRow:
    best = _first(truth, k)
    ticks, rate = mechanism(name).quantize(scores, epsilon / k)
    chances, limit = expected_list(ticks, rate, k), _first(ticks, k)
    return MetricRow(
        metric,
        name,
        float(chances[best].sum() / k),
        _share(float(chances @ truth), truth[best]),
        (float(np.isin(limit, best).mean()), _share(float(truth[limit].sum()), truth[best])),
    )


def expected_list(ticks: NDArray[np.int64], rate: Fraction, k: int) -> NDArray[np.float64]:
    """Return nearly the chance of each node to be among the k named in one pass by permute-and-flip, shape (n,).

    Noise is exponential. The list is those above the height that k nodes exceed in expectation; that the height of a
    real list varies a little is left out. The chances sum to k.
    """
    behind = (ticks - ticks.max()).astype(np.float64) * float(rate)
    low, high = float(behind.min()), _LARGEST_NOISE
    for _ in range(_HALVINGS):
        height = (low + high) / 2
        if np.exp(np.minimum(behind - height, 0)).sum() > k:
            low = height
        else:
            high = height
    above: NDArray[np.float64] = np.exp(np.minimum(behind - high, 0))
    above *= k / float(above.sum())
    return above


def _first(values: NDArray[np.float64] | NDArray[np.int64], k: int) -> NDArray[np.intp]:
    """Return the best k, ties in the public order."""
    order: NDArray[np.intp] = np.argsort(-values, kind="stable")
    return order[:k]


def _share(named: float, best: NDArray[np.float64]) -> float:
    """Return what is named as a share of the best, 1 where no node connects others."""
    total = float(best.sum())
    return named / total if total else 1.0


def _sentence(use: MetricRow, degree: MetricRow, k: int, epsilon: Fraction) -> str:
    listed = f"a list of {k} at epsilon {float(epsilon):g}"
    kept = f"has {use.share:.0%} of the ego betweenness of the true top {k} and names {use.recall:.0%} of them"
    if use.share < _LEAST:
        start = f"Ask for fewer names or a larger epsilon: the best of these, {use.metric}"
        return f"{start}, {kept} in {listed}, on graphs like this one."
    reason = f"on graphs like this one {listed} {kept}"
    if use.metric == degree.metric:
        return f"Use degree with {use.mechanism}: {reason}."
    without = f"Without noise the top {k} by degree has {degree.limit[1]:.0%}"
    return f"Use {use.metric} with {use.mechanism}: {reason}. {without}."
