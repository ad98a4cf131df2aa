"""The most central nodes of a graph."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

import dpselect as dps
from dpselect.kernel.budget import Accountant
from dpselect.release.release import Release
from dpselect.web.server.facts import DatasetFacts
from dpselect.web.server.questions.most_common import MOST_WINNERS
from dpselect.web.server.questions.question import Data, Question, require_few
from dpselect.web.server.refusal import Wrong

# Of so many nodes a metric is computed within a second.
_MANY = 2000


class TopK(Question):
    """The k nodes of a graph that are largest by a metric.

    Attributes:
        metric: what they are ranked by; triangles need a public bound on degrees, which cuts the graph.
        k: how many to name.
    """

    question: Literal["top_k"]
    metric: Literal["degree", "core-number", "ego-density", "triangles"]
    k: Annotated[int, Field(ge=1, le=MOST_WINNERS)] = 1

    def require(self, facts: DatasetFacts, most: int) -> None:
        """Refuse what is not a graph, and more winners than nodes."""
        if facts.nodes is None:
            raise Wrong("This dataset is a table: ask about one of its columns.")
        nodes = facts.nodes if isinstance(facts.nodes, int) else len(facts.nodes)
        require_few(nodes, most)
        if self.k > nodes:
            raise Wrong(f"This graph has {nodes} nodes: ask for at most as many.")
        if self.metric == "triangles" and facts.max_degree is None:
            raise Wrong("Triangles need a public bound on degrees, which this dataset has not: ask by degree.")

    def ask(self, data: Data, facts: DatasetFacts, ledger: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.top_k`."""
        return dps.top_k(self._scores(data.graph(), facts), self.k, epsilon=self.epsilon, ledger=ledger)

    def is_long(self, facts: DatasetFacts) -> bool:
        """Return whether more is counted than edges, in a large graph."""
        nodes = facts.nodes if isinstance(facts.nodes, int) else len(facts.nodes or ())
        return self.metric != "degree" and nodes > _MANY

    def _scores(self, graph: dps.Graph, facts: DatasetFacts) -> dps.Scores:
        if self.metric == "triangles" and facts.max_degree is not None:
            return dps.data.TruncatedGraph(graph, facts.max_degree).scores(dps.utilities.triangles)
        metrics = {
            "degree": dps.utilities.degree,
            "core-number": dps.utilities.core_number,
            "ego-density": dps.utilities.ego_density,
        }
        return metrics[self.metric](graph)

    def words(self) -> str:
        """Return the question in words."""
        return f"Which {self.k} nodes are largest by {self.metric}?"

    def public(self, facts: DatasetFacts) -> dict[str, Any]:
        """Return the nodes and the bound on degrees."""
        cut = {"max degree": facts.max_degree} if self.metric == "triangles" else {}
        nodes: Any = facts.nodes if isinstance(facts.nodes, int) else [*(facts.nodes or ())]
        return {"nodes": nodes} | cut
