"""The chart of two objectives says what the library says, and nothing that it does not know."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("altair", reason="charts need the extra web")

import dpselect as dps

SIGHTS = ["museum", "castle", "zoo", "baths", "tower", "mill"]
VISITORS, REGULARS = [210, 190, 120, 115, 60, 20], [30, 80, 130, 20, 40, 15]


def objectives(first=VISITORS, second=REGULARS, names=SIGHTS) -> list[dps.Scores]:
    """Two counts of the same candidates."""
    return [dps.Scores(each, 1, kind="integer", candidates=names) for each in (first, second)]


def points(chart) -> list[dict]:
    """What the points of a chart are drawn from."""
    return chart.to_dict()["layer"][1]["data"]["values"]


def corners(chart) -> list[tuple[float, float]]:
    """The corners of the line of a chart."""
    return [(each["first"], each["second"]) for each in chart.to_dict()["layer"][0]["data"]["values"]]


@pytest.mark.parametrize("mechanism", ["local-dampening", "local-dampening-flip", "exponential"])
def test_chances_are_those_of_the_law(mechanism) -> None:
    """Each point carries the exact chance of its candidate under PrivPareto."""
    law = dps.mechanism(mechanism).pmf(dps.multiobjective.pareto(objectives()), 0.3)

    assert law.tolist() == [
        row["chance"] for row in points(dps.plot.front_chart(objectives(), epsilon=0.3, mechanism=mechanism))
    ]


def test_weights_are_those_of_the_aggregate() -> None:
    """With weights the chances are those of PrivAgg, and the line holds the best weighted sum."""
    chart = dps.plot.front_chart(objectives(), epsilon=0.1, weights=[1, 2], mechanism="exponential")
    law = dps.mechanism("exponential").pmf(dps.multiobjective.aggregate(objectives(), [1, 2]), 0.1)

    assert law.tolist() == [row["chance"] for row in points(chart)]
    assert [380, 380] == pytest.approx([x + 2 * y for x, y in corners(chart)])


def test_other_scores_can_be_drawn_from() -> None:
    """A score with a sensitivity of its own takes the place of the usual one."""
    scores = dps.multiobjective.aggregate(objectives(), [1, 2], max_changed="one")
    chart = dps.plot.front_chart(objectives(), epsilon=0.1, scores=scores, weights=[1, 2], mechanism="exponential")

    assert dps.mechanism("exponential").pmf(scores, 0.1).tolist() == [row["chance"] for row in points(chart)]


def test_the_line_is_the_front() -> None:
    """Its corners are the candidates of the front, from left to right, and their points say so."""
    chart = dps.plot.front_chart(objectives(), epsilon=0.3)

    assert [(120, 130), (190, 80), (210, 30)] == corners(chart)[1:-1]
    assert dps.accuracy.metrics.front(objectives()) == [row["candidate"] for row in points(chart) if row["front"]]


@pytest.mark.parametrize("weights", [[0, 1], [1, 0], [3, -1]])
def test_a_line_of_any_direction_is_drawn(weights) -> None:
    """One weight may be zero, or negative."""
    chart = dps.plot.front_chart(objectives(), epsilon=1, weights=weights)
    best = dps.multiobjective.aggregate(objectives(), weights).values.max()

    assert [float(best)] * len(corners(chart)) == pytest.approx([np.dot(weights, each) for each in corners(chart)])
    assert "<svg" in chart.svg()


def test_many_candidates_keep_the_front() -> None:
    """Of more than 60 candidates 60 are drawn, those of the front among them, and the chart says how many there are."""
    place = np.arange(300)
    many = objectives(place, np.minimum(300 - place, 150), [f"c{each}" for each in place])
    chart = dps.plot.front_chart(many, epsilon=0.01, weights=[1, 1])
    drawn = points(chart)
    two = objectives([*range(100), 500, 400], [0] * 100 + [1, 2], [f"c{each}" for each in range(102)])
    rows = points(dps.plot.front_chart(two, epsilon=0.01))

    assert 60 == len(drawn)
    assert "60 of 300 candidates" in " ".join(chart.to_dict()["title"]["subtitle"])
    assert {"c100", "c101"} == {row["candidate"] for row in rows if row["front"]}


def test_names_do_not_cover_each_other() -> None:
    """Candidates on one point share the room of one name, and every name that is left is that of a point."""
    labels = [row["label"] for row in points(dps.plot.front_chart(objectives([5] * 6, [7] * 6), epsilon=1))]

    assert 1 == sum(label != "" for label in labels)


def test_names_are_text() -> None:
    """A hostile name stays text in the picture."""
    hostile = ["<script>alert(1)</script>", "b' || alert(1)"]
    picture = dps.plot.front_chart(objectives([2, 1], [1, 2], hostile), epsilon=1, names=("<b>one</b>", "two")).svg()

    assert "<script" not in picture
    assert "<b>" not in picture


def test_it_refuses_what_is_not_a_plane() -> None:
    """Three objectives, one name or objectives passed one by one are refused in a sentence."""
    three = [*objectives(), objectives()[0]]
    with pytest.raises(ValueError, match="two axes"):
        dps.plot.front_chart(three, epsilon=1)
    with pytest.raises(ValueError, match="two axes"):
        dps.plot.front_chart(objectives(), epsilon=1, names=("one",))
    with pytest.raises(TypeError, match="one list"):
        dps.plot.front_chart(*objectives(), 1)
