"""What nodes share, against its definition."""

import subprocess
import sys
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.utilities import ego_arrays, overlap_arrays, overlap_search
from dpselect.utilities.loops import compile_loop
from dpselect.utilities.overlaps import UNIT, decayed_pairs, losses, widest_overlaps
from dpselect.utilities.two_step_reach import _two_steps_away

MOST = 253


def defined(graph: nx.Graph, v: int) -> tuple[int, int, list[int]]:
    """C, p and H_0 .. H_253 of one node, by the words that define them."""
    near = set(graph[v])
    shared = {w: near & set(graph[w]) for w in graph if w != v}
    tables = [0] * (MOST + 1)
    for w, both in shared.items():
        common = [
            min(len(near & set(graph[a]) & set(graph[b]) - {w}), MOST)
            for a, b in combinations(both, 2)
            if not graph.has_edge(a, b)
        ]
        tables = [max(most, sum(k <= j for k in common)) for j, most in enumerate(tables)]
    missing = max(len(near - set(graph[w]) - {w}) for w in shared)
    return max(map(len, shared.values())), missing, tables


def lost(tables: list[int], t: int) -> float:
    """The sum of H_j (g(j - t) - g(j + 1 - t)), with g exact."""
    weight = [1 / ((1 + max(j - t, 0)) * (2 + max(j - t, 0))) for j in range(MOST + 1)]
    return sum(most * (a - b) for most, a, b in zip(tables, weight, [*weight[1:], 0.0], strict=True))


def with_hubs(nodes: int, density: float, hubs: int, seed: int) -> nx.Graph:
    """A random graph of which some nodes know most of the others."""
    graph = nx.gnp_random_graph(nodes, density, seed=seed)
    rng = np.random.default_rng(seed)
    graph.add_edges_from((h, v) for h in range(hubs) for v in range(h + 1, nodes) if rng.random() < 0.8)
    return graph


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 14), st.floats(0, 1), st.integers(0, 3), st.sampled_from([1, 9, 30, 2**20]), st.integers(0, 9999))
def test_random_graphs_agree_with_the_definition(nodes, density, hubs, room, seed) -> None:
    """However little room the pairs of an ego have."""
    graph = with_hubs(nodes, density, hubs, seed)
    plain = dps.Graph.from_networkx(graph)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ego_arrays, "EGOS", -1)
        result = losses(plain, 9, room=room)

    assert np.array_equal(widest_overlaps(plain), result.overlap)
    for workers in (1, 2):
        assert np.array_equal(overlap_search.widest(plain, workers), result.overlap)
    for v in graph:
        overlap, missing, tables = defined(graph, v)
        assert (overlap, missing) == (result.overlap[v], result.missing[v])
        exact = np.array([lost(tables, t) for t in range(9)])
        rounded = result.loss[result.row[v]] * UNIT
        assert (rounded >= exact - 1e-12).all()
        assert (rounded <= exact + tables[-1] * UNIT + 1e-12).all()


def test_pairs_with_more_common_neighbours_than_a_byte_counts_are_counted_as_less_connected() -> None:
    """Of the ego of 0 all is a clique but 1 and 2, which share 300 of it and a stranger."""
    from dpselect.utilities.overlap_kernels import tables

    clique = [*combinations(range(3, 303), 2)]
    spokes = [(0, v) for v in range(1, 303)] + [(u, v) for u in (1, 2) for v in range(3, 303)]
    ends = np.array([*clique, *spokes, (303, 1), (303, 2)]).T
    graph = dps.Graph.from_edges(*ends, nodes=304)
    overlap, missing, loss = np.zeros((3, 304), dtype=np.int64)
    weight = np.arange(MOST + 1)[::-1].copy()
    tables(graph.indptr, graph.indices, 0, 1, weight, 2**20, overlap, missing, loss[None])

    assert (301, 300) == (overlap[0], missing[0])
    # At distance t the pair weighs what 253 - t common neighbours do.
    assert [*range(10)] == loss[:10].tolist()


