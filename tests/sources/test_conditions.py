"""A condition on text means the same for every row of a large column as for one cell by itself."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from dpselect.sources import conditions
from dpselect.sources.conditions import Condition

TEXT = ["North", "north", "", "Zürich", "Zu\u0308rich", "a\0b", None, "true", "7"]
COLUMNS = {
    "text": (pa.string(), TEXT),
    "large text": (pa.large_string(), TEXT),
    "views of text": (pa.string_view(), TEXT),
    "repeated text": (pa.dictionary(pa.int8(), pa.string()), TEXT),
    "truth values": (pa.bool_(), [True, False, None]),
    "integers": (pa.int64(), [7, -7, 2**62 + 1, None]),
    "real numbers": (pa.float64(), [7.0, 0.0, -0.0, float("nan"), float("inf"), None]),
    "decimals": (pa.decimal128(5, 2), [Decimal("7.00"), Decimal("0.50"), None]),
    "bytes": (pa.binary(), [b"North", b"\xff", None]),
    "lists": (pa.list_(pa.int64()), [[7], [], None]),
    "nothing": (pa.null(), [None]),
}
VALUES = ["North", "Zürich", "", "true", "7", "7.0", "-0.0", "0.0", "nan", "7.00", "b'North'", "[7]", "None", "\udcff"]


def spelled(cell: object) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


@pytest.mark.parametrize("kind, cells", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("chunks", [0, 1, 3])
def test_each_row_is_judged_by_its_own_cell(kind: pa.DataType, cells: list[object], chunks: int) -> None:
    """Of whatever type, in one piece, in several or without a row: as text, and a missing cell fulfils nothing."""
    pieces = [pa.array(cells[place:] + cells[:place], kind) for place in range(chunks)]
    column = pa.chunked_array(pieces, kind)
    rows = column.to_pylist()

    for value in VALUES:
        equal = Condition.of(f'x = "{value}"').mask({"x": column})
        other = Condition.of(f'x != "{value}"').mask({"x": column})

        assert equal.tolist() == [cell is not None and spelled(cell) == value for cell in rows]
        assert other.tolist() == [cell is not None and spelled(cell) != value for cell in rows]
        assert equal.dtype == other.dtype == np.bool_


@pytest.mark.parametrize("kind", ["text", "repeated text", "truth values", "integers", "real numbers", "decimals"])
def test_a_large_column_is_compared_once_per_distinct_cell(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred thousand rows are judged as the few cells that they hold; no row is spelled by itself."""
    type_, cells = COLUMNS[kind]
    picked = np.random.default_rng(24).integers(len(cells), size=100_000)
    column = pa.chunked_array([pa.array([cells[i] for i in half], type_) for half in np.split(picked, 2)])
    calls: list[object] = []
    monkeypatch.setattr(conditions, "_cell_text", lambda cell: calls.append(cell) or spelled(cell))

    for value in VALUES:
        calls.clear()
        condition = Condition.of(f'x = "{value}"')
        few = condition.mask({"x": pa.chunked_array([pa.array(cells, type_)])})

        assert condition.mask({"x": column}).tolist() == few[picked].tolist()
        assert len(calls) <= 2 * len(cells)


DAYS = ["2024-01-30", "2024-01-31 23:59", "31.01.2024", "2024-02-01", "2024-02-30", "x", "5", None]


@pytest.mark.parametrize(
    "sign, rows",
    {"<": [0], "<=": [0, 1], "=": [1], "==": [1], ">=": [1, 3], ">": [3], "!=": [0, 3], "<>": [0, 3]}.items(),
)
@pytest.mark.parametrize("order", [None, "dmy", "mdy"])
def test_dates_of_text_are_ordered(sign: str, rows: list[int], order: str | None) -> None:
    """Each cell by its own day, a moment too; what is not a date fulfils nothing."""
    column = pa.chunked_array([DAYS[:3], DAYS[3:]])
    more = [2] if order == "dmy" and 1 in rows else []
    mask = Condition.of(f"x {sign} 2024-01-31").mask({"x": column}, date_order=order)

    assert sorted(rows + more) == np.flatnonzero(mask).tolist()


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64(), pa.timestamp("us"), pa.timestamp("s")])
def test_dates_of_typed_columns_are_ordered(kind: pa.DataType) -> None:
    """Before the beginning of the count too, and years that Python has not."""
    days = [datetime.date(1969, 12, 31), datetime.date(1970, 1, 2), None]
    column = pa.chunked_array([pa.array(days, pa.date32()).cast(kind)])
    far = pa.chunked_array([pa.array([4_000_000, None], pa.int32()).cast(pa.date32())])

    assert [True, False, False] == Condition.of("x < 1970-01-01").mask({"x": column}).tolist()
    assert [True, False] == Condition.of("x > 2025-01-01").mask({"x": far}).tolist()


