"""Names that no picture can hold."""

from __future__ import annotations

import pytest

import dpselect as dps

pytest.importorskip("vl_convert", reason="pictures of charts need the extra web")


@pytest.mark.parametrize("odd", ["\x00", "\x1b", "\ud800", "\uffff"])
def test_a_character_that_no_picture_can_hold_is_replaced(odd: str) -> None:
    """The converter would end the whole process: the picture shows the sign of a lost character instead."""
    scores = dps.Scores({f"a{odd}b": 3, "c": 1}, sensitivity=1, kind="integer")
    picture = dps.plot.pmf_chart(scores, epsilon=1).svg()

    assert "a\ufffdb" in picture
    assert odd not in picture
