"""Graphs over public nodes."""

import sys
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from scipy import sparse

import dpselect as dps

edge_lists = st.integers(1, 9).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30),
    )
)


def neighbours_of(graph: dps.Graph) -> list[set[int]]:
    """The neighbour sets, read back from the compressed rows."""
    return [set(row.tolist()) for row in np.split(graph.indices, graph.indptr[1:-1])]


@settings(max_examples=80, deadline=None)
@given(edge_lists)
def test_the_graph_is_simple_and_undirected(drawn) -> None:
    """Against NetworkX: same neighbours; loops and repetitions are dropped and counted."""
    n, pairs = drawn
    graph = dps.Graph.from_edges([a for a, _ in pairs], [b for _, b in pairs], nodes=n)
    other = nx.Graph([(a, b) for a, b in pairs if a != b])
    other.add_nodes_from(range(n))

    assert [set(other[v]) for v in range(n)] == neighbours_of(graph)
    assert sum(a == b for a, b in pairs) == graph.self_loops_dropped
    assert len(pairs) - graph.self_loops_dropped - other.number_of_edges() == graph.duplicates_dropped
    assert [other.degree[v] for v in range(n)] == graph.degrees.tolist()


def test_rows_are_sorted() -> None:
    """Kernels rely on sorted neighbours."""
    graph = dps.Graph.from_edges([0, 0, 0], [3, 1, 2], nodes=4)

    assert [1, 2, 3] == graph.indices[:3].tolist()


def test_labels_are_kept_in_the_order_given() -> None:
    """Text or numbers, isolated nodes included."""
    graph = dps.Graph.from_edges(["b", "a"], ["c", "b"], nodes=["z", "c", "b", "a"])

    assert ["z", "c", "b", "a"] == list(graph.candidates)
    assert [0, 1, 2, 1] == graph.degrees.tolist()
    assert [1, 1, 0] == dps.Graph.from_edges([70], [50], nodes=[50, 70, 60]).degrees.tolist()


def test_networkx_scipy_and_edges_give_the_same_graph() -> None:
    """Three doors, one room."""
    original = nx.gnp_random_graph(12, 0.3, seed=4)
    pairs = np.array(original.edges())
    ways = [
        dps.Graph.from_edges(pairs[:, 0], pairs[:, 1], nodes=12),
        dps.Graph.from_networkx(original),
        dps.Graph.from_scipy(nx.to_scipy_sparse_array(original, dtype=bool)),
    ]

    for way in ways:
        assert neighbours_of(ways[0]) == neighbours_of(way)
        assert list(range(12)) == list(way.candidates)


def test_directed_and_parallel_edges_become_one() -> None:
    """A multigraph with directions is an undirected simple graph."""
    with pytest.warns(UserWarning, match="Directions are dropped"):
        graph = dps.Graph.from_networkx(nx.MultiDiGraph([("a", "b"), ("b", "a"), ("a", "b"), ("b", "b")]))

    assert ([1, 1], 1, 2) == (graph.degrees.tolist(), graph.self_loops_dropped, graph.duplicates_dropped)


def test_an_empty_graph_has_its_nodes() -> None:
    """No edges at all is a graph."""
    assert [0, 0, 0] == dps.Graph.from_edges([], [], nodes=3).degrees.tolist()
    assert [0, 0] == dps.Graph.from_edges([], [], nodes=["a", "b"]).degrees.tolist()
    assert [0, 0] == dps.Graph.from_networkx(nx.empty_graph(2)).degrees.tolist()


def test_a_repr_does_not_tell_the_number_of_edges() -> None:
    """Nodes are public, edges are not."""
    assert "Graph(nodes=3)" == repr(dps.Graph.from_edges([0], [1], nodes=3))


