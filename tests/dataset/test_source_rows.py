"""Rows and edges that a description names, and what stands in for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.dataset import Dataset, DatasetError, check_dataset

pytest.importorskip("pyarrow")
COLUMNS = {"income": {"lower": 0, "upper": 3000}, "region": ["North", "South"]}
LINES = [
    "id;region;income;day",
    "b;North;1.234,5;2026-02-01",
    "a;South;NA;2026-01-03",
    "a;-99;20;2026-01-01",
    "a;North;30;2026-01-02",
    "c;North;x;",
]


def survey(folder: Path, **more: Any) -> Dataset:
    """A dataset in a text file."""
    (folder / "a.csv").write_text("\n".join(LINES) + "\n", encoding="cp1252")
    facts = {"separator": ";", "decimal": ",", "encoding": "cp1252", "missing": ["NA", "-99"], "columns": COLUMNS}
    return Dataset(source="a.csv", folder=folder, **{**facts, **more})


def test_rows_are_read_as_declared(tmp_path) -> None:
    """Separators, decimal commas, cells that stand for missing ones, conditions; numbers are read once."""
    rows = survey(tmp_path).rows()

    assert ["1234.5", "nan", "20.0", "30.0", "nan"] == _numbers(rows)
    assert ["North", "South", None, "North", "North"] == rows["region"].tolist()
    assert [30] == survey(tmp_path, where="region = North and id = a").rows(["income"])["income"].tolist()
    # What stands for a missing cell fulfils no comparison.
    assert [] == survey(tmp_path, where="region = '-99'").rows(["income"])["income"].tolist()


def test_the_declared_order_decides_which_rows_come_first(tmp_path) -> None:
    """By date, by number, and rows without one last; other rows keep their order."""
    dated = survey(tmp_path, person="id", order="day")
    assert ["a", "a", "a", "b", "c"] == dated.rows()["id"].tolist()
    assert ["20.0", "30.0", "nan", "1234.5", "nan"] == _numbers(dated.rows())
    assert ["income"] == [*dated.rows(["income"])]

    numbered = survey(tmp_path, person="id", order="income")
    assert ["20.0", "30.0", "1234.5", "nan", "nan"] == _numbers(numbered.rows(["id", "income"]))
    assert ["a", "a", "b", "a", "c"] == numbered.rows(["id", "income"])["id"].tolist()


def test_which_rows_of_a_person_come_first_follows_from_that_person(tmp_path) -> None:
    """Rows of somebody else, of any kind, move none of them."""
    dataset = survey(tmp_path, person="id", order="day")
    before = [income for who, income in zip(*_both(dataset), strict=True) if who == "a"]
    for line in ("z;North;1;0000-00-00", "z;North;1;é", "z", "z;;;;;;", ""):
        (tmp_path / "a.csv").write_text("\n".join([LINES[0], line, *LINES[1:], line]) + "\n", encoding="cp1252")
        after = [income for who, income in zip(*_both(dataset), strict=True) if who == "a"]
        assert before == after, line


def _both(dataset: Dataset) -> tuple[list[Any], list[Any]]:
    rows = dataset.rows(["id", "income"])
    return rows["id"].tolist(), _numbers(rows)


def _numbers(rows: dict[str, Any]) -> list[str]:
    """Return the incomes as text, since NaN is no other NaN."""
    assert rows["income"].dtype == float
    return [str(each) for each in rows["income"].tolist()]


def test_a_sheet_is_named(tmp_path) -> None:
    """The first without a name; a name that there is not is refused."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["x"])
    book.create_sheet("Data").append(["y"])
    for row in ("p", "q", "NA"):
        book["Data"].append([row])
    book.save(tmp_path / "a.xlsx")
    facts: dict[str, Any] = {"source": "a.xlsx", "columns": {"y": ["p", "q"]}, "missing": ["NA"], "folder": tmp_path}

    assert ["p", "q", None] == Dataset(**facts, sheet="Data").rows()["y"].tolist()
    with pytest.raises(ValueError, match="has no column 'y'"):
        Dataset(**facts).rows()
    with pytest.raises(ValueError, match="a.xlsx has no sheet 'Dato': name one that it has"):
        Dataset(**facts, sheet="Dato").rows()


