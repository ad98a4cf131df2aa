"""Triangles and their sensitivity."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.scores.sensitivity import profiles
from dpselect.utilities import triangles
from dpselect.utilities.triangles import sensitivity_of_overlaps
from tests.utilities.enumeration import admissible, tabulate, tightness


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 25), st.floats(0, 1), st.integers(0, 10**6))
def test_random_graphs_agree_with_networkx(nodes, density, seed) -> None:
    """Exact integers, and a sensitivity at distance 0 that is the widest overlap by the definition."""
    graph = nx.gnp_random_graph(nodes, density, seed=seed)
    ours = triangles(dps.Graph.from_networkx(graph), max_degree=nodes - 1)
    widest = [max(len({*graph[v]} & {*graph[w]}) for w in graph if w != v) for v in graph]

    assert list(nx.triangles(graph).values()) == ours.values.tolist()
    assert "i" == ours.values.dtype.kind
    assert np.minimum(np.array(widest) + 1, nodes - 2).tolist() == ours.sensitivity.at(1).tolist()


@pytest.mark.parametrize("max_degree", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_sensitivity_is_admissible_on_graphs_of_small_degree(max_degree: int) -> None:
    """A1 and A2 by enumeration, inside the graphs of that maximum degree; its ceiling is attained, half is caught."""
    universe = dps.audit.graphs(5, max_degree)
    table = tabulate(lambda graph: triangles(graph, max_degree), universe)

    assert admissible(table)
    assert max_degree - 1 == table.exact.max() == table.at.max() == table.reach
    assert not admissible(table, 0.5)


def test_the_sensitivity_is_admissible_on_all_graphs_of_five_nodes() -> None:
    """A1 and A2 by enumeration, and tightness below the reach is what the proof file says; a little less is caught."""
    table = tabulate(lambda graph: triangles(graph, 4), dps.audit.graphs(5))

    assert admissible(table)
    assert 3 == table.exact.max() == table.at.max() == table.reach
    assert not admissible(table, 0.99)
    assert (0.854, 2.0, [1.0, 0.827, 0.736]) == tightness(table)


@pytest.mark.slow
@pytest.mark.parametrize("max_degree", [2, 3, 5])
def test_the_sensitivity_is_admissible_on_all_graphs_of_six_nodes(max_degree: int) -> None:
    """32,768 graphs, or those of maximum degree 2 and 3."""
    universe = dps.audit.graphs(6, None if max_degree == 5 else max_degree)
    verdict = dps.audit.admissible(lambda graph: triangles(graph, max_degree), universe)

    assert verdict.admissible, verdict.counterexample


def test_one_more_edge_moves_all_scores_the_same_way() -> None:
    """Range bound 1, on all graphs of four nodes."""
    universe = dps.audit.graphs(4)
    values = np.array([triangles(graph, 3).values for graph in universe])
    moves = values[universe.near] - values[:, None]

    assert ((moves >= 0).all(axis=2) | (moves <= 0).all(axis=2)).all()
    assert 2 == np.abs(moves).max()


def with_overlaps(count) -> dps.audit.Admissibility:
    """The verdict on overlaps that are counted by another rule, on all graphs of four nodes."""

    def scores(graph: dps.Graph) -> dps.Scores:
        overlap, degrees = count(graph), graph.degrees
        honest = triangles(graph, 3)

        def rows(t: np.ndarray) -> np.ndarray:
            return np.minimum(np.maximum(overlap + t[:, None], degrees >= 2), 2).astype(float)

        bound = profiles(rows, profile=np.arange(4), ceiling=2.0, reach=2)
        return dps.Scores(honest.values, bound, neighbours="edge", zero="worst")

    return dps.audit.admissible(scores, dps.audit.graphs(4))


def shared(graph: dps.Graph, mask) -> np.ndarray:
    """The most neighbours that each node shares with any other that the mask allows."""
    adjacent = np.zeros((4, 4), dtype=np.int64)
    adjacent[np.repeat(np.arange(4), graph.degrees), graph.indices] = 1
    common = adjacent @ adjacent
    np.fill_diagonal(common, 0)
    return np.where(mask(adjacent), common, 0).max(axis=1)


def test_overlaps_with_neighbours_or_with_strangers_alone_are_caught() -> None:
    """An edge that comes has a stranger at its end, one that goes a neighbour: C looks at both."""
    assert with_overlaps(lambda graph: shared(graph, lambda adjacent: adjacent >= 0)).admissible
    assert not with_overlaps(lambda graph: shared(graph, lambda adjacent: adjacent == 1)).admissible
    assert not with_overlaps(lambda graph: shared(graph, lambda adjacent: adjacent == 0)).admissible


def test_a_bound_read_from_the_private_graph_is_caught() -> None:
    """With D the graph's own maximum degree, one more edge raises the ceiling."""

    def private(graph: dps.Graph) -> dps.Scores:
        return triangles(graph, max(2, int(graph.degrees.max())))

    assert not dps.audit.admissible(private, dps.audit.graphs(4)).admissible


