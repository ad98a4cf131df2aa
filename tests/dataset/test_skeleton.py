"""dpselect describe: a description to be filled in, from names and types alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dpselect.cli import main
from dpselect.dataset import Dataset, DatasetError, skeleton
from dpselect.sources import csv_text, edge_lines, excel
from dpselect.sources.warehouse import Warehouse

pytest.importorskip("pyarrow")
EVERY = ["a.csv", "a.tsv", "a.csv.gz", "a.xlsx", "a.parquet", "part-*.csv", "duckdb"]


def write(folder: Path, rows: list[tuple[str, int]]) -> None:
    """The same table in every kind of file."""
    import gzip

    import duckdb
    import openpyxl
    import pyarrow as pa
    from pyarrow import parquet

    for name, separator in (("a.csv", ","), ("a.tsv", "\t"), ("part-1.csv", ","), ("part-2.csv", ",")):
        lines = [separator.join(map(str, row)) for row in [("job held", "age"), *rows]]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "a.csv.gz").write_bytes(gzip.compress((folder / "a.csv").read_bytes()))
    book = openpyxl.Workbook()
    for row in [("job held", "age"), *rows]:
        book.active.append(row)
    book.save(folder / "a.xlsx")
    columns = {
        "job held": pa.array([job for job, _ in rows], "string"),
        "age": pa.array([age for _, age in rows], "int64"),
    }
    parquet.write_table(pa.table(columns), folder / "a.parquet")
    (folder / "a.db").unlink(missing_ok=True)
    with duckdb.connect(folder / "a.db") as backend:
        backend.execute('CREATE TABLE t ("job held" TEXT, age INT)')
        backend.executemany("INSERT INTO t VALUES (?, ?)", rows)


def described(name: str) -> str:
    """The skeleton of one of them."""
    return skeleton("duckdb://a.db", table="t") if name == "duckdb" else skeleton(name)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with all of them, that is the working folder."""
    pytest.importorskip("openpyxl")
    pytest.importorskip("ibis")
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    write(tmp_path, [("nurse", 31), ("smith", 99)])
    return tmp_path


class ReadError(AssertionError):
    """A cell was read."""


def reads(*_: Any, **__: Any) -> Any:
    """Stand in for whatever reads rows."""
    raise ReadError


@pytest.fixture
def unreadable(monkeypatch) -> None:
    """No reader may look at a row."""
    from pyarrow import parquet

    given = excel._row

    def first(parser: Any, row: Any, *facts: Any) -> Any:
        # The first row of a sheet holds the names.
        return given(parser, row, *facts) if row.get("r") == "1" else reads()

    for owner, name in (
        (csv_text, "_table"), (parquet.ParquetFile, "read"), (parquet, "read_table"), (Warehouse, "arrows"),
        (Warehouse, "batches"), (edge_lines, "fields"), (edge_lines, "wrong"),
    ):  # fmt: skip
        monkeypatch.setattr(owner, name, reads)
    monkeypatch.setattr(excel, "_row", first)


@pytest.mark.usefixtures("unreadable")
@pytest.mark.parametrize("name", EVERY)
def test_no_cell_is_read(folder, name: str) -> None:
    """Whatever reads a row raises here; whoever asks for rows notices."""
    assert '"job held"' in described(name)
    source = {"source": "duckdb://a.db", "table": "t"} if name == "duckdb" else {"source": name}
    with pytest.raises(ReadError):
        Dataset(**source, columns={"age": {"lower": 0, "upper": 9}}, folder=folder).rows()


@pytest.mark.parametrize("name", EVERY)
def test_other_rows_have_the_same_description(folder, name: str) -> None:
    """Byte for byte."""
    before = described(name)
    write(folder, [("x" * 999, -5)] * 50)

    assert before == described(name)


@pytest.mark.parametrize("name", EVERY)
def test_an_unfilled_description_is_refused_by_line(folder, name: str) -> None:
    """And a filled one is used."""
    text = described(name)
    (folder / "a.toml").write_text(text, encoding="utf-8")
    line = (
        text.splitlines().index(next(each for each in text.splitlines() if "= {lower = ?" in each or "[?]" in each)) + 1
    )
    with pytest.raises(DatasetError, match=rf"a.toml, line {line}: this is not filled in"):
        Dataset.load("a.toml")

    job = text.splitlines()[line - 1]
    filled = text.replace(job, '"job held" = ["nurse", "smith"]').replace(
        "lower = ?, upper = ?", "lower = 0, upper = 120"
    )
    (folder / "a.toml").write_text(filled.replace("epsilon = ?", "epsilon = 1"), encoding="utf-8")
    dataset = Dataset.load("a.toml")

    assert (0, 120) == dataset.domain("age")
    assert ["nurse", "smith"] == dataset.rows()["job held"].tolist()[:2]
    assert "a.ledger" == Path(dataset.budget.ledger).name or name in ("duckdb", "part-*.csv")