def test_text_of_a_sheet_may_be_grouped(tmp_path) -> None:
    """As --thousands says it of one file; its numbers have a point."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for cell in ("x", "1 200", 7.5):
        book.active.append([cell])
    book.save(tmp_path / "a.xlsx")
    facts: dict[str, Any] = {"columns": {"x": {"lower": 0, "upper": 3000}}, "thousands": "space", "decimal": "."}

    dataset = Dataset(source="a.xlsx", folder=tmp_path, **facts)
    assert [1200, 7.5] == [float(cell) for cell in dataset.rows()["x"].tolist()]
    assert 2 == check_dataset(dataset).facts["columns"]["x"]["numbers"]


def test_numbers_that_stand_for_missing_ones_are_numbers_in_typed_files(tmp_path) -> None:
    """-99 is -99.0 there."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"x": [1, -99, 3], "r": [0.5, -99.0, None], "y": ["p", "-99", "q"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    columns = {"x": {"lower": 0, "upper": 9}, "r": {"lower": 0, "upper": 1}, "y": ["p", "q"]}
    rows = Dataset(source="a.parquet", columns=columns, missing=["-99", "NA"], folder=tmp_path).rows()

    assert [1, None, 3] == [None if cell != cell else cell for cell in rows["x"].tolist()]
    assert [0.5, None, None] == [None if cell != cell else cell for cell in rows["r"].tolist()]
    assert ["p", None, "q"] == rows["y"].tolist()


def test_a_column_that_is_not_there_is_refused(tmp_path) -> None:
    """Of a csv file nothing of the first line is quoted."""
    dataset = survey(tmp_path, columns={**COLUMNS, "incom": ["a"]})
    with pytest.raises(ValueError, match="The table has no column 'incom'") as refused:
        dataset.rows()

    assert "region" not in str(refused.value)


def test_rows_of_a_database_are_those_of_its_table(tmp_path) -> None:
    """Cells as their types say, in the declared order."""
    pytest.importorskip("ibis")
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(tmp_path / "a.db") as backend:
        backend.execute("CREATE TABLE t (x INT, y TEXT, who TEXT)")
        backend.execute("INSERT INTO t VALUES (3, 'p', 'a'), (1, NULL, 'b'), (2, 'q', 'a')")
    columns = {"x": {"lower": 0, "upper": 9}, "y": ["p", "q"]}
    dataset = Dataset(source=f"duckdb://{tmp_path}/a.db", table="t", columns=columns, person="who", order="x")

    assert {"x": [1, 2, 3], "y": [None, "q", "p"], "who": ["b", "a", "a"]} == {
        name: cells.tolist() for name, cells in dataset.rows().items()
    }


def test_graphs_are_opened_by_their_kind(tmp_path) -> None:
    """Edges, directions, weights; and none of a table."""
    (tmp_path / "e.csv").write_text("a,b,w\n0,1,5\n1,0,5\n1,2,90\n9,1,1\n", encoding="utf-8")
    graph = Dataset(graph="e.csv", nodes=4, ends=["a", "b"], weight={"column": "w", "cap": 10}, folder=tmp_path)

    assert [1, 2, 1, 0] == graph.edges().degrees.tolist()
    weighted = graph.edges(dps.data.WeightedGraph)
    assert ("real", [10, 20, 10, 0]) == (weighted.kind, dps.utilities.weighted_degree(weighted).values.tolist())
    assert isinstance(graph.edges(dps.data.DirectedGraph), dps.data.DirectedGraph)
    assert "edge" == graph.neighbours
    with pytest.raises(DatasetError, match="a graph has no rows: ask for its graph"):
        graph.rows()
    with pytest.raises(DatasetError, match="no weights are described"):
        Dataset(graph="e.csv", nodes=4, ends=["a", "b"], folder=tmp_path).edges(dps.data.WeightedGraph)
    with pytest.raises(DatasetError, match="a table has no edges"):
        survey(tmp_path).edges()


