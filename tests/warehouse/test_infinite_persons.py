"""A person or a name that is an infinity, or beyond all integers, ends no query of an engine."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import dpselect as dps

HOSTILE = (float("inf"), float("-inf"), 1e300, -1e19, float("nan"))


@pytest.mark.parametrize("cell", HOSTILE, ids=str)
def test_one_persons_name_decides_nothing(tmp_path: Path, cell: float) -> None:
    """A column of floats tells persons apart, in a parquet file that is counted where it is."""
    people = [*(float(each) for each in range(9)), cell]
    parquet.write_table(pa.table({"x": [1.0] * 10, "p": people}), tmp_path / "t.parquet")
    described = dps.Dataset(
        source=str(tmp_path / "t.parquet"), in_place=True, columns={"x": {"lower": 0, "upper": 4}}, person="p",
        budget={"epsilon": 100, "ledger": str(tmp_path / "t.ledger")},
    )  # fmt: skip

    assert dps.open(described).median("x", epsilon=50).value == 1


@pytest.mark.parametrize("cell", ["inf", "-inf", "1e999", "1e300", "99999999999999999999"])
def test_one_text_decides_nothing(tmp_path: Path, cell: str) -> None:
    """Text beside integers that are listed, in a csv file that is counted where it is."""
    (tmp_path / "t.csv").write_text("x\n" + "1\n" * 30 + f"{cell}\n", encoding="utf-8")
    described = dps.Dataset(
        source=str(tmp_path / "t.csv"), in_place=True, columns={"x": [1, 2, 3]},
        budget={"epsilon": 100, "ledger": str(tmp_path / "t.ledger")},
    )  # fmt: skip

    assert dps.open(described).most_common("x", epsilon=50).value == (1,)
