"""What metrics take for a graph, and what they refuse."""

import warnings
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

import dpselect as dps
from dpselect.sources.graphs import GraphPartsWarning

EDGES = [(0, 1), (1, 2), (0, 2), (2, 3)]
OURS = dps.Graph.from_edges(*zip(*EDGES, strict=True), nodes=5)
DIRECTED = dps.data.DirectedGraph.from_edges([0, 1], [1, 2], nodes=4)
WEIGHTED = dps.data.WeightedGraph.from_edges([0, 1], [1, 2], [3, 4], nodes=4, cap=5)
METRICS: list[tuple[str, dict[str, int]]] = [
    ("degree", {}),
    ("core_number", {}),
    ("ego_density", {}),
    ("log_betweenness", {}),
    ("ego_betweenness", {"max_degree": 4}),
    ("linear_decay", {"max_degree": 4}),
    ("open_pairs", {"max_degree": 4}),
    ("triangles", {"max_degree": 4}),
    ("two_step_reach", {"max_degree": 4}),
]


def of_networkx(kind: Any = nx.Graph) -> Any:
    """The same edges, and a node without any."""
    graph = kind(EDGES)
    graph.add_node(4)
    return graph


def of_scipy() -> Any:
    """The same edges, one way."""
    matrix = np.zeros((5, 5), dtype=bool)
    matrix[tuple(zip(*EDGES, strict=True))] = True
    return csr_array(matrix)


FOREIGN = [of_networkx(), igraph.Graph(5, EDGES), of_scipy()]


@pytest.mark.parametrize("graph", FOREIGN, ids=["networkx", "igraph", "scipy"])
@pytest.mark.parametrize(("metric", "bound"), METRICS)
def test_graphs_of_other_libraries_are_scored_alike(metric: str, bound: dict[str, int], graph: Any) -> None:
    """With the nodes that they have, isolated ones included."""
    utility = getattr(dps.utilities, metric)
    scores, expected = utility(graph, **bound), utility(OURS, **bound)

    assert (list(range(5)), expected.values.tolist()) == (list(scores.candidates), scores.values.tolist())


@pytest.mark.parametrize("graph", FOREIGN, ids=["networkx", "igraph", "scipy"])
def test_they_are_truncated_recommended_and_scored_as_published_too(graph: Any) -> None:
    """Wherever a graph is passed."""
    truncated = dps.data.TruncatedGraph(graph, max_degree=2).scores(dps.utilities.degree)
    advice = dps.accuracy.recommend_metric(graph, 1, epsilon=5, max_degree=4, data="public")
    published = dps.papers.ego_betweenness(graph, max_degree=4)

    assert dps.data.TruncatedGraph(OURS, 2).scores(dps.utilities.degree).values.tolist() == truncated.values.tolist()
    assert dps.accuracy.recommend_metric(OURS, 1, epsilon=5, max_degree=4, data="public") == advice
    assert dps.papers.ego_betweenness(OURS, max_degree=4).values.tolist() == published.values.tolist()


@pytest.mark.parametrize("graph", [of_networkx(nx.DiGraph), igraph.Graph(5, EDGES, directed=True)])
def test_followers_are_counted_where_there_are_directions(graph: Any) -> None:
    """And nowhere else."""
    assert [0, 1, 2, 1, 0] == dps.utilities.followers(graph).values.tolist()
    for without in FOREIGN:
        with pytest.raises(TypeError, match="directed graph of NetworkX or igraph"):
            dps.utilities.followers(without)


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (of_networkx(nx.DiGraph), "Directions are dropped"),
        (of_scipy().astype(float), "Entries of a matrix are read as edges"),
    ],
    ids=["directions", "entries"],
)
def test_what_is_dropped_is_said_where_the_graph_was_passed(graph: Any, words: str) -> None:
    """The warning names the line of the caller."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        dps.utilities.degree(graph)

    ours = [each for each in said if issubclass(each.category, GraphPartsWarning)]
    assert [(__file__, True)] == [(each.filename, str(each.message).startswith(words)) for each in ours]


@pytest.mark.parametrize("graph", [DIRECTED, WEIGHTED, None, "graph"], ids=["directed", "weighted", "none", "text"])
@pytest.mark.parametrize(("metric", "bound"), METRICS)
def test_what_is_not_an_undirected_graph_is_refused_with_what_to_pass(
    metric: str, bound: dict[str, int], graph: Any
) -> None:
    """In one sentence, whatever the metric."""
    with pytest.raises(TypeError, match=r"pass a dpselect\.Graph, a graph of NetworkX or igraph, or a sparse matrix\."):
        getattr(dps.utilities, metric)(graph, **bound)


def test_a_recommendation_needs_a_graph_without_directions() -> None:
    """The same sentence."""
    with pytest.raises(TypeError, match=r"pass a dpselect\.Graph"):
        dps.accuracy.recommend_metric(DIRECTED, 2, epsilon=1, max_degree=4, data="public")
