"""Open pairs and their sensitivity."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.scores.sensitivity import profiles
from dpselect.utilities import ego_betweenness, open_pairs
from dpselect.utilities.open_pairs import sensitivity_of_degrees
from tests.utilities.enumeration import admissible, tabulate, tightness


def counted(graph: nx.Graph) -> list[int]:
    """The definition, pair by pair."""
    return [
        sum(not graph.has_edge(a, b) for i, a in enumerate(near) for b in near[:i])
        for near in (list(graph[v]) for v in graph)
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 14), st.floats(0, 1), st.integers(0, 10**6))
def test_random_graphs_agree_with_the_definition(nodes, density, seed) -> None:
    """Exact integers, never below ego betweenness."""
    graph = nx.gnp_random_graph(nodes, density, seed=seed)
    plain = dps.Graph.from_networkx(graph)
    ours = open_pairs(plain, max_degree=nodes - 1)

    assert counted(graph) == ours.values.tolist()
    assert "i" == ours.values.dtype.kind
    assert (ours.values >= ego_betweenness(plain, max_degree=nodes - 1).values - 1e-9).all()


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (nx.empty_graph(4), [0, 0, 0, 0]),
        (nx.complete_graph(6), [0] * 6),
        (nx.star_graph(5), [10, 0, 0, 0, 0, 0]),
        (nx.cycle_graph(5), [1] * 5),
        (nx.complete_bipartite_graph(2, 3), [3, 3, 1, 1, 1]),
    ],
)
def test_known_graphs(graph: nx.Graph, expected: list[int]) -> None:
    """No edges, all edges, a star, a ring, two sides."""
    assert expected == open_pairs(dps.Graph.from_networkx(graph), max_degree=5).values.tolist()


@pytest.mark.parametrize("max_degree", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_sensitivity_is_admissible_on_graphs_of_small_degree(max_degree: int) -> None:
    """A1 and A2 by enumeration, inside the graphs of that maximum degree; its ceiling is attained, half is caught."""
    universe = dps.audit.graphs(5, max_degree)
    table = tabulate(lambda graph: open_pairs(graph, max_degree=max_degree), universe)

    assert admissible(table)
    assert max_degree - 1 == table.exact.max() == table.at.max() == table.reach
    assert not admissible(table, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("max_degree", [2, 3, 5])
def test_the_sensitivity_is_admissible_on_all_graphs_of_six_nodes(max_degree: int) -> None:
    """32,768 graphs, or those of maximum degree 2 and 3."""
    universe = dps.audit.graphs(6, None if max_degree == 5 else max_degree)
    verdict = dps.audit.admissible(lambda graph: open_pairs(graph, max_degree=max_degree), universe)

    assert verdict.admissible, verdict.counterexample


def test_the_sensitivity_is_admissible_on_all_graphs_of_five_nodes() -> None:
    """A1 and A2 by enumeration, and tightness below the reach is what the proof file says; half is caught."""
    table = tabulate(lambda graph: open_pairs(graph, max_degree=4), dps.audit.graphs(5))

    assert admissible(table)
    assert 3 == table.exact.max() == table.at.max() == table.reach
    assert not admissible(table, 0.5)
    assert (0.572, 3.0, [0.499, 0.524, 0.692]) == tightness(table)


def test_one_less_than_the_degree_is_caught() -> None:
    """An isolated edge is the exception: a star with d leaves opens d pairs by one more leaf."""

    def wrong(graph: dps.Graph) -> dps.Scores:
        def rows(t: np.ndarray) -> np.ndarray:
            return np.minimum(np.maximum(graph.degrees - 1, 0) + t[:, None], 3).astype(float)

        return dps.Scores(
            open_pairs(graph, max_degree=3).values,
            profiles(rows, profile=np.arange(4), ceiling=3.0, reach=3),
            neighbours="edge",
        )

    assert not dps.audit.admissible(wrong, dps.audit.graphs(4)).admissible


def test_a_bound_read_from_the_private_graph_is_caught() -> None:
    """With D the graph's own maximum degree, one more edge raises the ceiling."""

    def private(graph: dps.Graph) -> dps.Scores:
        largest = int(graph.degrees.max())
        if largest < 2:
            return dps.Scores(np.zeros(4, dtype=int), dps.sensitivity.constant(1.0), neighbours="edge")
        return open_pairs(graph, max_degree=largest)

    assert not dps.audit.admissible(private, dps.audit.graphs(4)).admissible


