"""Ego betweenness, its sensitivity, and the worked examples of Farias et al. 2023."""

import sys
from functools import cache, partial
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.scores.sensitivity import profiles
from dpselect.utilities import ego_betweenness
from dpselect.utilities.ego_betweenness import SENSITIVITIES, quarter_bound, sensitivity_of_degrees
from dpselect.utilities.egos import betweenness_of_egos
from dpselect.utilities.overlap_sensitivity import DISTANCES, by_overlap, refined_sensitivity
from dpselect.utilities.overlaps import losses
from tests.utilities.enumeration import admissible, tabulate, tightness

# a, b, v0 .. v5 are 0 .. 7.
FIGURE_2 = [(0, 1), *((hub, v) for hub in (0, 1) for v in range(2, 8))]
FIGURE_9C = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 4), (1, 5), (1, 6), (1, 7), (2, 3), (6, 7)]


def graph_of(pairs, nodes: int = 8) -> dps.Graph:
    """A graph from pairs."""
    return dps.Graph.from_edges([a for a, _ in pairs], [b for _, b in pairs], nodes=nodes)


def ebc(pairs, nodes: int = 8) -> np.ndarray:
    """Ego betweenness of every node."""
    return ebc_of(frozenset(pairs), nodes)


@cache
def ebc_of(pairs: frozenset[tuple[int, int]], nodes: int) -> np.ndarray:
    """The same: graphs two edges apart are met twice."""
    return ego_betweenness(graph_of(pairs, nodes), max_degree=nodes - 1, sensitivity="degree").values


def by_networkx(graph: nx.Graph) -> list[float]:
    """Betweenness of each node within its ego graph."""
    return [nx.betweenness_centrality(nx.ego_graph(graph, v), normalized=False)[v] for v in graph.nodes()]


def one_step(pairs) -> np.ndarray:
    """Exact element sensitivity at distance 0, by trying every edge."""
    values = ebc(pairs)
    every = [(a, b) for a in range(8) for b in range(a + 1, 8)]
    return np.max([np.abs(ebc(list(set(pairs) ^ {edge})) - values) for edge in every], axis=0)


def test_example_1_1_1() -> None:
    """Figure 2: EBC(a) = 7.5; without the edge ab it is 15."""
    assert [7.5, 7.5] == ebc(FIGURE_2)[:2].tolist()
    assert [15.0, 15.0] == ebc(FIGURE_2[1:])[:2].tolist()


def test_example_1_1_2_is_the_ceiling_of_degree_seven() -> None:
    """The change of 7.5 is B(D - 1) with D = 7: the corrected global sensitivity is attained."""
    assert 7.5 == ego_betweenness(graph_of(FIGURE_2), max_degree=7).sensitivity.ceiling


def test_example_1_1_4() -> None:
    """Figure 2: one step moves a by 7.5, and v_i by 1 when ab is removed."""
    assert 7.5 == one_step(FIGURE_2)[0]
    assert 1.0 == (ebc(FIGURE_2[1:]) - ebc(FIGURE_2))[2]


def test_example_1_1_3_and_3_1_1() -> None:
    """Figure 9c: EBC is 6.5 for a, b and 0 for v_i; element sensitivities 3; 2; 1; local sensitivity 3."""
    assert [6.5, 6.5, 0, 0, 0, 0, 0, 0] == ebc(FIGURE_9C).tolist()
    assert [3, 3, 2, 2, 1, 1, 2, 2] == one_step(FIGURE_9C).tolist()


def test_example_2_4_1() -> None:
    """Figure 9c at distance 1: element sensitivities 5; 3; 2, so LS(G, 1) = 5."""
    every = [(a, b) for a in range(8) for b in range(a + 1, 8)]
    within = [one_step(FIGURE_9C), *(one_step(list(set(FIGURE_9C) ^ {edge})) for edge in every)]

    assert [5, 5, 3, 3, 2, 2, 3, 3] == np.max(within, axis=0).tolist()


@pytest.mark.parametrize(
    "graph", [nx.karate_club_graph(), nx.les_miserables_graph(), nx.complete_graph(6), nx.star_graph(5)]
)
def test_known_graphs_agree_with_networkx(graph: nx.Graph) -> None:
    """Betweenness within the ego graph, unweighted."""
    plain = nx.Graph(graph.edges())
    plain.add_nodes_from(graph)
    ours = ego_betweenness(dps.Graph.from_networkx(plain), max_degree=len(plain) - 1)

    assert np.allclose(by_networkx(plain), ours.values, rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 14), st.floats(0, 1), st.integers(0, 10**6))
