"""Graphs whose edges stay in their engine."""

from __future__ import annotations

from pathlib import Path

import ibis
import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.sources.warehouse import Warehouse

RNG = np.random.default_rng(8)
SOURCE, TARGET = RNG.integers(0, 40, 300), RNG.integers(0, 40, 300)
LABELS = [f"né {i}" for i in range(45)]


def edges(engine: str, text: bool, request: pytest.FixtureRequest) -> Warehouse:
    """Self loops and repeated edges included."""
    ends = {"source": SOURCE, "target": TARGET}
    if text:
        ends = {name: np.array([LABELS[i] for i in values], dtype=object) for name, values in ends.items()}
    if engine == "duckdb":
        return Warehouse.open(ibis.memtable(ends))
    if engine == "spark":
        import pandas

        backend = ibis.pyspark.connect(request.getfixturevalue("spark"))
        return Warehouse.open(backend.create_view("edges", ibis.memtable(pandas.DataFrame(ends)), overwrite=True))
    server = request.getfixturevalue("postgres")
    server.put("edges", ends)
    source = Warehouse.open(server.url, "edges")
    request.addfinalizer(source.close)
    return source


@pytest.mark.parametrize("text", [False, True], ids=["ids", "labels"])
@pytest.mark.parametrize("engine", ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.slow)])
def test_scores_are_those_of_the_graph_in_memory(engine: str, text: bool, request: pytest.FixtureRequest) -> None:
    """Degree and ego density by queries, ego betweenness of the edges that stream in."""
    graph = dps.Graph.from_edges(SOURCE, TARGET, nodes=45)
    stored = dps.StoredGraph(edges(engine, text, request), LABELS if text else 45)
    pairs = [
        (dps.utilities.degree(graph), dps.utilities.degree(stored)),
        (dps.utilities.ego_density(graph), dps.utilities.ego_density(stored)),
        (
            dps.utilities.ego_betweenness(graph, max_degree=40),
            dps.utilities.ego_betweenness(stored, max_degree=40),
        ),
    ]
    for one, two in pairs:
        assert np.array_equal(one.values, two.values)
        assert np.array_equal(one.sensitivity.at([0, 1, 5]), two.sensitivity.at([0, 1, 5]))
        assert (LABELS if text else list(range(45))) == list(two.candidates)
        assert "source" in two.facts
    both = [dps.pareto([each for _, each in pairs]), dps.aggregate([each for _, each in pairs], [1, 1, 1])]
    assert [stored.facts] * 2 == [each.facts for each in both]


def test_edges_that_are_none_are_refused() -> None:
    """An empty end, a node that is not public, ends of another type, no public nodes at all."""
    with pytest.raises(dps.PrivacyError, match="Nodes are public"):
        dps.StoredGraph(ibis.memtable({"source": [0], "target": [1]}))
    with pytest.raises(ValueError, match="no column 'target'"):
        dps.StoredGraph(ibis.memtable({"source": [0]}), 3)
    with pytest.raises(ValueError, match="ends of edges must be"):
        dps.StoredGraph(ibis.memtable({"source": ["a"], "target": ["b"]}), 3)
    with pytest.raises(ValueError, match="ends of edges must be"):
        dps.StoredGraph(ibis.memtable({"source": [1], "target": [2]}), ["a", "b"])
    empty = ibis.memtable({"source": [0, None], "target": [1, 2]}, schema={"source": "int64", "target": "int64"})
    beyond = ibis.memtable({"source": [0, 7], "target": [1, 2]})
    stranger = ibis.memtable({"source": ["a", "x"], "target": ["b", "c"]})
    for table, nodes, words in (
        (empty, 3, "empty source"),
        (beyond, 3, "beyond the 3"),
        (stranger, "abc", "not public"),
    ):
        graph = dps.StoredGraph(table, list(nodes) if isinstance(nodes, str) else nodes)
        with pytest.raises(ValueError, match=words):
            _ = graph.degrees
        with pytest.raises(ValueError, match=words):
            graph.compressed()


def test_an_empty_table_is_a_graph_without_edges() -> None:
    """Every public node has degree 0."""
    none = ibis.memtable({"source": [], "target": []}, schema={"source": "int64", "target": "int64"})
    graph = dps.StoredGraph(none, 4)

    assert [0, 0, 0, 0] == graph.degrees.tolist() == graph.links.tolist() == graph.compressed().degrees.tolist()


def test_top_k_in_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Degree and ego density from an edge file that DuckDB reads where it is."""
    ibis.memtable({"source": SOURCE, "target": TARGET}).to_parquet(tmp_path / "edges.parquet")
    for metric in ("degree", "ego-density"):
        words = ["top-k", str(tmp_path / "edges.parquet"), "--in-place", "--nodes", "45", "--metric", metric]
        assert 0 == main([*words, "--k", "2", "--epsilon", "9"])
    assert "epsilon = 9 per edge" in capsys.readouterr().out
