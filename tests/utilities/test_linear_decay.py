"""Linear decay and its sensitivity."""

from functools import partial
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.utilities import ego_betweenness, linear_decay, open_pairs
from tests.utilities.enumeration import admissible, tabulate, tightness


def defined(graph: nx.Graph, decay: int) -> list[int]:
    """The definition, pair by pair."""
    return [
        sum(
            max(0, decay - len(set(graph[v]) & set(graph[a]) & set(graph[b])))
            for a, b in combinations(graph[v], 2)
            if not graph.has_edge(a, b)
        )
        for v in graph
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 14), st.floats(0, 1), st.integers(1, 9), st.integers(0, 10**6))
def test_random_graphs_agree_with_the_definition(nodes, density, decay, seed) -> None:
    """Exact integers, never more than ``decay`` times the open pairs."""
    graph = nx.gnp_random_graph(nodes, density, seed=seed)
    plain = dps.Graph.from_networkx(graph)
    scores = linear_decay(plain, max_degree=nodes - 1, decay=decay)

    assert defined(graph, decay) == scores.values.tolist()
    assert "i" == scores.values.dtype.kind
    assert (scores.values <= decay * open_pairs(plain, max_degree=nodes - 1).values).all()


def test_many_links_are_counted_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ego of more links than fit at first, and threads."""
    monkeypatch.setattr("dpselect.utilities.ego_arrays.EGOS", -1)
    graph = nx.gnp_random_graph(90, 0.6, seed=3)
    plain = dps.Graph.from_networkx(graph)
    one, two = (linear_decay(plain, max_degree=89, decay=25, workers=workers).values for workers in (1, 2))

    assert defined(graph, 25) == one.tolist() == two.tolist()


@pytest.mark.parametrize(
    ("max_degree", "decay"),
    [(2, 20), *(pytest.param(d, k, marks=pytest.mark.slow) for d in (2, 3, 4) for k in (1, 2, 3, 20))],
)
def test_the_sensitivity_is_admissible_on_all_graphs_of_five_nodes(max_degree: int, decay: int) -> None:
    """A1 and A2 by enumeration, inside the graphs of that maximum degree; the ceiling is attained, half is caught."""
    utility = partial(linear_decay, max_degree=max_degree, decay=decay)
    table = tabulate(utility, dps.audit.graphs(5, max_degree))

    assert admissible(table)
    assert max(decay * (max_degree - 1), (max_degree - 1) * (max_degree - 2) / 2) == table.exact.max() == table.ceiling
    assert max_degree - 1 == table.reach
    assert not admissible(table, 0.5)


@pytest.mark.parametrize(
    ("decay", "expected"), [(3, (0.572, 9.0)), pytest.param(20, (0.572, 3.333), marks=pytest.mark.slow)]
)
def test_tightness_is_what_the_proof_file_says(decay: int, expected: tuple[float, float]) -> None:
    """A1 and A2 on all graphs of five nodes, and the exact sensitivity below the reach."""
    table = tabulate(partial(linear_decay, max_degree=4, decay=decay), dps.audit.graphs(5))

    assert admissible(table)
    assert expected == tightness(table)[:2]


@pytest.mark.slow
@pytest.mark.parametrize("decay", [1, 3, 20])
def test_the_sensitivity_is_admissible_on_all_graphs_of_six_nodes(decay: int) -> None:
    """32,768 graphs."""
    verdict = dps.audit.admissible(partial(linear_decay, max_degree=5, decay=decay), dps.audit.graphs(6))

    assert verdict.admissible, verdict.counterexample


def test_the_most_is_exact_where_floats_are_not() -> None:
    """Three pairs of 2^57 - 42 units: the nearest float is less than the score."""
    star = dps.Graph.from_edges([0, 0, 0], [1, 2, 3], nodes=4)
    scores = linear_decay(star, max_degree=3, decay=2**57 - 42)

    assert scores.highest is not None
    most = scores.highest(np.zeros(4, dtype=np.int64), np.arange(4))
    assert int(most[0]) >= int(scores.values[0])


@settings(max_examples=12, deadline=None)
@given(st.integers(6, 24), st.floats(0, 1), st.integers(1, 3), st.integers(1, 30), st.integers(0, 99999))
def test_every_edge_of_a_random_graph_with_hubs_keeps_both_promises(nodes, density, hubs, decay, seed) -> None:
    """A1 and A2 between a graph and its neighbours."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((nodes, nodes)) < density
    matrix[:hubs] |= rng.random((hubs, nodes)) < 0.8
    matrix = np.triu(matrix, 1)

    def asked(half: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        graph = dps.Graph.from_edges(*np.nonzero(half), nodes=nodes)
        scores = linear_decay(graph, max_degree=nodes - 1, decay=decay)
        assert scores.highest is not None
        most = scores.highest(np.arange(6)[:, None], np.arange(nodes))
        return scores.values, scores.sensitivity.at(np.arange(30)), most

    values, delta, most = asked(matrix)
    ends = [*combinations(range(nodes), 2)]
    for edge in rng.permutation(len(ends))[:40]:
        matrix[ends[edge]] ^= True
        moved, other, larger = asked(matrix)
        matrix[ends[edge]] ^= True
        assert (np.abs(values - moved) <= np.minimum(delta[0], other[0])).all()
        assert (delta[1:] >= other[:-1]).all()
        assert (other[1:] >= delta[:-1]).all()
        assert (most[0] >= values).all()
        assert (most[1:] >= larger[:-1]).all()
        assert (larger[1:] >= most[:-1]).all()


def test_decay_of_two_has_the_bound_of_ego_betweenness_and_a_large_one_that_of_open_pairs() -> None:
    """In units of 1 / decay, at every distance."""
    graph, steps = dps.Graph.from_name("lesmis"), np.arange(80)

    def at(scores: dps.Scores) -> np.ndarray:
        return scores.sensitivity.at(steps)

    halves, wholes = (linear_decay(graph, max_degree=76, decay=decay) for decay in (2, 76))
    assert (2 * at(ego_betweenness(graph, max_degree=76, sensitivity="overlap")) == at(halves)).all()
    assert (76 * at(open_pairs(graph, max_degree=76)) == at(wholes)).all()
    assert (halves.values > 0).any()


@pytest.mark.parametrize(("degree", "decay"), [(12, 1), (12, 3), (12, 20), (30, 5)])
def test_strangers_of_all_and_of_none_attain_the_bound(degree: int, decay: int) -> None:
    """Whoever knows all neighbours of a node takes from every pair by meeting it; who knows none adds whole pairs."""
    hub = [(0, v) for v in range(2, degree + 2)]
    moves = []
    for known in ([], [(1, v) for v in range(2, degree + 2)]):
        before, after = (
            linear_decay(
                dps.Graph.from_edges(*zip(*pairs, strict=True), nodes=degree + 2), max_degree=degree + 1, decay=decay
            )
            for pairs in ([*hub, *known], [*hub, *known, (0, 1)])
        )
        moves.append(abs(int(after.values[0]) - int(before.values[0])))

    assert [decay * degree, degree * (degree - 1) // 2] == moves
    assert max(moves) == before.sensitivity.ceiling == before.sensitivity.at(0)[0] == after.sensitivity.at(0)[0]


@pytest.mark.parametrize("decay", [0, -1, 2.0, True, "20", None])
def test_a_decay_that_is_not_a_positive_integer_is_refused(decay) -> None:
    """It counts common neighbours."""
    with pytest.raises(ValueError, match="decay counts common neighbours"):
        linear_decay(dps.Graph.from_name("karate"), max_degree=33, decay=decay)


def test_what_leaves_exact_integers_is_refused() -> None:
    """By public numbers: the bound and the decay."""
    with pytest.raises(ValueError, match="must stay below 2\\^61"):
        linear_decay(dps.Graph.from_name("karate"), max_degree=33, decay=2**52)


@pytest.mark.parametrize(
    ("max_degree", "error", "message"),
    [(None, dps.PrivacyError, "Linear decay needs max_degree="), (1, ValueError, "zero"), (4, ValueError, "curator")],
)
def test_bad_bounds_are_refused(max_degree, error, message: str) -> None:
    """Missing, too small, or exceeded by the graph."""
    with pytest.raises(error, match=message):
        linear_decay(dps.Graph.from_edges([0] * 5, range(1, 6), nodes=7), max_degree=max_degree)


def test_tiny_graphs_and_odd_workers_are_refused() -> None:
    """Two nodes have no pair of neighbours; threads are counted from one."""
    with pytest.raises(ValueError, match="at least 3 nodes"):
        linear_decay(dps.Graph.from_edges([0], [1], nodes=2), max_degree=5)
    with pytest.raises(ValueError, match="workers counts threads"):
        linear_decay(dps.Graph.from_edges([0], [1], nodes=3), max_degree=2, workers=0)
