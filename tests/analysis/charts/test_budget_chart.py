"""A budget as bars."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("altair", reason="charts need the extra web")

import dpselect as dps


def bars(chart) -> list[tuple[str, str, float, float]]:
    """Name, fate, beginning and end of each bar."""
    rows = chart.to_dict()["data"]["values"]
    return [(row["name"], row["fate"], row["begin"], row["end"]) for row in rows]


def test_bars_add_up_to_the_budget() -> None:
    """Each begins where the one above ended, from what was spent before to what is left."""
    chart = dps.plot.budget_chart([("a", 0.25), ("b", 0.5)], 2, spent=0.5)

    assert bars(chart) == [
        ("spent before", "spent before", 0, 0.5),
        ("1. a", "fits", 0.5, 0.75),
        ("2. b", "fits", 0.75, 1.25),
        ("left", "left", 1.25, 2),
    ]


def test_what_is_refused_takes_nothing() -> None:
    """The bar after it begins where it began."""
    chart = dps.plot.budget_chart([("a", 0.25), ("b", 5), ("c", 0.25)], 1, refused=[1])

    assert bars(chart)[1:3] == [("2. b", "does not fit", 0.25, 5.25), ("3. c", "fits", 0.25, 0.5)]


def test_nothing_left_has_no_bar() -> None:
    """A budget that is used up."""
    assert [fate for _, fate, _, _ in bars(dps.plot.budget_chart([("a", 1)], 1))] == ["fits"]


def test_equal_names_have_bars_of_their_own() -> None:
    """A number stands before each."""
    chart = dps.plot.budget_chart([("a", 0.25), ("a", 0.25)], 1)

    assert len({name for name, *_ in bars(chart)}) == 3
    assert chart.svg().count("a</text>") == 2


@pytest.mark.parametrize("wrong", [[], [("a", -1)], [("a", math.nan)], [("a", math.inf)]])
def test_what_is_not_an_amount_is_refused(wrong) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match="amounts are numbers from 0 on"):
        dps.plot.budget_chart(wrong, 1)


def test_hostile_names_are_text() -> None:
    """In the picture too."""
    picture = dps.plot.budget_chart([("<script>alert(1)</script>", 1)], 2).svg()

    assert "<script" not in picture
    assert "&lt;script" in picture
