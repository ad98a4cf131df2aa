"""Egos: compiled loops and arrays agree with each other and with the definition, to the bit."""

import sys
from itertools import combinations

import numpy as np
import pytest

import dpselect as dps
from dpselect.utilities import ego_arrays
from dpselect.utilities.egos import betweenness_of_egos, links_of_egos
from dpselect.utilities.loops import compile_loop
from dpselect.utilities.ranked_graph import RankedGraph, row_blocks


def by_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every graph one of many nodes."""
    monkeypatch.setattr(ego_arrays, "LINKS", -1)
    monkeypatch.setattr(ego_arrays, "EGOS", -1)


def random_graph(nodes: int, share: float, seed: int) -> dps.Graph:
    edges = np.nonzero(np.triu(np.random.default_rng(seed).random((nodes, nodes)) < share, 1))
    return dps.Graph.from_edges(*edges, nodes=nodes)


def hubs(seed: int) -> dps.Graph:
    """Return a graph of two hubs that share most of their neighbours, a dense core, a tail, and nodes without edges."""
    rng = np.random.default_rng(seed)
    spokes = [(hub, v) for hub in (7, 211) for v in range(20, 200) if rng.random() < 0.9]
    core = [pair for pair in combinations(range(20, 60), 2) if rng.random() < 0.7]
    rest = [tuple(pair) for pair in rng.integers(0, 230, (300, 2)).tolist()]
    return dps.Graph.from_edges(*zip(*(spokes + core + rest), strict=True), nodes=240)


GRAPHS = {
    "empty": dps.Graph.from_edges([], [], nodes=5),
    "no nodes": dps.Graph.from_edges([], [], nodes=0),
    "star": dps.Graph.from_edges([3] * 40, list(range(4, 44)), nodes=50),
    "complete": random_graph(70, 1.0, 0),
    "sparse": random_graph(150, 0.02, 1),
    "middling": random_graph(150, 0.15, 2),
    "dense": random_graph(140, 0.6, 3),
    "nearly complete": random_graph(100, 0.97, 4),
    "hubs": hubs(5),
    "lesmis": dps.Graph.from_name("lesmis"),
}


def by_definition(graph: dps.Graph) -> tuple[list[float], list[int]]:
    """Return ego betweenness and links, pair by pair."""
    rows = [set(graph.indices[low:high].tolist()) for low, high in zip(graph.indptr, graph.indptr[1:], strict=False)]
    values, links = [], []
    for row in rows:
        pairs = list(combinations(sorted(row), 2))
        shared = sorted((len(rows[a] & rows[b] & row) for a, b in pairs if b not in rows[a]), reverse=True)
        total = 0.0
        for k in sorted(set(shared), reverse=True):
            total += shared.count(k) / (1.0 + k)
        values.append(total)
        links.append(len(pairs) - len(shared))
    return values, links


@pytest.mark.parametrize("name", GRAPHS)
def test_loops_and_arrays_equal_the_definition_to_the_bit(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Dense, sparse, with hubs and without edges: the same numbers by all three."""
    graph = GRAPHS[name]
    values, links = by_definition(graph)

    assert values == betweenness_of_egos(graph).tolist()
    assert links == links_of_egos(graph).tolist()
    by_loops(monkeypatch)
    for workers in (1, 2):
        assert values == betweenness_of_egos(graph, workers).tolist()
        assert links == links_of_egos(graph, workers).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_loops_and_arrays_agree_on_random_graphs(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Of every density, with isolated nodes."""
    rng = np.random.default_rng(seed)
    nodes, edges = int(rng.integers(201, 300)), int(10 ** rng.uniform(2, 4))
    # Ends near 0 are more frequent, so degrees differ widely.
    graph = dps.Graph.from_edges(*(nodes * rng.random((2, edges)) ** 2).astype(int), nodes=nodes + 5)
    arrays = betweenness_of_egos(graph), links_of_egos(graph)
    by_loops(monkeypatch)

    assert arrays[0].tolist() == betweenness_of_egos(graph).tolist()
    assert arrays[1].tolist() == links_of_egos(graph).tolist()


def test_a_product_of_whole_matrices_counts_as_sparse_rows_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever is cheaper; blocks of a single row change nothing either."""
    graphs = [GRAPHS[name] for name in ("sparse", "hubs", "dense")]
    expected = [by_definition(graph)[1] for graph in graphs]
    monkeypatch.setattr(ego_arrays, "_TINY", 0)
    for share in (0, np.inf):
        monkeypatch.setattr(ego_arrays, "_WHOLE", share)
        assert expected == [links_of_egos(graph).tolist() for graph in graphs]
    monkeypatch.setattr(ego_arrays, "_PRODUCTS", 1)
    assert expected == [links_of_egos(graph).tolist() for graph in graphs]


def test_a_hub_of_a_hundred_thousand_neighbours_takes_no_square_of_them() -> None:
    """A star has no links: every pair of its leaves is open, 5 x 10^9 of them."""
    leaves = 10**5
    star = dps.Graph.from_edges(np.zeros(leaves, dtype=int), np.arange(1, leaves + 1), nodes=leaves + 1)

    assert not links_of_egos(star).any()
    assert [leaves * (leaves - 1) / 2, 0, 0] == betweenness_of_egos(star)[:3].tolist()


def test_a_complete_graph_of_three_hundred_has_no_open_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """And as many links around each node as there are pairs of the others."""
    graph = random_graph(300, 1.0, 0)
    for _ in range(2):
        assert {299 * 298 // 2} == set(links_of_egos(graph).tolist())
        assert {0.0} == set(betweenness_of_egos(graph).tolist())
        by_loops(monkeypatch)


@pytest.mark.parametrize("name", GRAPHS)
def test_ranks_fall_with_degrees_and_rows_ascend(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Every edge is there from both ends, and the split parts higher ranks from lower ones; a few rows at a time."""
    from dpselect.utilities import ranked_graph as module

    monkeypatch.setattr(module, "_BLOCK", 7)
    graph = GRAPHS[name]
    ranked = RankedGraph.of(graph)
    degrees = np.diff(ranked.indptr)

    assert graph.degrees[ranked.order].tolist() == degrees.tolist() == sorted(graph.degrees.tolist(), reverse=True)
    assert graph.degrees.tolist() == ranked.by_node(degrees).tolist()
    edges = set()
    for v, (low, middle, high) in enumerate(zip(ranked.indptr, ranked.split, ranked.indptr[1:], strict=False)):
        row = ranked.indices[low:high].tolist()
        assert sorted(set(row)) == row
        assert [w < v for w in row] == [True] * (middle - low) + [False] * (high - middle)
        edges |= {(ranked.order[v], ranked.order[w]) for w in row}
    source = np.repeat(np.arange(len(graph)), graph.degrees)
    assert set(zip(source.tolist(), graph.indices.tolist(), strict=True)) == edges


def test_blocks_cover_every_row_once() -> None:
    """None is empty, and a row of too much work stands alone."""
    assert [(0, 2), (2, 3), (3, 5)] == row_blocks(np.array([3, 2, 50, 1, 1]), 5)
    assert [(0, 4)] == row_blocks(np.zeros(4, dtype=int), 5)
    assert [] == row_blocks(np.array([], dtype=int), 5)


def test_few_nodes_need_no_numba_and_many_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of nodes is public and decides alone: no edge makes the difference."""
    monkeypatch.setattr("dpselect.utilities.loops.compile_loop", compile_loop.__wrapped__)
    monkeypatch.delitem(sys.modules, "dpselect.utilities.ego_loops", raising=False)
    monkeypatch.delattr("dpselect.utilities.ego_loops", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    for edges in ([], [0, 1]):
        few, many = (dps.Graph.from_edges(edges, edges[::-1], nodes=nodes) for nodes in (256, 4097))
        betweenness_of_egos(few), links_of_egos(few)
        for count in (betweenness_of_egos, links_of_egos):
            with pytest.raises(ImportError, match=r'pip install "\.\[graph\]"'):
                count(many)


def test_a_folder_that_cannot_be_written_only_costs_the_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    """numba refuses to cache without a writable folder; the loops then compile in memory."""
    import numba

    made = []

    def njit(**options: bool):
        if options.get("cache"):
            raise RuntimeError("no locator available")
        made.append(options)
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)

    assert len is compile_loop.__wrapped__(len)
    assert [{"nogil": True}] == made
