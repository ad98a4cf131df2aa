"""Persons and names that no public list declares."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dpselect.sources import identity
from dpselect.sources.distinct import distinct
from dpselect.sources.public_names import PublicNames

CELLS = ["ann", "bob", None, "ann", "", " nan"]
KINDS = {
    "list": list,
    "pandas": pd.Series,
    "pandas objects": lambda cells: pd.Series(cells, dtype=object),
    "pandas string": lambda cells: pd.Series(cells, dtype="string"),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow dictionary": lambda cells: pa.array(cells).dictionary_encode(),
    "arrow chunks": lambda cells: pa.chunked_array([pa.array(cells[:2]), pa.array(cells[2:])]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_one_person_have_one_number_in_every_container(kind: str) -> None:
    """And rows that are empty, missing or "nan" name nobody."""
    who = identity.persons(distinct(KINDS[kind](CELLS)))

    assert who[0] == who[3] != who[1]
    assert [-1, -1, -1] == who[[2, 4, 5]].tolist()
    assert (who[:2] >= 0).all()


@pytest.mark.parametrize("other", ["text", None, 2.5, [1], 7])
def test_no_row_decides_who_another_row_is_about(other) -> None:
    """Pandas makes 1 of it 1.0, "1" or "01": the rows stay one person's."""
    column = pd.Series([1, 1, other])
    written = pd.Series(["01", "1", "1.0", other], dtype=object)

    assert 1 == len(set(identity.persons(distinct(column))[:2].tolist()))
    assert 1 == len(set(identity.persons(distinct(written))[:3].tolist()))


def test_numbers_that_are_equal_are_one_person() -> None:
    """Whatever type their cells have; text beside them is itself, unless pandas may have made it of a number."""
    cells = [1, 1.0, True, "1", 2]

    assert [0, 0, 0, 1, 2] == identity.persons(distinct(cells)).tolist()
    assert [0, 0, 0, 0, 1] == identity.persons(distinct(pd.Series(cells, dtype=object))).tolist()


def test_text_of_a_declared_type_is_that_very_text() -> None:
    """No other row can change it."""
    who = identity.persons(distinct(pl.Series(["01", "1", "1.0"])))

    assert 3 == len(set(who.tolist()))


def test_names_do_not_show_how_a_container_wrote_them() -> None:
    """1.0 beside a missing cell is 1."""
    assert [1, 2] == identity.number_names(distinct(pd.Series([1, 2, None])))[1]
    assert all(type(name) is int for name in identity.number_names(distinct(pd.Series([1, 2, None])))[1])
    assert ["x", 1] == identity.number_names(distinct(pd.Series(["x", "01", "1"], dtype=object)))[1]


def test_the_public_order_is_numbers_by_size_and_then_text() -> None:
    """It depends on no data."""
    names = ["b", -1, "a", -5.5]
    order = identity.in_public_order(names)

    assert [-5.5, -1, "a", "b"] == sorted(names, key=lambda name: order[names.index(name)])


def test_large_integers_are_exact_where_no_row_rounds_them_and_nobody_elsewhere() -> None:
    """Two persons never become one."""
    large = [2**53, 2**53 + 1]

    assert 2 == len(set(identity.persons(distinct(pa.array(large))).tolist()))
    assert [-1, -1] == identity.persons(distinct(pd.Series(large))).tolist()


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        ([0, 4, 5, -1, "3", "x", None, 2.0, 2.5, True], [0, 4, -1, -1, 3, -1, -1, 2, -1, 1]),
        (pd.Series([0, 4.0, None]), [0, 4, -1]),
        (pa.array([0, 4, 9, None], pa.uint8()), [0, 4, -1, -1]),
    ],
)
def test_ranges_are_read_as_lists_are(cells, codes) -> None:
    """By the same rule, without a table of every name."""
    for public in (range(5), list(range(5))):
        read = PublicNames.of(public, "domain").codes(distinct(cells), "item")

        assert codes == [max(code, -1) for code in read.tolist()]


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ([], ValueError, "at least one"),
        (["a", "a"], ValueError, "twice"),
        ([1, "1"], ValueError, "same value"),
        ([None], ValueError, "none missing"),
        ("abc", TypeError, "list of text or numbers"),
        (range(0, 6, 2), ValueError, "step 1"),
        (5, TypeError, "list of text or numbers"),
    ],
)
def test_what_is_not_a_public_list_is_refused(names, error, message) -> None:
    """In one sentence."""
    with pytest.raises(error, match=message):
        PublicNames.of(names, "domain")


def test_a_declared_type_without_names_is_refused_and_a_row_is_not() -> None:
    """Types are public, and rows of pandas may change those of pandas."""
    dates = pl.Series(["2020-01-01"]).str.to_date()
    with pytest.raises(ValueError, match="cast it to text"):
        PublicNames.of(["a"], "domain").codes(distinct(dates), "item")

    assert [-1] == PublicNames.of(["a"], "domain").codes(
        distinct(pd.to_datetime(pd.Series(["2020-01-01"]))), "i"
    ).tolist()
