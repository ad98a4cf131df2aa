"""Ego density and its sensitivity."""

import networkx as nx
import numpy as np
import pytest
from enumeration import Graphs, tightness
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.core.sensitivity import profiles
from dpselect.utilities import ego_density
from dpselect.utilities.ego_density import sensitivity_of_degrees


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
    universe = Graphs(5)
    bound, exact = universe.table(ego_density, 6)

    assert universe.admissible(bound, exact)
    assert 1.0 == exact.max()
    assert not universe.admissible(bound / 2, exact)


def test_tightness_is_what_the_proof_file_says() -> None:
    """On all graphs of five nodes."""
    universe = Graphs(5)
    share, ratio = tightness(*universe.table(ego_density, 6))

    assert (0.964, 3.0) == (round(share, 3), round(ratio, 3))


def test_the_printed_sensitivity_is_caught() -> None:
    """Erratum to Lemma 7.2: 2 / (d - t - 2) is 2 at d - t = 3 and then falls to 1, which breaks A2."""
    universe = Graphs(5)

    def printed(graph: dps.Graph) -> dps.Scores:
        honest = ego_density(graph)

        def rows(t: np.ndarray) -> np.ndarray:
            left = graph.degrees - t[:, None]
            return np.where(left > 2, 2.0 / np.maximum(left - 2, 1), 1.0)

        wrong = profiles(rows, profile=np.arange(5))
        return dps.Scores(honest.values, wrong, neighbours="edge")

    bound, exact = universe.table(printed, 6)
    assert not universe.admissible(bound, exact)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=6), st.integers(0, 60))
def test_sums_in_closed_form_are_the_sums(degrees, t) -> None:
    """total(t) is the sum of delta at distances below t, to the last digits."""
    built = sensitivity_of_degrees(np.array(degrees), 31).over(len(degrees))
    walked = built.at(np.arange(t)).sum(axis=0) if t else np.zeros(len(degrees))

    assert np.allclose(walked, built.total(np.array([t]))[0, built.profile], rtol=1e-13, atol=1e-13)


def test_two_nodes_are_refused() -> None:
    """Nothing can change, so no sensitivity is positive."""
    with pytest.raises(ValueError, match="at least 3 nodes"):
        ego_density(dps.Graph.from_edges([0], [1], nodes=2))
