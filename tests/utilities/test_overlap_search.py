"""The widest overlap of every node, found without all pairs."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.utilities import ego_arrays
from dpselect.utilities.overlap_search import widest


def with_hubs(nodes: int, edges: int, skew: int, seed: int) -> dps.Graph:
    """Ends that prefer low numbers, the more the larger the skew."""
    rng = np.random.default_rng(seed)
    return dps.Graph.from_edges(*(nodes * rng.random((2, edges)) ** (1 + skew)).astype(int), nodes=nodes)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 60), st.integers(0, 500), st.integers(0, 3), st.integers(0, 10**6))
def test_the_search_finds_what_all_pairs_say(nodes, edges, skew, seed) -> None:
    """From no edges to dense graphs, with and without hubs; threads change nothing."""
    graph = with_hubs(nodes, edges, skew, seed)

    assert ego_arrays.widest(graph).tolist() == widest(graph).tolist() == widest(graph, 2).tolist()


def test_it_agrees_with_the_definition() -> None:
    """Neighbours and strangers alike."""
    graph = nx.gnp_random_graph(40, 0.3, seed=2)
    graph.add_edges_from((0, v) for v in range(1, 36))
    expected = [max(len({*graph[v]} & {*graph[w]}) for w in graph if w != v) for v in graph]

    assert expected == widest(dps.Graph.from_networkx(graph)).tolist()


def test_rows_of_hubs_are_looked_up_and_not_read() -> None:
    """Two nodes share two hubs and one small neighbour: whoever shares that one is looked up in the hubs' rows."""
    hubs, leaves = [0, 1, 2], range(10, 2000)
    edges = [(hub, leaf) for hub in hubs for leaf in leaves if (leaf + hub) % 3] + [(5, leaf) for leaf in (10, 11, 13)]
    graph = dps.Graph.from_edges(*np.array(edges).T, nodes=2000)

    assert ego_arrays.widest(graph).tolist() == widest(graph).tolist()
    assert 3 == widest(graph)[10]
