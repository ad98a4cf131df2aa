"""Graphs of which each node keeps at most a public number of edges."""

import inspect
from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.views import truncated_graph
from tests.utilities.enumeration import admissible, tabulate

# Each graph is made once, when it is first needed.
FIVE = dps.audit.graphs(5)
FIVE = replace(FIVE, database=cache(FIVE.database))
_TABLE = np.random.default_rng(3).permutation(25).reshape(5, 5)
ORDERS = {
    "as shipped": truncated_graph._rank,
    "lexicographic": lambda a, b: 5 * np.minimum(a, b) + np.maximum(a, b),
    "shuffled": lambda a, b: _TABLE[np.minimum(a, b), np.maximum(a, b)],
    "another at each end": lambda a, b: _TABLE[a, b],
}


def edges_of(graph: dps.Graph) -> set[tuple[int, int]]:
    """Each edge once, smaller end first."""
    owner = np.repeat(np.arange(len(graph)), graph.degrees)
    return {(a, b) for a, b in zip(owner.tolist(), graph.indices.tolist(), strict=True) if a < b}


def stayed(graph: dps.Graph, max_degree: int) -> dps.Graph:
    """The truncated graph itself, as utilities see it."""
    seen = []

    def look(whole: dps.Graph) -> dps.Scores:
        seen.append(whole)
        return dps.utilities.degree(whole)

    dps.data.TruncatedGraph(graph, max_degree).scores(look)
    return seen[0]


def signed(graph: dps.Graph) -> dps.Scores:
    """One score that every edge moves by one, up or down: it sees all edits of a path at once."""
    signs = [1 if (7 * a + 3 * b) % 5 < 2 else -1 for a, b in edges_of(graph)]
    return dps.Scores([sum(signs), 0], 1, neighbours="edge", kind="integer")


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 14), st.floats(0, 1), st.integers(1, 6), st.integers(0, 10**6))
def test_an_edge_stays_if_both_ends_rank_it_among_their_first(nodes, density, max_degree, seed) -> None:
    """The definition, edge by edge; the result is a simple graph with the same nodes."""
    drawn = nx.gnp_random_graph(nodes, density, seed=seed)
    rank = {(a, b): int(truncated_graph._rank(np.array([a]), np.array([b]))[0]) for a in drawn for b in drawn if a != b}
    first = {v: sorted(drawn[v], key=lambda w, v=v: rank[v, w])[:max_degree] for v in drawn}
    expected = {(a, b) for a, b in map(sorted, drawn.edges) if a in first[b] and b in first[a]}
    result = stayed(dps.Graph.from_networkx(drawn), max_degree)

    assert expected == edges_of(result)
    assert nodes == len(result)
    assert result.degrees.max(initial=0) <= max_degree
    rows = np.split(result.indices, result.indptr[1:-1])
    assert all((row[1:] > row[:-1]).all() for row in rows)
    assert all(v in rows[w] for v, row in enumerate(rows) for w in row)


@pytest.mark.parametrize(
    "order", [name if name == "as shipped" else pytest.param(name, marks=pytest.mark.slow) for name in ORDERS]
)
@pytest.mark.parametrize("max_degree", [1, 2, 3])
def test_one_edge_changes_at_most_three_that_stay(max_degree, order, monkeypatch) -> None:
    """All neighbours among the graphs of five nodes: three is attained, in each order; degrees never exceed D."""
    monkeypatch.setattr(truncated_graph, "_rank", ORDERS[order])
    results = [stayed(graph, max_degree) for graph in FIVE]
    kept = [edges_of(graph) for graph in results]
    edits = [len(kept[x] ^ kept[y]) for x, y in FIVE.pairs().tolist()]

    assert max_degree == max(graph.degrees.max() for graph in results)
    assert 3 == max(edits) == dps.data.TruncatedGraph(FIVE[0], max_degree).edits_per_edge


def test_nothing_goes_where_every_edge_fits() -> None:
    """With D = n - 1 or more the graph is the same, and one edge is one."""
    for graph in FIVE:
        assert edges_of(graph) == edges_of(stayed(graph, 4))
    whole = dps.data.TruncatedGraph(FIVE[0], 99)
    assert (1, 4) == (whole.edits_per_edge, whole.max_degree)
    assert 1 == whole.scores(dps.utilities.degree).range_bound


def test_a_rule_that_takes_edges_one_by_one_changes_a_whole_path() -> None:
    """Along a path, each edge that is taken keeps out the next: one edge more at its end changes them all."""

    def greedy(pairs: list[tuple[int, int]], max_degree: int) -> set[tuple[int, int]]:
        room, kept = dict.fromkeys(range(9), max_degree), set()
        for a, b in pairs:
            if room[a] and room[b]:
                kept.add((a, b))
                room[a], room[b] = room[a] - 1, room[b] - 1
        return kept

    path = [(v, v + 1) for v in range(8)]
    assert 8 == len(greedy(path, 1) ^ greedy(path[1:], 1))
    ours = [edges_of(stayed(dps.Graph.from_edges(*zip(*pairs, strict=True), nodes=9), 1)) for pairs in (path, path[1:])]
    assert len(ours[0] ^ ours[1]) <= 3


def test_the_sensitivity_is_admissible_for_edges_of_the_whole_graph_and_two_thirds_of_it_are_not() -> None:
    """A1 and A2 by enumeration, whatever the degrees: a score that each edge moves by one moves by three."""
    table = tabulate(lambda graph: dps.data.TruncatedGraph(graph, 2).scores(signed), FIVE)

    assert admissible(table)
    assert 3 == table.at.max() == table.exact.max()
    assert not admissible(table, 2 / 3)