def test_a_hub_is_searched_where_the_ego_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two members of a small ego are found in the long row of a hub, and a third is not."""
    graph = nx.star_graph(200)
    graph.add_edges_from([(300, 1), (300, 77), (300, 301)])
    monkeypatch.setattr(ego_arrays, "EGOS", -1)
    plain = dps.Graph.from_networkx(graph)
    result, v = losses(plain, 1), {label: i for i, label in enumerate(plain.candidates)}[300]

    assert (2, 3, 2**23) == (result.overlap[v], result.missing[v], result.loss[result.row[v], 0])


def test_threads_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers, and blocks of three nodes, give what one block gives."""
    from dpselect.utilities import overlaps

    monkeypatch.setattr(ego_arrays, "EGOS", -1)
    graph = dps.Graph.from_networkx(with_hubs(90, 0.1, 2, 5))
    one = losses(graph, 5)
    monkeypatch.setattr(overlaps, "_NODES", 3)
    two = losses(graph, 5, workers=2)

    assert np.array_equal(one.loss[one.row], two.loss[two.row])
    assert np.array_equal(one.overlap, two.overlap)
    assert np.array_equal(one.missing, two.missing)
    assert len(np.unique(two.loss, axis=0)) == len(two.loss)


def test_many_nodes_say_what_to_install_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled loops are optional, and the message names the extra; the public number of nodes decides alone."""
    monkeypatch.delattr("dpselect.utilities.overlap_kernels", raising=False)
    monkeypatch.delitem(sys.modules, "dpselect.utilities.overlap_kernels", raising=False)
    monkeypatch.setattr("dpselect.utilities.loops.compile_loop", compile_loop.__wrapped__)
    monkeypatch.setitem(sys.modules, "numba", None)
    for edges in ([], [0, 1]):
        few, many = (dps.Graph.from_edges(edges, edges[::-1], nodes=nodes) for nodes in (384, 385))
        for count in (losses, decayed_pairs):
            count(few, 3)
            with pytest.raises(ImportError, match=r'pip install "\.\[graph\]"'):
                count(many, 3)


def small_graphs() -> list[nx.Graph]:
    """Dense, sparse, complete, empty, with hubs, with twins, and with pairs of more than 253 common neighbours."""
    twins = nx.complete_multipartite_graph(*[20] * 4)
    # Members of few egos only: 2, 3 and 4 share 257 of the ego of 0, 256 of that of 1.
    close = nx.Graph([(hub, v) for hub in range(5) for v in range(5, 262)])
    close.add_edges_from([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (5, 6), (262, 2), (262, 3)])
    return [
        nx.gnp_random_graph(90, 0.7, seed=1),
        nx.gnp_random_graph(200, 0.02, seed=2),
        nx.complete_graph(50),
        nx.empty_graph(9),
        with_hubs(120, 0.1, 3, 3),
        with_hubs(120, 0.8, 3, 4),
        twins,
        close,
    ]


@pytest.mark.parametrize("number", range(8))
def test_arrays_equal_the_loops_to_the_bit(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Losses at every distance, what decays, and who is two steps away; however little is held together."""
    graph = dps.Graph.from_networkx(small_graphs()[number])

    def asked() -> list[list]:
        result = losses(graph, 64)
        tables = (result.overlap, result.missing, result.loss[result.row])
        counts = (
            decayed_pairs(graph, 1),
            decayed_pairs(graph, 20),
            decayed_pairs(graph, 10**9),
            _two_steps_away(graph, 1),
        )
        return [values.tolist() for values in (*tables, *counts)]

    for bound in ("EGOS", "REACH"):
        monkeypatch.setattr(ego_arrays, bound, 300)
    arrays = asked()
    monkeypatch.setattr(overlap_arrays, "_ENTRIES", 2**13)
    assert arrays == asked()
    for bound in ("EGOS", "REACH"):
        monkeypatch.setattr(ego_arrays, bound, -1)
    assert arrays == asked()


def test_a_first_call_on_few_nodes_compiles_nothing() -> None:
    """No metric of a small graph imports numba."""
    code = (
        "import sys; import dpselect as dps; from dpselect import utilities as u; g = dps.Graph.from_name('lesmis')\n"
        "for f in (u.ego_betweenness, u.linear_decay, u.two_step_reach): f(g, max_degree=76)\n"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "False" == done.stdout.strip()


def test_few_nodes_share_what_the_loops_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """By whole matrices and by sparse rows, however many at once; without numba."""
    graphs = [
        dps.Graph.from_networkx(with_hubs(230, density, hubs, 7)) for density, hubs in ((0, 0), (0.02, 2), (1, 0))
    ]
    expected = [overlap_search.widest(graph).tolist() for graph in graphs]
    for name, value in (("_TINY", 0), ("_WHOLE", 0), ("_ROWS", 9), ("_WHOLE", np.inf), ("_PRODUCTS", 1)):
        monkeypatch.setattr(ego_arrays, name, value)
        assert expected == [widest_overlaps(graph).tolist() for graph in graphs]
