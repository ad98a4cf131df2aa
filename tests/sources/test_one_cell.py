"""One cell, one line or one long label decides nothing for the rest of a table."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas
import pytest

import dpselect as dps
from dpselect.learn.domains import attribute
from dpselect.sources import csv_text, tables

pytest.importorskip("pyarrow")


class Hostile(str):
    """A text that cannot be looked up."""

    __hash__ = None  # type: ignore[assignment]


class Unreadable(int):
    """A number that is none."""

    def __float__(self) -> float:
        raise RuntimeError


@pytest.mark.parametrize(
    ("name", "kind", "start", "line", "other"),
    [
        ("e.csv", int, "source,target\n", "0x{i:x},{j}\n", "x,1\n"),
        ("e.txt", int, "50 51\n", "0x{i:x} {j}\n", "x 1\n"),
        ("e.csv", int, "source,target\n", "{i:030d},{j}\n", "x,1\n"),
        ("e.csv", str, "source,target\n", '"{i}"0,{j}\n', ",1\n"),
        ("e.csv", str, "source,target\n", '"{i}\n",{j}\n', ",1\n"),
        ("e.csv", str, 'source,target\n"1,2\n', "{i},{j}\n", '3",4\n'),
    ],
)
def test_a_line_is_an_edge_or_none_whatever_other_lines_are(
    tmp_path: Path, name: str, kind: type, start: str, line: str, other: str
) -> None:
    """Of two files that differ in one line that is not an edge, both give the same graph."""
    body = start + "".join(line.format(i=i, j=i + 1) for i in range(20))
    graphs = []
    for text in (body, body + other):
        (tmp_path / name).write_text(text, encoding="utf-8")
        graphs.append(dps.Graph.read(tmp_path / name, nodes=60 if kind is int else [*map(str, range(210))]))

    assert np.array_equal(graphs[0].degrees, graphs[1].degrees)


def test_one_long_label_costs_its_own_length(tmp_path: Path) -> None:
    """A fixed width for all would be 80 GB here."""
    long = "y" * 10**6
    graph = dps.Graph.from_edges(["a"] * 20000 + [long], ["b"] * 20001, nodes=["a", "b"])
    (tmp_path / "e.csv").write_text("source,target\n" + "a,b\n" * 20000 + long + ",b\n")

    assert [1, 1] == graph.degrees.tolist() == dps.Graph.read(tmp_path / "e.csv", nodes=["a", "b"]).degrees.tolist()


def test_labels_beyond_2_53_name_nobody_where_pandas_may_have_rounded_them() -> None:
    """One missing end would otherwise turn the labels of all other edges into their neighbours."""
    for label in (2**53, 2**53 + 1):
        graphs = [
            dps.Graph.from_edges(
                pandas.Series([2**53 + 1, 7, *more]), ["8"] * len([1, 2, *more]), [str(label), "7", "8"]
            )
            for more in ([], [None])
        ]
        assert [0, 1, 1] == graphs[0].degrees.tolist() == graphs[1].degrees.tolist()


def test_2_53_itself_is_refused_where_pandas_may_round_its_neighbour_to_it() -> None:
    """2^53 + 1 beside a missing cell is 2^53: as a category, a category of text, or a node."""
    values = pandas.Series([2**53 + 1, 1])
    for category in (2**53, 2.0**53):
        with pytest.raises(ValueError, match="may have been rounded"):
            attribute("a", [category, 1], bins=2, missing=False).require_exact("is a column of pandas")
    with pytest.raises(ValueError, match="may have been rounded"):
        dps.Graph.from_edges(values, [1, 1], nodes=[2**53, 1])
    for more in ([], [None]):
        known = attribute("a", [str(2**53), "1"], bins=2, missing=False)
        assert [-1, 1] == known.encode(pandas.Series([2**53 + 1, 1, *more]), "ignore")[:2].tolist()


@pytest.mark.parametrize("cell", ["1" * 10**6 + "x", " " * 10**6 + "x", "1" * 10**6 + ".1e", "0" * 10**6 + "x"])
def test_a_long_cell_is_read_in_one_pass(cell: str) -> None:
    """The square of its length would be hours: a minute is for machines of any speed."""
    start = time.process_time()

    assert csv_text.number(cell) is None
    assert csv_text.integer(cell) is None
    assert 1 == dps.data.Column([1, cell], kind="integer").check([0, 1])["lacking"]
    assert [0, -1] == attribute("a", [1, 2], bins=2, missing=False).encode([1, cell], "ignore").tolist()
    assert time.process_time() - start < 60


def test_a_cell_longer_than_a_block_is_read(tmp_path: Path) -> None:
    """Readers take a megabyte or two for a line unless they are told otherwise."""
    (tmp_path / "t.csv").write_text("a,b\n1,2\n1," + "9" * 3_000_000 + "\n")

    assert [1, 3_000_000] == [len(cell) for cell in csv_text.columns(tmp_path / "t.csv", ["b"])["b"].to_pylist()]


def test_a_cell_longer_than_a_buffer_is_read_in_place(tmp_path: Path) -> None:
    """DuckDB takes two million characters unless it is told otherwise."""
    pytest.importorskip("ibis")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n1," + "9" * 3_000_000 + "\n")

    assert [0, 0, 2] == dps.data.StoredColumn(tmp_path / "t.csv", "b").counts_on(np.array([0, 1, 2])).tolist()


def test_an_empty_line_of_a_single_column_is_a_record(tmp_path: Path) -> None:
    """The number of records is public to the median, so a record that loses its number must not vanish."""
    (tmp_path / "t.csv").write_text("a\n1\n\n3\n")

    assert 3 == dps.data.Column.read(tmp_path / "t.csv").cells.size


def test_bytes_that_are_no_text_spoil_their_own_cell(tmp_path: Path) -> None:
    """Some writers of parquet files do not check that text is UTF-8."""
    import pyarrow
    from pyarrow import parquet

    ends = pyarrow.array(["1", "2"]).buffers()[1]
    bad = pyarrow.Array.from_buffers(pyarrow.string(), 2, [None, ends, pyarrow.py_buffer(b"1\xff")])
    parquet.write_table(pyarrow.table({"source": bad, "target": ["2", "2"]}), tmp_path / "t.parquet")

    assert 1 == dps.data.Column.read(tmp_path / "t.parquet", "source").check([0, 1])["lacking"]
    assert [0, -1] == attribute("a", ["1", "2"], bins=2, missing=False).encode(
        tables.table(tmp_path / "t.parquet", ["source"])["source"], "ignore"
    ).tolist()
    assert [0, 1, 1] == dps.Graph.read(tmp_path / "t.parquet", nodes=["0", "1", "2"]).degrees.tolist()


@pytest.mark.parametrize("cell", [1j, complex("nan"), "x", None, b"x", (1,), Hostile("x")])
@pytest.mark.parametrize("kind", [None, "category"])
def test_no_cell_of_a_pandas_column_decides_whether_it_is_read(cell: object, kind: str | None) -> None:
    """Pandas makes complex numbers, or categories of many types, of a column for the sake of one cell."""
    try:
        values = pandas.Series([1, 2, cell])
        values = values if kind is None else values.astype(kind)  # type: ignore[call-overload]
    except TypeError:
        pytest.skip("pandas has no such categories")

    assert [1, 2] == dps.data.Column(values).cells[:2].tolist()
    assert [0, 1] == attribute("a", [1, 2], bins=2, missing=False).encode(values, "ignore")[:2].tolist()


def test_cells_of_hostile_classes_are_outside() -> None:
    """What a class of its own raises is neither passed on nor a refusal."""
    known = attribute("a", [1, "x"], bins=2, missing=False)

    assert [0, 1] == known.encode([1, Hostile("x")], "ignore").tolist()
    assert [2.0] == dps.data.Column([2, Unreadable(3)]).values[:1].tolist()


def test_text_that_spells_no_number_is_in_no_cell_of_an_engine(tmp_path: Path) -> None:
    """DuckDB takes a bound for the larger of nothing and a bound."""
    pytest.importorskip("duckdb")
    pytest.importorskip("ibis")
    from dpselect.sources.warehouse import Warehouse
    from dpselect.views.stored_column import StoredColumn

    (tmp_path / "t.csv").write_text("x,y\n5,a\nabc,b\nn/a,c\n,d\n1_0,e\nnan,f\n7,g\n", encoding="utf-8")
    for grid in (np.arange(0, 11.0), np.array([0, 5, 7.3, 10])):
        counts = StoredColumn(Warehouse.open(tmp_path / "t.csv"), "x").counts_on(grid)
        assert 2 == counts.sum()


def test_no_message_quotes_a_first_line_behind_a_query() -> None:
    """A signed address ends in .csv?sig=1."""
    from dpselect.sources.missing_column import no_column

    for end in ("", "?sig=1", "#part", "?a=b.parquet"):
        refused = no_column("age", ["Anna Meyer", "1971-02-03"], f"https://example.org/people.csv{end}")
        assert "Anna" not in str(refused)
