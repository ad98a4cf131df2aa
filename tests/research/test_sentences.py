"""Sentences of Farias 2021 and Farias et al. 2024: bad or unclear numbers make none of them true."""

from __future__ import annotations

import pytest

from research.engine.experiment import Point, Results
from research.engine.series import PRIVACY
from research.papers import id3_trees, local_dampening_table_1, multi_objective_figure_2
from research.papers import multi_objective_table_1 as pareto


@pytest.mark.parametrize(
    ("lead", "error", "verdict"),
    [
        ([-0.1] * 10, 0.1, "not comparable"),
        ([0.1] * 10, 0.1, "not comparable"),
        ([0.5] * 4 + [0.01] * 6, 0.05, "not comparable"),
        ([0.5] * 6 + [0.01] * 4, 0.05, "reproduced"),
        ([0.5] * 9 + [-0.5], 0.05, "refuted"),
    ],
)
def test_ahead_of_privatesql_means_clearly_in_half_of_the_settings(
    lead: list[float], error: float, verdict: str
) -> None:
    """Not merely that chance could hide that it is behind."""
    table_1 = local_dampening_table_1
    places = [(graph, budget) for graph in ("Enron", "Github") for budget in table_1.BUDGETS]
    points = [Point(PRIVACY, table_1.PUBLIC, 1.0, 1.0)]
    for (graph, budget), each in zip(places, lead, strict=True):
        points.append(Point(graph, table_1.PUBLIC, budget, 0.4 + each, error, 10))
        points.append(Point(graph, table_1.CUT, budget, 0.4, error, 10))

    assert verdict == table_1._better(Results(points)).verdict


@pytest.mark.parametrize(
    ("early", "late", "error", "verdict"),
    [
        (-0.1, -0.1, 0.5, "not comparable"),
        (-0.1, -0.1, 0.1, "not comparable"),
        (0.3, -0.3, 0.02, "reproduced"),
        (0.3, -0.3, 0.5, "not comparable"),
    ],
)
def test_a_crossing_needs_both_sides_and_little_chance(early: float, late: float, error: float, verdict: str) -> None:
    """ACS in Figure 2: one method leads below epsilon .5, the other from there on."""
    figure_2 = multi_objective_figure_2
    points = [Point(PRIVACY, figure_2.LOCAL, 1.0, 1.0)]
    for epsilon in figure_2.EPSILONS:
        lead = late if epsilon >= 0.5 else early
        points.append(Point("ACS", figure_2.LOCAL, epsilon, 3 + lead, error, 10))
        points.append(Point("ACS", figure_2.ID3, epsilon, 3.0, error, 10))

    assert verdict == figure_2._acs(Results(points), figure_2.LOCAL).verdict


@pytest.mark.parametrize(
    ("clear", "verdict"), [(1, "not comparable"), (10, "not comparable"), (11, "reproduced"), (21, "reproduced")]
)
def test_better_everywhere_means_clearly_in_more_than_half(clear: int, verdict: str) -> None:
    """Three datasets and seven budgets: local sensitivity against global in Table 1."""
    points = [Point(PRIVACY, pareto.TEXT_LOCAL, 1.0, 1.0)]
    places = [(title, epsilon) for title in pareto.TITLES.values() for epsilon in pareto.EPSILONS]
    for number, (title, epsilon) in enumerate(places):
        points.append(Point(title, pareto.TEXT_GLOBAL, epsilon, 0.5, 0.01, 100))
        points.append(Point(title, pareto.TEXT_LOCAL, epsilon, 0.2 if number < clear else 0.5, 0.01, 100))

    assert verdict == pareto._better(Results(points)).verdict


@pytest.mark.parametrize(
    ("ahead", "verdict"),
    [(0, "refuted"), (1, "same direction, other size"), (4, "same direction, other size"), (5, "reproduced")],
)
def test_almost_every_budget_is_four_of_five(ahead: int, verdict: str) -> None:
    """A great lead at one budget is not a lead at almost every one; clearly below at all of them refutes it."""
    place, points = id3_trees.panel("nltcs", "a13", 2), [Point(PRIVACY, id3_trees.LOCAL, 1.0, 1.0)]
    for number, epsilon in enumerate(id3_trees.EPSILONS):
        points.append(Point(place, id3_trees.GLOBAL, epsilon, 0.6, 0.003, 50))
        points.append(
            Point(place, id3_trees.LOCAL, epsilon, 0.8 if number < ahead else 0.599 if ahead else 0.5, 0.003, 50)
        )
    claim = id3_trees.mostly("local", {"a13": [place]}, id3_trees.LOCAL, id3_trees.GLOBAL, needs="it needs more")

    assert verdict == claim.judge(Results(points)).verdict