@pytest.mark.slow
@pytest.mark.parametrize("max_degree", [2, 3])
@pytest.mark.parametrize(
    "utility",
    [
        signed,
        *(
            utility
            for utility in dps.utilities.EVERY_UTILITY
            if "graph" in inspect.signature(utility).parameters
            and utility not in (dps.utilities.followers, dps.utilities.weighted_degree)
        ),
    ],
)
def test_the_sensitivity_of_every_utility_is_admissible_on_graphs_of_five_nodes(utility, max_degree) -> None:
    """A1 and A2 by enumeration, on all of them."""
    assert admissible(tabulate(lambda graph: dps.data.TruncatedGraph(graph, max_degree).scores(utility), FIVE))


@pytest.mark.parametrize(
    ("mechanism", "utility", "k"),
    [
        ("permute-and-flip", signed, 1),
        pytest.param("exponential", dps.utilities.degree, 2, marks=pytest.mark.slow),
        ("local-dampening-flip", dps.utilities.open_pairs, 2),
        ("shifted-local-dampening-flip", dps.utilities.ego_betweenness, 1),
    ],
)
def test_whole_releases_cost_at_most_the_epsilon_asked(mechanism, utility, k) -> None:
    """The exact loss on all graphs of four nodes, for one edge of the whole graph."""
    loss = dps.audit.privacy_loss(
        dps.mechanism(mechanism),
        lambda graph: dps.data.TruncatedGraph(graph, 2).scores(utility),
        dps.audit.graphs(4),
        epsilon=1,
        k=k,
    )

    assert loss.holds, loss


def test_the_promise_is_for_the_whole_graph_and_the_ledger_is_charged_what_was_asked() -> None:
    """No degree is refused; the ledger reads how the graph was made."""
    star = dps.Graph.from_edges(["hub"] * 5, list("abcde"), nodes=["hub", *"abcde"])
    with pytest.raises(ValueError, match="For the curator"):
        dps.utilities.open_pairs(star, max_degree=3)
    truncated = dps.data.TruncatedGraph(star, max_degree=3)
    scores = truncated.scores(dps.utilities.open_pairs)
    with dps.budget(epsilon=1, neighbours="edge") as session:
        release = dps.top_k(scores, 1, epsilon=1, mechanism=dps.mechanism("local-dampening-flip"))
        with pytest.raises(dps.BudgetError):
            dps.top_k(scores, 1, epsilon=1, mechanism=dps.mechanism("local-dampening-flip"))

    assert "Guarantee(epsilon=1, neighbours='edge')" == repr(release.guarantee)
    assert {"truncated": "at most 3 edges of each node stay"} == session.events[0].metadata
    assert [3, 0, 0, 0, 0, 0] == scores.values.tolist()
    assert ["hub", *"abcde"] == [*truncated.candidates]
    assert ("TruncatedGraph(nodes=6, max_degree=3)", 6) == (repr(truncated), len(truncated))


def test_an_engine_gives_the_same(tmp_path) -> None:
    """Edges stream into memory; the order of rows does not matter, nor how often an edge is there."""
    pytest.importorskip("ibis")
    rng = np.random.default_rng(8)
    source, target = rng.integers(0, 30, (2, 200))
    (tmp_path / "e.csv").write_text(
        "source,target\n" + "".join(f"{a},{b}\n" for a, b in zip(source, target, strict=True))
    )
    shuffled = rng.permutation(np.r_[0:200, 0:200])
    graphs = (
        dps.Graph.from_edges(source, target, nodes=30),
        dps.Graph.from_edges(target[shuffled], source[shuffled], nodes=30),
        dps.data.StoredGraph(str(tmp_path / "e.csv"), 30),
    )
    first, *others = (
        dps.data.TruncatedGraph(graph, 4).scores(dps.utilities.degree).values.tolist() for graph in graphs
    )

    assert 0 < sum(first) < 2 * graphs[0].degrees.sum()
    assert all(first == other for other in others)


def test_bad_graphs_bounds_and_utilities_are_refused() -> None:
    """In one sentence each."""
    graph = dps.Graph.from_edges([0], [1], nodes=3)
    for bound in (0, 2.5, True, None):
        with pytest.raises(ValueError, match="how many edges a node keeps"):
            dps.data.TruncatedGraph(graph, bound)
    with pytest.raises(TypeError, match="without direction"):
        dps.data.TruncatedGraph(dps.data.DirectedGraph.from_edges([0], [1], nodes=3), 2)
    with pytest.raises(ValueError, match="from 2 to"):
        dps.data.TruncatedGraph(dps.Graph.from_edges([], [], nodes=1), 2)
    truncated = dps.data.TruncatedGraph(graph, 1)
    with pytest.raises(ValueError, match="neighbours are edges"):
        truncated.scores(lambda graph: dps.Scores(graph.degrees, 1))
    with pytest.raises(TypeError, match="must be Scores"):
        truncated.scores(lambda graph: graph.degrees)
    with pytest.raises(ValueError, match="below 2"):
        truncated.scores(dps.utilities.open_pairs)
    with pytest.raises(ValueError, match="keep up to 2 edges here"):
        # Another graph would not be refused by the utility itself.
        dps.data.TruncatedGraph(dps.Graph.from_edges([], [], nodes=4), 2).scores(dps.utilities.open_pairs, max_degree=1)
