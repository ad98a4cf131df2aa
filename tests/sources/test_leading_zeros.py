"""Names of digits: a spreadsheet or a database drops their leading zeros, and they are the same names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.dataset import Dataset, check_dataset
from dpselect.sources.distinct import distinct
from dpselect.sources.public_names import PublicNames

CELLS = ["09", "9", 9, 9.0, "9.0", "009", "08", 8, "10", 10, "x", None]
# What each cell stands for in a list; -1 is none of it.
LISTS = {
    ("09", "08", "10"): [0, 0, 0, 0, 0, -1, 1, 1, 2, 2, -1, -1],
    # A name without zeros is a name of its own, and so are two that differ in zeros alone.
    ("09", "9", "08"): [0, 1, 1, 1, 1, -1, 2, 2, -1, -1, -1, -1],
    ("09", "009"): [0, -1, -1, -1, -1, 1, -1, -1, -1, -1, -1, -1],
    ("09", 9): [0, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1],
    (9, 8): [0, 0, 0, 0, 0, 0, 1, 1, -1, -1, -1, -1],
}


@pytest.mark.parametrize("names", LISTS)
def test_a_number_is_a_name_with_zeros_where_no_other_name_is_it(names) -> None:
    """Each cell is read by itself, by the public list alone."""
    codes = PublicNames.of([*names], "domain").codes(distinct(CELLS), "AGS")

    assert LISTS[names] == [max(code, -1) for code in codes.tolist()]


def test_numbers_of_a_typed_column_are_names_with_zeros() -> None:
    """As Excel and databases hold them."""
    names = PublicNames.of(["09", "08"], "domain")

    assert [0, 1, -1] == [max(each, -1) for each in names.codes(distinct(np.array([9, 8, 7])), "AGS").tolist()]
    assert [0, 1, -1] == [max(each, -1) for each in names.codes(distinct(np.array([9.0, 8, 7])), "AGS").tolist()]


def test_every_container_counts_the_same(tmp_path: Path) -> None:
    """Csv and Excel, frames and an engine."""
    openpyxl, ibis = pytest.importorskip("openpyxl"), pytest.importorskip("ibis")
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    codes = [9] * 679 + [8] * 710
    book = openpyxl.Workbook()
    for row in ["AGS", *codes]:
        book.active.append([row])
    book.save(tmp_path / "a.xlsx")
    (tmp_path / "a.csv").write_text("\n".join(["AGS", *(f"{code:02}" for code in codes)]))
    frame = pandas.DataFrame({"AGS": codes})
    tables = [tmp_path / "a.xlsx", tmp_path / "a.csv", frame, ibis.memtable(pyarrow.table({"AGS": codes}))]
    asked = {"column": "AGS", "domain": ["09", "08"], "epsilon": 10**6}

    assert [{"09": 679, "08": 710}] * 4 == [dps.counts(table, **asked).value for table in tables]


def test_the_check_says_how_many_lack_their_zeros() -> None:
    """For the curator alone."""
    frame = {"AGS": ["09", 9, 9.0, "9", 8, "x"]}
    check = check_dataset(Dataset.of(frame, columns={"AGS": ["09", "08"]}))

    assert 4 == check.facts["columns"]["AGS"]["without_leading_zeros"]
    assert "5 listed (4 without the leading zeros of the list), 0 empty, 1 not in the list, such as 'x'" in str(check)