@pytest.mark.parametrize("edges", [10**6, pytest.param(10**7, marks=pytest.mark.slow)])
def test_millions_of_edges_with_duplicates_are_taken(edges: int) -> None:
    """Size is no reason to refuse."""
    draw = np.random.default_rng(0)
    source, target = draw.integers(0, 300, (2, edges))
    graph = dps.Graph.from_edges(source, target, nodes=300)

    assert 299 == graph.degrees.max()
    assert edges == graph.self_loops_dropped + graph.duplicates_dropped + graph.degrees.sum() // 2


@pytest.mark.parametrize(
    ("source", "target", "nodes", "message"),
    [
        ([0], [1, 2], 3, "same length"),
        (["a"], ["b"], ["a", "b", "a"], "listed twice"),
        ([0], [1], -1, "a number >= 0"),
        ([1], [2], [1, 2, "a"], "all integers or all text"),
        ([1], [2], [1.0, 2.0], "all integers or all text"),
        (["a"], ["b"], [("a", 1), ("b", 2)], "all integers or all text"),
        (np.zeros((2, 2), int), np.zeros((2, 2), int), 3, "one-dimensional"),
        (np.array([2.0**60]), [1], [1, 2**60], "may have been rounded"),
        (pandas.Series([2**60]), [1], [1, 2**60], "may have been rounded"),
    ],
)
def test_what_is_refused_is_public(source, target, nodes, message: str) -> None:
    """Shapes, types and the nodes themselves."""
    with pytest.raises(ValueError, match=message):
        dps.Graph.from_edges(source, target, nodes=nodes)


STRANGERS = [9, -1, 0.5, "a", "", None, np.nan, np.inf, 2**70, -(2**70), (1,), [1], {}, b"1", 1j]


