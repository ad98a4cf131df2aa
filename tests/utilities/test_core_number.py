"""Core numbers and their sensitivity."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.utilities import core_number
from dpselect.utilities.core_number import _peel
from dpselect.utilities.loops import compile_loop
from tests.utilities.enumeration import admissible, tabulate, tightness


def peeled(graph: dps.Graph) -> list[int]:
    """Core numbers by the compiled loop, as where there are many nodes."""
    core = np.empty(len(graph), dtype=np.int64)
    compile_loop(_peel)(graph.indptr, graph.indices, core)
    return core.tolist()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.floats(0, 1), st.integers(0, 10**6))
def test_random_graphs_agree_with_networkx(nodes, density, seed) -> None:
    """Exact integers."""
    graph = nx.gnp_random_graph(nodes, density, seed=seed)
    plain = dps.Graph.from_networkx(graph)
    ours = core_number(plain).values

    assert list(nx.core_number(graph).values()) == ours.tolist() == peeled(plain)
    assert "i" == ours.dtype.kind


def test_a_graph_of_heavy_tails_agrees_with_networkx() -> None:
    """Hubs and many levels: every level is peeled while nodes move below it."""
    graph = nx.compose(nx.barabasi_albert_graph(600, 5, seed=3), nx.gnp_random_graph(60, 0.5, seed=4))

    plain = dps.Graph.from_networkx(graph)
    assert list(nx.core_number(graph).values()) == core_number(plain).values.tolist() == peeled(plain)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (nx.empty_graph(3), [0, 0, 0]),
        (nx.complete_graph(5), [4] * 5),
        (nx.star_graph(9), [1] * 10),
        (nx.cycle_graph(5), [2] * 5),
        (nx.disjoint_union(nx.complete_graph(4), nx.star_graph(6)), [3] * 4 + [1] * 7),
    ],
)
def test_known_graphs(graph: nx.Graph, expected: list[int]) -> None:
    """A hub of strangers is no deeper than its leaves."""
    assert expected == core_number(dps.Graph.from_networkx(graph)).values.tolist()


def test_one_is_admissible_on_all_graphs_of_five_nodes() -> None:
    """A1 and A2 by enumeration, as tight as the proof file says; half is caught."""
    table = tabulate(core_number, dps.audit.graphs(5))

    assert admissible(table)
    assert (0.97, 1.0, [0.97]) == tightness(table)
    assert not admissible(table, 0.5)


@pytest.mark.slow
def test_one_is_admissible_on_all_graphs_of_six_nodes() -> None:
    """32,768 graphs."""
    assert dps.audit.admissible(core_number, dps.audit.graphs(6)).admissible


@pytest.mark.parametrize("nodes", [4, pytest.param(5, marks=pytest.mark.slow)])
def test_one_more_edge_moves_all_core_numbers_the_same_way(nodes: int) -> None:
    """Range bound 1, and by at most 1: the last edge of a clique moves all of its nodes."""
    universe = dps.audit.graphs(nodes)
    values = np.array([core_number(graph).values for graph in universe])
    moves = values[universe.near] - values[:, None]

    assert 1 == np.ptp(moves, axis=2).max() == np.abs(moves).max()
    assert ((moves >= 0).all(axis=2) | (moves <= 0).all(axis=2)).all()
    assert moves.all(axis=2).any()


def test_scores_say_what_the_proof_says() -> None:
    """No maximum degree, no least number of nodes."""
    scores = core_number(dps.Graph.from_edges([], [], nodes=1))

    assert ([0], "worst", 1.0, 0, 1, "edge") == (
        scores.values.tolist(),
        scores.zero,
        scores.sensitivity.ceiling,
        scores.sensitivity.reach,
        scores.range_bound,
        scores.neighbours,
    )
