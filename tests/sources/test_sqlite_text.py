"""Text of SQLite, whatever a row holds: one cell refuses nothing and moves no other row."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.dataset import Dataset, check_dataset

pytest.importorskip("ibis")

COLUMNS = {
    "ward": ["A", "B"],
    "at": {"lower": "2025-01-01", "upper": "2025-12-31", "step": "month"},
    "age": {"lower": 0, "upper": 100},
}
# What SQLite takes for text, or keeps among it.
HOSTILE = ["x'ff00'", "x''", "cast(x'ff' as text)", "cast(x'c3' as text)", "5", "1e999", "NULL", "'a' || char(0)"]


def database(folder: Path, cell: str, encoding: str, person: str | None = None) -> Dataset:
    """A database of 300 rows, and of one that holds the cell where text is declared."""
    with sqlite3.connect(folder / "a.db") as connection:
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute("CREATE TABLE t (ward TEXT, at DATE, age REAL, who TEXT)")
        rows = [("AB"[row % 2], f"2025-{1 + row % 12:02}-03", row % 100, f"p{row}") for row in range(300)]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        connection.execute(f"INSERT INTO t VALUES ({cell}, {cell}, 50, {cell})")
    connection.close()
    budget = {"epsilon": 10_000, "ledger": str(folder / "a.ledger")}
    return Dataset(source=f"sqlite://{folder / 'a.db'}", table="t", columns=COLUMNS, person=person, budget=budget)


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", pytest.param("UTF-16be", marks=pytest.mark.slow)])
@pytest.mark.parametrize("cell", HOSTILE)
def test_one_cell_refuses_nothing_and_moves_no_row(tmp_path: Path, cell: str, encoding: str) -> None:
    """Counts of names, of dates and in groups are those of the other rows, and so is what check says."""
    dataset = database(tmp_path, cell, encoding)
    data = dps.open(dataset)

    assert {"A": 150, "B": 150} == dict(data.histogram("ward", epsilon=500).value)
    assert {25} == set(data.histogram("at", epsilon=500).value.values())
    assert {"A", "B"} == set(data.by("ward").median("age", epsilon=500).value)
    assert 300 == check_dataset(dataset).facts["columns"]["ward"]["listed"]


@pytest.mark.parametrize("cell", HOSTILE)
def test_one_person_refuses_nothing(tmp_path: Path, cell: str) -> None:
    """Who has no name is nobody."""
    data = dps.open(database(tmp_path, cell, "UTF-8", person="who"))

    assert {"A": 150, "B": 150} == dict(data.histogram("ward", epsilon=500).value)
    assert {"A", "B"} == {*data.most_common("ward", k=2, epsilon=500).value}


@pytest.mark.parametrize("kind", ["REAL", "INTEGER"])
@pytest.mark.parametrize("cell", ["x'ff00'", "'12x'", "cast(x'ff' as text)", "NULL", "''"])
def test_what_is_no_number_in_a_column_of_numbers_is_missing(tmp_path: Path, cell: str, kind: str) -> None:
    """And not the largest of them, as SQLite orders cells; check and counts are those of the other rows."""
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute(f"CREATE TABLE t (age {kind})")
        connection.executemany("INSERT INTO t VALUES (?)", [(row % 3,) for row in range(300)])
        for _ in range(400):
            connection.execute(f"INSERT INTO t VALUES ({cell})")
    connection.close()
    budget = {"epsilon": 10_000, "ledger": str(tmp_path / "a.ledger")}
    columns = {"age": {"lower": 0, "upper": 9}}
    dataset = Dataset(source=f"sqlite://{tmp_path / 'a.db'}", table="t", columns=columns, budget=budget)

    assert "age: 300 numbers, 400 empty, 0 not a number; 0 outside of the bounds" in check_dataset(dataset).lines
    data = dps.open(dataset)
    assert (0, 1, 2) == data.quantiles("age", p=[16, 50, 84], epsilon=500).value
    stored = dps.data.StoredColumn(dps.data.Warehouse.open(dataset.address, "t"), "age")
    assert {"lacking": 400, "outside": 0} == stored.check([0, 1, 2])
