"""Cells of SQLite in Python and in the engine: one hostile row moves no other row, whatever a column declares."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.data import Warehouse
from dpselect.dataset import Dataset
from dpselect.sources import sqlite_text
from dpselect.views.stored_events import stored_names

pytest.importorskip("ibis")

# Of every kind of column, cells that it declares; the largest integer is one that no double holds.
HONEST: dict[str, list[Any]] = {
    "INTEGER": [7, 2**53 + 1, 7],
    "SMALLINT": [1, 300, 400],
    "DECIMAL(10,2)": [1.25, 7, 2.5],
    "DECIMAL(20,0)": [2**53 + 1, 7, 7],
    "BOOLEAN": [0, 1, 1],
    "REAL": [1.5, 2.0, 1e300],
    "TEXT": ["a", "é", "2024-01-31"],
    "DATE": ["2024-01-31", "2024-02-01", "2024-02-01"],
    "TIMESTAMP": ["2024-01-31 10:00:00", "2024-02-01 00:00:00", "2024-02-01"],
    "TIME": ["10:00", "11:00", "12:00"],
    "BLOB": [b"a", b"b", "c"],
    "JSON": ["{}", "[1]", "1"],
}
HOSTILE: list[Any] = [
    None, 40_000, "abc", "", "12", "nan", "true", "a\0b", b"", b"\xff", b"\xff\xfe\x00", b"p1", 2.5, 2.0, -1, 2, 9e300,
    float("inf"), -float("inf"), 2**63 - 1, -(2**63), "2024-13-45", "1e999", "x" * 10_000, "\U0001f600",
]  # fmt: skip


def put(folder: Path, columns: dict[str, list[Any]], persons: list[Any] | None = None) -> str:
    """A table of columns named and declared so, and of a person for each row, and its URL."""
    path = folder / "a.db"
    path.unlink(missing_ok=True)
    rows = [*zip(*columns.values(), strict=True)]
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"CREATE TABLE t ({', '.join(columns)}, p TEXT)")
        who = [f"p{at}" for at in range(len(rows))] if persons is None else persons
        marks = ", ".join("?" * (len(columns) + 1))
        connection.executemany(f"INSERT INTO t VALUES ({marks})", [(*row, p) for row, p in zip(rows, who, strict=True)])
    connection.close()
    return f"sqlite://{path}"


def cells(url: str) -> dict[str, tuple[str, list[Any]]]:
    """The type of every column in Python, and its cells."""
    with Warehouse.open(url, "t") as place:
        table = place.table.drop("p")
        read = place.arrows(table)
        batches = [*place.batches(table)]
    for name, column in read.items():
        assert [*map(str, column.to_pylist())] == [str(cell) for batch in batches for cell in batch[name].tolist()]
    return {name: (str(column.type), column.to_pylist()) for name, column in read.items()}


def moved(folder: Path) -> list[str]:
    """The cells that move another cell, or the type of a column, or what is refused."""
    declared = {f"x{at} {kind}": honest for at, (kind, honest) in enumerate(HONEST.items())}
    try:
        before = cells(put(folder, declared))
    except ConnectionError as error:
        return [f"honest rows are refused: {error}"]
    wrong = [f"{name}: {each}" for name, each in before.items() if None in each[1]]
    for cell in HOSTILE:
        try:
            after = cells(put(folder, {name: [*honest, cell] for name, honest in declared.items()}))
        except Exception as error:
            wrong.append(f"{cell!r:.20}: {type(error).__name__}")
            continue
        wrong += [
            f"{name}, {cell!r:.20}: {after[name]}"
            for name, (kind, honest) in before.items()
            if after[name] != (kind, [*honest, *after[name][1][-1:]])
        ]
    return wrong


def test_one_cell_moves_no_other_in_python(tmp_path: Path) -> None:
    """Types follow from what is declared, and integers keep their digits beside whatever a row holds."""
    assert [] == moved(tmp_path)
    large = 2**53 + 1
    columns = {"i INTEGER": [large, 2.5], "d DECIMAL(20,0)": [large, 1e30], "b BOOLEAN": [1, 2], "t TEXT": ["a", 5]}
    expected = {"i": ("int64", [large, None]), "d": ("int64", [large, None]), "b": ("bool", [True, None])}
    assert expected | {"t": ("string", ["a", "5"])} == cells(put(tmp_path, columns))


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")
@pytest.mark.parametrize("fault", ["a frame of pandas", "integers as they are"])
def test_a_reader_of_whole_columns_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    """As cells were read before."""
    pytest.importorskip("pandas")
    if fault == "a frame of pandas":
        monkeypatch.setattr(sqlite_text, "batches", lambda expression: expression.to_pyarrow_batches())
    else:
        sound = sqlite_text._sound_cell
        monkeypatch.setattr(
            sqlite_text, "_sound_cell", lambda column: column if column.type().is_integer() else sound(column)
        )

    assert len(moved(tmp_path)) > 1


@pytest.mark.parametrize("cell", HOSTILE, ids=range(len(HOSTILE)))
def test_names_and_persons_are_those_of_the_other_rows(tmp_path: Path, cell: Any) -> None:
    """Of integers that a double would round, and of text."""
    large = 2**53 + 1
    for kind, names in (("INTEGER", [large, 7]), ("TEXT", ["a", "7"])):
        rows = [names[at % 3 == 0] for at in range(9)]
        counted = popular(put(tmp_path, {f"x {kind}": [*rows, cell]}))
        more = [counted[name] - rows.count(name) for name in names]
        assert more in ([0, 0], [0, 1], [1, 0])
    url = put(tmp_path, {"x INTEGER": [large] * 4}, ["p1", "p2", "p2", cell])
    assert popular(url)[large] in (2, 3)


def popular(url: str) -> dict[Any, int]:
    """How many persons have each name."""
    counts, names, _ = stored_names(f"{url}?table=t", "p", "x", 10)
    return dict(zip(names, counts.tolist(), strict=True))


@pytest.mark.parametrize("cell", HOSTILE, ids=range(len(HOSTILE)))
def test_candidates_edges_and_trees_are_those_of_the_other_rows(tmp_path: Path, cell: Any) -> None:
    """Scores of candidates, degrees of nodes, and the counts of a tree."""
    place = tmp_path / "a.db"
    with sqlite3.connect(place) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("CREATE TABLE c (name TEXT, votes INTEGER)")
        connection.executemany("INSERT INTO c VALUES (?, ?)", [("a", 5), ("b", 9), (cell, cell)])
        connection.execute("CREATE TABLE e (source INTEGER, target INTEGER, s TEXT, t TEXT)")
        edges = [(at, at + 1, f"n{at}", f"n{at + 1}") for at in range(20)]
        connection.executemany("INSERT INTO e VALUES (?, ?, ?, ?)", [*edges, (cell,) * 4])
        connection.execute("CREATE TABLE r (age INTEGER, job TEXT, ill BOOLEAN)")
        rows = [(20 + at % 60, "xy"[at % 2], at % 2) for at in range(400)]
        connection.executemany("INSERT INTO r VALUES (?, ?, ?)", [*rows, (cell, cell, cell)])
    connection.close()
    url = f"sqlite://{place}"

    with dps.data.Candidates(f"{url}?table=c", "name", "votes", 1, domain=["a", "b", "z"]) as held:
        assert "b" == dps.select(held, epsilon=500).value
    for ends, nodes in ((("source", "target"), 22), (("s", "t"), [f"n{at}" for at in range(22)])):
        graph = dps.data.StoredGraph(f"{url}?table=e", nodes, ends=ends)
        assert [1, *[2] * 19, 1, 0] == graph.degrees.tolist()
        assert [1, *[2] * 19, 1, 0] == np.diff(graph.to_graph().indptr).tolist()
    domains = {"age": (0, 100), "job": ["x", "y"], "ill": [0, 1]}
    model = dps.learn.DPTreeClassifier(domains=domains, epsilon=1000, max_depth=1)
    model.fit(Warehouse.open(url, "r"), "ill")
    assert [0, 1] == model.predict({"age": [30, 30], "job": ["x", "y"]}).tolist()


def test_a_collation_joins_no_names(tmp_path: Path) -> None:
    """SQLite tells nobody of the collation of a column; names are compared as they are written."""
    assert {"Ann": 1, "ann": 2} == popular(put(tmp_path, {"x TEXT COLLATE NOCASE": ["Ann", "ann", "ann"]}))


def test_a_name_of_a_described_table_has_all_its_digits(tmp_path: Path) -> None:
    """Beside a row without one."""
    url = put(tmp_path, {"x INTEGER": [2**53 + 1] * 9 + [None]})
    budget = {"epsilon": 10_000, "ledger": str(tmp_path / "a.ledger")}
    names = [2**53, 2**53 + 1]
    data = dps.open(Dataset(source=url, table="t", columns={"x": names}, person="p", budget=budget))

    assert {2**53: 0, 2**53 + 1: 9} == dict(data.histogram("x", epsilon=500).value)


def test_a_number_between_integers_counts_nowhere_in_a_column_of_integers(tmp_path: Path) -> None:
    """It was rounded towards zero before; check names it, as in a column of integers of any other table."""
    url = put(tmp_path, {"x INTEGER": [2, 2.9, -0.5]})
    with Warehouse.open(url, "t") as place:
        column = dps.data.StoredColumn(place, "x")
        assert [0, 0, 1, 0] == column.counts_on(np.arange(4)).tolist()
        assert {"lacking": 2, "outside": 0} == column.check([0, 3])
