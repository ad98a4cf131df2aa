"""The chart of a grid of numbers says what the library says."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("altair", reason="charts need the extra web")

import dpselect as dps
from dpselect.mechanisms.registry import MECHANISMS


def ages(more=()) -> dps.Scores:
    """Rank scores of a median over 131 values."""
    values = [*(20 + 7 * number % 61 for number in range(200)), *more]
    return dps.utilities.percentile(values, 50, lower=0, upper=130, step=1)


def rows(chart) -> list[dict]:
    """What the bars are drawn from."""
    return chart.to_dict()["layer"][0]["data"]["values"]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_bars_hold_the_law(mechanism) -> None:
    """Each bar has the chances of its values together, and all of them those of the whole grid."""
    law = dps.mechanism(mechanism).pmf(ages(), 0.05)
    bars = rows(dps.plot.value_chart(ages(), epsilon=0.05, mechanism=mechanism))

    assert len(bars) <= 60
    assert np.allclose(
        [law[3 * number : 3 * number + 3].sum() for number in range(44)], [bar["chance"] for bar in bars]
    )
    assert (-0.5, 130.5) == (bars[0]["from"], bars[-1]["to"])


def test_the_line_is_the_neighbour() -> None:
    """Its steps are the chances of the other database, in the same bars."""
    chart = dps.plot.value_chart(
        ages(), epsilon=0.05, mechanism="exponential", neighbour=ages([0]), between=(30, 60)
    ).to_dict()
    law = dps.mechanism("exponential").pmf(ages([0]), 0.05)[30:61]
    line = chart["layer"][1]["data"]["values"]

    assert np.allclose([*law, law[-1]], [step["chance"] for step in line])
    assert [bar["from"] for bar in chart["layer"][0]["data"]["values"]] == [step["from"] for step in line[:-1]]


def test_values_may_be_left_out() -> None:
    """With both ends, and the rule where the best value is drawn alone."""
    chart = dps.plot.value_chart(ages(), epsilon=0.5, between=(60, 70)).to_dict()
    bars = chart["layer"][0]["data"]["values"]

    assert (59.5, 70.5) == (bars[0]["from"], bars[-1]["to"])
    assert 1 == len(chart["layer"])
    assert 3 == len(dps.plot.value_chart(ages(), epsilon=0.5).to_dict()["layer"])


def test_what_is_no_grid_is_refused() -> None:
    """Names, numbers that fall, another grid, an empty span."""
    for candidates in (["a", "b"], [2, 1]):
        with pytest.raises(ValueError, match="in increasing order"):
            dps.plot.value_chart(dps.Scores([1, 2], 1, candidates, kind="integer"), epsilon=1)
    with pytest.raises(ValueError, match="same public grid"):
        dps.plot.value_chart(ages(), epsilon=1, neighbour=dps.utilities.percentile([1], 50, grid=[0, 1]))
    with pytest.raises(ValueError, match="pass two of the grid"):
        dps.plot.value_chart(ages(), epsilon=1, between=(131, 140))


def test_a_name_of_a_unit_is_text() -> None:
    """In the picture."""
    picture = dps.plot.value_chart(ages(), epsilon=1, unit="<b>age</b>").svg()

    assert "<b>" not in picture
    assert "&lt;b" in picture
