"""What `dpselect explore` is given: a public table or graph that is shown as it is, read whole and within bounds."""

from __future__ import annotations

import gzip
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.csv as csv
import pyarrow.parquet as parquet
import pytest

import dpselect as dps
from dpselect.cli import click_commands
from dpselect.cli.request import Request
from dpselect.web.explorer import public_data
from dpselect.web.explorer.material import EXAMPLES, Material

PEOPLE = "age,region\n30,North\n41,South\n,South\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch) -> Path:
    """Where the files are."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def given(line: str) -> Material:
    """Return what a command line gives the pages."""
    request = Request(["explore", *shlex.split(line)])
    click_commands.parse_options(request.words, request)
    return public_data.material_of(request)


def refusal(line: str) -> str:
    """Return why it is refused, a sentence."""
    with pytest.raises((ValueError, OSError)) as error:
        given(line)
    said = " ".join(str(error.value).split())
    assert said.endswith(".")
    return said


def made(python: str, name: str):
    """Return what the statements of a notebook make."""
    names: dict[str, object] = {"dps": dps}
    exec(python, names)
    return names[name]


@pytest.mark.parametrize("line", ["", "example"])
def test_nothing_is_the_made_up_examples(line: str) -> None:
    """And nothing is declared public."""
    assert given(line) is EXAMPLES
    assert "" == EXAMPLES.given


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "xlsx", "parquet"])
def test_a_table_of_every_kind_is_read(ending: str) -> None:
    """The same cells, whatever the file, and the name of the file alone."""
    name = f"some/people.{ending}"
    Path("some").mkdir()
    write_table(name)
    material = given(name)

    assert [["30", "41", ""], ["North", "South", "South"]] == [[*cells] for cells in material.columns.values()]
    assert material.columns is material.visits
    assert (("South", 2), ("North", 1)) == material.counts_of("region")
    assert ("table", f"people.{ending}", f"people.{ending}, 3 rows") == (material.given, material.words, material.name)
    assert material.graph is EXAMPLES.graph


@pytest.mark.parametrize(
    "text, words",
    [
        ("age;region\n30;North\n", "looks like semicolons: --separator ';'"),
        ("age|region\n30|North\n", "looks like bars: --separator '|'"),
        ("age\tregion\n30\tNorth\n", "looks like tabs: --separator tab"),
    ],
)
def test_a_table_with_other_separators_is_no_single_column(text: str, words: str) -> None:
    """The first line says what is meant; whoever says that it is a comma all the same has one column."""
    Path("people.csv").write_text(text)

    assert words in refusal("people.csv")
    assert refusal("people.csv").startswith("people.csv has one column, and its first line")
    assert [text.splitlines()[0]] == [*given("people.csv --separator ,").columns]


@pytest.mark.parametrize(
    "text",
    [
        "Ann,Bob\nBob,Cleo\n",
        "Ann, Bob\nBob, Cleo\n",
        "Ann;Bob\nBob;Cleo;2\n",
        "# who knows whom\nAnn Bob\nBob Cleo 3\n",
    ],
)
def test_an_edge_file_names_its_nodes(text: str) -> None:
    """The first two fields of each line, whatever separates them."""
    Path("friends.txt").write_text(text)

    assert ("Ann", "Bob", "Cleo") == given("friends.txt").graph.candidates


def write_table(name: str) -> None:
    """Write PEOPLE."""
    if name.endswith(".xlsx"):
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for row in [["age", "region"], [30, "North"], [41, "South"], [None, "South"]]:
            book.active.append(row)
        book.save(name)
    elif name.endswith(".parquet"):
        parquet.write_table(csv.read_csv(pyarrow.BufferReader(PEOPLE.encode())), name)
    elif name.endswith(".gz"):
        Path(name).write_bytes(gzip.compress(PEOPLE.encode()))
    else:
        Path(name).write_text(PEOPLE.replace(",", "\t") if name.endswith(".tsv") else PEOPLE)


@pytest.mark.parametrize("decimal, pay", [(",", "2,5"), (".", "2.5")])
def test_how_a_text_is_written_is_declared(decimal: str, pay: str) -> None:
    """Numbers of either mark; text keeps its commas; the notebook reads the same file the same way."""
    Path("people.csv").write_bytes(f"pay;town\n{pay};Köln, West\n3;x\n".encode("cp1252"))
    material = given(f"people.csv --separator ';' --decimal {decimal} --encoding cp1252 --where 'town != y'")

    assert [2.5, 3] == material.numbers_of("pay").tolist()
    assert "Köln, West" == material.columns["town"][0]
    assert ("pay",) == material.numeric
    table = made(material.table_python, "table")
    assert [2.5, 3] == [float(cell) for cell in table["pay"]]
    assert "pass decimal=',' or" in refusal("people.csv --separator ';' --encoding cp1252")


def test_an_edge_file_is_a_graph_where_its_ending_or_an_option_says_so() -> None:
    """A .csv of edges is a table unless it is asked for as a graph."""
    Path("edges.csv").write_text("source,target\nann,bob\nbob,cy\n")
    Path("edges.txt").write_text("0 1\n1 2\n2 7\n")
    Path("named.csv").write_text("from,to\n1,2\n")

    assert "table" == given("edges.csv").given
    graph = given("edges.csv --graph")
    assert ("graph", ["ann", "bob", "cy"], [1, 2, 1]) == (
        graph.given,
        [*graph.graph.candidates],
        graph.graph.degrees.tolist(),
    )
    assert graph.columns is EXAMPLES.columns
    assert [0, 1, 2, 7] == [*given("edges.txt").graph.candidates]
    assert 9 == len(given("edges.txt --nodes 9").graph)
    assert [1, 2] == [*given("named.csv --source from --target to").graph.candidates]
    for line in ("edges.csv --graph", "edges.txt", "edges.txt --nodes 9", "named.csv --source from --target to"):
        material = given(line)
        assert np.array_equal(made(material.graph_python, "graph").indices, material.graph.indices)


def test_graphml_names_its_nodes() -> None:
    """Isolated ones too."""
    networkx = pytest.importorskip("networkx")
    graph = networkx.path_graph(["a", "b", "c"])
    graph.add_node("alone")
    networkx.write_graphml(graph, "path.graphml")

    assert ["a", "b", "c", "alone"] == [*given("path.graphml").graph.candidates]


def test_a_graph_that_ships_with_networkx_and_a_dataset(monkeypatch, folder) -> None:
    """By name; without the datasets a shipped graph is found all the same."""
    assert 77 == len(given("lesmis").graph)
    assert 77 == len(made(given("lesmis").graph_python, "graph"))
    write_table("people.parquet")
    (folder / "manifest.toml").write_text(
        '[datasets.folk]\nfile = "people.parquet"\nkind = "tabular"\n[datasets.bins]\nfile = "x.npy"\nkind = "other"\n'
    )
    monkeypatch.setenv("DPSELECT_DATA", str(folder))

    material = given("folk")
    assert ("folk, 3 rows", ["30", "41", ""]) == (material.name, [*material.columns["age"]])
    assert "North" == made(material.table_python, "table")["region"][0]
    assert "neither a table nor a graph" in refusal("bins")


@pytest.mark.parametrize(
    "line, said",
    [
        ("nothing", "No file, dataset or shipped graph is called 'nothing': name a table"),
        ("nothing.csv", "The file nothing.csv does not exist: check its path."),
        ("'part-*.csv'", "No file matches part-*.csv"),
        (".", "The file . does not exist"),
        ("x.doc", "pass a file that ends in .csv"),
        ("https://host/people.csv", "download the file"),
        ("'duckdb://x.duckdb?table=t'", "download the file"),
        ("lesmis --nodes 3", "--nodes is about a file, and lesmis is not a file"),
        ("--separator ';'", "--separator is about a file, and the made-up examples is not a file"),
        ("empty.csv", "has no rows"),
        ("edges.txt --decimal ,", "--decimal is for numbers"),
        ("edges.csv --graph", "source"),
        ("broken.parquet", "not a complete parquet file"),
    ],
)
def test_what_cannot_be_shown_is_a_sentence(line: str, said: str) -> None:
    """That says what to do."""
    Path("x.doc").write_text("x")
    Path("empty.csv").write_text("a,b\n")
    Path("edges.csv").write_text("a,b\n1,2\n")
    Path("edges.txt").write_text("0 1\n")
    Path("broken.parquet").write_text("x")

    assert said in refusal(line)


def test_a_file_beyond_the_bounds_is_refused_before_it_is_read(monkeypatch) -> None:
    """By its size, by what it becomes when it is unpacked, by its rows, by its cells."""
    for name in ("people.csv", "people.xlsx", "people.parquet"):
        write_table(name)
    Path("zeros.csv.gz").write_bytes(gzip.compress(b"a\n" + b"0\n" * 10**5))
    monkeypatch.setattr(public_data, "ROWS", 2)
    for name in ("people.csv", "people.parquet"):
        assert "has 3 rows of 2 cells" in refusal(name)
    monkeypatch.setattr(public_data, "ROWS", 9)
    monkeypatch.setattr(public_data, "CELLS", 5)
    assert "5 cells at most" in refusal("people.csv")
    monkeypatch.setattr(public_data, "BYTES", 1000)
    monkeypatch.setattr(public_data.tables, "arrows", lambda *_: pytest.fail("it was read"))
    assert "more than the pages show" in refusal("zeros.csv.gz")
    assert Path("zeros.csv.gz").stat().st_size < 1000
    assert "more than the pages show" in refusal("people.xlsx")


@pytest.mark.parametrize("line", ["long.parquet", "long.parquet --graph --source a --target k", "'lon*.parquet'"])
def test_a_long_text_in_every_row_is_counted_in_each(line: str, monkeypatch) -> None:
    """A parquet file that holds it once is refused before it is unfolded, where it would take too much memory."""
    with parquet.ParquetWriter("long.parquet", pyarrow.schema([("a", "string"), ("k", "string")])) as file:
        for _ in range(10):
            file.write_table(pyarrow.table({"a": ["x" * 20_000] * 2_000, "k": ["u", None] * 1_000}))
    assert Path("long.parquet").stat().st_size < 2**20
    monkeypatch.setattr(public_data.tables, "arrows", lambda *_: pytest.fail("it was read"))
    monkeypatch.setattr(public_data.edges, "read", lambda *_, **__: pytest.fail("it was read"))

    assert "is larger than 256 MiB, more than the pages show" in refusal(line)


@pytest.mark.parametrize("cells", [[["a", "b"], ["c"]], [{"f": "a"}, {"f": "b"}]])
def test_lists_and_records_in_cells_are_refused(cells) -> None:
    """In a sentence, before they are read."""
    parquet.write_table(pyarrow.table({"n": [1, 2], "many": cells}), "nested.parquet")

    assert "nested.parquet has lists or records in its cells" in refusal("nested.parquet")


def test_parquet_of_every_type_is_shown() -> None:
    """Text of any kind is counted, missing and empty cells too, and other types stay as they are."""
    texts = pyarrow.array(["x", None, "", "x"])
    columns = {
        "text": texts,
        "large": texts.cast(pyarrow.large_string()),
        "coded": texts.dictionary_encode(),
        "none": pyarrow.array([None] * 4, pyarrow.string()),
        "whole": pyarrow.array([1, 2, None, 4]),
        "day": pyarrow.array([1, 2, 3, 4], pyarrow.date32()),
    }
    parquet.write_table(pyarrow.table(columns), "all.parquet")
    shown = given("all.parquet").columns

    assert [*columns] == [*shown]
    for name in ("text", "large", "coded"):
        assert ["x", "", "", "x"] == [*shown[name]]


def test_a_graph_beyond_the_bounds_is_refused(monkeypatch) -> None:
    """By the number of its edges."""
    Path("edges.txt").write_text("0 1\n1 2\n2 3\n")
    monkeypatch.setattr(public_data, "ROWS", 2)

    assert "more than 2 edges" in refusal("edges.txt")


def test_a_name_that_steers_a_terminal_is_harmless() -> None:
    """Neither a folder nor a sign without a picture is shown."""
    name = "a\x1b[31m\n.csv"
    Path(name).write_text(PEOPLE)

    assert "a?[31m?.csv" == given(shlex.quote(name)).words


def test_data_is_refused_before_the_port_is_opened() -> None:
    """One sentence, status 2, and no address."""
    command = [sys.executable, "-m", "dpselect", "explore", "nothing.csv"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert (2, "") == (done.returncode, done.stdout)
    assert "The file nothing.csv does not exist: check its path." in done.stderr
