"""Rows of fields in the address."""

from __future__ import annotations

import pytest

from dpselect.web.explorer.form_fields import ChoiceField, NumberField
from dpselect.web.explorer.row_fields import RowFields

COLUMNS = (
    ChoiceField("what", "Question", (("", "none"), ("a", "A"), ("b", "B")), ""),
    NumberField("times", "Times", 1, 1, 9, whole=True),
)
ROWS = RowFields("row", "RowFields", COLUMNS, ({"what": "a", "times": 2},), 2, "row")


def query(*rows: tuple[str, str]) -> dict[str, list[str]]:
    """What a form sends."""
    return {"row-what": [what for what, _ in rows], "row-times": [times for _, times in rows]}


def test_what_is_written_reads_as_the_same() -> None:
    """Whatever stands in the address is shown again."""
    rows = ROWS.read(query(("b", "3"), ("a", "1")))
    again: dict[str, list[str]] = {}
    for name, text in ROWS.write(rows):
        again.setdefault(name, []).append(text)

    assert rows == ({"what": "b", "times": 3}, {"what": "a", "times": 1})
    assert rows == ROWS.read(again)


def test_an_empty_row_is_left_out() -> None:
    """Whatever its numbers say; without any the rows are those at first."""
    assert ROWS.read(query(("", "x"), ("a", "1"))) == ({"what": "a", "times": 1},)
    assert ROWS.read({}) == ROWS.default


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (query(("a", "1"), ("a", "0")), "^Row 2: Times is a whole number from 1 to 9.$"),
        (query(("c", "1")), "^Row 1: Question is one of"),
        (query(("", "1")), "choose what the first one is"),
        (query(*[("a", "1")] * 3), "from 1 to 2 rows"),
        (query(*[("a", "1")] * 4), "up to 2 rows"),
        ({"row-what": ["a", "b"], "row-times": ["1"]}, "up to 2 rows"),
    ],
)
def test_what_is_wrong_is_said_with_its_row(wrong, sentence) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=sentence):
        ROWS.read(wrong)