def test_a_day_is_not_compared_where_there_is_none() -> None:
    """Numbers have none, moments of a time zone have several, and 2024-02-30 is text."""
    for cells, words in (
        (pa.array([1]), "which has no dates"), (pa.array([1], pa.timestamp("us", "UTC")), "moments of a time zone"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            Condition.of("x >= 2024-01-31").mask({"x": pa.chunked_array([cells])})
    for text in ("x >= 2024-02-30", "x > '2024-01-31'"):
        with pytest.raises(ValueError, match="compares numbers and dates such as 2025-12-31"):
            Condition.of(text)


def test_dates_are_compared_as_dates() -> None:
    """As before: a cell is not spelled."""
    day = datetime.date(2024, 1, 31)
    column = pa.chunked_array([[day, None, datetime.date(2024, 2, 1)]])

    assert [True, False, False] == Condition.of("x = 2024-01-31").mask({"x": column}).tolist()
    assert [False, False, True] == Condition.of("x != 2024-01-31").mask({"x": column}).tolist()


NUMBERS = [1.0, 2.0, 3.5, None, float("nan"), 5.0]
FORMS = {
    "x in (1,2, 5)": [0, 1, 5],
    "x in(5)": [5],
    "x not in (1, 2)": [2, 5],
    "not x in (1, 2)": [2, 5],
    "NOT not x In (1)": [0],
    "x between 2 and 3.5": [1, 2],
    "x not between 2 and 3.5": [0, 5],
    "not (x between 2 and 5 and x != 3.5)": [0, 2],
    "not (x = 1 or not x < 5)": [1, 2],
    "not x = 1 and x < 5": [1, 2],
    "x between 1 and 2 or x between 5 and 9": [0, 1, 5],
    "not word = 'a,b' and word in ('c', it)": [1, 4],
    "word in ('a,b', \"null\")": [0, 2],
    "not in = between": [0, 1, 2, 3],
    "'not' not in ('x') and not = not": [0],
    "between in (and) or in in (in)": None,
    "between in ('and') or in in (in)": [1, 3],
}


@pytest.mark.parametrize("text", FORMS)
def test_in_between_and_not_are_comparisons(text: str) -> None:
    """A missing cell fulfils neither a condition nor its opposite; columns may be called like the words."""
    columns = {
        "x": pa.chunked_array([pa.array(NUMBERS, pa.float64(), from_pandas=False)]),
        "word": pa.chunked_array([["a,b", "c", "null", None, "it", "a"]]),
        "in": pa.chunked_array([["x", "in", "y", "in", "between", None]]),
        "not": pa.chunked_array([["not", "x", "x", None, "x", "x"]]),
        "between": pa.chunked_array([["x", "and", None, "", "x", "x"]]),
    }
    if FORMS[text] is None:
        with pytest.raises(ValueError, match="is not a condition"):
            Condition.of(text)
    else:
        assert Condition.of(text).mask(columns).nonzero()[0].tolist() == FORMS[text]


@pytest.mark.parametrize(
    "text, words",
    {
        "x in (1, NULL)": "null in a list, which is equal to no cell",
        "x not in (null)": "null in a list, which is equal to no cell",
        "x between a and b": "orders text",
        "x between 1,5 and 2": "write 1.5",
        **dict.fromkeys(
            ["x in ()", "x in (1", "x in 1", "x in (1 2)", "x in (1,)", "x in (,1)", "x not = 1", "x between 1 or 2",
             "x between 1 and", "not", "x in (= 1)", "x in ((1))", "x not", "not x", "not " * 2000],
            "is not a condition",
        ),
    }.items(),
)  # fmt: skip
def test_lists_and_ranges_that_cannot_be_read_are_refused(text: str, words: str) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=words):
        Condition.of(text)
