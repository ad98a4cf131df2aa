"""Log betweenness and its sensitivity."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.utilities import ego_betweenness, log_betweenness
from tests.utilities.enumeration import admissible, tabulate


def test_one_is_admissible_on_all_graphs_of_five_nodes() -> None:
    """A1 and A2 by enumeration; it is attained, and half of it is caught."""
    table = tabulate(log_betweenness, dps.audit.graphs(5))

    assert admissible(table)
    assert 1.0 == table.exact.max()
    assert not admissible(table, 0.5)


@pytest.mark.slow
def test_one_is_admissible_on_all_graphs_of_six_nodes() -> None:
    """32,768 graphs."""
    assert dps.audit.admissible(log_betweenness, dps.audit.graphs(6)).admissible


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 14), st.floats(0, 1), st.integers(0, 10**6))
def test_one_edge_of_a_random_graph_moves_every_score_by_at_most_one(nodes, density, seed) -> None:
    """And the score is the logarithm of what it says."""
    rng = np.random.default_rng(seed)
    one, other = np.triu_indices(nodes, 1)
    edges = rng.random(one.size) < density
    more = edges.copy()
    more[rng.integers(one.size)] ^= True
    graph, near = (dps.Graph.from_edges(one[each], other[each], nodes=nodes) for each in (edges, more))
    before, after = log_betweenness(graph), log_betweenness(near)

    assert np.abs(before.values - after.values).max() <= 1 + 1e-12
    betweenness = ego_betweenness(graph, max_degree=nodes - 1).values
    assert np.allclose(2**before.values, betweenness + graph.degrees + 1, rtol=1e-12)


def test_a_graph_without_edges_scores_zero_and_nothing_is_below() -> None:
    """Two nodes do: no maximum degree, no least number of nodes."""
    scores = log_betweenness(dps.Graph.from_edges([], [], nodes=2))

    assert ([0.0, 0.0], "worst", 1.0, 2) == (
        scores.values.tolist(),
        scores.zero,
        scores.sensitivity.ceiling,
        scores.range_bound,
    )
