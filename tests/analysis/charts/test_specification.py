"""What charts are written as: specifications of Vega-Lite that other tools take."""

from __future__ import annotations

import json
import re

import pytest

import dpselect as dps
from dpselect.learn import DPTreeClassifier

pytest.importorskip("altair", reason="charts are built on by Altair, of the extra web")

VOTES = dps.utilities.counts([60, 40, 5], ["tea", "milk", "a name of many letters, so many"])
MORE = dps.utilities.counts([60, 41, 5], ["tea", "milk", "a name of many letters, so many"])
AGES = dps.utilities.median([20, 30, 31, 44, 80], lower=0, upper=100)
MARKERS = dps.utilities.tdt([24, 50], [0, 16], families=40, candidates=["rs1", "rs2"])


def accuracies():
    """A tree of one level on forty records."""
    table, classes = [[age] for age in range(40)], [int(age >= 20) for age in range(40)]
    model = DPTreeClassifier(1, max_depth=1, bins=4, domains={0: (0, 40)}, classes=[0, 1])
    return dps.plot.accuracy_chart(model, table, classes, epsilons=[0.1, 1], epsilon=0.5)


CHARTS = {
    "law": lambda: dps.plot.pmf_chart(VOTES, epsilon=1, neighbour=MORE),
    "values": lambda: dps.plot.value_chart(AGES, epsilon=1, neighbour=AGES),
    "front": lambda: dps.plot.front_chart([VOTES, MORE], epsilon=1),
    "weighted": lambda: dps.plot.front_chart([VOTES, MORE], epsilon=1, weights=[1, 2]),
    "error": lambda: dps.plot.error_chart([dps.accuracy.compare.row(VOTES, "exponential", [0.1, 1])], epsilon=0.5),
    "no error": lambda: dps.plot.error_chart(
        [dps.accuracy.compare.row(dps.utilities.counts([4]), "exponential", [0.1, 1])]
    ),
    "chance": lambda: dps.plot.chance_chart([dps.accuracy.compare.row(VOTES, "exponential", [0.1, 1])]),
    "sensitivity": lambda: dps.plot.sensitivity_chart(MARKERS, beta=0.05),
    "dampening": lambda: dps.plot.dampening_chart(MARKERS),
    "accuracy": accuracies,
    "budget": lambda: dps.plot.budget_chart([("the median", 0.25), ("8 counts", 0.9)], 1, spent=0.1, refused=[1]),
}


@pytest.mark.parametrize("name", CHARTS)
def test_altair_finds_nothing_wrong_with_it(name) -> None:
    """Its schema of Vega-Lite knows every word, and it has the same chart."""
    picture = CHARTS[name]()
    checked = picture.chart.to_dict(validate=True)
    written = picture.to_dict()

    assert written["layer"] == checked["layer"]
    assert written["title"] == checked["title"]


def test_a_word_that_vega_lite_has_not_is_found() -> None:
    """So the test above could fail."""
    from jsonschema import ValidationError

    from dpselect.analysis.charts.look import chart_of, marks, shown_as

    with pytest.raises(ValidationError):
        chart_of([marks("bar")(x=shown_as("chance:Q", axes=1))], "Wrong", height=100).chart.to_dict()


def test_it_cannot_be_changed_from_outside() -> None:
    """Whoever changes the specification has a copy."""
    picture = CHARTS["law"]()
    picture.to_dict()["title"]["text"] = "another"

    assert "permute-and-flip, epsilon 1" == picture.to_dict()["title"]["text"][0]


@pytest.mark.parametrize("width", [340, 640])
def test_names_have_room_in_a_wide_font(width) -> None:
    """Beside the axis: 6.9 pixels for each letter, or a third of the chart."""
    chart = dps.plot.pmf_chart(VOTES, epsilon=1, width=width)
    longest = max(len(row["candidate"]) for row in chart.to_dict()["data"]["values"])
    start = re.search(r"translate\(([0-9.]+),", chart.svg())

    assert start is not None
    assert min(6.9 * longest, 180, width / 3) <= float(start[1])


def test_no_chart_needs_a_network() -> None:
    """Its data stand in it."""
    for draw in CHARTS.values():
        assert '"url"' not in json.dumps(draw().to_dict())
