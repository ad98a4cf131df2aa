"""Edge files that are written otherwise: declared, and read as any table is."""

from __future__ import annotations

from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main

pytest.importorskip("pyarrow")

EDGES = "source;target;kind;cost\nJosé;Ann;friend;1,5\nAnn;Bob;work;2,5\n;Bob;friend;1\nBob;José;friend\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "edges.csv"
    file.write_bytes(EDGES.encode("latin-1"))
    return file


def test_a_graph_reads_what_is_declared(path: Path) -> None:
    """Semicolons, another encoding and some rows; a line that is not an edge is left out."""
    names = ["Ann", "Bob", "José", "Zoe"]
    graph = dps.Graph.read(path, names, separator=";", encoding="latin-1", where="kind != none")
    friends = dps.data.DirectedGraph.read(path, names, separator=";", encoding="latin-1", where="kind = friend")

    assert [2, 1, 1, 0] == graph.degrees.tolist()
    assert [1, 0, 0, 0] == friends.followers.tolist()


def test_weights_have_decimal_commas(path: Path) -> None:
    """The cells of the column of weights alone are numbers."""
    graph = dps.data.WeightedGraph.read(
        path, ["Ann", "Bob", "José"], weight="cost", cap=10, kind="real", separator=";", decimal=",", encoding="latin-1"
    )

    assert [4, 2.5, 1.5] == dps.utilities.weighted_degree(graph).values.tolist()


def test_tab_separated_edges_are_a_table(tmp_path: Path) -> None:
    """The ending says tabs."""
    file = tmp_path / "edges.tsv"
    file.write_text("source\ttarget\n0\t1\n1\t2\nx\t1\n1\n", encoding="utf-8")

    assert [1, 2, 1] == dps.Graph.read(file, 3).degrees.tolist()


def test_the_command_line_declares_edges_too(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And refuses what has nothing to say there."""
    names = tmp_path / "names.txt"
    names.write_text("Ann\nBob\nJosé\n", encoding="utf-8")
    words = ["top-k", str(path), "degree", "--nodes", str(names), "--epsilon", "1000"]
    declared = ["--separator", ";", "--encoding", "latin-1"]

    assert 0 == main([*words, *declared, "--where", "kind != none"])
    assert "Ann" in capsys.readouterr().out.splitlines()[0]
    for wrong in (["--decimal", ","], ["--in-place"]):
        assert 2 == main([*words, *declared, *wrong])
    assert 2 == main(["top-k", "lesmis", "degree", "--epsilon", "1", *declared])
    assert "a graph that ships with NetworkX is not a file: leave it out" in capsys.readouterr().err


@pytest.mark.parametrize("row", [b"", b"a,b,c\n", b"\xe9,b,c\n"])
def test_edges_under_a_first_line_of_another_encoding_are_refused(tmp_path: Path, row: bytes) -> None:
    """Also where the ends have names in ASCII, and whatever the rows hold; with the encoding they are read."""
    path = tmp_path / "edges.csv"
    path.write_bytes("source,target,Région\n".encode("latin-1") + row)

    with pytest.raises(ValueError, match="is not in this encoding: --encoding, such as --encoding cp1252"):
        dps.Graph.read(path, ["a", "b"])
    assert 2 == len(dps.Graph.read(path, ["a", "b"], encoding="cp1252"))