def test_random_graphs_agree_with_networkx(nodes, density, seed) -> None:
    """Any graph, dense or sparse."""
    graph = nx.gnp_random_graph(nodes, density, seed=seed)
    ours = ego_betweenness(dps.Graph.from_networkx(graph), max_degree=nodes - 1)

    assert np.allclose(by_networkx(graph), ours.values, rtol=1e-12)


def test_threads_change_nothing() -> None:
    """Two workers give the same floats as one."""
    graph = dps.Graph.from_networkx(nx.gnp_random_graph(200, 0.1, seed=1))
    one, two = (ego_betweenness(graph, max_degree=199, workers=workers).values for workers in (1, 2))

    assert np.array_equal(one, two)


@pytest.mark.parametrize("max_degree", [2, *(pytest.param(most, marks=pytest.mark.slow) for most in (3, 4))])
@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_the_sensitivity_is_admissible_on_all_graphs_of_five_nodes(sensitivity: str, max_degree: int) -> None:
    """A1 and A2 by enumeration, inside the graphs of that maximum degree; and the ceiling is a bound."""
    universe = dps.audit.graphs(5, max_degree)
    utility = partial(ego_betweenness, max_degree=max_degree, sensitivity=sensitivity)
    table = tabulate(utility, universe)

    assert admissible(table)
    assert table.exact.max() <= quarter_bound(max_degree - 1) / 4 == table.ceiling
    assert max_degree - 1 == table.reach
    assert not admissible(table, 0.5)


@pytest.mark.parametrize(
    ("sensitivity", "expected"),
    [
        ("refined", (0.767, 3.0)),
        ("overlap", (0.572, 9.0)),
        pytest.param("degree", (0.572, 9.0), marks=pytest.mark.slow),
    ],
)
def test_tightness_is_what_the_proof_file_says(sensitivity: str, expected: tuple[float, float]) -> None:
    """A1 and A2 on all graphs of five nodes, and the exact sensitivity at the distances below the reach."""
    table = tabulate(partial(ego_betweenness, max_degree=4, sensitivity=sensitivity), dps.audit.graphs(5))

    assert admissible(table)
    assert expected == tightness(table)[:2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sensitivity", "expected"), [("refined", (0.747, 6.0)), ("overlap", (0.533, 16.0)), ("degree", (0.533, 16.0))]
)
def test_tightness_on_all_graphs_of_six_nodes_too(sensitivity: str, expected: tuple[float, float]) -> None:
    """32,768 graphs."""
    table = tabulate(partial(ego_betweenness, max_degree=5, sensitivity=sensitivity), dps.audit.graphs(6))

    assert admissible(table)
    assert expected == tightness(table)[:2]


