"""Ranks before and after dampening."""

from __future__ import annotations

import numpy as np
import pytest

import dpselect as dps


def ranks_of(chart, column: str) -> dict[str, int]:
    """Return the rank of each candidate in a column."""
    return {row["candidate"]: row["rank"] for row in chart.to_dict()["data"]["values"] if row["column"] == column}


def markers() -> dps.Scores:
    """Return four markers, of which dampening inverts the first two."""
    return dps.utilities.tdt([24, 50, 30, 16], [0, 16, 12, 14], families=40, candidates=["a", "b", "c", "d"])


@pytest.mark.parametrize("direction", ["growing", "shrinking"])
def test_ranks_are_those_of_what_is_drawn_from(direction) -> None:
    """By the ticks of both mechanisms."""
    scores, chart = markers(), dps.plot.dampening_chart(markers(), direction=direction)
    for column, mechanism in (
        ("local dampening", dps.mechanism("local-dampening")),
        ("shifted", dps.mechanism("shifted-local-dampening", direction=direction)),
    ):
        order = np.argsort(-mechanism.effective(scores).ticks, kind="stable")

        assert {"abcd"[place]: rank + 1 for rank, place in enumerate(order)} == ranks_of(chart, column)
    assert {"a": 1, "b": 2, "c": 3, "d": 4} == ranks_of(chart, "score")


def test_the_inverted_pair_is_told() -> None:
    """Its two lines are thick, in all three columns; where nothing is inverted, none is."""
    rows = dps.plot.dampening_chart(markers()).to_dict()["data"]["values"]
    votes = dps.Scores({"tea": 3, "milk": 2}, 1, kind="integer")

    assert {"a", "b"} == {row["candidate"] for row in rows if row["told"]}
    assert not any(row["told"] for row in dps.plot.dampening_chart(votes).to_dict()["data"]["values"])


def test_ties_do_not_cross() -> None:
    """Equal scores keep the public order in every column."""
    chart = dps.plot.dampening_chart(dps.Scores({"tea": 3, "milk": 3, "soy": 3}, 1, kind="integer"))

    for column in ("score", "local dampening", "shifted"):
        assert {"tea": 1, "milk": 2, "soy": 3} == ranks_of(chart, column)


def test_the_picture_stands_by_itself_and_says_that_it_is_public() -> None:
    """An SVG without scripts, with its warning; names are text."""
    scores = dps.Scores([2.0, 1.0], 1, candidates=["<script>", "&"])
    picture = dps.plot.dampening_chart(scores, width=330).svg()

    assert "For public or made-up data only" in picture
    assert "<script" not in picture


def test_another_direction_is_refused() -> None:
    """There are two."""
    with pytest.raises(ValueError, match="growing"):
        dps.plot.dampening_chart(markers(), direction="up")
