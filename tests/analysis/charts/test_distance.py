"""Curves of sensitivity by distance."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpselect as dps
from dpselect.analysis.charts.distance import last_distance


def curves_of(chart) -> dict[str, dict[int, float]]:
    """Return distance to sensitivity by candidate."""
    curves: dict[str, dict[int, float]] = {}
    for row in chart.to_dict()["data"]["values"]:
        curves.setdefault(row["candidate"], {})[row["distance"]] = row["sensitivity"]
    return curves


def markers() -> dps.Scores:
    """Return four markers."""
    return dps.utilities.tdt([24, 50, 30, 16], [0, 16, 12, 14], families=40, candidates=["a", "b", "c", "d"])


def test_every_point_is_the_sensitivity_of_the_scores() -> None:
    """At each distance that is drawn, from here to where all are at the worst case."""
    scores = markers()
    curves = curves_of(dps.plot.sensitivity_chart(scores))
    ends = {max(curve) for curve in curves.values()}

    assert ["a", "b", "c", "d"] == [*curves]
    for place, curve in enumerate(curves.values()):
        for t, value in curve.items():
            assert value == scores.sensitivity.at(t)[place]
        assert curve[max(curve)] == scores.sensitivity.ceiling
    assert 1 == len(ends)


def test_the_lines_end_where_the_last_one_has_come_up() -> None:
    """One step before, one of them is below the worst case; none of them falls, so this is the first such distance."""
    scores = markers()
    end = last_distance(scores.sensitivity, np.arange(4))

    assert (scores.sensitivity.at(end) == scores.sensitivity.ceiling).all()
    assert (scores.sensitivity.at(end - 1) < scores.sensitivity.ceiling).any()


@pytest.mark.parametrize("beta", [0.01, 0.1, 1])
def test_the_levels_are_the_worst_case_and_the_smooth_bound(beta) -> None:
    """As the library has them, over all candidates; without beta the first alone."""
    scores = markers()
    levels = [
        row["sensitivity"]
        for layer in dps.plot.sensitivity_chart(scores, beta=beta, shown=2).to_dict()["layer"][1:2]
        for row in layer["data"]["values"]
    ]
    (only,) = dps.plot.sensitivity_chart(scores).to_dict()["layer"][1]["data"]["values"]

    assert [scores.sensitivity.ceiling, float(dps.sensitivity.smooth(scores.sensitivity, beta))] == levels
    assert scores.sensitivity.ceiling == only["sensitivity"]


def test_candidates_of_one_curve_share_a_line() -> None:
    """One constant is one line, with a few of the names."""
    votes = dps.Scores(dict.fromkeys("abcdef", 9), 1, kind="integer")

    assert ["a, b, c and 3 more"] == [*curves_of(dps.plot.sensitivity_chart(votes))]


def test_names_that_are_cut_alike_stay_apart() -> None:
    """Two long names with the same start, and two curves."""
    at = dps.sensitivity.element(lambda t: [1 + t, 2 + t], ceiling=9)
    long = "x" * 60
    scores = dps.Scores([2.0, 1.0], at, candidates=[long + "1", long + "2"])

    assert 2 == len(curves_of(dps.plot.sensitivity_chart(scores)))


def test_without_a_worst_case_a_few_steps_are_drawn() -> None:
    """There is no line across, and no smooth bound."""
    endless = dps.Scores([2.0, 1.0], dps.sensitivity.element(lambda t: [1 + t, 2 + t]))
    chart = dps.plot.sensitivity_chart(endless)

    assert 40 == max(curves_of(chart)["0"])
    assert 1 == len(chart.to_dict()["layer"])
    with pytest.raises(ValueError, match="ceiling"):
        dps.plot.sensitivity_chart(endless, beta=0.1)


@pytest.mark.parametrize("beta", [0, -1, math.inf, math.nan])
def test_a_beta_that_is_not_a_positive_number_is_refused(beta) -> None:
    """By the library's own smooth bound."""
    with pytest.raises(ValueError, match="beta"):
        dps.plot.sensitivity_chart(markers(), beta=beta)


def test_a_smooth_bound_alone_has_no_curve() -> None:
    """The refusal says so."""
    known = dps.sensitivity.smooth_bound(lambda beta: 1.0, ceiling=2)
    with pytest.raises(dps.PrivacyError):
        dps.plot.sensitivity_chart(dps.Scores([1, 2], known))


def test_the_picture_stands_by_itself_and_says_that_it_is_public() -> None:
    """An SVG without scripts, with its warning."""
    picture = dps.plot.sensitivity_chart(markers(), beta=0.05, width=330).svg()

    assert "For public or made-up data only" in picture
    assert "<script" not in picture