def bounds(matrix: np.ndarray, room: int, distances: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Scores, and each sensitivity at distances 0 .. 70, of a graph given by its matrix."""
    nodes = len(matrix)
    graph = dps.Graph.from_edges(*np.nonzero(np.triu(matrix)), nodes=nodes)
    shared = losses(graph, distances, room=room)
    deltas = {
        "refined": refined_sensitivity(graph.degrees, lambda: shared, nodes - 1),
        "overlap": by_overlap(graph.degrees, lambda: shared.overlap, nodes - 1),
        "degree": sensitivity_of_degrees(graph.degrees, nodes - 1),
    }
    values = betweenness_of_egos(graph)
    return {name: (values, delta.at(np.arange(71))) for name, delta in deltas.items()}


@settings(max_examples=12, deadline=None)
@given(
    st.integers(5, 24),
    st.floats(0, 1),
    st.integers(0, 3),
    st.sampled_from([1, 2, 7, DISTANCES]),
    st.sampled_from([1, 40, 2**20]),
    st.integers(0, 99999),
)
# What random examples find in one run of two: tables that do not pay for new members of an overlap.
@example(11, 0.01841879682640435, 2, 7, 1, 80)
@example(8, 0.07585185974836328, 2, 2, 40, 92)
def test_every_edge_of_a_random_graph_with_hubs_keeps_both_promises(
    nodes, density, hubs, distances, room, seed
) -> None:
    """A1 and A2 between a graph and its neighbours, wherever tables end; tighter is tighter at each distance."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((nodes, nodes)) < density
    matrix[:hubs] |= rng.random((hubs, nodes)) < 0.8
    matrix = np.triu(matrix, 1) | np.triu(matrix, 1).T
    here = bounds(matrix, room, distances)
    ends = [*combinations(range(nodes), 2)]

    assert (here["refined"][1] <= here["overlap"][1]).all()
    assert (here["overlap"][1] <= here["degree"][1]).all()
    for edge in rng.permutation(len(ends))[:40]:
        a, b = ends[edge]
        other = matrix.copy()
        other[[a, b], [b, a]] ^= True
        for name, (values, delta) in bounds(other, room, distances).items():
            assert (np.abs(values - here[name][0]) <= np.minimum(delta[0], here[name][1][0]) + 1e-9).all()
            assert (delta[1:] >= here[name][1][:-1]).all()
            assert (here[name][1][1:] >= delta[:-1]).all()


def test_two_hubs_of_one_circle_are_where_the_bounds_part() -> None:
    """A stranger who knows 20 of 100 neighbours can take what 20 share; how they are connected takes the rest."""
    circle = [(0, v) for v in range(2, 102)] + [(1, v) for v in range(2, 22)]
    known = [(2, v) for v in range(3, 22)]

    def at_once(pairs: list[tuple[int, int]]) -> list[float]:
        graph = graph_of(pairs, 300)
        each = (ego_betweenness(graph, max_degree=200, sensitivity=name) for name in SENSITIVITIES)
        return [float(scores.sensitivity.at(0)[0]) for scores in each]

    # Two strangers of all of them, and the first of the circle, who knows 19 of the others.
    every = [(1, v) for v in range(22, 102)]
    assert [100, 100, 2475] == at_once(circle)
    assert [2475, 2475, 2475] == at_once(circle + every)
    # 4,931 of 4,950 pairs are open; the 171 among those whom 2 knows lose a sixth each, not a half.
    assert [(4760 * 3 + 171) / 6, 2475, 2475] == pytest.approx(at_once(circle + every + known), abs=1e-3)


@pytest.mark.parametrize("sensitivity", ["Refined", "", None, "published"])
def test_another_sensitivity_is_refused(sensitivity) -> None:
    """By a sentence that names the three."""
    with pytest.raises(ValueError, match="sensitivity is one of refined, overlap, degree, not "):
        ego_betweenness(graph_of(FIGURE_9C), max_degree=7, sensitivity=sensitivity)


@pytest.mark.slow
def test_a_cap_read_from_the_private_graph_is_caught() -> None:
    """Erratum: with D the graph's own maximum degree, A2 fails."""

    def private(graph: dps.Graph) -> dps.Scores:
        own = int(graph.degrees.max())
        if own < 2:
            return dps.Scores(np.zeros(5), dps.sensitivity.constant(1.0), neighbours="edge")
        return ego_betweenness(graph, max_degree=own)

    assert not dps.audit.admissible(private, dps.audit.graphs(5)).admissible


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=6), st.integers(2, 12), st.integers(0, 40))
def test_sums_in_closed_form_are_the_sums(degrees, max_degree, t) -> None:
    """total(t) is the sum of delta at distances below t."""
    degrees = np.minimum(degrees, max_degree)
    built = sensitivity_of_degrees(degrees, max_degree).over(len(degrees))
    walked = built.at(np.arange(t)).sum(axis=0) if t else np.zeros(len(degrees))

    assert walked.tolist() == built.total(np.array([t]))[0, built.profile].tolist()


