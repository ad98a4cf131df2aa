"""Edges that name no public node are counted, whatever they are read from."""

from pathlib import Path

import igraph
import networkx as nx
import pyarrow
import pytest
from pyarrow import parquet

import dpselect as dps
from dpselect.views.stored_graph import StoredGraph

# Two edges of the public nodes, one there twice, one self loop, and three that name a stranger at one end or both.
ROWS = [("0", "1"), ("1", "2"), ("2", "1"), ("1", "1"), ("node 1", "2"), ("0", "node 2"), ("node 1", "node 2")]
EXPECTED = ([1, 2, 1], 1, 1, 3)


def written(folder: Path, name: str, rows: list[tuple[str, str]]) -> Path:
    path = folder / name
    if name.endswith(".parquet"):
        parquet.write_table(pyarrow.table({"source": [a for a, _ in rows], "target": [b for _, b in rows]}), path)
    elif name.endswith(".graphml"):
        edges = "".join(f'<edge source="{a}" target="{b}"/>' for a, b in rows)
        path.write_text(f'<graphml><graph edgedefault="undirected">{edges}</graph></graphml>')
    else:
        sign = {".csv": ",", ".tsv": "\t", ".txt": "\t"}[path.suffix]
        head = "" if name.endswith(".txt") else f"source{sign}target\n"
        path.write_text(head + "".join(f"{a}{sign}{b}\n" for a, b in rows))
    return path


def counted(graph) -> tuple[list[int], int, int, int]:
    return graph.degrees.tolist(), graph.self_loops_dropped, graph.duplicates_dropped, graph.unknown_nodes_dropped


@pytest.mark.parametrize("name", ["e.csv", "e.tsv", "e.txt", "e.parquet", "e.graphml"])
@pytest.mark.parametrize("nodes", [3, ["0", "1", "2"]], ids=["number", "text"])
def test_a_file_counts_the_edges_of_strangers(tmp_path: Path, name: str, nodes) -> None:
    """Labels of text among numbered nodes too, and beside them self loops and repetitions as ever."""
    path = written(tmp_path, name, ROWS)

    assert EXPECTED == counted(dps.Graph.read(path, nodes))
    if name != "e.graphml":
        directed = dps.data.DirectedGraph.read(path, nodes)
        assert (1, 0, 3) == (directed.self_loops_dropped, directed.duplicates_dropped, directed.unknown_nodes_dropped)


@pytest.mark.parametrize("name", ["e.csv", "e.tsv", "e.txt", "e.parquet", "e.graphml"])
def test_text_against_numbered_nodes_is_all_strangers(tmp_path: Path, name: str) -> None:
    """A file of names whose nodes are declared as a number has no edge, and says how many it had."""
    rows = [(f"node {i}", f"node {i + 1}") for i in range(9)]
    assert ([0, 0, 0], 0, 0, 9) == counted(dps.Graph.read(written(tmp_path, name, rows), 3))


def test_an_engine_counts_the_edges_of_strangers(tmp_path: Path) -> None:
    """Once its edges are brought into memory."""
    path = written(tmp_path, "e.csv", [*ROWS, ("2", "")])
    for nodes in (3, ["0", "1", "2"]):
        assert (*EXPECTED[:3], 4) == counted(StoredGraph(str(path), nodes).to_graph())


def test_graphs_of_other_libraries_count_the_edges_of_strangers() -> None:
    """Names against numbers: an end is a stranger, never a guess."""
    plain = nx.Graph([("node 0", "node 1"), ("node 1", "node 2")])
    assert ([0, 0, 0], 0, 0, 2) == counted(dps.Graph.from_networkx(plain, nodes=3))
    named = igraph.Graph.from_networkx(plain)
    named.vs["name"] = named.vs["_nx_name"]
    assert ([0, 0, 0], 0, 0, 2) == counted(dps.Graph.from_igraph(named, nodes=3))


def test_a_weighted_table_counts_the_rows_of_strangers(tmp_path: Path) -> None:
    """As one of edges does."""
    path = tmp_path / "w.csv"
    path.write_text("source,target,weight\n0,1,4\nnode 1,2,5\nnode 0,node 1,6\n,1,6\n")
    graph = dps.data.WeightedGraph.read(path, 3, cap=9)
    assert ([4, 4, 0], 3) == (dps.utilities.weighted_degree(graph).values.tolist(), graph.unknown_nodes_dropped)