@pytest.mark.parametrize("degree", [2, 3, 9])
def test_for_every_degree_some_graph_attains_the_ceiling(degree: int) -> None:
    """Two nodes that share all of their neighbours meet."""
    leaves = [*range(2, degree + 1)]
    source, target = [0] * (degree - 1) + [1] * (degree - 1), 2 * leaves
    apart = dps.Graph.from_edges(source, target, nodes=degree + 1)
    joined = dps.Graph.from_edges([*source, 0], [*target, 1], nodes=degree + 1)
    before, after = (triangles(graph, degree) for graph in (apart, joined))

    assert degree - 1 == after.values[0] - before.values[0] == before.sensitivity.at(0)[0] == after.sensitivity.at(0)[0]


def test_a_lone_edge_starts_with_a_safe_zero_and_a_star_does_not() -> None:
    """Leaves of a star share its centre; no edge closes a triangle at a node of a lone edge."""
    scores = triangles(dps.Graph.from_edges([0, 0, 3], [1, 2, 4], nodes=5), max_degree=4)

    assert [[1, 1, 1, 0, 0], [1, 2, 2, 1, 1]] == scores.sensitivity.at([0, 1]).tolist()
    assert ("worst", 3.0, 3, 1) == (
        scores.zero,
        scores.sensitivity.ceiling,
        scores.sensitivity.reach,
        scores.range_bound,
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=6),
    st.integers(2, 12),
    st.integers(0, 40),
)
def test_sums_in_closed_form_are_the_sums(pairs, max_degree, t) -> None:
    """total(t) is the sum of delta at distances below t."""
    degrees, overlap = (np.array([sorted(pair)[at] for pair in pairs]) for at in (1, 0))
    built = sensitivity_of_overlaps(lambda: overlap, degrees, max_degree).over(len(pairs))
    walked = built.at(np.arange(t)).sum(axis=0) if t else np.zeros(len(pairs))

    assert walked.tolist() == built.total(np.array([t]))[0, built.profile].tolist()


def test_threads_change_nothing() -> None:
    """Two workers count as one does."""
    graph = dps.Graph.from_networkx(nx.gnp_random_graph(200, 0.1, seed=1))
    one, two = (triangles(graph, 199, workers) for workers in (1, 2))

    assert np.array_equal(one.values, two.values)
    assert np.array_equal(one.sensitivity.at(0), two.sensitivity.at(0))


@pytest.mark.parametrize(
    ("max_degree", "error", "message"),
    [
        (None, dps.PrivacyError, "The count of triangles needs max_degree="),
        (2.5, ValueError, "integer"),
        (1, ValueError, "always zero"),
        (4, ValueError, "For the curator"),
    ],
)
def test_bad_bounds_are_refused(max_degree, error, message: str) -> None:
    """Missing, too small, or exceeded by the graph: no node is named."""
    star = dps.Graph.from_edges([0] * 5, range(1, 6), nodes=7)
    with pytest.raises(error, match=message) as refusal:
        triangles(star, max_degree)
    assert "5" not in str(refusal.value)


def test_tiny_graphs_and_odd_workers_are_refused() -> None:
    """Two nodes are in no triangle; threads are counted from one."""
    with pytest.raises(ValueError, match="at least 3 nodes"):
        triangles(dps.Graph.from_edges([0], [1], nodes=2), 5)
    with pytest.raises(ValueError, match="workers counts threads"):
        triangles(dps.Graph.from_edges([0], [1], nodes=3), 2, workers=0)


@pytest.mark.data("enron")
@pytest.mark.slow
def test_enron_agrees_with_networkx() -> None:
    """The real graph, all nodes."""
    from dpselect import datasets

    graph = datasets.graph("enron")
    plain = nx.Graph()
    plain.add_nodes_from(range(len(graph)))
    one = np.repeat(np.arange(len(graph)), graph.degrees)
    plain.add_edges_from(zip(one.tolist(), graph.indices.tolist(), strict=True))

    assert list(nx.triangles(plain).values()) == triangles(graph, 1383).values.tolist()
    assert list(nx.core_number(plain).values()) == dps.utilities.core_number(graph).values.tolist()
