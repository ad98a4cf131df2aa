"""The most central nodes of a graph."""

from __future__ import annotations

from typing import Any

from dpselect import utilities
from dpselect.dataset import Dataset
from dpselect.kernel.budget import Accountant
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.columns import require_winners
from dpselect.queries.kinds import argument, choice, whole
from dpselect.queries.most_common import MOST_WINNERS
from dpselect.release.release import Release
from dpselect.release.select import top_k
from dpselect.scores.scores import Scores
from dpselect.views import Graph, TruncatedGraph

# Of so many nodes a metric is computed within a second.
_MANY = 2000
_METRICS = ("degree", "core-number", "ego-density", "triangles")


class TopK(Query[Any]):
    """The k nodes of a graph that are largest by a metric.

    Attributes:
        metric: the order of the nodes; triangles need a public bound on degrees, which cuts the graph.
        k: how many to name.
    """

    name = "top_k"
    title = "Top nodes"
    of_graph = True

    metric: str = argument(choice(*_METRICS), "the order of the nodes", kw_only=False, label="Ranked by")
    k: int = argument(whole(1, MOST_WINNERS), "how many to name", default=1, label="How many")

    def candidates(self, dataset: Dataset) -> int:
        """Return the number of nodes; tables, and more winners than nodes, are refused."""
        if dataset.nodes is None:
            raise QueryError("This dataset is a table: ask about one of its columns.")
        if self.metric == "triangles" and dataset.max_degree is None:
            raise QueryError("Triangles need a public bound on degrees, which this dataset has not: ask by degree.")
        return require_winners(self.k, _size(dataset), "nodes")

    def release(self, data: QueryData, accountant: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.top_k`."""
        scores = self._scores(data.graph(), data.dataset)
        return top_k(scores, self.k, epsilon=self.epsilon, ledger=accountant)

    def is_long(self, dataset: Dataset) -> bool:
        """Return whether more is counted than edges, in a large graph."""
        return self.metric != "degree" and dataset.nodes is not None and _size(dataset) > _MANY

    def words(self) -> str:
        """Return the query in words."""
        return f"Which {f'{self.k} nodes are' if self.k > 1 else 'node is'} largest by {self.metric}?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the nodes and the bound on degrees."""
        cut = {"max degree": dataset.max_degree} if self.metric == "triangles" else {}
        nodes = [*dataset.nodes] if isinstance(dataset.nodes, tuple) else dataset.nodes
        return {"nodes": nodes} | cut

    def _scores(self, graph: Graph, dataset: Dataset) -> Scores:
        if self.metric == "triangles" and dataset.max_degree is not None:
            return TruncatedGraph(graph, dataset.max_degree).scores(utilities.triangles)
        metrics = {
            "degree": utilities.degree,
            "core-number": utilities.core_number,
            "ego-density": utilities.ego_density,
        }
        return metrics[self.metric](graph)


def _size(dataset: Dataset) -> int:
    return len(dataset.nodes) if isinstance(dataset.nodes, tuple) else dataset.nodes or 0