@pytest.mark.filterwarnings("ignore::dpselect.sources.graphs.GraphPartsWarning")
def test_graphs_of_every_form_are_opened_by_labels(tmp_path) -> None:
    """Nodes are named as the file names them, in what is read and in what stands in for it."""
    (tmp_path / "e.gml").write_text(
        'graph [ directed 1 node [ id 0 label "Lee, Ann" ] node [ id 1 label "bob" ] node [ id 2 label "eve" ]\n'
        "edge [ source 0 target 1 cost 2.5 ] edge [ source 2 target 1 ] ]",
        encoding="utf-8",
    )
    (tmp_path / "e.mtx").write_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 2.5\n3 2 0\n")
    names = ["Lee, Ann", "bob", "zed"]
    named = Dataset(
        graph="e.gml", nodes=names, label="label", weight={"column": "cost", "cap": 9}, folder=tmp_path
    )  # fmt: skip
    numbered = Dataset(graph="e.mtx", nodes=3, weight={"column": "weight", "cap": 9}, folder=tmp_path)
    for dataset, candidates in ((named, names), (numbered, [1, 2, 3])):
        for kind in (dps.Graph, dps.data.WeightedGraph):
            assert candidates == [*dataset.edges(kind).candidates] == [*dataset.synthetic(kind).candidates]
        assert [1, 1, 0] == dataset.edges().degrees.tolist()
        weights = dps.utilities.weighted_degree(dataset.edges(dps.data.WeightedGraph)).values
        assert [2.5, 2.5, 0] == weights.tolist()
    assert [0, 1, 0] == named.edges(dps.data.DirectedGraph).followers.tolist()


def test_what_stands_in_for_the_data_follows_from_public_facts() -> None:
    """One row, or no edges: nothing is there to be read."""
    dataset = Dataset(source="no.csv", columns=COLUMNS, person="id", order="day")
    graph = Dataset(graph="no.csv", nodes=["a", "b"], weight={"column": "w", "cap": 10})

    assert {"income": [0], "region": ["North"], "id": [0], "day": [0]} == dataset.synthetic()
    for kind in (dps.Graph, dps.data.DirectedGraph, dps.data.WeightedGraph):
        assert isinstance(graph.synthetic(kind), kind)
        assert 2 == len(graph.synthetic(kind))


def test_the_ledger_is_made_once_with_the_terms_of_the_description(tmp_path) -> None:
    """And refused where it has others, in one sentence; its own name of the data is kept."""
    budget = {"epsilon": 2, "ledger": "survey.ledger"}
    dataset = survey(tmp_path, budget=budget)
    made = dataset.open_ledger()

    assert (2, "add-remove", "survey") == (made.terms.epsilon, made.terms.neighbours, made.terms.dataset)
    assert dataset.terms() == made.terms
    assert tmp_path / "survey.ledger" == made.path
    assert made.path == dataset.open_ledger().path
    for more, said in (
        ({"budget": {**budget, "epsilon": 3}}, r"^budget: this ledger was made with epsilon '2', not '3'"),
        ({"person": "id", "budget": budget}, "was made with neighbours 'add-remove', not 'person'"),
        ({"budget": {**budget, "delta": 0.1}}, "was made with delta '0', not '1/10'"),
    ):
        with pytest.raises(DatasetError, match=said):
            survey(tmp_path, **more).open_ledger()
    dps.Ledger.open(tmp_path / "other.ledger", epsilon=2, dataset="people of 2026")
    kept = survey(tmp_path, budget={**budget, "ledger": "other.ledger"}).open_ledger()
    assert "people of 2026" == kept.terms.dataset


def test_a_ledger_needs_a_budget_and_a_name(tmp_path) -> None:
    """Which the sentence asks for."""
    with pytest.raises(DatasetError, match=r"no budget is described: add \[budget\]"):
        survey(tmp_path).open_ledger()
    with pytest.raises(DatasetError, match="no ledger is named: add ledger"):
        survey(tmp_path, budget={"epsilon": 1}).open_ledger()
