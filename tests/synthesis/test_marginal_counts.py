"""The same counts of columns together wherever rows are: frames, files and an engine; and merging of codes."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dpselect as dps
from dpselect.dataset import source_rows
from dpselect.synthesis.marginal_counts import CodedRows, EngineRows, rows_of
from dpselect.synthesis.merged_codes import MergedCodes, merge_cells, split_cells
from dpselect.synthesis.table_domain import TableDomain

COLUMNS = {
    "age": {"lower": 0, "upper": 120},
    "half": {"lower": 0, "upper": 3, "step": 0.5},
    "job": ["nurse", "smith"],
    "born": {"lower": "2019-01-01", "upper": "2025-12-31", "step": "year"},
}
ROWS = pd.DataFrame(
    {
        "age": [10.0, np.nan, 300.0, 45.0, -3.0],
        "half": [0.4, 1.5, np.nan, 9.0, 3.0],
        "job": ["nurse", None, "smith", "clerk", "nurse"],
        "born": ["2020-05-01", "1990-01-01", "2025-12-31", None, "2019-01-01"],
        "id": ["a", "a", "b", "b", "c"],
    }
)


@pytest.fixture(params=["csv", "parquet", "in place", "frame"])
def place(request: pytest.FixtureRequest, tmp_path: Path):
    """Where the rows are: returns a description of them."""

    def described(**more):
        if request.param == "frame":
            # A frame has no order but that of its rows.
            more.pop("order", None)
            return dps.Dataset.of(ROWS, columns=COLUMNS, **more)
        path = tmp_path / ("rows.csv" if request.param == "csv" else "rows.parquet")
        ROWS.to_csv(path, index=False) if request.param == "csv" else ROWS.to_parquet(path)
        return dps.Dataset(source=str(path), columns=COLUMNS, in_place=request.param == "in place", **more)

    return described


def test_every_row_counts_once_in_every_set_of_columns(place) -> None:
    """Beyond its bounds a number is in the nearest bin; what is missing or not listed has the last code."""
    dataset = place()
    domain = TableDomain.of(dataset)
    rows = rows_of(source_rows.source(dataset), domain, None, 1)

    assert (21, 8, 3, 8) == domain.sizes
    assert [2, 1, 2] == rows.counts((2,)).tolist()
    assert [0, 1, 7, 19, 20] == np.flatnonzero(rows.counts((0,))).tolist()
    assert [0, 1, 0, 1, 0, 0, 2, 1] == rows.counts((1,)).tolist()
    for size in (1, 2, 3, 4):
        for clique in itertools.combinations(range(4), size):
            assert len(ROWS) == rows.counts(clique).sum()


def test_a_person_counts_once(place) -> None:
    """One row of each of three persons, in every place the same where an order says which one."""
    dataset = place(person="id", rows_per_person=1, order="age")
    domain = TableDomain.of(dataset)
    rows = rows_of(source_rows.source(dataset), domain, "id", 1)

    assert 3 == rows.counts((0, 2)).sum()
    assert dataset.order is None or [2, 0, 1] == rows.counts((2,)).tolist()


def test_codes_of_rows_stay_small_and_exact() -> None:
    """Cells are counted in the smallest integers that hold them all."""
    codes = [np.array([255, 0, 7], dtype=np.uint8), np.array([255, 255, 0], dtype=np.uint8)]
    rows = CodedRows(codes, (256, 256))

    assert {(255, 255), (0, 255), (7, 0)} == {
        *zip(*(each.tolist() for each in rows.counts((0, 1)).nonzero()), strict=True)
    }


def test_nothing_private_is_shown() -> None:
    """Representations say how many columns there are."""
    assert "CodedRows(columns=1)" == repr(CodedRows([np.array([1])], (2,)))
    domain = TableDomain.of(dps.Dataset.of(ROWS, columns=COLUMNS))
    assert "EngineRows(columns=4)" == repr(EngineRows(ROWS, domain, None, 1))


def test_small_counts_are_counted_together_and_come_back() -> None:
    """All rows stay; codes of a group share it evenly, and missing cells that noise may have made have nothing."""
    merged = MergedCodes.of(np.array([50.0, 2.0, 40.0, 1.0, -1.0]), 1.0)
    counts = np.array([50, 2, 40, 1, 0])
    grouped = merge_cells(counts, (0,), [merged])
    back = split_cells(grouped / 93, (0,), [merged]) * 93

    assert [50, 40, 3] == grouped.tolist()
    assert [50, 1.5, 40, 1.5, 0] == pytest.approx(back)
    assert (2.0, 3) == (merged.merged, merged.terms)


@pytest.mark.parametrize("counts", [[50.0, 60.0, 0.0], [0.0, 0.0, 0.0], [9.0, 0.0], [0.0, 90.0], [1.0, 1.0, 90.0]])
def test_groups_keep_every_row_and_every_share(counts) -> None:
    """Whatever the noise was."""
    merged = MergedCodes.of(np.array(counts), 3.0)
    true = np.arange(1, len(counts) + 1)
    shares = split_cells(merge_cells(true, (0,), [merged]) / true.sum(), (0,), [merged])

    assert true.sum() == merge_cells(true, (0,), [merged]).sum()
    assert 1 == pytest.approx(shares.sum())


def test_codes_are_counted_together_before_they_take_room(place) -> None:
    """The same as adding up all cells, wherever the rows are."""
    domain = TableDomain.of(place())
    rows = rows_of(source_rows.source(place()), domain, None, 1)
    merged = [MergedCodes.apart(size) for size in domain.sizes]
    merged[0] = MergedCodes(np.arange(21) % 3, np.ones(21))

    for clique in [(0,), (0, 2), (1, 2), (0, 1, 3)]:
        assert (rows.counts(clique, merged) == merge_cells(rows.counts(clique), clique, merged)).all()


@pytest.mark.slow
def test_three_columns_of_many_rare_values_fit_the_memory(tmp_path: Path) -> None:
    """Their codes have 10^10 cells together, which no array holds; a release is not lost for them."""
    names = [f"n{place}" for place in range(2000)]
    merged = [MergedCodes.of(np.arange(2001.0) * 10, 6500.0)] * 3
    table = dict.fromkeys("abc", names[:9] * 50)
    path = tmp_path / "t.parquet"
    pd.DataFrame(table).to_parquet(path)
    listed = dict.fromkeys("abc", names)
    for dataset in (
        dps.Dataset.of(table, columns=listed),
        dps.Dataset(source=str(path), columns=listed, in_place=True),
    ):
        rows = rows_of(source_rows.source(dataset), TableDomain.of(dataset), None, 1)

        assert 450 == rows.counts((0, 1, 2), merged).max()