@pytest.mark.parametrize("degree", [2, 3, 9])
def test_for_every_degree_some_graph_attains_the_bound(degree: int) -> None:
    """The last leaf of a star opens a pair with every other."""
    star = dps.Graph.from_edges([0] * degree, range(1, degree + 1), nodes=degree + 2)
    more = dps.Graph.from_edges([0] * (degree + 1), range(1, degree + 2), nodes=degree + 2)
    before, after = (open_pairs(graph, max_degree=degree + 1) for graph in (star, more))

    assert degree == after.values[0] - before.values[0] == before.sensitivity.at(0)[0] == after.sensitivity.at(0)[0]


def test_a_node_without_neighbours_starts_with_a_safe_zero() -> None:
    """delta is 0 at distance 0 and rises by 1 a step; the score says that 0 is the worst there is."""
    scores = open_pairs(dps.Graph.from_edges([0], [1], nodes=4), max_degree=3)

    assert [[1, 1, 0, 0], [2, 2, 1, 1], [2, 2, 2, 2]] == scores.sensitivity.at([0, 1, 2]).tolist()
    assert ("worst", 2.0, 2, 2) == (
        scores.zero,
        scores.sensitivity.ceiling,
        scores.sensitivity.reach,
        scores.range_bound,
    )


def test_dampening_ranks_a_hub_of_strangers_before_a_larger_clique() -> None:
    """A node in a clique has the larger degree and no open pair; the law prefers the broker."""
    graph = nx.disjoint_union(nx.complete_graph(9), nx.star_graph(7))
    scores = open_pairs(dps.Graph.from_networkx(graph), max_degree=16)
    mechanism = dps.mechanism("local-dampening-flip")
    law = np.exp(mechanism.tick_log_pmf(*mechanism.quantize(scores, Fraction(10))))

    assert 9 == np.argmax(law)
    assert law[9] > 2 * law[0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=6), st.integers(2, 12), st.integers(0, 40))
def test_sums_in_closed_form_are_the_sums(degrees, max_degree, t) -> None:
    """total(t) is the sum of delta at distances below t."""
    degrees = np.minimum(degrees, max_degree)
    built = sensitivity_of_degrees(degrees, max_degree).over(len(degrees))
    walked = built.at(np.arange(t)).sum(axis=0) if t else np.zeros(len(degrees))

    assert walked.tolist() == built.total(np.array([t]))[0, built.profile].tolist()


def test_sums_in_closed_form_are_exact_for_the_largest_degrees() -> None:
    """Against integers of any size: what a float holds of them, not less."""
    most, t = 2**31 - 2, 2**31
    built = sensitivity_of_degrees(np.array([0, 5, most, most + 1]), most + 1)
    exact = [
        (most * (most - 1) - start * (start - 1)) // 2 + (t - (most - start)) * most for start in (0, 5, most, most)
    ]

    assert [float(each) for each in exact] == built.total(np.array([t]))[0].tolist()


def test_threads_change_nothing() -> None:
    """Two workers count as one does."""
    graph = dps.Graph.from_networkx(nx.gnp_random_graph(200, 0.1, seed=1))
    one, two = (open_pairs(graph, max_degree=199, workers=workers).values for workers in (1, 2))

    assert np.array_equal(one, two)


@pytest.mark.parametrize(
    ("max_degree", "error", "message"),
    [
        (None, dps.PrivacyError, "The count of open pairs needs max_degree="),
        (2.5, ValueError, "integer"),
        (True, ValueError, "integer"),
        (1, ValueError, "always zero"),
        (4, ValueError, "For the curator"),
    ],
)
def test_bad_bounds_are_refused(max_degree, error, message: str) -> None:
    """Missing, too small, or exceeded by the graph: no node is named."""
    star = dps.Graph.from_edges([0] * 5, range(1, 6), nodes=7)
    with pytest.raises(error, match=message) as refusal:
        open_pairs(star, max_degree=max_degree)
    assert "5" not in str(refusal.value)


def test_tiny_graphs_and_odd_workers_are_refused() -> None:
    """Two nodes have no pair of neighbours; threads are counted from one."""
    with pytest.raises(ValueError, match="at least 3 nodes"):
        open_pairs(dps.Graph.from_edges([0], [1], nodes=2), max_degree=5)
    with pytest.raises(ValueError, match="workers counts threads"):
        open_pairs(dps.Graph.from_edges([0], [1], nodes=3), max_degree=2, workers=0)


@pytest.mark.data("enron")
def test_enron_agrees_with_the_definition() -> None:
    """Two hundred nodes of the real graph, pair by pair."""
    from dpselect import datasets

    graph = datasets.graph("enron")
    near = [set(graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()) for v in range(len(graph))]
    values = open_pairs(graph, max_degree=1383).values
    few = [v for v in range(0, len(graph), 90) if len(near[v]) < 200]

    assert len(few) > 200
    for v in few:
        assert sum(b not in near[a] for a in near[v] for b in near[v] if a < b) == values[v]
