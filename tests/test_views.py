"""Graphs over public nodes."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import dpselect as dps

edge_lists = st.integers(1, 9).flatmap(
    lambda n: st.tuples(
        st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30)
    )
)


def neighbours_of(graph: dps.Graph) -> list[set[int]]:
    """The neighbour sets, read back from the compressed rows."""
    return [
        set(graph.indices[a:b].tolist()) for a, b in zip(graph.indptr[:-1], graph.indptr[1:], strict=True)
    ]


@settings(max_examples=80, deadline=None)
@given(edge_lists)
def test_the_graph_is_simple_and_undirected(drawn) -> None:
    """Against NetworkX: same neighbours; loops and repetitions are dropped and counted."""
    n, pairs = drawn
    graph = dps.Graph.from_edges([a for a, _ in pairs], [b for _, b in pairs], nodes=n)
    other = nx.Graph([(a, b) for a, b in pairs if a != b])
    other.add_nodes_from(range(n))

    assert [set(other[v]) for v in range(n)] == neighbours_of(graph)
    assert sum(a == b for a, b in pairs) == graph.self_loops_dropped
    assert len(pairs) - graph.self_loops_dropped - other.number_of_edges() == graph.duplicates_dropped
    assert [other.degree[v] for v in range(n)] == graph.degrees.tolist()


def test_rows_are_sorted() -> None:
    """Kernels rely on sorted neighbours."""
    graph = dps.Graph.from_edges([0, 0, 0], [3, 1, 2], nodes=4)

    assert [1, 2, 3] == graph.indices[:3].tolist()


def test_labels_are_kept_in_the_order_given() -> None:
    """Text or numbers, isolated nodes included."""
    graph = dps.Graph.from_edges(["b", "a"], ["c", "b"], nodes=["z", "c", "b", "a"])

    assert ["z", "c", "b", "a"] == list(graph.candidates)
    assert [0, 1, 2, 1] == graph.degrees.tolist()
    assert [1, 1, 0] == dps.Graph.from_edges([70], [50], nodes=[50, 70, 60]).degrees.tolist()


def test_networkx_scipy_and_edges_give_the_same_graph() -> None:
    """Three doors, one room."""
    original = nx.gnp_random_graph(12, 0.3, seed=4)
    pairs = np.array(original.edges())
    ways = [
        dps.Graph.from_edges(pairs[:, 0], pairs[:, 1], nodes=12),
        dps.Graph.from_networkx(original),
        dps.Graph.from_scipy(nx.to_scipy_sparse_array(original)),
    ]

    for way in ways:
        assert neighbours_of(ways[0]) == neighbours_of(way)
        assert list(range(12)) == list(way.candidates)


def test_directed_and_parallel_edges_become_one() -> None:
    """A multigraph with directions is an undirected simple graph."""
    graph = dps.Graph.from_networkx(nx.MultiDiGraph([("a", "b"), ("b", "a"), ("a", "b"), ("b", "b")]))

    assert ([1, 1], 1, 2) == (graph.degrees.tolist(), graph.self_loops_dropped, graph.duplicates_dropped)


def test_an_empty_graph_has_its_nodes() -> None:
    """No edges at all is a graph."""
    assert [0, 0, 0] == dps.Graph.from_edges([], [], nodes=3).degrees.tolist()
    assert [0, 0] == dps.Graph.from_edges([], [], nodes=["a", "b"]).degrees.tolist()
    assert [0, 0] == dps.Graph.from_networkx(nx.empty_graph(2)).degrees.tolist()


def test_a_repr_does_not_tell_the_number_of_edges() -> None:
    """Nodes are public, edges are not."""
    assert "Graph(nodes=3)" == repr(dps.Graph.from_edges([0], [1], nodes=3))


def test_ten_million_edges_with_duplicates_are_taken() -> None:
    """Size is no reason to refuse."""
    draw = np.random.default_rng(0)
    source, target = draw.integers(0, 1000, (2, 10**7))
    graph = dps.Graph.from_edges(source, target, nodes=1000)

    assert 999 == graph.degrees.max()
    assert 10**7 == graph.self_loops_dropped + graph.duplicates_dropped + graph.degrees.sum() // 2


@pytest.mark.parametrize(
    ("source", "target", "nodes", "message"),
    [
        ([0], [1, 2], 3, "same length"),
        ([0], [3], 3, "beyond the 3 public nodes"),
        ([-1], [1], 3, "must not be negative"),
        ([0.5], [1.0], 3, "must be integers"),
        (["a"], ["b"], 3, "must be integers"),
        (["a"], ["secret"], ["a", "b"], "not public"),
        (["a"], ["b"], ["a", "b", "a"], "listed twice"),
        ([1], [2], ["a", "b"], "different kinds"),
        ([0], [1], -1, "a number >= 0"),
        ([1], [2], [], "not public"),
    ],
)
def test_bad_edges_are_refused_without_naming_anybody(source, target, nodes, message: str) -> None:
    """One sentence that says what to do, and no label of the data in it."""
    with pytest.raises(ValueError, match=message) as refusal:
        dps.Graph.from_edges(source, target, nodes=nodes)
    assert "secret" not in str(refusal.value)


def test_nodes_are_never_read_from_the_edges() -> None:
    """Without nodes= there is no graph."""
    with pytest.raises(dps.PrivacyError, match="pass nodes="):
        dps.Graph.from_edges([0], [1])
    with pytest.raises(dps.PrivacyError, match="pass nodes="):
        dps.Graph.read("edges.csv")


def test_networkx_edges_outside_the_public_nodes_are_refused() -> None:
    """A list of public nodes must cover the graph."""
    with pytest.raises(ValueError, match="not public"):
        dps.Graph.from_networkx(nx.path_graph(3), nodes=[0, 1])


def test_an_adjacency_matrix_is_square() -> None:
    """A rectangle is no graph."""
    with pytest.raises(ValueError, match="square"):
        dps.Graph.from_scipy(sparse.csr_matrix((2, 3)))


def test_an_unknown_shipped_graph_lists_the_known() -> None:
    """The message names what there is."""
    with pytest.raises(ValueError, match="lesmis, karate, florentine, davis"):
        dps.Graph.named("facebook")