@pytest.mark.parametrize("stranger", STRANGERS, ids=repr)
@pytest.mark.parametrize(
    "nodes", [9, [7, 1, 2, 3], ["1", "7", "2", "3"], [2**60, 1, 2, 7, 3]], ids=["number", "integers", "text", "wide"]
)
def test_an_edge_of_a_stranger_is_left_out(stranger, nodes) -> None:
    """At either end, in a list or an array of objects; all others are read as before, however they are spelled."""
    source, target = [1, 7.0, "1", 3], ["2", 2, 7, 3]
    plain = dps.Graph.from_edges(source, target, nodes=nodes)
    assert (3, 1) == (plain.degrees.sum() // 2, plain.self_loops_dropped)
    for pair in ((stranger, 1), (1, stranger)):
        ends = [[*source, pair[0]], [*target, pair[1]]]
        for made in (ends, [np.fromiter(end, dtype=object, count=5) for end in ends], [tuple(end) for end in ends]):
            graph = dps.Graph.from_edges(*made, nodes=nodes)
            assert neighbours_of(plain) == neighbours_of(graph)
            assert (1, 1) == (graph.unknown_nodes_dropped, graph.self_loops_dropped)


@pytest.mark.parametrize("missing", [None, 9])
def test_a_missing_end_does_not_change_the_others(missing) -> None:
    """In containers of every kind, with the types that they choose for a column with a gap."""
    source = [0, 1, missing]
    for made in (
        pandas.Series(source),
        pandas.Series(source, dtype="Int64"),
        pandas.Series(source, dtype="int64[pyarrow]"),
        polars.Series(source),
        pyarrow.array(source),
        np.array([0, 1, np.nan if missing is None else missing]),
    ):
        graph = dps.Graph.from_edges(made, [1, 2, 2], nodes=3)
        assert ([1, 2, 1], 1) == (graph.degrees.tolist(), graph.unknown_nodes_dropped)


@pytest.mark.parametrize("nodes", ["abc", b"abc", 3.0, True])
def test_nodes_that_are_neither_a_number_nor_a_list_are_refused(nodes) -> None:
    """Text is not a list of its letters."""
    with pytest.raises(TypeError, match="the number of public nodes"):
        dps.Graph.from_edges([0], [1], nodes=nodes)


def test_object_arrays_are_taken_for_what_they_hold() -> None:
    """Data frames keep text, and numbers with gaps filled, in object arrays."""
    words, numbers = np.array(["a", "b"], dtype=object), np.array([0, 2], dtype=object)

    assert [1, 1] == dps.Graph.from_edges(words, words[::-1], nodes=["a", "b"]).degrees.tolist()
    assert [1, 1, 1, 1] == dps.Graph.from_edges(numbers, numbers + 1, nodes=4).degrees.tolist()


def test_large_unsigned_ids_are_not_confused() -> None:
    """2^53 and 2^53 + 1 are one number in floats, and two nodes here."""
    ids = np.array([2**53, 2**53 + 1], dtype=np.uint64)

    assert [1, 1] == dps.Graph.from_edges(ids[:1], ids[1:], nodes=ids).degrees.tolist()


def test_a_graph_cannot_be_changed() -> None:
    """Arrays are read-only and a graph is equal to itself alone, so it can be a key."""
    graph = dps.Graph.from_edges([0], [1], nodes=2)

    for array in (graph.degrees, graph.indices, graph.indptr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert 1 == len({graph, graph})
    assert graph != dps.Graph.from_edges([0], [1], nodes=2)


def test_labels_that_are_the_positions_are_not_kept() -> None:
    """range(n), a list and a number say the same; True is not 1."""
    for nodes in (3, range(3), [0, 1, 2], np.arange(3)):
        assert dps.Graph.from_edges([0], [1], nodes=nodes).labels is None
    assert (0.0, 1.0) == dps.Graph.from_networkx(nx.Graph([(0.0, 1.0)])).labels


def test_text_labels_stay_text_when_read(tmp_path) -> None:
    """ "007" is not "7", and digits are labels when the public nodes are text."""
    (tmp_path / "e.csv").write_text("source,target\n007,7\n", encoding="utf-8")

    assert [1, 0, 1] == dps.Graph.read(tmp_path / "e.csv", nodes=["007", "8", "7"]).degrees.tolist()
    (tmp_path / "f.csv").write_text("source,target\na,7\n", encoding="utf-8")
    assert [0] * 8 == dps.Graph.read(tmp_path / "f.csv", nodes=8).degrees.tolist()


def test_nodes_are_never_read_from_the_edges() -> None:
    """Without nodes= there is no graph."""
    with pytest.raises(dps.PrivacyError, match="pass nodes="):
        dps.Graph.from_edges([0], [1])
    with pytest.raises(dps.PrivacyError, match="pass nodes="):
        dps.Graph.read("edges.csv")


def test_networkx_edges_outside_the_public_nodes_are_left_out() -> None:
    """Public nodes by list or by number, each once."""
    for nodes in ([0, 1], 2):
        assert [1, 1] == dps.Graph.from_networkx(nx.path_graph(3), nodes=nodes).degrees.tolist()
    with pytest.raises(ValueError, match="listed twice"):
        dps.Graph.from_networkx(nx.path_graph(3), nodes=[0, 1, 2, 2])
    assert [1, 2, 1, 0] == dps.Graph.from_networkx(nx.path_graph(3), nodes=4).degrees.tolist()


def test_an_adjacency_matrix_is_square() -> None:
    """A rectangle is not a graph, and neither is a dense array; NaN is not an edge."""
    with pytest.raises(ValueError, match="square"):
        dps.Graph.from_scipy(sparse.csr_matrix((2, 3)))
    with pytest.raises(TypeError, match="csr_array"):
        dps.Graph.from_scipy(np.eye(3))
    with pytest.warns(UserWarning, match="Entries of a matrix"):
        graph = dps.Graph.from_scipy(sparse.csr_array([[0, np.nan, 0], [0, 0, 2], [0] * 3]))
    assert [0, 1, 1] == graph.degrees.tolist()


def test_entries_stored_twice_are_added_up() -> None:
    """1 and -1 at one place are 0, which is not an edge."""
    matrix = sparse.coo_array(([1, -1, 5], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))

    with pytest.warns(UserWarning, match="Entries of a matrix"):
        assert [0, 1, 1] == dps.Graph.from_scipy(matrix).degrees.tolist()


@pytest.mark.parametrize(
    ("name", "nodes"),
    [("lesmis", 77), ("karate", 34), ("florentine-families", 15), ("davis-southern-women", 32)],
)
def test_shipped_graphs_by_name(name: str, nodes: int) -> None:
    """Those that NetworkX carries as data."""
    assert nodes == len(dps.Graph.from_name(name))


def test_without_networkx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shipped graphs are optional, and the message names the extra."""
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[graph\]"'):
        dps.Graph.from_name("lesmis")


def test_an_unknown_shipped_graph_lists_the_known() -> None:
    """The message names what there is."""
    with pytest.raises(ValueError, match="lesmis, karate, florentine-families, davis-southern-women"):
        dps.Graph.from_name("facebook")


def warned(read) -> list[str]:
    """What a reader says aloud, in order."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        read()
    ours = [each for each in said if issubclass(each.category, UserWarning)]
    assert all(each.filename == __file__ for each in ours)
    return [str(each.message).split(":")[0] for each in ours]


@pytest.mark.parametrize("pairs", [[], [(0, 1)], [(0, 1), (1, 0)]], ids=["empty", "one way", "both ways"])
def test_what_is_dropped_is_said_by_the_form_whatever_the_edges_are(pairs, tmp_path: Path) -> None:
    """Types, headers and names of columns speak; no edge, weight or symmetry does."""
    ones = (np.ones(len(pairs)), ([a for a, _ in pairs], [b for _, b in pairs]))
    weighted, directed = nx.Graph(), nx.DiGraph()
    for made in (weighted, directed):
        made.add_nodes_from(range(2))
        made.add_weighted_edges_from((a, b, 3.5) for a, b in pairs)
    rows = "".join(f"{a},{b},2.5\n" for a, b in pairs)
    (tmp_path / "w.csv").write_text("source,target,Weight\n" + rows)
    (tmp_path / "t.csv").write_text("source,target,since\n" + rows)
    columns = {name: pyarrow.array([row[at] for row in pairs], "int64") for at, name in enumerate(("source", "target"))}
    parquet.write_table(pyarrow.table(columns | {"weight": pyarrow.nulls(len(pairs))}), tmp_path / "w.parquet")

    assert [] == warned(lambda: dps.Graph.from_networkx(weighted))
    assert ["Directions are dropped"] == warned(lambda: dps.Graph.from_networkx(directed))
    assert [] == warned(lambda: dps.Graph.from_scipy(sparse.coo_array(ones, shape=(2, 2), dtype=bool)))
    said = warned(lambda: dps.Graph.from_scipy(sparse.coo_array(ones, shape=(2, 2))))
    assert ["Entries of a matrix are read as edges without weight or direction"] == said
    for name in ("w.csv", "w.parquet"):
        assert ["Weights are dropped"] == warned(lambda name=name: dps.Graph.read(tmp_path / name, nodes=2))
    assert [] == warned(lambda: dps.Graph.read(tmp_path / "t.csv", nodes=2))
    assert ["Weights are dropped"] == warned(lambda: dps.data.StoredGraph(str(tmp_path / "w.parquet"), 2))


@pytest.mark.parametrize("start", [1, 0, -3, 5, 2**53 - 2])
def test_a_range_of_nodes_is_a_list_of_them(start: int) -> None:
    """Whatever the ends are, to the last integer of 64 bits."""
    nodes = range(start, start + 4)
    ends = [-(2**63), 2**63 - 1, 2**63, -3, -2, 0, 1, 4, 5, 8, 9, 2**53, None, "x", "4", "05", 4.0, 2.5, True]
    for column in (ends, np.array(ends[:2] + ends[3:11])):
        one, other = (dps.Graph.from_edges(column, [start] * len(column), nodes=each) for each in (nodes, [*nodes]))
        assert one.degrees.tolist() == other.degrees.tolist()
        assert (one.unknown_nodes_dropped, one.self_loops_dropped) == (
            other.unknown_nodes_dropped,
            other.self_loops_dropped,
        )
