"""Weighted degree: the weights of a node's edges, each pair up to a public cap."""

import math
from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.utilities import weighted_degree
from tests.utilities.enumeration import admissible, tabulate

PAIRS = replace(dps.audit.vectors(6, [0, 1, 5]), relation=dps.mechanisms.Neighbours.EDGE)


def of_pairs(weights: np.ndarray, kind: str = "integer") -> dps.Scores:
    """Four nodes whose pairs weigh so much, in two rows each, one in each direction; the cap is 2."""
    a, b = np.triu_indices(4, 1)
    rows = np.r_[weights // 2, weights - weights // 2]
    return weighted_degree(dps.data.WeightedGraph.from_edges(np.r_[a, b], np.r_[b, a], rows, nodes=4, cap=2, kind=kind))


@pytest.mark.parametrize(("said", "numbers"), [({}, "f"), ({"kind": "real"}, "f"), ({"kind": "integer"}, "i")])
def test_weighted_degrees_are_exact_with_range_bound_one(said, numbers) -> None:
    """Monotone, for edge neighbours; real unless integers are asked for."""
    graph = dps.data.WeightedGraph.from_edges([0, 1, 2], [1, 0, 2], [2, 3, 9], nodes=4, cap=4, **said)
    scores = weighted_degree(graph)

    assert [4, 4, 0, 0] == scores.values.tolist()
    assert (numbers, 1, "edge", 4.0, "worst") == (
        scores.values.dtype.kind,
        scores.range_bound,
        scores.neighbours,
        scores.sensitivity.ceiling,
        scores.zero,
    )


weights = st.one_of(st.integers(-3, 12), st.sampled_from([None, math.nan, math.inf, "x", "", "4", True]))
rows = st.lists(st.tuples(st.integers(-1, 6), st.integers(-1, 6), weights), max_size=30)


def read(cell: object) -> int:
    """One weight, as the rule says: 0 where there is none, 5 at most."""
    number = cell if isinstance(cell, (int, float)) else int(cell) if cell == "4" else 0
    return 0 if number != number or number is None else int(min(max(number, 0), 5))


@settings(max_examples=60, deadline=None)
@given(rows)
def test_random_rows_agree_with_the_definition(table) -> None:
    """Pair by pair; strangers and loops are left out, in labels as in numbers."""
    total: dict[frozenset, int] = {}
    for a, b, weight in table:
        if a != b and 0 <= min(a, b) and max(a, b) < 6:
            total[frozenset((a, b))] = total.get(frozenset((a, b)), 0) + read(weight)
    expected = [sum(min(weight, 5) for pair, weight in total.items() if v in pair) for v in range(6)]
    source, target, cells = ([row[i] for row in table] for i in range(3))
    graph = dps.data.WeightedGraph.from_edges(source, target, cells, nodes=6, cap=5, kind="integer")
    named = dps.data.WeightedGraph.from_edges(
        [f"v{a}" for a in source],
        [f"v{b}" for b in target],
        cells,
        nodes=[f"v{i}" for i in range(6)],
        cap=5,
        kind="integer",
    )
    real = weighted_degree(dps.data.WeightedGraph.from_edges(source, target, cells, nodes=6, cap=5))

    assert expected == graph.units.tolist() == named.units.tolist() == real.values.tolist()
    good = [(a, b) for a, b, _ in table if 0 <= min(a, b) and max(a, b) < 6]
    assert (len(table) - len(good), sum(a == b for a, b in good)) == (
        graph.unknown_nodes_dropped,
        graph.self_loops_dropped,
    )


@pytest.mark.parametrize("kind", ["integer", "real"])
def test_one_pair_moves_its_two_ends_alike_and_by_the_cap_at_most(kind: str) -> None:
    """All graphs of four nodes and every new weight of one pair: admissible and attained; half of it is caught."""
    table = tabulate(lambda each: of_pairs(each, kind), PAIRS)
    values = np.array([of_pairs(each, kind).values for each in PAIRS])
    moves = values[PAIRS.near] - values[:, None]

    assert 729 == len(PAIRS)
    assert admissible(table)
    assert 2 == table.at.max() == table.exact.max()
    assert not admissible(table, 0.5)
    assert 2 == np.abs(moves).max() == np.ptp(moves, axis=2).max()
    assert ((moves >= 0).all(axis=2) | (moves <= 0).all(axis=2)).all()


def test_whole_releases_cost_at_most_the_epsilon_asked() -> None:
    """The exact loss over all graphs of four nodes, with the range bound in use."""
    loss = dps.audit.privacy_loss(dps.mechanism("permute-and-flip"), of_pairs, PAIRS, epsilon=1)

    assert loss.holds, loss
    assert loss.worst > 0.5


def test_what_is_no_weight_counts_as_nothing() -> None:
    """Row by row: nothing that a cell holds decides whether there is an answer, or how another is read."""
    cells = [3, -7, None, math.nan, math.inf, -math.inf, "many", "1e400", "", 2.5, [1]]
    for kind, half in (("integer", 2.0), ("real", 2.5)):
        graph = dps.data.WeightedGraph.from_edges([0] * 11, range(1, 12), cells, nodes=12, cap=8, kind=kind)
        assert [3, 0, 0, 0, 8, 0, 0, 8, 0, half, 0] == weighted_degree(graph).values[1:].tolist()
        together = dps.data.WeightedGraph.from_edges([0, 0], [1, 1], [3, -7], nodes=2, cap=8, kind=kind)
        assert [3, 3] == weighted_degree(together).values.tolist()


@settings(max_examples=60, deadline=None)
@given(st.floats(1e-9, 1e9), st.lists(st.floats(-1, 2e9), min_size=1, max_size=8))
def test_real_weights_are_rounded_down_to_exact_multiples(cap, cells) -> None:
    """Of a power of two of which the cap has fewer than 2^20; sums are exact whatever the order."""
    graph = dps.data.WeightedGraph.from_edges([0] * len(cells), [1] * len(cells), cells, nodes=3, cap=cap, kind="real")
    unit, exact = graph.unit, [Fraction(cell) for cell in cells]
    expected = min(graph.cap, sum((min(max(x, Fraction(0)), graph.cap) // unit) * unit for x in exact))

    assert cap / 2**20 < unit <= cap / 2**19
    assert 0 <= Fraction(cap) - graph.cap < unit
    assert expected == Fraction(weighted_degree(graph).values[0])
    assert 0 == graph.units[2]
    assert Fraction(weighted_degree(graph).sensitivity.ceiling) == graph.cap


def test_graphs_of_other_libraries_and_files_give_the_same(tmp_path) -> None:
    """Parallel edges and directions are added up, isolated nodes stay."""
    igraph = pytest.importorskip("igraph")
    drawn = nx.MultiGraph([("a", "b", {"n": 3}), ("b", "a", {"n": 4}), ("b", "c"), ("c", "a", {"n": 100})])
    drawn.add_node("z")
    expected = [17, 7, 10, 0]
    other = igraph.Graph(n=4, edges=[(0, 1), (1, 0), (1, 2), (2, 0)])
    other.vs["name"], other.es["n"] = list("abcz"), [3, 4, None, 100]
    text = "who,to,n\na,b,3\nb,a,4\nb,c,\nc,a,100\n,a,3\nq,a,7\n"
    (tmp_path / "e.csv").write_text(text)
    pandas.read_csv(tmp_path / "e.csv").to_parquet(tmp_path / "e.parquet")
    graphs = [
        dps.data.WeightedGraph.from_networkx(drawn, weight="n", cap=10),
        dps.data.WeightedGraph.from_igraph(other, weight="n", cap=10),
        *(
            dps.data.WeightedGraph.read(tmp_path / name, list("abcz"), ends=("who", "to"), weight="n", cap=10)
            for name in ("e.csv", "e.parquet")
        ),
    ]
    for graph in graphs:
        assert expected == weighted_degree(graph).values.tolist()
        assert list("abcz") == [*graph.candidates]
    with pytest.warns(UserWarning, match="Directions are dropped"):
        directed = dps.data.WeightedGraph.from_networkx(
            nx.DiGraph([(0, 1, {"weight": 3}), (1, 0, {"weight": 4})]), weight="weight", cap=9
        )
    assert [7, 7] == weighted_degree(directed).values.tolist()
    assert "WeightedGraph(nodes=4, cap=10)" == repr(graphs[0])


def test_bad_caps_kinds_columns_and_graphs_are_refused(tmp_path) -> None:
    """In one sentence each, whatever the rows."""
    make = dps.data.WeightedGraph.from_edges
    with pytest.raises(dps.PrivacyError, match="Weights need cap="):
        make([0], [1], [1], nodes=2)
    with pytest.raises(dps.PrivacyError, match="pass nodes="):
        make([0], [1], [1], cap=1)
    for cap in (0, 2.5, -1, math.nan, math.inf, True, "4", 2**31 + 1):
        with pytest.raises(ValueError, match="cap is an integer from 1"):
            make([0], [1], [1], nodes=2, cap=cap, kind="integer")
    for cap in (0, -1.5, math.nan, math.inf, True):
        with pytest.raises(ValueError, match="positive finite"):
            make([0], [1], [1], nodes=2, cap=cap)
    with pytest.raises(ValueError, match="kind is"):
        make([0], [1], [1], nodes=2, cap=1, kind="whole")
    with pytest.raises(ValueError, match="three arrays"):
        make([0], [1], [1, 2], nodes=2, cap=1)
    with pytest.raises(TypeError, match="WeightedGraph"):
        weighted_degree(dps.Graph.from_edges([0], [1], nodes=2))
    (tmp_path / "e.csv").write_text("source,target\n0,1\n")
    with pytest.raises(ValueError, match="needs the columns source, target, weight, .*: if .* pass ends= and weight="):
        dps.data.WeightedGraph.read(tmp_path / "e.csv", 2, cap=1)
    with pytest.raises(ValueError, match="three different columns"):
        dps.data.WeightedGraph.read(tmp_path / "e.csv", 2, weight="source", cap=1)


def test_the_attribute_of_weights_is_named() -> None:
    """One that no edge has is not refused, because an edge would decide that; the curator can count."""
    drawn = nx.Graph([(0, 1, {"weight": 3}), (1, 2)])
    with pytest.raises(ValueError, match='as in weight="weight"'):
        dps.data.WeightedGraph.from_networkx(drawn, cap=9)
    assert 1 == dps.data.WeightedGraph.from_networkx(drawn, weight="weight", cap=9).zero_weights_dropped
    misspelt = dps.data.WeightedGraph.from_networkx(drawn, weight="wieght", cap=9)
    assert (2, [0, 0, 0]) == (misspelt.zero_weights_dropped, misspelt.units.tolist())


def test_weights_below_one_count_as_they_are(tmp_path) -> None:
    """Shares and scores in [0, 1], from every reader, without a word about their kind."""
    igraph = pytest.importorskip("igraph")
    for weight in (0.4, 0.7, 1.6):
        star = nx.star_graph(30)
        nx.set_edge_attributes(star, weight, "weight")
        text = "".join(f"0,{leaf},{weight}\n" for leaf in range(1, 31))
        (tmp_path / "e.csv").write_text(f"source,target,weight\n{text}")
        for graph in (
            dps.data.WeightedGraph.from_networkx(star, weight="weight", cap=2),
            dps.data.WeightedGraph.from_igraph(igraph.Graph.from_networkx(star), cap=2),
            dps.data.WeightedGraph.read(tmp_path / "e.csv", 31, cap=2),
        ):
            hub, *_ = weighted_degree(graph).values.tolist()
            assert pytest.approx(30 * weight, rel=1e-4) == hub
            assert 0 == graph.zero_weights_dropped
