"""What metrics of undirected edges are asked of."""

import networkx as nx
import pytest

import dpselect as dps

DIRECTED = dps.DirectedGraph.from_edges([0, 1], [1, 2], nodes=4)
WEIGHTED = dps.WeightedGraph.from_edges([0, 1], [1, 2], [3, 4], nodes=4, cap=5)


@pytest.mark.parametrize(
    "graph", [nx.path_graph(4), DIRECTED, WEIGHTED, None], ids=["networkx", "directed", "weighted", "none"]
)
@pytest.mark.parametrize(
    ("metric", "bound"),
    [
        ("degree", {}),
        ("core_number", {}),
        ("ego_density", {}),
        ("log_betweenness", {}),
        ("ego_betweenness", {"max_degree": 3}),
        ("linear_decay", {"max_degree": 3}),
        ("open_pairs", {"max_degree": 3}),
        ("triangles", {"max_degree": 3}),
        ("two_step_reach", {"max_degree": 3}),
    ],
)
def test_what_is_not_an_undirected_graph_is_refused_with_what_to_pass(
    metric: str, bound: dict[str, int], graph
) -> None:
    """In one sentence, whatever the metric."""
    with pytest.raises(TypeError, match=r"pass a dpselect\.Graph, such as dpselect\.Graph\.from_networkx\(graph\)\."):
        getattr(dps.utilities, metric)(graph, **bound)


def test_a_recommendation_needs_a_graph_of_this_library() -> None:
    """The same sentence."""
    with pytest.raises(TypeError, match=r"pass a dpselect\.Graph"):
        dps.recommend_metric(nx.path_graph(9), 2, 1, max_degree=4, data="public")
