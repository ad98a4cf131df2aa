"""Two-step reach and its sensitivity."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.utilities import ego_arrays, two_step_reach
from dpselect.utilities.two_step_reach import sensitivity_of_largest
from tests.utilities.enumeration import admissible, tabulate, tightness


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 25), st.floats(0, 1), st.integers(0, 10**6))
def test_random_graphs_agree_with_distances(nodes, density, seed) -> None:
    """Twice 1 for a neighbour, twice 1/2 for a node at two steps: exact integers."""
    graph = nx.gnp_random_graph(nodes, density, seed=seed)
    ours = two_step_reach(dps.Graph.from_networkx(graph), max_degree=max(1, nodes)).values
    worth = {0: 0, 1: 2, 2: 1}

    assert [
        sum(worth[far] for far in nx.single_source_shortest_path_length(graph, v, 2).values()) for v in graph
    ] == ours.tolist()
    assert "i" == ours.dtype.kind


@pytest.mark.parametrize("max_degree", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_sensitivity_is_admissible_on_graphs_of_small_degree(max_degree: int) -> None:
    """A1 and A2 by enumeration, inside the graphs of that maximum degree; its ceiling is attained, half is caught."""
    universe = dps.audit.graphs(5, max_degree)
    table = tabulate(lambda graph: two_step_reach(graph, max_degree), universe)

    assert admissible(table)
    assert max_degree + 1 == table.exact.max() == table.at.max()
    assert max_degree - 1 == table.reach
    assert not admissible(table, 0.5)


def test_the_sensitivity_is_admissible_on_all_graphs_of_five_nodes() -> None:
    """A1 and A2 by enumeration, and tightness below the reach is what the proof file says; a little less is caught."""
    table = tabulate(lambda graph: two_step_reach(graph, 4), dps.audit.graphs(5))

    assert admissible(table)
    assert 5 == table.exact.max() == table.at.max()
    assert not admissible(table, 0.99)
    assert (0.355, 5.0, [0.121, 0.305, 0.641]) == tightness(table)


@pytest.mark.slow
@pytest.mark.parametrize("max_degree", [2, 3, 5])
def test_the_sensitivity_is_admissible_on_all_graphs_of_six_nodes(max_degree: int) -> None:
    """32,768 graphs, or those of maximum degree 2 and 3."""
    universe = dps.audit.graphs(6, None if max_degree == 5 else max_degree)
    verdict = dps.audit.admissible(lambda graph: two_step_reach(graph, max_degree), universe)

    assert verdict.admissible, verdict.counterexample


def test_one_more_edge_moves_all_scores_the_same_way() -> None:
    """Range bound 1, on all graphs of four nodes."""
    universe = dps.audit.graphs(4)
    values = np.array([two_step_reach(graph, 3).values for graph in universe])
    moves = values[universe.near] - values[:, None]

    assert ((moves >= 0).all(axis=2) | (moves <= 0).all(axis=2)).all()
    assert 4 == np.abs(moves).max()


def test_a_bound_read_from_the_private_graph_is_caught() -> None:
    """With D the graph's own maximum degree, one more edge raises the ceiling."""

    def private(graph: dps.Graph) -> dps.Scores:
        return two_step_reach(graph, max(1, int(graph.degrees.max())))

    assert not dps.audit.admissible(private, dps.audit.graphs(4)).admissible


@pytest.mark.parametrize("degree", [1, 2, 9])
def test_an_isolated_node_that_meets_a_hub_attains_the_bound(degree: int) -> None:
    """It gains the hub and all of its neighbours, on both sides the most that delta says at distance 0."""
    leaves = range(1, degree)
    star = dps.Graph.from_edges([0] * (degree - 1), leaves, nodes=degree + 1)
    more = dps.Graph.from_edges([0] * degree, [*leaves, degree], nodes=degree + 1)
    before, after = (two_step_reach(graph, degree) for graph in (star, more))

    assert degree + 1 == after.values[degree] - before.values[degree] == before.sensitivity.at(0)[0]
    assert degree + 1 == after.sensitivity.ceiling


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 40))
def test_sums_in_closed_form_are_the_sums(degree, max_degree, t) -> None:
    """total(t) is the sum of delta at distances below t."""
    built = sensitivity_of_largest(degree, max_degree)

    assert built.by_profile(np.arange(t)).sum() == built.total(np.array([t]))[0, 0]


def test_sums_in_closed_form_are_exact_for_the_largest_degrees() -> None:
    """Against integers of any size: what a float holds of them, not less."""
    most, t = 2**31 - 2, 2**31
    exact = (2 + most) * t - (most - 5) * (most - 4) // 2

    assert float(exact) == sensitivity_of_largest(5, most + 1).total(np.array([t]))[0, 0]


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers count as one does, where there are many nodes."""
    monkeypatch.setattr("dpselect.utilities.ego_arrays.REACH", -1)
    graph = dps.Graph.from_networkx(nx.gnp_random_graph(300, 0.02, seed=1))
    one, two = (two_step_reach(graph, 299, workers).values for workers in (1, 2))

    assert np.array_equal(one, two)


@pytest.mark.parametrize(
    ("max_degree", "error", "message"),
    [
        (None, dps.PrivacyError, "Two-step reach needs max_degree="),
        (2.5, ValueError, "integer"),
        (0, ValueError, "max_degree below 1 no edge may exist"),
        (4, ValueError, "For the curator"),
    ],
)
def test_bad_bounds_are_refused(max_degree, error, message: str) -> None:
    """Missing, too small, or exceeded by the graph: no node is named."""
    star = dps.Graph.from_edges([0] * 5, range(1, 6), nodes=7)
    with pytest.raises(error, match=message) as refusal:
        two_step_reach(star, max_degree)
    assert "5" not in str(refusal.value)


def test_odd_workers_are_refused() -> None:
    """Threads are counted from one."""
    with pytest.raises(ValueError, match="workers counts threads"):
        two_step_reach(dps.Graph.from_edges([0], [1], nodes=3), 2, workers=0)


def test_compiled_loops_count_as_arrays_do(monkeypatch) -> None:
    """Small graphs are counted with arrays; the loops for large ones find the same on all of five nodes."""
    universe = [*dps.audit.graphs(5)]
    arrays = [two_step_reach(graph, 4).values.tolist() for graph in universe]
    monkeypatch.setattr(ego_arrays, "REACH", 0)

    assert arrays == [two_step_reach(graph, 4).values.tolist() for graph in universe]
