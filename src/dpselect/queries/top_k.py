"""The most central nodes of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpselect.kernel.errors import Advice
from dpselect.kernel.format_exact import count_text
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.columns import require_winners
from dpselect.queries.field_kinds import FLAG, MECHANISM, WEIGHTS, argument, choice, choices, whole
from dpselect.queries.metrics import CLOSE, DAMPENING, DECAY, FOLLOWERS, METRICS, USUAL_DECAY, WEIGHTED
from dpselect.queries.most_common import MOST_WINNERS

if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.kernel.privacy_filter import Accountant
    from dpselect.release.release import Release
    from dpselect.scores.scores import Scores

# Of so many nodes a metric is computed within a second.
_MANY = 2000
_JOINT = "joint"


class TopK(Query[Any]):
    """The k nodes of a graph that are largest by a metric.

    Attributes:
        metric: the order of the nodes, or several metrics, of which each node has a score of its own.
        k: how many to name.
        pareto: of several metrics: rank nodes by how many edges they are from the Pareto front, of nodes that no other
            beats in every metric; with a dampening mechanism by the published score, which it dampens.
        weights: of several metrics: the weight of each, in their order.
        truncate: whether at most ``max_degree`` edges of each node are read, by a public rule, so that no graph breaks
            that bound; one edge then counts as three, which the sensitivity pays for.
        decay: of linear-decay: from so many common neighbours on a pair counts nothing.
        margin: whether nodes are ranked by how many edges they are from changing sides of the list of k: with a large
            epsilon that names the k best, which dampening does not.
        mechanism: chooses the nodes; by default that of the metric.
        method: how a list is drawn; by default the first that the mechanism and the ledger allow.
    """

    name = "top_k"
    title = "Top nodes"
    of_graph = True
    protects = (
        "whether any one edge is in the graph; not a node with all of its edges. The metric followers protects all "
        "edges of one source."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "top-k friends.toml degree --k 3 --epsilon 1",
        "top-k lesmis degree --k 3 --epsilon 1",
        "top-k edges.txt triangles --nodes 36692 --max-degree 100 --epsilon 1",
    )

    metric: str | tuple[str, ...] = argument(
        choices(*METRICS), "the order of the nodes; several are combined by pareto or weights", kw_only=False,
        label="Ranked by",
    )  # fmt: skip
    k: int = argument(whole(1, MOST_WINNERS), "how many to name", default=1, label="How many")
    pareto: bool = argument(
        FLAG,
        "of several metrics, rank by how many edges a node is from the front that no other beats in every one",
        default=False,
        rare=True,
    )
    weights: Sequence[Fraction] | None = argument(
        WEIGHTS, "of several metrics, the weight of each, in their order", default=None, rare=True, example="1, 0.5"
    )
    truncate: bool = argument(
        FLAG,
        "read at most as many edges of each node as the bound on degrees says, by a public rule, so that no graph "
        "breaks it; one edge then counts as three, which the sensitivity pays for",
        default=False, rare=True,
    )  # fmt: skip
    decay: int | None = argument(
        whole(1, 10**6),
        f"of linear-decay, from so many common neighbours on a pair counts nothing (usually {USUAL_DECAY})",
        default=None, rare=True,
    )  # fmt: skip
    margin: bool = argument(
        FLAG,
        "rank by how many edges a node is from changing sides of the list of k: with a large epsilon that names the k "
        "best, which dampening does not (ego-betweenness and linear-decay do so by default)",
        default=False, rare=True,
    )  # fmt: skip
    mechanism: str | None = argument(
        MECHANISM, "the mechanism that chooses the nodes; by default that of the metric", default=None, rare=True
    )
    method: str | None = argument(
        choice("one-shot", "peeling", _JOINT),
        "how a list is drawn: in one pass, one after the other, or by its worst place, for degrees", default=None,
        rare=True,
    )  # fmt: skip

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the metrics by their names."""
        return (self.metric,) if isinstance(self.metric, str) else self.metric

    def require(self) -> None:
        """Refuse metrics that are not combined, and what another metric takes."""
        several = len(self.metrics) > 1
        if not several and (self.pareto or self.weights is not None):
            raise QueryError(Advice("{pareto} and {weights} combine several metrics: name more than one."), "metric")
        if several and self.pareto == (self.weights is not None):
            raise QueryError(
                Advice("Several metrics are combined by {pareto} or by {weights}: choose one of them."), "metric"
            )
        if self.weights is not None and len(self.weights) != len(self.metrics):
            raise QueryError("each metric has one weight: name as many.", "weights")
        if self.decay is not None and DECAY not in self.metrics:
            raise QueryError(f"this goes with {DECAY}: leave it out.", "decay")
        if several and FOLLOWERS in self.metrics:
            raise QueryError(
                "followers protects the whole list of a person and others one edge: name it alone.", "metric"
            )
        if several and WEIGHTED in self.metrics:
            raise QueryError(f"{WEIGHTED} counts weights and other metrics count edges: name it alone.", "metric")
        if self.truncate and FOLLOWERS in self.metrics:
            raise QueryError("followers takes lists of any length: leave it out.", "truncate")
        if self.truncate and WEIGHTED in self.metrics:
            raise QueryError(f"{WEIGHTED} takes any number of edges: leave it out.", "truncate")

    def candidates(self, dataset: Dataset) -> int:
        """Return the number of nodes; tables, and more winners than nodes, are refused."""
        if dataset.nodes is None:
            raise QueryError("This dataset is a table: ask about one of its columns.")
        for metric in self.metrics:
            if (METRICS[metric].bounded or self.truncate) and dataset.max_degree is None:
                needs = Advice(
                    "{what} needs {max_degree|--max-degree}: a public bound on the degrees of all nodes.",
                    what="truncate" if self.truncate else metric,
                )
                raise QueryError(needs)
        return require_winners(self.k, _size(dataset), "nodes")

    def release(self, data: QueryData, accountant: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.top_k`."""
        from dpselect import utilities
        from dpselect.queries.winners import best

        scores, unit = self.scores(data), self._unit
        if self._by_margin:
            unit = unit if scores.sensitivity.fixed else "edges"
            scores = utilities.margin(scores, self.k)
        release = best(
            scores,
            self.k,
            epsilon=self.epsilon,
            mechanism=self.mechanism or self._usual,
            method=self.method,
            accountant=accountant,
        )
        return replace(release, error_bound=replace(release.error_bound, unit=unit))

    def neighbours(self, dataset: Dataset) -> Any:
        """Return that of the dataset; followers protect the whole list of a person."""
        from dpselect.kernel.neighbours import Neighbours

        return Neighbours.PERSON if FOLLOWERS in self.metrics else dataset.neighbours

    def is_long(self, dataset: Dataset) -> bool:
        """Return whether more is counted than edges, in a large graph."""
        return self.metric != "degree" and dataset.nodes is not None and _size(dataset) > _MANY

    def order_words(self, dataset: Dataset) -> str:
        """Return by what the nodes are ranked, and what is protected where that is not one edge of a simple graph."""
        protects = ""
        if FOLLOWERS in self.metrics:
            protects = "; protected is the whole list of a person, whatever its length"
        if WEIGHTED in self.metrics and dataset.weight is not None:
            protects = f"; protected is everything between two nodes, counted up to {_plain(dataset.weight.cap)}"
        if self.truncate and dataset.max_degree is not None:
            protects = (
                f"; at most {count_text(dataset.max_degree, 'edge')} of each node were read, and any error is about "
                "those; protected is one edge of the whole graph"
            )
        return f"in order of selection by {'the margin of ' if self._by_margin else ''}{self._formula}{protects}"

    def facts(self, dataset: Dataset) -> dict[str, Any]:
        """Return what ranked the nodes."""
        weights = {} if self.weights is None else dict(zip(self.metrics, map(str, self.weights), strict=True))
        said = {"decay": self._decay, "weights": weights, "margin": self._by_margin}
        said["truncated_to"] = dataset.max_degree if self.truncate else None
        return {"metric": self._metric_text} | {name: each for name, each in said.items() if each}

    def words(self) -> str:
        """Return the query in words."""
        return f"Which {f'{self.k} nodes are' if self.k > 1 else 'node is'} largest by {self._formula}?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the nodes, the bound on degrees, and the column and cap of weights."""
        nodes = [*dataset.nodes] if isinstance(dataset.nodes, tuple) else dataset.nodes
        shown: dict[str, Any] = {"nodes": nodes}
        if self.truncate or any(METRICS[metric].bounded for metric in self.metrics):
            shown["max degree"] = dataset.max_degree
        if WEIGHTED in self.metrics and dataset.weight is not None:
            shown |= {"weight": dataset.weight.column, "weight cap": _plain(dataset.weight.cap)}
        return shown | {name: each for name, each in self.facts(dataset).items() if name != "metric"}

    @property
    def _by_margin(self) -> bool:
        """Return whether nodes are ranked by their margins: where it is asked, or by a public rule of one metric."""
        free = self.mechanism is None and self.method != _JOINT and len(self.metrics) == 1
        return self.margin or (free and METRICS[self.metrics[0]].by_margin)

    @property
    def _usual(self) -> str:
        if self.method == _JOINT:
            return "exponential"
        if self._by_margin or self.pareto:
            return "permute-and-flip"
        return DAMPENING if len(self.metrics) > 1 else METRICS[self.metrics[0]].mechanism

    @property
    def _unit(self) -> str:
        if self._by_steps:
            return "edges"
        return METRICS[self.metrics[0]].unit if len(self.metrics) == 1 else ""

    @property
    def _by_steps(self) -> bool:
        """Return whether nodes are ranked by their distance from the Pareto front; dampening takes another score."""
        return self.pareto and "dampening" not in (self.mechanism or "")

    @property
    def _decay(self) -> int | None:
        return (self.decay or USUAL_DECAY) if DECAY in self.metrics else None

    @property
    def _metric_text(self) -> str:
        combined = "steps to the Pareto front" if self._by_steps else "Pareto" if self.pareto else "weighted"
        how = f", {combined}" if len(self.metrics) > 1 else ""
        return f"{' and '.join(self.metrics)}{how}"

    @property
    def _formula(self) -> str:
        if self.weights is None:
            return self._metric_text
        return " + ".join(f"{weight} x {metric}" for weight, metric in zip(self.weights, self.metrics, strict=True))

    def scores(self, data: QueryData) -> Scores:
        """Return the score that ranks the nodes."""
        from dpselect.scores.combine import aggregate, pareto
        from dpselect.scores.pareto_margin import pareto_margin

        objectives = self.objectives(data)
        if len(objectives) == 1:
            return objectives[0]
        if self.weights is not None:
            return aggregate(objectives, [*self.weights])
        return pareto_margin(objectives) if self._by_steps else pareto(objectives)

    def objectives(self, data: QueryData) -> list[Scores]:
        """Return the score of every node by each metric."""
        from dpselect.queries.metrics import scores_of
        from dpselect.views import DirectedGraph, Graph, TruncatedGraph, WeightedGraph

        kinds = {FOLLOWERS: DirectedGraph, WEIGHTED: WeightedGraph}
        graph, most = data.graph(kinds.get(self.metrics[0], Graph)), data.dataset.max_degree
        if self.truncate:
            assert most is not None
            graph = TruncatedGraph(graph, most)
        close = self._by_margin or (len(self.metrics) == 1 and self.mechanism in CLOSE)
        how: dict[str, Any] = {"max_degree": most, "decay": self._decay or USUAL_DECAY, "close": close}
        return [scores_of(metric, graph, workers=data.workers, **how) for metric in self.metrics]


def _size(dataset: Dataset) -> int:
    return len(dataset.nodes) if isinstance(dataset.nodes, tuple) else dataset.nodes or 0


def _plain(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"
