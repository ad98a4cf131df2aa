"""Comparisons: errors in the unit of the candidates, and a log axis with a place for nothing."""

from __future__ import annotations

import re

import numpy as np
import pytest
from matplotlib.figure import Figure

import dpselect as dps
from dpselect.sources.figures import with_zero

GRID = range(0, 5000, 100)
WAGES = [1500] * 40 + [2300] * 21 + [4100] * 30


def ranks() -> dps.Scores:
    """Ranks of the median of made-up wages, which is 2300."""
    return dps.utilities.median(WAGES, lower=0, upper=4900, step=100)


def test_errors_are_in_the_unit_of_the_candidates() -> None:
    """The chances of the law, times how many euros each value is from the median."""
    row = dps.accuracy.compare.row(ranks(), "exponential", [0.1, 1], unit="euros")
    euros = np.abs(np.asarray(GRID) - 2300)

    assert row.distance == pytest.approx([dps.mechanism("exponential").pmf(ranks(), e) @ euros for e in (0.1, 1)])
    assert "expected error, in euros" in dps.accuracy.compare.table([row])
    assert "in the score" not in dps.accuracy.compare.table([row])


def test_of_several_best_values_the_nearest_counts() -> None:
    """Whoever names either of them is right."""
    scores = dps.Scores([0, 9, 0, 9], 1, [10, 20, 30, 40], kind="integer")
    flip = dps.mechanism("permute-and-flip")

    assert dps.accuracy.compare.row(scores, flip, [1], unit="m").distance == pytest.approx(
        [10 * flip.pmf(scores, 1)[[0, 2]].sum()]
    )


def test_an_error_that_rounding_makes_is_nothing() -> None:
    """A mechanism that is surely right has the error 0."""
    sure = dps.Scores([1000, 0], 1, kind="integer")

    rounding = re.compile(r"e-(1[2-9]|[2-9]\d|\d{3})")

    assert not rounding.search(dps.accuracy.compare.table([dps.accuracy.compare.row(sure, "exponential", [9])]))
    assert not rounding.search(str(dps.recommend(sure, epsilon=9, data="example")))


def test_a_picture_needs_no_file() -> None:
    """A notebook shows it; errors are in the unit of the candidates there too."""
    figure = dps.accuracy.compare.draw([dps.accuracy.compare.row(ranks(), "exponential", [0.1, 1], unit="euros")])

    assert ["probability of naming a best candidate", "expected error, in euros"] == [
        axes.get_ylabel() for axes in figure.axes
    ]


@pytest.mark.parametrize(
    ("values", "scale", "ticks"),
    [
        ([2000, 30, 1.5], "log", None),
        ([2000, 30, 1e-17], "symlog", ["0", "1", "10", "100", "1,000", "10,000"]),
        ([0.05, 0.0], "symlog", ["0", "1e-05", "0.0001", "0.001", "0.01", "0.1"]),
        ([0.0, 0.0], "linear", None),
    ],
)
def test_a_log_axis_has_a_place_for_nothing(values: list[float], scale: str, ticks: list[str] | None) -> None:
    """Four powers of ten below the largest value, then 0."""
    axes = Figure().subplots()
    axes.plot([1, 2, 3][: len(values)], values)
    with_zero(axes, values)

    assert scale == axes.get_yscale()
    if ticks:
        assert ticks == [label.get_text() for label in axes.get_yticklabels()]
        assert 0 == axes.get_ylim()[0]
