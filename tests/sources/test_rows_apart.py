"""No row decides who or what another row is about, whatever types the container has: persons, names, public lists."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dpselect.sources import identity
from dpselect.sources.distinct import distinct
from dpselect.sources.public_names import PublicNames

LISTS = [PublicNames.of(names, "domain") for names in ([1, 0, "x", 0.1], range(3))]


def read(column: Any, *, rows: slice) -> tuple[Any, ...]:
    """Which rows are of one person, what each is about, and where it is in public lists: of some of the rows."""
    cells = distinct(column)
    who = identity.persons(cells)[rows].tolist()
    codes, names = identity.number_names(cells)
    what = [None if code < 0 else (type(names[code]), names[code]) for code in codes[rows].tolist()]
    places = [[max(code, -1) for code in public.codes(cells, "item")[rows].tolist()] for public in LISTS]
    return [None if each < 0 else who.index(each) for each in who], what, places


def require_apart(make: Callable[[list[Any]], Any], cells: list[Any], other: Any) -> None:
    """The contract: one more row, first or last, leaves the reading of all others."""
    alone = read(make(cells), rows=slice(None))

    assert alone == read(make([*cells, other]), rows=slice(-1)), (cells, other)
    assert alone == read(make([other, *cells]), rows=slice(1, None)), (cells, other)


INTEGERS = [np.dtype(f"{sign}{size}") for sign in "iu" for size in (1, 2, 4, 8)]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_every_type_of_integers_keeps_all_of_its_values_apart(dtype: np.dtype, order: str) -> None:
    """From the least to the greatest, in every pair, and of many beside both."""
    ends = np.iinfo(dtype)
    values = [ends.min, ends.min + 1, ends.max // 2, ends.max // 2 + 1, ends.max - 1, ends.max, 0, 45, *range(100, 128)]

    for chosen in [values, *([one, other] for one in values for other in values)]:
        column = np.array(chosen, dtype=dtype).astype(dtype.newbyteorder(order))
        cells = distinct(column)
        assert chosen == cells.cells[cells.codes].tolist()
        codes, names = identity.number_names(cells)
        assert chosen == [names[code] for code in codes.tolist()]
        assert len(set(chosen)) == len(set(identity.persons(cells).tolist()))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_the_ends_of_a_type_take_no_other_names(dtype: np.dtype) -> None:
    """A public list, and a range, with the least and the greatest of the type in the table."""
    ends = np.iinfo(dtype)
    for values in ([ends.min, ends.max, 0, 5], [ends.max, ends.min, 1, 5], [0, 1, 1, 5]):
        cells = distinct(np.array(values, dtype=dtype))
        for public in (range(2), [0, 1]):
            codes = PublicNames.of(public, "domain").codes(cells, "item").tolist()
            assert [value if value in (0, 1) else -1 for value in values] == codes


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_narrow_floats_are_not_taken_for_the_ends_of_a_range(dtype: type) -> None:
    """Where the last name rounds to the next number, that number is still outside."""
    public = range(2**53 - 1)
    column = np.array([1, 2.5, np.inf, -np.inf, np.nan, 60000 if dtype == np.float16 else 2.0**53], dtype=dtype)
    expected = [1, -1, -1, -1, -1, 59999 + 1 if dtype == np.float16 else -1]

    assert expected == PublicNames.of(public, "domain").codes(distinct(column), "item").tolist()


ODD = [
    "1", "1.0", "01", " 1", "true", "True", "nan", "", "inf", "0", "9007199254740993", "x", "0.1", "1e400",
    1, 1.0, True, False, 0, -0.0, float("nan"), float("inf"), 2**53, 2**64, 0.1, None, 1e400,
    Decimal(1), Decimal("0.1"), Decimal("NaN"), Decimal("sNaN"), Decimal("1e999999999"), Fraction(1), Fraction(10**400),
    np.int8(1), np.float32(0.1), np.float64(0.1), np.longdouble(1), np.bool_(True), np.bool_(False), np.str_("1"),
    pd.NA, pd.NaT, np.datetime64("NaT", "s"), date(2020, 1, 1), datetime(2020, 1, 1), pd.Timestamp("2020-01-01"),
    pd.Timestamp("2020-01-01", tz="UTC"), np.datetime64("2020-01-01"), np.datetime64("2020-01-01", "ns"),
    np.timedelta64(1, "s"), np.timedelta64(1, "ns"), timedelta(seconds=1), b"1", np.bytes_(b"1"), (1,), [1], 1 + 0j, 1j,
]  # fmt: skip


def objects(cells: list[Any]) -> np.ndarray:
    """An array of objects."""
    return np.fromiter(cells, dtype=object, count=len(cells))


@pytest.mark.parametrize("make", [list, objects, lambda cells: pd.Series(objects(cells), dtype=object)])
def test_objects_are_read_alike_in_any_order(make: Callable[[list[Any]], Any]) -> None:
    """Numbers and moments of every maker, text and what is neither, all in one column: each as if it were alone."""
    everything = slice(None)
    who, what, places = read(make(ODD), rows=everything)
    back, what_back, places_back = read(make(ODD[::-1]), rows=everything)

    assert what == what_back[::-1]
    assert places == [each[::-1] for each in places_back]
    last = [None if each is None else len(ODD) - 1 - each for each in back[::-1]]
    firsts = [None if each is None else last.index(each) for each in last]
    assert who == firsts
    for place, cell in enumerate(ODD):
        assert [what[place]] == read(make([cell]), rows=everything)[1]
        assert [[each[place]] for each in places] == read(make([cell]), rows=everything)[2]


@pytest.mark.parametrize(
    "others",
    [["x", None, 1 + 0j, True, pd.Timestamp("2020-01-01", tz="UTC")], pytest.param(ODD, marks=pytest.mark.slow)],
    ids=len,
)
def test_no_cell_decides_for_another_in_pandas(others: list[Any]) -> None:
    """Which finds one type for all: each beside each, first and last."""
    for cell, other in itertools.product(ODD, others):
        try:
            for cells in ([cell, cell], [cell, cell, other], [other, cell, cell]):
                pd.Series(cells)
        except Exception:
            # Pandas has no such column.
            continue
        require_apart(pd.Series, [cell, cell], other)


WRITTEN = [
    "1", "1.0", "01", "1e0", "+1", "true", "True", "TRUE", "false", "False", "nan", "NaN", " nan", "", "inf", "-0", "x",
    "9007199254740993", "0x1", "1,5", "None", "NA", "9" * 30, "0.1", "1e-400", "1e400", "True ", ".5", "5e-1",
]  # fmt: skip


def parsed(cells: list[str]) -> pd.Series:
    """A column as pandas reads it from a csv file."""
    text = "row,column\n" + "".join(f'{row},"{cell}"\n' for row, cell in enumerate(cells))
    return pd.read_csv(io.StringIO(text)).column


@pytest.mark.parametrize("others", [["x", "", "0.5", "True"], pytest.param(WRITTEN, marks=pytest.mark.slow)], ids=len)
def test_no_cell_of_a_csv_file_decides_for_another_in_pandas(others: list[str]) -> None:
    """Which makes numbers, truth values or text of a column for what one cell holds."""
    for cell, other in itertools.product(WRITTEN, others):
        require_apart(parsed, [cell, cell], other)


def test_truth_values_are_numbers_beside_text_too() -> None:
    """As in public lists, whatever their case, in columns whose types other rows may change, and there alone."""
    column = parsed(["True", "false", "maybe"])

    assert [1, 0, "maybe"] == identity.number_names(distinct(column))[1]
    assert ["True", "false"] == identity.number_names(distinct(["True", "false"]))[1]


@pytest.mark.parametrize("number", [Decimal(1), Fraction(1), 1 + 0j, np.True_, np.int8(1), np.float32(1), 1.0, True])
def test_numbers_of_every_maker_are_the_same_number(number: Any) -> None:
    """For persons, names, lists and ranges, and whichever comes first."""
    for cells in ([number, 1, "1"], [1, number, "1"], [number, number, 1]):
        column = distinct(cells)
        who = identity.persons(column).tolist()
        codes, names = identity.number_names(column)
        assert who[0] == who[1]
        assert codes[0] == codes[1]
        assert (1, int) == (names[codes[0]], type(names[codes[0]]))
        for public in LISTS:
            assert 1 == len({*public.codes(column, "item").tolist()})


@pytest.mark.parametrize("missing", [np.nan, pd.NA, None])
def test_missing_cells_of_text_of_numpy_name_nothing(missing: Any) -> None:
    """Whatever stands for them, and whatever text sorts last."""
    if not hasattr(np.dtypes, "StringDType"):
        pytest.skip("NumPy 1 has no such text")
    column = distinct(np.array(["b", missing, "z", missing, "b"], dtype=np.dtypes.StringDType(na_object=missing)))

    assert [0, -1, 1, -1, 0] == [max(code, -1) for code in PublicNames.of(["b", "z"], "d").codes(column, "i").tolist()]
    assert ["b", "z"] == identity.number_names(column)[1]
    assert [0, -1, 1, -1, 0] == identity.persons(column).tolist()


def test_half_of_a_surrogate_pair_refuses_nothing() -> None:
    """Text that arrow cannot hold is a text that no list names, alone."""
    for kind in (pd.StringDtype("python"), pd.StringDtype("python", na_value=np.nan)):
        cells = distinct(pd.Series(["x", "\ud800", "x", None], dtype=kind))

        assert [2, -1, 2, -1] == [max(code, -1) for code in LISTS[0].codes(cells, "item").tolist()]
        assert [0, 1, 0, -1] == identity.persons(cells).tolist()


TIMES = {
    "time in nanoseconds": (pa.time64("ns"), 5),
    "time beyond a day": (pa.time64("us"), 2**62),
    "time in seconds": (pa.time32("s"), 2**31 - 1),
    "moments": (pa.timestamp("ns"), 2**62),
    "late moments": (pa.timestamp("s"), 2**62),
    "moments of a zone": (pa.timestamp("us", "Europe/Paris"), 2**62),
    "days": (pa.date32(), 2**31 - 1),
    "days in milliseconds": (pa.date64(), 86_400_000 * 2**36),
    "spans": (pa.duration("s"), 2**62),
}


@pytest.mark.parametrize("name", TIMES)
def test_no_moment_is_too_large_to_tell_persons_apart(name: str) -> None:
    """Types of arrow hold more than Python's; nothing is refused for what a row holds."""
    kind, large = TIMES[name]
    for values in ([0, 86_400_000, 0, None], [0, 86_400_000, 0, None, large], [large, 0, 86_400_000, 0, None]):
        small = pa.int32() if kind.bit_width == 32 else pa.int64()
        column = pa.chunked_array([pa.array(values, small).cast(kind)])
        expected = [None if each is None else values.index(each) for each in values]
        for cells in (distinct(column), distinct(pd.Series(column, dtype=pd.ArrowDtype(kind)))):
            who = identity.persons(cells).tolist()
            assert expected == [None if each < 0 else who.index(each) for each in who]
            with pytest.raises(ValueError, match="cast it to text"):
                LISTS[0].codes(cells, "item")


def test_long_integers_of_polars_refuse_nothing() -> None:
    """A type that polars finds for itself where one integer is long."""
    for kind in (pl.Int64, pl.Int128):
        cells = distinct(pl.Series([1, 0, None, 2**60], dtype=kind))

        assert [0, 1, 2**60] == sorted(identity.number_names(cells)[1])
        assert [[0, 1, -1, -1], [1, 0, -1, -1]] == [
            [max(code, -1) for code in public.codes(cells, "item").tolist()] for public in LISTS
        ]
