"""Files that are read part by part take the memory of a few parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dpselect.sources.table_batches import batches

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")
# Of the whole table; each part has a twentieth.
_BYTES = 40 * 2**20


def _table() -> object:
    return pyarrow.table({"v": np.random.default_rng(5).integers(0, 2**60, _BYTES // 8)})


def test_a_parquet_file_is_not_kept(tmp_path: Path) -> None:
    """However many groups of rows it has."""
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(_table(), path, row_group_size=_BYTES // 8 // 20, compression="none")
    before, most, rows = pyarrow.total_allocated_bytes(), 0, 0
    for read in batches(path, ["v"]):
        rows += len(read["v"])
        most = max(most, pyarrow.total_allocated_bytes() - before)

    assert _BYTES // 8 == rows
    assert _BYTES / 3 > most


def test_a_csv_file_is_not_kept(tmp_path: Path) -> None:
    """However many lines it has."""
    path = tmp_path / "t.csv"
    path.write_text("v\n" + "123456789012345\n" * (_BYTES // 16))
    before, most, rows = pyarrow.total_allocated_bytes(), 0, 0
    for read in batches(path, ["v"]):
        rows += len(read["v"])
        most = max(most, pyarrow.total_allocated_bytes() - before)

    assert _BYTES // 16 == rows
    assert _BYTES > most
