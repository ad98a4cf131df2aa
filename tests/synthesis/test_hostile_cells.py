"""Cells that could change how others are read: the same exact counts before noise, wherever the rows are."""

from __future__ import annotations

import csv
import math
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import dpselect as dps
from dpselect.dataset import source_rows
from dpselect.synthesis.marginal_counts import rows_of
from dpselect.synthesis.quantile_bins import ranks_of
from dpselect.synthesis.table_domain import TableDomain

ROWS = 240
COLUMNS = {
    "age": {"lower": 0, "upper": 99},
    "part": {"lower": 0, "upper": 3, "step": 0.5},
    "job": ["nurse", "smith", "7"],
    "born": {"lower": "2019-01-01", "upper": "2025-12-31", "step": "year"},
}
AGES = ["17", "nan", "inf", "-inf", "1e308", "-1e308", "1e999", "x", "", "300", "4.5", "4.500001", "0x10", "1_0", "99"]
JOBS = [
    "nurse",
    "Nurse",
    "clerk",
    "",
    "7",
    "7.0",
    "smith ",
    "smith",
    "NULL",
    "nan",
    'a "b", c',
    "''; drop table t",
    "٣",
]
BORN = ["2020-05-01", "1990-01-01", "", "2025-12-31", "x", "2019-13-01", "2021-02-30", "2024-02-29", "nan"]
WHO = ["a", "a", "b", "b", "c", "c", "c", "", "d", "nan", "e", "e", "f"]
ORDER = ["3", "1", "2", "x", "", "1e308", "nan", "9", "5"]


def texts() -> dict[str, list[str]]:
    """A table in which every hostile cell is beside others, in each column by itself."""
    made = {"age": AGES, "part": AGES[::-1], "job": JOBS, "born": BORN, "who": WHO, "visit": ORDER}
    table = {
        name: [cells[(row * (place + 1)) % len(cells)] for row in range(ROWS)]
        for place, (name, cells) in enumerate(made.items())
    }
    # No two rows of a person are level.
    return table | {"visit": [f"{cell} {row}" for row, cell in enumerate(table["visit"])]}


def numbers() -> dict[str, list[Any]]:
    """The same table with doubles where an engine has a column of them."""
    table: dict[str, list[Any]] = {**texts()}
    for name in ("age", "part"):
        table[name] = [_double(cell) for cell in table[name]]
    return table


def _double(cell: str) -> float | None:
    special = {"0x10": None, "1_0": None, "x": None, "": None, "1e999": math.inf}
    return special[cell] if cell in special else float(cell)


def write_csv(table: dict[str, list[Any]], path: Path) -> str:
    """A file of text."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([[*table], *zip(*table.values(), strict=True)])
    return str(path)


def write_engine(table: dict[str, list[Any]], path: Path) -> str:
    """A table of an engine; empty texts are missing there, as in a file."""
    rows = [tuple(None if cell == "" else cell for cell in row) for row in zip(*table.values(), strict=True)]
    kinds = ", ".join(f"{name} {'DOUBLE' if isinstance(cells[0], float) else 'TEXT'}" for name, cells in table.items())
    places = ", ".join("?" * len(table))
    opened: Any = sqlite3.connect(path) if path.suffix == ".sqlite" else duckdb.connect(str(path))
    opened.execute(f"CREATE TABLE t ({kinds})")
    opened.executemany(f"INSERT INTO t VALUES ({places})", rows)
    opened.commit()
    opened.close()
    return f"{'sqlite' if path.suffix == '.sqlite' else 'duckdb'}:///{path}"


CLIQUES = [(0,), (1,), (2,), (3,), (0, 1), (2, 3), (0, 1, 2, 3)]
PLACES = ["frame", "csv", "csv in place", "sqlite", "duckdb"]


def described(place: str, table: dict[str, list[Any]], folder: Path, **persons: Any) -> dps.Dataset:
    """The table in a place."""
    if place == "frame":
        persons.pop("order", None)
        return dps.Dataset.of(table, columns=COLUMNS, **persons)
    if place.startswith("csv"):
        source = write_csv(table, folder / "t.csv")
        return dps.Dataset(source=source, columns=COLUMNS, in_place=place != "csv", **persons)
    return dps.Dataset(source=write_engine(table, folder / f"t.{place}"), table="t", columns=COLUMNS, **persons)


def all_counts(dataset: dps.Dataset) -> list[np.ndarray]:
    """The exact counts of all sets of columns, and the ranks of numbers, before noise."""
    domain, people = TableDomain.of(dataset, [*COLUMNS]), 1 if dataset.person is None else dataset.rows_per_person
    rows = rows_of(source_rows.source(dataset), domain, dataset.person, people)
    ranks = [ranks_of(source_rows.source(dataset), dataset, name) for name in ("age", "part")]
    return [*(rows.counts(clique) for clique in CLIQUES), *(np.array([each._places, each._counts]) for each in ranks)]


@pytest.mark.parametrize(
    ("place", "cells"), [("csv", texts), ("csv in place", texts), *((place, numbers) for place in PLACES[1:])]
)
def test_hostile_cells_count_alike_wherever_they_are(place: str, cells, tmp_path: Path) -> None:
    """Not a number, without end, beyond all bounds, text among numbers, and text of no list."""
    expected = all_counts(described("frame", cells(), tmp_path))
    found = all_counts(described(place, cells(), tmp_path))

    assert all(ROWS == counts.sum() for counts in expected[: len(CLIQUES)])
    assert all(np.array_equal(one, other) for one, other in zip(expected, found, strict=True))


@pytest.mark.parametrize("place", PLACES[3:])
def test_numbers_that_an_engine_holds_as_text_are_refused_before_they_cost(place: str, tmp_path: Path) -> None:
    """The type of a column is public."""
    ledger = dps.ledger.RecordingAccountant("sum")
    with pytest.raises(TypeError, match="age.*cast it"):
        dps.synthesize(described(place, texts(), tmp_path), epsilon=1, delta=1e-6, method="mst", ledger=ledger)

    assert [] == [*ledger.spends]


@pytest.mark.parametrize("place", PLACES)
def test_every_person_counts_at_most_so_often(place: str, tmp_path: Path) -> None:
    """Whoever a hostile cell names; which rows of a person count may follow from the place alone."""
    dataset = described(place, numbers(), tmp_path, person="who", rows_per_person=3)
    *counts, age, part = all_counts(dataset)
    persons = {name for name in WHO if name}

    assert all(3 * len(persons) >= each.sum() >= 3 * (len(persons) - 1) for each in counts)
    assert max(age[1].sum(), part[1].sum()) <= len(persons)


@pytest.mark.parametrize("place", PLACES[2:])
def test_an_order_says_which_rows_of_a_person_count(place: str, tmp_path: Path) -> None:
    """The same ones in a file that is read and wherever rows stay."""
    how = {"person": "who", "rows_per_person": 2, "order": "visit"}
    expected = all_counts(described("csv", numbers(), tmp_path, **how))
    found = all_counts(described(place, numbers(), tmp_path, **how))

    assert all(np.array_equal(one, other) for one, other in zip(expected[:-2], found[:-2], strict=True))
