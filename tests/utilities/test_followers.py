"""Followers: different others that point to a node."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.utilities import followers
from tests.utilities.enumeration import admissible, tabulate, tightness


def test_followers_are_exact_integers_with_range_bound_one() -> None:
    """Monotone, for person neighbours."""
    scores = followers(dps.data.DirectedGraph.from_edges([0, 1, 1], [2, 2, 0], nodes=4))

    assert [1, 0, 2, 0] == scores.values.tolist()
    assert ("i", 1, "person", 1.0) == (
        scores.values.dtype.kind,
        scores.range_bound,
        scores.neighbours,
        scores.sensitivity.ceiling,
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-1, 6), st.integers(-1, 6)), max_size=30))
def test_each_pair_counts_once_and_nobody_follows_themselves(pairs) -> None:
    """Against sets of sources; strangers are left out, in labels as in numbers."""
    good = [(a, b) for a, b in pairs if 0 <= min(a, b) and max(a, b) < 6]
    expected = [len({a for a, b in good if b == v != a}) for v in range(6)]
    graph = dps.data.DirectedGraph.from_edges([a for a, _ in pairs], [b for _, b in pairs], nodes=6)
    named = dps.data.DirectedGraph.from_edges(
        [f"v{a}" for a, _ in pairs], [f"v{b}" for _, b in pairs], nodes=[f"v{i}" for i in range(6)]
    )

    assert expected == graph.followers.tolist() == named.followers.tolist()
    loops = sum(a == b for a, b in good)
    assert (len(pairs) - len(good), loops) == (graph.unknown_nodes_dropped, graph.self_loops_dropped)
    assert len(good) - loops - sum(expected) == graph.duplicates_dropped


def test_a_whole_list_raises_each_node_by_one_and_lowers_none() -> None:
    """All directed graphs of four nodes and every list that comes or goes; one that is replaced may do both."""
    universe = dps.audit.directed_graphs(4)
    values = np.array([followers(graph).values for graph in universe])
    moves = values[universe.near] - values[:, None]

    assert 4096 == len(universe)
    assert (1, 1, 3) == (np.abs(moves).max(), np.ptp(moves, axis=2).max(), moves.sum(axis=2).max())
    assert ((moves >= 0).all(axis=2) | (moves <= 0).all(axis=2)).all()
    replaced = np.subtract(
        *(followers(dps.data.DirectedGraph.from_edges([0, 0], each, nodes=4)).values for each in ([1, 2], [2, 3]))
    )
    assert [0, 1, 0, -1] == replaced.tolist()


def test_sensitivity_one_is_admissible_and_exact_on_all_directed_graphs_of_three_nodes() -> None:
    """By enumeration; half of it is caught."""
    table = tabulate(followers, dps.audit.directed_graphs(3))

    assert admissible(table)
    assert not admissible(table, 0.5)
    assert 1.0 == tightness(table)[1]


def test_a_graph_without_directions_is_refused_by_its_type() -> None:
    """Whatever its edges are."""
    networkx = pytest.importorskip("networkx")
    with pytest.raises(TypeError, match="DirectedGraph"):
        followers(dps.Graph.from_edges([], [], nodes=2))
    with pytest.raises(ValueError, match="DiGraph"):
        dps.data.DirectedGraph.from_networkx(networkx.path_graph(3))
    with pytest.raises(ValueError, match="same length"):
        dps.data.DirectedGraph.from_edges([0], [1, 2], nodes=3)
    assert "DirectedGraph(nodes=0)" == repr(dps.data.DirectedGraph.from_edges([], [], nodes=0))


def test_files_and_engines_count_the_same(tmp_path) -> None:
    """Source points to target."""
    rng = np.random.default_rng(4)
    source, target = rng.integers(-1, 21, (2, 300))
    rows = "".join(f"{a},{b}\n" for a, b in zip(source, target, strict=True))
    (tmp_path / "e.csv").write_text("source,target\n" + rows)
    expected = followers(dps.data.DirectedGraph.from_edges(source, target, nodes=20)).values.tolist()

    assert expected == followers(dps.data.DirectedGraph.read(tmp_path / "e.csv", nodes=20)).values.tolist()
    assert expected == followers(dps.data.StoredGraph(str(tmp_path / "e.csv"), 20)).values.tolist()
