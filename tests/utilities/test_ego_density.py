"""Ego density and its sensitivity."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.scores.sensitivity import profiles
from dpselect.utilities import ego_density
from dpselect.utilities.ego_density import sensitivity_of_degrees
from tests.utilities.enumeration import admissible, tabulate, tightness


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 14), st.floats(0, 1), st.integers(0, 10**6))
def test_random_graphs_agree_with_networkx(nodes, density, seed) -> None:
    """Density among the neighbours is the clustering coefficient."""
    graph = nx.gnp_random_graph(nodes, density, seed=seed)
    ours = ego_density(dps.Graph.from_networkx(graph))

    assert np.allclose(list(nx.clustering(graph).values()), ours.values, rtol=1e-12)


def test_a_node_with_one_neighbour_has_density_zero() -> None:
    """Our convention, stated in the docstring."""
    assert [0.0, 0.0, 0.0] == ego_density(dps.Graph.from_edges([0], [1], nodes=3)).values.tolist()


def test_the_sensitivity_is_admissible_on_all_graphs_of_five_nodes() -> None:
    """A1 and A2 by enumeration; half of it is caught."""
    table = tabulate(ego_density, dps.audit.graphs(5))

    assert admissible(table)
    assert 1.0 == table.exact.max()
    assert not admissible(table, 0.5)


@pytest.mark.slow
def test_tightness_is_what_the_proof_file_says() -> None:
    """On all graphs of five nodes, at the distances below the reach."""
    assert (0.893, 3.0, [0.789, 0.997]) == tightness(tabulate(ego_density, dps.audit.graphs(5)))


def test_for_every_degree_some_graph_attains_the_bound() -> None:
    """The only links join one neighbour w to the others: without vw the density falls from 2/d to 0."""
    for d in range(2, 9):
        links = [(1, x) for x in range(2, d + 1)] + [(0, x) for x in range(2, d + 1)]
        without = dps.Graph.from_edges([a for a, _ in links], [b for _, b in links], nodes=d + 1)
        source, target = zip(*links, (0, 1), strict=True)
        whole = ego_density(dps.Graph.from_edges(source, target, nodes=d + 1))

        assert 2 / d == whole.values[0] == whole.sensitivity.at(0)[0]
        assert 0 == ego_density(without).values[0]


def test_the_printed_sensitivity_is_caught() -> None:
    """Erratum to Lemma 7.2: 2 / (d - t - 2) is 2 at d - t = 3 and then falls to 1, which breaks A2."""

    def printed(graph: dps.Graph) -> dps.Scores:
        honest = ego_density(graph)

        def rows(t: np.ndarray) -> np.ndarray:
            left = graph.degrees - t[:, None]
            return np.where(left > 2, 2.0 / np.maximum(left - 2, 1), 1.0)

        wrong = profiles(rows, profile=np.arange(4))
        return dps.Scores(honest.values, wrong, neighbours="edge")

    with pytest.raises(ValueError, match="falls from 2 at distance 0 to 1"):
        dps.audit.admissible(printed, dps.audit.graphs(4))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=6), st.integers(0, 60))
def test_sums_in_closed_form_are_the_sums(degrees, t) -> None:
    """total(t) is the sum of delta at distances below t, to the last digits."""
    built = sensitivity_of_degrees(np.array(degrees), 31).over(len(degrees))
    walked = built.at(np.arange(t)).sum(axis=0) if t else np.zeros(len(degrees))

    assert np.allclose(walked, built.total(np.array([t]))[0, built.profile], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("degree", [9458, 300_000])
def test_sums_in_closed_form_survive_large_degrees(degree: int) -> None:
    """One step or nearly all of them: relative error 1e-15, against sums without rounding."""
    steps = np.array([1, 10, degree // 2, degree - 2])
    total = sensitivity_of_degrees(np.array([degree]), degree + 1).total
    exact = [2 * math.fsum(1 / j for j in range(degree - k + 1, degree + 1)) for k in steps.tolist()]

    assert total is not None
    assert np.allclose(exact, total(steps)[:, 0], rtol=1e-15, atol=0)


def test_two_nodes_are_refused() -> None:
    """Nothing can change, so no sensitivity is positive."""
    with pytest.raises(ValueError, match="at least 3 nodes"):
        ego_density(dps.Graph.from_edges([0], [1], nodes=2))
