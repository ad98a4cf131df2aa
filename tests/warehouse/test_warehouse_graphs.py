"""Graphs whose edges stay in their engine."""

from __future__ import annotations

from pathlib import Path

import duckdb
import ibis
import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.sources.warehouse import Warehouse
from dpselect.views import stored_graph

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

        session = request.getfixturevalue("spark")
        backend = ibis.pyspark.connect(session)
        return Warehouse.open(backend.create_view("edges", ibis.memtable(pandas.DataFrame(ends)), overwrite=True))
    server = request.getfixturevalue("postgres")
    server.put("edges", ends)
    source = Warehouse.open(server.url, "edges")
    request.addfinalizer(source.close)
    return source


@pytest.mark.parametrize("text", [False, True], ids=["ids", "labels"])
@pytest.mark.parametrize("engine", ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.slow)])
def test_scores_are_those_of_the_graph_in_memory(engine: str, text: bool, request: pytest.FixtureRequest) -> None:
    """Degree, ego density and open pairs by queries, the others of the edges that stream in."""
    graph = dps.Graph.from_edges(SOURCE, TARGET, nodes=45)
    stored = dps.data.StoredGraph(edges(engine, text, request), LABELS if text else 45)
    pairs = [
        (dps.utilities.degree(graph), dps.utilities.degree(stored)),
        (dps.utilities.ego_density(graph), dps.utilities.ego_density(stored)),
        (dps.utilities.log_betweenness(graph), dps.utilities.log_betweenness(stored)),
        (dps.utilities.open_pairs(graph, 40), dps.utilities.open_pairs(stored, 40)),
        (dps.utilities.core_number(graph), dps.utilities.core_number(stored)),
        (dps.utilities.triangles(graph, 40), dps.utilities.triangles(stored, 40)),
        (dps.utilities.two_step_reach(graph, 40), dps.utilities.two_step_reach(stored, 40)),
        (
            dps.utilities.ego_betweenness(graph, max_degree=40),
            dps.utilities.ego_betweenness(stored, max_degree=40),
        ),
    ]
    for one, two in pairs:
        assert np.array_equal(one.values, two.values)
        assert np.array_equal(one.sensitivity.at([0, 1, 5]), two.sensitivity.at([0, 1, 5]))
        assert (LABELS if text else list(range(45))) == list(two.candidates)
        assert "source" in two.metadata
    both = [
        dps.multiobjective.pareto([each for _, each in pairs]),
        dps.multiobjective.aggregate([each for _, each in pairs], [1] * len(pairs)),
    ]
    assert [stored.metadata] * 2 == [each.metadata for each in both]


def test_what_is_refused_is_public() -> None:
    """Ends of another type, columns that are not there, no public nodes at all."""
    with pytest.raises(dps.PrivacyError, match="Nodes are public"):
        dps.data.StoredGraph(ibis.memtable({"source": [0], "target": [1]}))
    with pytest.raises(ValueError, match="no column 'target'"):
        dps.data.StoredGraph(ibis.memtable({"source": [0]}), 3)
    with pytest.raises(ValueError, match="ends of edges must be"):
        dps.data.StoredGraph(ibis.memtable({"source": ["a"], "target": ["b"]}), 3)
    with pytest.raises(ValueError, match="ends of edges must be"):
        dps.data.StoredGraph(ibis.memtable({"source": [1], "target": [2]}), ["a", "b"])


# A session of PostgreSQL that only reads joins no list of labels.
@pytest.mark.parametrize(("engine", "listed"), [("duckdb", 10_000), ("duckdb", 1), ("postgres", 10_000)])
def test_an_edge_of_a_stranger_is_left_out(engine: str, listed: int, monkeypatch, request) -> None:
    """A missing end, a node that is not public: nothing else changes, neither degrees nor triangles nor the edges."""
    monkeypatch.setattr(stored_graph, "_MOST_LISTED", listed)
    wide = edges(engine, True, request)
    for nodes in (LABELS[:20], LABELS):
        inside = [(a, b) for a, b in zip(SOURCE, TARGET, strict=True) if max(a, b) < len(nodes)]
        plain = dps.Graph.from_edges(*np.array(inside).T, nodes=len(nodes))
        stored = dps.data.StoredGraph(wide, nodes)
        assert plain.degrees.tolist() == stored.degrees.tolist() == stored.to_graph().degrees.tolist()
        assert dps.utilities.ego_density(plain).values.tolist() == dps.utilities.ego_density(stored).values.tolist()
    if engine == "duckdb":
        gaps = {"source": [0, None, 0, 7, -1], "target": [1, 2, None, 1, 1]}
        stored = dps.data.StoredGraph(ibis.memtable(gaps, schema={"source": "int64", "target": "int64"}), 3)
        assert [1, 1, 0] == stored.degrees.tolist() == stored.to_graph().degrees.tolist()


def test_csv_edges_in_place_are_those_of_memory(tmp_path: Path) -> None:
    """Whatever one line spells, the others are read as they were."""
    for line in ("x,1", "1.5,2", ",", "99999999999999999999,1", "nan,0"):
        (tmp_path / "e.csv").write_text(f"source,target\n0,1\n 1 ,2\n{line}\n", encoding="utf-8")
        stored = dps.data.StoredGraph(tmp_path / "e.csv", 3)
        assert [1, 2, 1] == stored.degrees.tolist() == dps.Graph.read(tmp_path / "e.csv", nodes=3).degrees.tolist()


def test_an_empty_table_is_a_graph_without_edges() -> None:
    """Every public node has degree 0."""
    none = ibis.memtable({"source": [], "target": []}, schema={"source": "int64", "target": "int64"})
    graph = dps.data.StoredGraph(none, 4)

    assert [0, 0, 0, 0] == graph.degrees.tolist() == graph.links.tolist() == graph.to_graph().degrees.tolist()


def test_top_k_in_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Degree, ego density and open pairs from an edge file that DuckDB reads where it is."""
    ibis.memtable({"source": SOURCE, "target": TARGET}).to_parquet(tmp_path / "edges.parquet")
    for metric in ("degree", "ego-density", "open-pairs"):
        words = [
            "top-k",
            str(tmp_path / "edges.parquet"),
            "--in-place",
            "--nodes",
            "45",
            metric,
            *(("--max-degree", "44") if metric == "open-pairs" else ()),
        ]
        assert 0 == main([*words, "--k", "2", "--epsilon", "9"])
    assert "epsilon = 9 per edge" in capsys.readouterr().out


@pytest.mark.parametrize("collation", ["nocase", "noaccent", "nfc"])
def test_a_collation_that_takes_labels_for_equal_is_refused_without_a_row(tmp_path: Path, collation: str) -> None:
    """Else one edge of "A" might give the group of "a" its name, and all edges of "a" would be nobody's."""
    with duckdb.connect(tmp_path / "e.duckdb") as own:
        own.execute(f"CREATE TABLE e (source VARCHAR, target VARCHAR COLLATE {collation})")
        own.execute("CREATE VIEW exact AS SELECT source, decode(encode(target)) AS target FROM e")
    backend = ibis.duckdb.connect(tmp_path / "e.duckdb")
    with pytest.raises(ValueError, match=r"^The engine takes different texts for equal in source or target: "):
        dps.data.StoredGraph(backend.table("e"), ["a", "b"])
    assert dps.data.StoredGraph(backend.table("exact"), ["a", "b"]).degrees.tolist() == [0, 0]
    backend.disconnect()
