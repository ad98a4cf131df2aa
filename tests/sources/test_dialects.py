"""Numbers of text files: what marks their fraction and what groups their digits is declared, never guessed."""

from __future__ import annotations

import pytest

from dpselect.sources.csv_text import number
from dpselect.sources.dialects import Dialect

arrow = pytest.importorskip("pyarrow")

# What is written; the number where a comma marks fractions, where a point does, and where nothing is declared.
CELLS = [
    ("2.420,34", 2420.34, None, None),
    ("1,234.50", None, 1234.5, None),
    ("1.234", 1234.0, 1.234, 1.234),
    ("1,234", 1.234, 1234.0, None),
    ("1.234.567", 1234567.0, None, None),
    ("-1 234,5", -1234.5, None, None),
    ("1\u00a0234", 1234.0, 1234.0, None),
    ("1\u202f234\u202f567", 1234567.0, 1234567.0, None),
    ("1\u2009234\u2009567", 1234567.0, 1234567.0, None),
    ("1'234.5", None, 1234.5, None),
    ("1\u2019234", 1234.0, 1234.0, None),
    ("  12.000 ", 12000.0, 12.0, 12.0),
    ("1234567,8", 1234567.8, None, None),
    ("1234567.8", None, 1234567.8, 1234567.8),
    # Neither groups of three nor one sign throughout.
    ("0.123", None, 0.123, 0.123),
    ("0,123", 0.123, None, None),
    ("000.123", None, 0.123, 0.123),
    ("1.23", None, 1.23, 1.23),
    ("12.34.567", None, None, None),
    ("1234.567", None, 1234.567, 1234.567),
    (".123", None, 0.123, 0.123),
    ("1.234 567", None, None, None),
    ("1 234'567", None, None, None),
    ("1  234", None, None, None),
    ("1.234,567,8", None, None, None),
    ("0x1.234", None, None, None),
    ("12 %", None, None, None),
]


def read(dialect: Dialect, cells: list[str]) -> list[float | None]:
    """Return the numbers of a column."""
    column = arrow.chunked_array([arrow.array(cells, arrow.string())])
    return [number(cell) for cell in dialect.number(column).to_pylist()]


@pytest.mark.parametrize(("at", "decimal"), [(1, ","), (2, "."), (3, None)])
def test_the_decimal_mark_says_what_groups(at, decimal) -> None:
    """Any other sign between groups of three; without a declared mark no sign does."""
    assert [row[at] for row in CELLS] == read(Dialect(";", decimal), [row[0] for row in CELLS])


@pytest.mark.parametrize(
    ("thousands", "cells"),
    [
        (",", {"1,234": 1234.0, "1,234.5": 1234.5, "1 234": None, "1'234": None, "1.234": 1.234}),
        ("space", {"1 234": 1234.0, "1\u202f234.5": 1234.5, "1\u2009234": 1234.0, "1,234": None}),
        ("\u00a0", {"1 234": 1234.0, "1'234": None}),
        ("'", {"1'234": 1234.0, "1\u2019234": 1234.0, "1 234": None}),
    ],
)
def test_a_declared_sign_groups_and_no_other(thousands, cells) -> None:
    """Whether or not a decimal mark is declared."""
    for decimal in (None, "."):
        assert [*cells.values()] == read(Dialect(decimal=decimal, thousands=thousands), [*cells])


def test_one_cell_is_read_alike_beside_any_other() -> None:
    """Alone, and among all of them."""
    for decimal in (",", ".", None):
        dialect = Dialect(";", decimal)
        together = read(dialect, [row[0] for row in CELLS])
        assert together == [read(dialect, [row[0]])[0] for row in CELLS]


@pytest.mark.parametrize("beside", ["\u00e9", "\u22121", "7 ", "5 %", "abc", "1\u00a0"])
def test_words_with_blanks_are_read_alike_beside_any_other(beside: str) -> None:
    """What a cell holds does not follow from signs in another: true is 1, with blanks too."""
    from dpselect.sources.column_cells import array_of, reals

    texts = ["true", " true", "false\t", " 7 ", "inf ", " nan", "1"]
    for dialect in (Dialect(), Dialect(";", ","), Dialect(unit=["%"])):
        alone = [reals(array_of(dialect.number(arrow.chunked_array([[each]])))).values.tolist() for each in texts]
        together = reals(array_of(dialect.number(arrow.chunked_array([[*texts, beside]])))).values.tolist()
        assert repr([value for (value,) in alone]) == repr(together[:-1])


def test_a_long_cell_is_read_in_one_pass() -> None:
    """Its length decides nothing about others."""
    assert [None, 2.5] == read(Dialect(";", ","), ["1.234" * 200_000, "2,5"])
    assert 1 == len(read(Dialect(";", ","), ["1" + ".234" * 200_000]))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"thousands": "."}, "A point cannot both"),
        ({"separator": ";", "decimal": ",", "thousands": ","}, "A comma cannot both"),
        ({"thousands": "_"}, "groups no digits"),
        ({"thousands": ""}, "groups no digits"),
    ],
)
def test_a_sign_that_cannot_group_is_refused(words, said) -> None:
    """In one sentence, before anything is read."""
    with pytest.raises(ValueError, match=said):
        Dialect(**words)
