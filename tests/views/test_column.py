"""Columns of private numbers."""

import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpselect as dps
from dpselect.views.column import public_points


def test_integers_stay_integers() -> None:
    """Whatever their width; floats are doubles."""
    assert np.int64 == dps.data.Column(np.array([1, 2], dtype=np.uint8)).values.dtype
    assert np.float64 == dps.data.Column(np.array([1, 2], dtype=np.float32)).values.dtype


def test_a_column_shows_nothing() -> None:
    """Neither values nor how many."""
    assert "Column(private)" == repr(dps.data.Column([17, 4]))


def test_clipping_is_counted_for_the_curator() -> None:
    """Both ends, and over several clips."""
    column = dps.data.Column([-5, 0, 5, 50]).clip(0, 10)

    assert ([0, 0, 5, 10], 2) == (column.values.tolist(), column.clipped)
    assert 6 == column.clip(1, 4).clipped


def test_values_move_to_the_nearest_grid_value() -> None:
    """Of two equally near the lower; integers on an integer grid stay integers."""
    column = dps.data.Column([0.0, 2.5, 2.6, 9.9]).snap_to([0, 5, 10])

    assert [0, 0, 5, 10] == column.values.tolist()
    assert np.int64 == column.values.dtype


def test_a_histogram_becomes_records() -> None:
    """counts[i] records of value lower + i step."""
    assert [5.0, 6.0, 6.0] == dps.data.Column.from_counts([1, 0, 2], lower=5, step=0.5).values.tolist()


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

    assert [30, 40] == dps.data.Column.read(path, "age").values.tolist()
    with pytest.raises(ValueError, match="has 2 columns: pass column="):
        dps.data.Column.read(path)
    with pytest.raises(ValueError, match="has no column 'size'"):
        dps.data.Column.read(path, "size")
    assert np.isnan(dps.data.Column.read(path, "name").values).all()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("x\n1\n\n3\n", [1, None, 3]),
        ("x,y\n1,2\n,4\n", [1, None]),
        ("x,y\n1,2\nsecret,4\n", [1, None]),
        ("x\n9007199254740993\nnan\n", [2**53 + 1, None]),
        ('x\n"1"\n 2 \n1e1\nTRUE\n', [1, 2, 10, 1]),
    ],
)
def test_csv_cells_are_read_one_by_one(tmp_path: Path, text: str, read) -> None:
    """As text, by the declared kind; what is empty or not a number is lacking, alone."""
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    whole = dps.data.Column.read(tmp_path / "a.csv", "x", kind="integer")
    lacking = sum(value is None for value in read)

    assert [value or 0 for value in read] == whole.values.tolist()
    assert {"lacking": lacking, "outside": 0, "moved": 0} == whole.check(sorted({*whole.values, -1, 0}))
    assert np.float64 == dps.data.Column.read(tmp_path / "a.csv", "x").values.dtype


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.parquet", "no parquet", "not a complete parquet"),
        ("a.txt", "1", "not a table"),
    ],
)
def test_bad_files_are_refused_without_a_cell(tmp_path: Path, name: str, text: str, message: str) -> None:
    """One sentence about the file."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        dps.data.Column.read(tmp_path / name, "x")


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: dps.data.Column([1, 2]).clip(3, 3), ValueError, "below upper"),
        (lambda: dps.data.Column([1, 2]).snap_to([0, 0]), ValueError, "strictly increasing"),
        (lambda: dps.data.Column.from_counts([-1]), ValueError, "integers >= 0"),
        (lambda: dps.data.Column([1], kind="text"), ValueError, "kind is"),
        (lambda: dps.data.Column("12"), TypeError, "is a list or an array"),
        (lambda: dps.data.Column(np.array(["2020-01-01"], dtype="datetime64[D]")), TypeError, "no numbers"),
        (lambda: dps.data.Column.read("nowhere.csv"), FileNotFoundError, "does not exist"),
        (
            lambda: dps.data.Column(pandas.Series([1, 2]), kind="integer").snap_to([0, 2**60]),
            ValueError,
            "pandas round",
        ),
        (lambda: dps.data.Column(pandas.Series([1, None])).snap_to([0, 2**60]), ValueError, "pandas round"),
    ],
)
def test_bad_columns_are_refused(act, error, message: str) -> None:
    """One sentence, by public facts only."""
    with pytest.raises(error, match=message):
        act()


def test_the_container_or_the_caller_says_the_kind() -> None:
    """Lists are real, whatever stands in them; types are schemas, but for those that pandas changes."""
    cases = [
        ([1, 2], "real"),
        (np.array([1, 2], dtype=np.uint64), "integer"),
        (np.array([1.0]), "real"),
        (pandas.Series([1, 2]), "real"),
        (pandas.Series([1, None], dtype="Int64"), "integer"),
        (pandas.Series([1, None], dtype="int64[pyarrow]"), "integer"),
        (polars.Series([1, None], dtype=polars.Int64), "integer"),
        (pyarrow.array([2**60 + 1, None]), "integer"),
        (pyarrow.chunked_array([[1.5]]), "real"),
        (range(3), "integer"),
    ]
    assert [kind for _, kind in cases] == [dps.data.Column(values).kind for values, _ in cases]
    assert [2**60 + 1, 0] == dps.data.Column(pyarrow.array([2**60 + 1, None])).values.tolist()
    assert "integer" == dps.data.Column([1, 2], kind="integer").kind


@given(
    st.lists(
        st.one_of(
            st.integers(-50, 50),
            st.floats(-50, 50),
            st.fractions(-50, 50, max_denominator=8),
            st.sampled_from([None, "x", "7", "-3.5", math.nan, math.inf, 10**30, Decimal("2.5"), Decimal("sNaN")]),
        ),
        max_size=12,
    ),
    st.lists(st.integers(-60, 60), min_size=2, max_size=9, unique=True).map(sorted),
)
def test_integers_and_reals_are_placed_alike(values, grid) -> None:
    """Where doubles are exact: the same place for either kind, and check counts what the counts leave out."""
    whole, real = (dps.data.Column(values, kind=kind) for kind in ("integer", "real"))
    counts = whole.counts_on(public_points(grid))

    assert counts.tolist() == real.counts_on(public_points(grid)).tolist()
    assert counts.tolist() == whole.snap_to(grid).counts_on(public_points(grid)).tolist()
    assert counts.sum() == len(values) - whole.check(grid)["lacking"]
    assert whole.check(grid)["lacking"] == real.check(grid)["lacking"]


def test_a_histogram_is_never_written_out() -> None:
    """10^18 records, and counts beyond 64 bits are clipped."""
    column = dps.data.Column.from_counts(np.array([10**18, 0, 3], dtype=np.uint64), lower=5)

    assert [10**18, 0, 3] == column.counts_on(np.arange(5, 8)).tolist()
    assert [10**18, 3] == column.snap_to([5, 6]).counts_on(np.arange(5, 7)).tolist()
    assert {"lacking": 0, "outside": 3, "moved": 0} == column.check([5, 6])
    assert 2**61 == dps.data.Column.from_counts(np.array([2**64 - 1, 0], dtype=np.uint64)).counts_on(np.arange(2))[0]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("people.csv", r"dps\.data\.Column\.read"),
        (Path("people.parquet"), r"dps\.data\.Column\.read"),
        (polars.DataFrame({"a": [1], "b": [2]}), r"of a table, one column"),
        (polars.LazyFrame({"a": [1]}), r"\.collect\(\)"),
    ],
    ids=["path", "parquet", "frame", "lazy"],
)
def test_what_is_not_a_column_says_how_to_pass_it(values, words: str) -> None:
    """A path, a whole table, a lazy frame."""
    with pytest.raises((TypeError, ValueError), match=words):
        dps.data.Column(values)
