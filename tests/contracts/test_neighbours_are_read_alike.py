"""Contract: one row more changes no other row's codes and refuses nothing, whatever the container and the row.

Types come from the public domain and from the schema of a container that has one, never from rows. Containers, columns
and hostile rows are listed in ``hostile_rows``; consumers other than trees have siblings of this file.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpselect.learn import EVERY_CLASSIFIER, EVERY_REGRESSOR, DPTreeClassifier
from dpselect.learn.domains import attribute
from dpselect.learn.reading import LabelledRows
from dpselect.learn.schema import Schema
from dpselect.sources import frames
from tests.contracts.hostile_rows import COLUMNS, READERS, Column, Reader, csv_file, pairs, parquet_file

OUTCOMES = [(unknown, missing) for unknown in ("clip", "ignore") for missing in (False, True)]


def codes_of(table: Any, column: Column) -> list[np.ndarray] | str:
    """The codes of column a and of the labels b, or what a public rule says against the domain and the container."""
    names, columns = frames.columns(table)
    labels = columns[names[1]]
    rows = LabelledRows(names[:1], columns, labels, frames.untyped_columns(table), np.arange(len(labels)))
    codes = []
    for unknown, missing in OUTCOMES:
        known = attribute(names[0], column.domain, bins=4, missing=missing)
        try:
            own, labels = rows.codes(Schema((known,), [0, 1]), unknown)
        except ValueError as error:
            return str(error)
        codes += [*own, labels]
    return codes


def faults(reader: Reader, column: Column, folder: Path) -> list[str]:
    """What differs between neighbours, beyond the row that they differ in."""
    rng, wrong = np.random.default_rng(20261122), []
    one = None
    for base, more, at in pairs(reader, column, folder, rng):
        # All neighbours are of one honest table.
        one, two = codes_of(base, column) if one is None else one, codes_of(more, column)
        if isinstance(one, str) or isinstance(two, str):
            if str(one) != str(two):
                wrong.append(f"refused: {two if isinstance(two, str) else one}")
        elif any(not np.array_equal(first, np.delete(second, at)) for first, second in zip(one, two, strict=True)):
            wrong.append(f"read otherwise: {one[0].tolist()} became {two[0].tolist()}")
    return wrong


@pytest.mark.parametrize(
    ("reader", "column"),
    [
        # Every reader with half of the columns and every column with half of the readers, and -m slow all of them.
        pytest.param(
            reader,
            column,
            id=f"{reader}-{column.domain}-{type(column.honest[0]).__name__}",
            marks=pytest.mark.slow if (at + turn) % 2 else (),
        )
        for at, reader in enumerate(READERS)
        for turn, column in enumerate(COLUMNS)
    ],
)
def test_one_row_changes_no_other(reader: Reader, column: Column, tmp_path: Path) -> None:
    """Every other row has the same code bit for bit, and nothing is refused for what a row holds."""
    if reader.absent:
        pytest.skip(f"{reader.needs} is not installed")

    assert [] == faults(reader, column, tmp_path)


def test_every_reader_holds_hostile_rows(tmp_path: Path) -> None:
    """The contract is not empty: each container is tried with several hostile rows, and reads honest ones."""
    rng = np.random.default_rng(0)
    for reader in READERS:
        if reader.absent:
            continue
        tried = (pair for column in COLUMNS for pair in pairs(reader, column, tmp_path, rng))
        assert 5 == len(list(itertools.islice(tried, 5))), reader.name


@pytest.mark.parametrize(
    "reader", [each for each in READERS if "list of" in each.name or "lists" in each.name], ids=str
)
def test_the_contract_finds_types_that_rows_decide(
    reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that gives the cells of a list one common type fails it: planted here."""

    def inferred(values: Any) -> Any:
        try:
            return np.asarray(list(values))
        except ValueError:
            return np.fromiter(values, dtype=object, count=len(values))

    monkeypatch.setattr(frames, "objects", inferred)

    assert any(faults(reader, column, tmp_path) for column in COLUMNS)


@pytest.mark.filterwarnings("ignore:Column 'b' is declared as text")
@pytest.mark.parametrize("kind", [*EVERY_CLASSIFIER, *EVERY_REGRESSOR])
def test_fits_of_neighbours_see_the_same_other_rows(kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through fit: the records that a tree grows from differ in at most the hostile row, by every estimator."""
    seen: list[list[list[int]]] = []

    class Enough(Exception):
        pass

    def caught(codes: list[np.ndarray], labels: np.ndarray, *_: Any) -> None:
        seen.append(np.column_stack([*codes, labels]).tolist())
        raise Enough

    monkeypatch.setattr("dpselect.learn.schema.Records", caught)
    monkeypatch.setattr("dpselect.learn.regression.schema.Targets", caught)
    given = {"target": (0, 1)} if kind in EVERY_REGRESSOR else {"classes": [0, 1]}
    rng = np.random.default_rng(1)
    for reader in (each for each in READERS if not each.absent):
        for column in (COLUMNS[0], COLUMNS[10]):
            for base, more, _ in list(pairs(reader, column, tmp_path, rng))[::20]:
                seen.clear()
                for table in (base, more):
                    rows = frames.columns(table)[1]
                    names = list(rows)
                    model = kind(1, domains={names[0]: column.domain, names[1]: [0, 1]}, **given)
                    labels = np.zeros(len(rows[names[0]]), dtype=np.int64)
                    with pytest.raises(Enough):
                        model.fit(table, labels)
                one, two = seen
                assert len(one) <= len(two) <= len(one) + 1
                for row in one:
                    two.remove(row)


@pytest.mark.parametrize("step", [72, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("make", [csv_file, parquet_file])
def test_files_in_place_are_read_alike(make: Any, step: int, tmp_path: Path) -> None:
    """DuckDB counts every other row under the same code."""
    pytest.importorskip("ibis")
    pytest.importorskip("duckdb")
    from dpselect.sources.warehouse import Warehouse
    from dpselect.views.stored_records import StoredRecords

    def counted(path: Path, column: Column) -> np.ndarray | str:
        with Warehouse.open(path) as source:
            known = attribute("a", column.domain, bins=4, missing=True)
            try:
                records = StoredRecords(source, [known], attribute("b", [0, 1], bins=2, missing=False), "clip")
            except ValueError as error:
                return str(error)
            return records.known_records().level(1)[0].sum(axis=2)[0]

    reader, rng = Reader(make.__name__, make), np.random.default_rng(2)
    for column in COLUMNS[:: 4 if step > 6 else 1]:
        for base, more, _ in list(pairs(reader, column, tmp_path, rng))[::step]:
            one, two = counted(base, column), counted(more, column)
            if isinstance(one, str) or isinstance(two, str):
                assert str(one) == str(two)
            else:
                assert (two >= one).all(), (column, one, two)
                assert (two - one).sum() <= 1, (column, one, two)


def test_a_legal_category_of_another_type_moves_its_own_row_alone() -> None:
    """800 rows of 1 and 2, and one "x": the counts of the root differ by about one, not by 800."""
    y, base = [0] * 400 + [1] * 400, [1] * 400 + [2] * 400

    def total(cells: list[Any], labels: list[int]) -> float:
        model = DPTreeClassifier(20, domains={"a": [1, 2, "x"]}, classes=[0, 1])
        return float(model.fit({"a": cells}, labels).trees_[0].counts[0].sum())

    assert abs(total(base, y) - 800) < 20
    assert abs(total([*base, "x"], [*y, 1]) - 801) < 20