@pytest.mark.usefixtures("folder")
def test_a_schema_says_which_columns_hold_numbers() -> None:
    """A csv file does not, and says on its first line that its first line may be a record."""
    for name in ("a.parquet", "duckdb"):
        text = described(name)
        assert "PRIVATE" not in text
        assert '"job held" = [?]' in text
        assert "age        = {lower = ?, upper = ?, step = 1}   # numbers\n" in text
    for name in ("a.csv", "a.tsv", "a.xlsx"):
        assert described(name).startswith(f"# PRIVATE until you look: if {name} has no line of names")
        assert "for text write every value instead" in " ".join(described(name).replace("\n# ", " ").split())
        assert "age        = {lower = ?, upper = ?, step = 1}\n" in described(name)
        # A terminal breaks no line within a word.
        assert max(map(len, described(name).splitlines())) <= 80


@pytest.mark.usefixtures("unreadable")
def test_edges_are_described_without_reading_one(folder) -> None:
    """Files without named columns are not even opened; of others the header is read."""
    (folder / "e.txt").write_bytes(b"\xff\x00 not edges")
    (folder / "e.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (folder / "s.csv").write_text("source,target,weight\n1,2,3\n", encoding="utf-8")

    assert "ends =" not in skeleton("e.txt")
    assert "# The two ends are two columns of a, b.\nends = [?, ?]\n" in skeleton("e.csv", is_graph=True)
    text = skeleton("s.csv", is_graph=True)
    assert text.startswith("# PRIVATE")
    (folder / "s.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DatasetError, match="line 8: this is not filled in"):
        Dataset.load("s.toml")
    (folder / "s.toml").write_text(text.replace("nodes = ?", "nodes = 9").replace("epsilon = ?", "epsilon = 1"))
    assert (9, ("source", "target")) == (Dataset.load("s.toml").nodes, Dataset.load("s.toml").ends)


@pytest.mark.usefixtures("unreadable")
@pytest.mark.parametrize(
    ("name", "label", "weight", "first"),
    [
        ("e.txt", None, "weight", 0), ("e.edges.gz", None, "weight", 0), ("e.mtx", None, "weight", 1),
        ("e.net", "label", "weight", 1), ("e.gml", "label", "weight", 0), ("e.graphml", "label", "weight", 0),
        ("e.gexf", "label", "weight", 0),
    ],
)  # fmt: skip
def test_every_form_of_edges_has_a_skeleton(folder, name: str, label: str | None, weight: str, first: int) -> None:
    """Which is written without opening the file, and can be used with all of its lines."""
    (folder / name).write_bytes(b"\xff\x00 nothing that could be read")
    text = skeleton(name)
    assert (
        f"nodes = ?                       # how many, if they are {first}, {first + 1}, {first + 2}, ..; or a list\n"
        in text
    )
    assert max(map(len, text.splitlines())) <= 80
    assert "PRIVATE" not in text
    filled = re.sub("(?m)^# (?=label|weight|max_degree)", "", text.replace("nodes = ?", "nodes = 9"))
    (folder / "e.toml").write_text(filled.replace("epsilon = ?", "epsilon = 1"), encoding="utf-8")
    dataset = Dataset.load("e.toml")
    assert (name, 9, label, 100) == (dataset.graph, dataset.nodes, dataset.label, dataset.max_degree)
    assert (weight, 10, "real") == (dataset.weight.column, dataset.weight.cap, dataset.weight.kind)
    assert [*dataset.synthetic().candidates] == [*range(first, first + 9)]


def test_what_cannot_be_described_is_refused(folder, capsys) -> None:
    """A wrong separator, no such file, a table of a file; no name of a csv file is quoted."""
    (folder / "b.csv").write_text("secret;other\n1;2\n", encoding="utf-8")
    for words, said in (
        (["b.csv"], "b.csv has one column, and its first line looks like semicolons: --separator ';'"),
        (["no.csv"], "The file no.csv does not exist"),
        (["no.txt"], "The file no.txt does not exist"),
        (["a.csv", "--table", "t"], "A file is one table: leave --table out"),
        (["duckdb://a.db"], "Which table? Pass --table"),
        (["a.xlsx", "--sheet", "x"], "a.xlsx has no sheet 'x'"),
    ):
        assert 2 == main(["describe", *words])
        printed = capsys.readouterr()
        assert said in printed.err
        assert "secret" not in printed.err + printed.out


@pytest.mark.usefixtures("folder")
def test_the_command_prints_what_the_function_returns(capsys) -> None:
    """With what was said of the file."""
    assert 0 == main(["describe", "a.csv", "--decimal", ".", "--encoding", "cp1252"])
    printed = capsys.readouterr().out
    assert skeleton("a.csv", decimal=".", encoding="cp1252") == printed
    assert 'decimal = "."\nencoding = "cp1252"\n' in printed
    assert 0 == main(["describe", "a.csv", "--json"])
    assert skeleton("a.csv") == json.loads(capsys.readouterr().out)["description"]
