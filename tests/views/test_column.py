"""Columns of private numbers."""

from pathlib import Path

import numpy as np
import pytest

import dpselect as dps


def test_integers_stay_integers() -> None:
    """Whatever their width; floats are doubles."""
    assert np.int64 == dps.Column(np.array([1, 2], dtype=np.uint8)).values.dtype
    assert np.float64 == dps.Column(np.array([1, 2], dtype=np.float32)).values.dtype


def test_a_column_shows_nothing() -> None:
    """Neither values nor how many."""
    assert "Column(private)" == repr(dps.Column([17, 4]))


def test_clipping_is_counted_for_the_curator() -> None:
    """Both ends, and over several clips."""
    column = dps.Column([-5, 0, 5, 50]).clip(0, 10)

    assert ([0, 0, 5, 10], 2) == (column.values.tolist(), column.clipped)
    assert 6 == column.clip(1, 4).clipped


def test_values_move_to_the_nearest_grid_value() -> None:
    """Of two equally near the lower; integers on an integer grid stay integers."""
    column = dps.Column([0.0, 2.5, 2.6, 9.9]).onto([0, 5, 10])

    assert [0, 0, 5, 10] == column.values.tolist()
    assert np.int64 == column.values.dtype


def test_a_histogram_becomes_records() -> None:
    """counts[i] records of value lower + i step."""
    assert [5.0, 6.0, 6.0] == dps.Column.from_counts([1, 0, 2], lower=5, step=0.5).values.tolist()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_columns_are_read_by_name(tmp_path: Path, suffix: str) -> None:
    """Csv and parquet alike; integers stay integers."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    table = pyarrow.table({"age": [30, 40], "name": ["ann", "bob"]})
    path = tmp_path / f"people.{suffix}"
    write = pyarrow.csv.write_csv if suffix == "csv" else pyarrow.parquet.write_table
    write(table, path)

    assert [30, 40] == dps.Column.read(path, "age").values.tolist()
    with pytest.raises(ValueError, match="has 2 columns: say which"):
        dps.Column.read(path)
    with pytest.raises(ValueError, match="does not have one column 'size'"):
        dps.Column.read(path, "size")
    with pytest.raises(ValueError, match="not numeric"):
        dps.Column.read(path, "name")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "x\n1\n\n3\n", None),
        ("a.csv", "x,y\n1,2\n,4\n", "empty cells"),
        ("a.csv", "x,y\n1,2\n3\n", "all lines equally long"),
        ("a.csv", "x,y\n1,2\nsecret,4\n", "not numeric"),
        ("a.parquet", "no parquet", "not a complete parquet"),
        ("a.txt", "1", "no table"),
    ],
)
def test_bad_files_are_refused_without_a_cell(tmp_path: Path, name: str, text: str, message: str | None) -> None:
    """The sentence holds no content."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    if message is None:
        assert [1, 3] == dps.Column.read(tmp_path / name, "x").values.tolist()
        return
    with pytest.raises(ValueError, match=message) as refusal:
        dps.Column.read(tmp_path / name, "x")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: dps.Column([1.0, np.nan]).clip(0, 1), "missing entries"),
        (lambda: dps.Column([1, 2]).clip(3, 3), "below upper"),
        (lambda: dps.Column([1, 20]).onto([0, 10]), "outside the public grid"),
        (lambda: dps.Column([1, 2]).onto([0, 0]), "strictly increasing"),
        (lambda: dps.Column.from_counts([-1]), "integers >= 0"),
        (lambda: dps.Column(np.array([2**63], dtype=np.uint64)), "beyond 64 bits"),
        (lambda: dps.Column.read("nowhere.csv"), "no file"),
    ],
)
def test_bad_columns_are_refused(act, message: str) -> None:
    """One sentence."""
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        act()