@pytest.mark.parametrize("max_degree", [7, 9458, 5_000_000])
def test_sums_in_closed_form_survive_large_degrees(max_degree: int) -> None:
    """Against whole numbers of any size, to 1e-15: cubes of degrees do not fit into 64 bits."""
    starts, t = sorted([0, 4, max_degree // 2, max_degree - 1, max_degree]), max_degree + 3
    built = sensitivity_of_degrees(np.array(starts), max_degree).over(5)

    def cube(m: int) -> int:
        return 2 * m * (m - 1) if m <= 6 else 20 + m * (m - 1) * (m - 2) // 3

    def four_times(start: int) -> int:
        inside = cube(max_degree) - cube(min(start, max_degree))
        return inside + (start + t - max_degree) * int(quarter_bound(max_degree - 1))

    assert built.total is not None
    assert np.allclose(
        [float(four_times(start)) / 4 for start in starts], built.total(np.array([t]))[0], rtol=1e-15, atol=0
    )


def test_the_global_sensitivity_is_attained() -> None:
    """A node that knows all D - 1 neighbours of c, or none of them, meets c: one change is B(D - 1)."""
    for degree in (3, 6, 7, 9):
        spokes = [(0, x) for x in range(2, degree + 1)]
        changes = [
            ebc([*spokes, *others, (0, 1)], degree + 1)[0] - ebc([*spokes, *others], degree + 1)[0]
            for others in ([], [(1, x) for x in range(2, degree + 1)])
        ]

        assert quarter_bound(degree - 1) / 4 == np.abs(changes).max()


def test_the_papers_global_sensitivities() -> None:
    """B(D), as the paper has it: Enron 477,826.5, DBLP 29,326.5 (printed exchanged), GitHub 22,361,076.5."""
    assert [477826.5, 29326.5, 22361076.5] == [quarter_bound(d) / 4 for d in (1383, 343, 9458)]


def test_bounds_beyond_all_others_count_as_all_others() -> None:
    """n - 1 is public, so a larger max_degree gains nothing and costs nothing."""
    graph = graph_of(FIGURE_9C)

    assert ego_betweenness(graph, max_degree=7).sensitivity.ceiling == (
        ego_betweenness(graph, max_degree=10**6).sensitivity.ceiling
    )


@pytest.mark.parametrize(
    ("max_degree", "error", "message"),
    [
        (None, dps.PrivacyError, "needs max_degree="),
        (2.5, ValueError, "integer"),
        (True, ValueError, "integer"),
        (1, ValueError, "always zero"),
        (-3, ValueError, "always zero"),
        (4, ValueError, "For the curator"),
    ],
)
def test_bad_bounds_are_refused(max_degree, error, message: str) -> None:
    """Missing, too small, or exceeded by the graph: no node is named."""
    with pytest.raises(error, match=message) as refusal:
        ego_betweenness(graph_of(FIGURE_9C), max_degree=max_degree)
    assert "5" not in str(refusal.value)


def test_tiny_graphs_and_odd_workers_are_refused() -> None:
    """Two nodes have nobody between; threads are counted from one."""
    with pytest.raises(ValueError, match="at least 3 nodes"):
        ego_betweenness(graph_of([(0, 1)], 2), max_degree=5)
    with pytest.raises(ValueError, match="workers counts threads"):
        ego_betweenness(graph_of(FIGURE_9C), max_degree=7, workers=0)


@pytest.mark.data("enron")
def test_enron_agrees_with_networkx_where_egos_are_small() -> None:
    """Fifty nodes of the real graph, and the hub of the paper."""
    from dpselect import datasets

    graph = datasets.graph("enron")
    scores = ego_betweenness(graph, max_degree=1383, sensitivity="degree")
    row = np.repeat(np.arange(len(graph)), graph.degrees)
    other = nx.Graph(zip(row.tolist(), graph.indices.tolist(), strict=True))

    assert 5038 == scores.values.argmax()
    for v in np.flatnonzero((graph.degrees > 5) & (graph.degrees < 60))[::200].tolist():
        ego = nx.ego_graph(other, v)
        assert np.isclose(nx.betweenness_centrality(ego, normalized=False)[v], scores.values[v], rtol=1e-12)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_quick_count_shows_no_progress(monkeypatch: pytest.MonkeyPatch, capsys, terminal: bool) -> None:
    """The bar appears after two seconds, on a terminal, and tqdm may be missing."""
    from dpselect.utilities import ego_arrays

    # As where there are many nodes.
    monkeypatch.setattr(ego_arrays, "EGOS", 0)
    # However busy this machine is.
    monkeypatch.setattr("tqdm.std.time", lambda: 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    ebc(FIGURE_2)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    ebc(FIGURE_2)
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.delitem(sys.modules, "tqdm")
    ebc(FIGURE_2)

    assert ("", "") == tuple(capsys.readouterr())


def test_profiles_share_rows_among_nodes_of_the_same_degree() -> None:
    """One row a distinct degree, however many nodes."""
    built = sensitivity_of_degrees(np.array([3, 1, 3, 3, 0]), 4)

    assert (1, 3) == built.rows(np.array([0])).shape
    assert profiles(built.rows, profile=built.profile).at(0).tolist() == [3, 1, 3, 3, 0]
