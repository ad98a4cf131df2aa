"""Error and chance against epsilon."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dpselect as dps

pytest.importorskip("altair", reason="charts need the extra web")
from dpselect.analysis.charts.look import colour_of

AGES = dps.utilities.median([20, 30, 31, 44, 80], lower=0, upper=100)
VOTES = dps.utilities.counts([60, 40, 5])
NAMES = ("permute-and-flip", "exponential", "noisy-max-laplace")


def rows(scores=AGES, epsilons=(0.1, 1, 10), unit="years", names=NAMES):
    """A row for each mechanism."""
    return [dps.accuracy.compare.row(scores, name, epsilons, unit=unit) for name in names]


def points(chart) -> list[dict]:
    """What is drawn."""
    return chart.to_dict()["data"]["values"]


def test_the_error_is_in_the_unit_of_the_candidates() -> None:
    """And else in the score: every figure is that of the row."""
    shown, votes = rows(), rows(VOTES, unit="")

    assert [distance for row in shown for distance in row.distance] == [
        p["figure"] for p in points(dps.plot.error_chart(shown))
    ]
    assert [error for row in votes for error in row.error] == [p["figure"] for p in points(dps.plot.error_chart(votes))]
    assert "in years" in json.dumps(dps.plot.error_chart(shown).to_dict())
    assert "in the score" in json.dumps(dps.plot.error_chart(votes).to_dict())


def test_the_chance_is_that_of_the_best() -> None:
    """From 0 to 1."""
    shown = rows()

    assert [chance for row in shown for chance in row.best] == [
        p["figure"] for p in points(dps.plot.chance_chart(shown))
    ]


@pytest.mark.parametrize("epsilons", [(0.001, 0.002), (0.1, 10), (1, 1000)])
def test_every_error_has_a_place(epsilons) -> None:
    """A log axis, or one with a place for 0 where errors vanish: no figure is left out of the picture."""
    chart = dps.plot.error_chart(rows(epsilons=epsilons))
    scale = chart.to_dict()["layer"][0]["encoding"]["y"]["scale"]

    assert scale["type"] == ("log" if min(p["figure"] for p in points(chart)) >= 1e-5 else "symlog")
    assert "NaN" not in chart.svg()


def test_no_error_at_all_is_drawn() -> None:
    """One candidate is always the best."""
    alone = rows(dps.utilities.counts([4]), unit="")

    assert np.allclose(0, [p["figure"] for p in points(dps.plot.error_chart(alone))])
    assert "NaN" not in dps.plot.error_chart(alone).svg()


def test_each_mechanism_has_its_own_look() -> None:
    """The colour of its family everywhere; a second one of a family has another line."""
    encoding = dps.plot.error_chart(rows()).to_dict()["layer"][0]["encoding"]

    assert [*map(colour_of, NAMES)] == encoding["color"]["scale"]["range"]
    assert [1, 0] != encoding["strokeDash"]["scale"]["range"][2]


def test_what_does_not_apply_has_no_line() -> None:
    """And where nothing applies there is nothing to draw; units do not mix."""
    bare = dps.accuracy.compare.row(dps.Scores([2, 1], 1, kind="integer"), "inverse-sensitivity", [1])

    assert 9 == len(points(dps.plot.error_chart([bare, *rows()])))
    with pytest.raises(ValueError, match="No mechanism applies"):
        dps.plot.error_chart([bare])
    with pytest.raises(ValueError, match="different units"):
        dps.plot.error_chart([*rows(), *rows(VOTES, unit="")])


def test_a_line_marks_an_epsilon() -> None:
    """Where a slider stands."""
    assert 0.5 == dps.plot.chance_chart(rows(), epsilon=0.5).to_dict()["layer"][2]["data"]["values"][0]["epsilon"]
