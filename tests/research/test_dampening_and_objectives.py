"""The descriptions of 001 and 003: what is printed is all there, what is simulated is never judged, claims can fail."""

import math

import numpy as np
import pytest

import dpselect as dps
from dpselect.analysis import metrics
from dpselect.views import Graph
from research.engine.experiment import FULL, QUICK, Effort, Point, Results
from research.engine.runs import Outcome
from research.engine.series import PRIVACY
from research.engine.verdicts import rows, rule
from research.papers import (
    EVERY_EXPERIMENT,
    coauthors,
    id3_trees,
    jostle_choices,
    multi_objective_figure_3,
    multi_objective_table_1,
    multi_objective_table_2,
    nodes,
)
from research.papers import local_dampening_figure_17 as figure_17
from research.papers import local_dampening_figure_20 as figure_20
from research.papers import local_dampening_table_1 as table_1
from research.papers import smooth_private_selection_figure_2 as figure_2_of_002
from research.papers.markers import RELEASED
from research.papers.smooth_private_selection_figure_1 import panel as panel_of_002

OWN = [each for each in EVERY_EXPERIMENT if each.paper in ("001", "003")]


def test_every_table_and_figure_is_there() -> None:
    """Of 001 and 003."""
    items = {(each.paper, each.item) for each in OWN}

    assert items == {
        *(("001", f"Figure {number}") for number in (16, 17, 20, 23, 24, 25)),
        ("001", "Table 1"),
        *(("003", item) for item in ("Table 1", "Table 2", "Figure 2", "Figure 3")),
    }


@pytest.mark.parametrize(
    ("module", "panel", "series", "x", "value", "many"),
    [
        (table_1, "Github", table_1.IN_ALL, 1.0, 0.69, 30),
        (table_1, "Enron", table_1.CUT, 10.0, 0.21, 30),
        (multi_objective_table_1, "Adult", multi_objective_table_1.LOCAL, 0.1, 0.10, 42),
        (multi_objective_table_2, coauthors.NAME, multi_objective_table_2.GLOBAL, 0.5, 0.09, 48),
        (multi_objective_table_2, "Enron", multi_objective_table_2.LOCAL, 20.0, 0.07, 48),
    ],
)
def test_printed_tables_are_whole(module, panel, series, x, value, many) -> None:
    """Every cell, at its place."""
    places = {(each.panel, each.series, each.x): each.value for each in module.EXPERIMENT.printed}

    assert many == len(places) == len(module.EXPERIMENT.printed)
    assert value == places[panel, series, x]


@pytest.mark.parametrize("experiment", OWN, ids=lambda each: each.name)
def test_series_of_printed_numbers_are_measured(experiment) -> None:
    """A misspelled series would be reported as missing data."""
    measured = {str(cell["series"]) for cell in experiment.grid(FULL) if "series" in cell}

    for each in experiment.printed:
        assert measured & set(each.ours or experiment.judged_by.get(each.series, (each.series,)))
    assert len(experiment.grid(FULL)) >= len(experiment.grid(QUICK)) > 0


@pytest.mark.parametrize("experiment", OWN, ids=lambda each: each.name)
def test_without_data_nothing_is_judged(experiment) -> None:
    """No points at all, or those of the simulated graph alone; what a formula says remains."""
    simulated = [
        Point(panel, series, x, 0.5)
        for panel in (coauthors.NAME, f"{coauthors.NAME}, k = 5")
        for series in {str(cell.get("series", "")) for cell in experiment.grid(FULL)}
        for x in (0.1, 1.0, 5.0, 20.0)
    ]
    for results in (Results([]), Results(simulated)):
        for row in rows(Outcome(experiment, results)):
            assert "not comparable" == row.verdict or row.claim.startswith("Global sensitivity of EBC")


def test_nothing_about_the_simulated_graph_is_judged() -> None:
    """However well the numbers fit."""
    for module in (table_1, multi_objective_table_2):
        for place in module.EXPERIMENT.printed:
            if place.panel == coauthors.NAME:
                found = Results([Point(place.panel, place.series, place.x, place.value)])
                assert "not comparable" == rule(module.EXPERIMENT, found, place).verdict
    claims = [each for each in multi_objective_figure_3.EXPERIMENT.claims if "DBLP" in each.text]
    perfect = Results([Point(coauthors.NAME, multi_objective_figure_3.LOCAL, e, 1.0) for e in (1.0, 5.0)])
    assert ["not comparable", "not comparable"] == [each.judge(perfect).verdict for each in claims]


@pytest.mark.parametrize(
    ("factor", "verdict"), [(10**3.5, "reproduced"), (10.0, "same direction, other size"), (0.1, "refuted")]
)
def test_a_saving_is_judged_by_budgets(factor: float, verdict: str) -> None:
    """Orders of magnitude between two lines: one instead of 3 to 4 is another size, less than none is refuted."""
    points = [Point(PRIVACY, figure_20.SLD, 1.0, 1.0)]
    for graph in ("Enron", "Github"):
        for k in figure_20.SIZES:
            for power in range(-6, 9):
                e = 10.0 ** (power / 2)
                points.append(Point(figure_20.panel(graph, k), figure_20.SLD, e, float(e >= 0.1)))
                points.append(Point(figure_20.panel(graph, k), figure_20.EM, e, float(e >= 0.0999 * factor)))

    assert verdict == figure_20.saved(figure_20.EM, 3, 4).judge(Results(points)).verdict


def test_the_inversion_is_told_of_every_k() -> None:
    """The largest recall over both graphs and every k, not of the last k alone."""
    points = [
        Point(figure_20.panel(graph, k), figure_20.LD, 1.0, 0.2 if (graph, k) == ("Enron", 5) else 0.05)
        for graph in ("Enron", "Github")
        for k in figure_20.SIZES
    ]

    told = figure_20._inverted(Results(points)).ours

    assert "its recall never exceeds 0.20 (Enron, k = 5) at any budget up to 10,000" == told


@pytest.mark.parametrize(
    ("lead", "error", "verdict"),
    [(0.1, 0.01, "reproduced"), (0.1, 0.2, "not comparable"), (-0.1, 0.01, "refuted")],
)
def test_a_choice_is_not_judged_within_the_noise(lead: float, error: float, verdict: str) -> None:
    """A lead of the mean regret over the best single option, one value per dataset."""
    panel = f"trees, {jostle_choices.LEAD}"
    points = [Point(panel, name, 1.0, lead, error, 8) for name in jostle_choices.LEARNERS]
    points += [Point(PRIVACY, name, 1.0, 1.0) for name in jostle_choices.LEARNERS]

    assert verdict == jostle_choices._beats("tree", Results(points)).verdict


def test_noises_are_compared_where_all_of_them_can_be_had() -> None:
    """A noise that lacks the hard places does not win by it."""
    hard = {(m, 3.0): 10.0 for m in figure_2_of_002.SIZES}
    easy = {(m, 9.0): 50.0 for m in figure_2_of_002.SIZES}
    points = []
    for gamma in figure_2_of_002.GAMMAS:
        line = {**easy, **(hard if gamma == 4 else {})}
        extra = 1.0 if gamma == 4 else 0.0
        for name in (f"gamma = {gamma}", f"gamma = {gamma}{RELEASED}"):
            points += [Point(panel_of_002(m), name, e, v + extra, 0.1, 10) for (m, e), v in line.items()]

    judgement = figure_2_of_002._four(Results(points))

    assert "reproduced" == judgement.verdict
    assert f"(without {len(hard)} places)" in judgement.ours


def test_budgets_between_measured_ones() -> None:
    """By a line in logarithms; never, at once, and in between."""
    assert nodes.reached([(1.0, 0.0), (100.0, 1.0)], 0.5) == pytest.approx(10.0)
    assert nodes.reached([(1.0, 0.0), (100.0, 0.4)], 0.5) is None
    assert 1.0 == nodes.reached([(1.0, 0.6), (100.0, 0.9)], 0.5)
    assert 2.0 == pytest.approx(nodes.orders(1.0, 100.0))
    assert -math.inf == nodes.orders(None, 1.0)


def test_recall_is_the_same_by_law_and_by_drawing() -> None:
    """The exponential sampler exactly; permute-and-flip does no worse and is drawn."""
    scores = dps.Scores(np.array([9, 7, 5, 3, 1, 0, 0, 0]), 1)
    worth = np.array([1.0, 1.0, 0, 0, 0, 0, 0, 0])
    exact = nodes.recall(scores, worth, 2, 2.0, "exponential", FULL, paper=10)
    drawn = nodes.recall(scores, worth, 2, 2.0, "permute-and-flip", Effort("full", 0.02, 10), paper=10)

    assert (0.0, 0) == (exact.error, exact.runs)
    assert drawn.value > exact.value - 3 * drawn.error
    assert drawn.error <= 0.02


def test_samples_are_breadth_first_and_of_the_size_asked_for() -> None:
    """Of a graph with a component that is too small."""
    ring = [(i, (i + 1) % 30) for i in range(30)]
    graph = Graph.from_edges(*zip(*ring, (30, 31), strict=True), nodes=32)
    sample = table_1.sampled(graph, 7, np.random.default_rng(0))

    assert 7 == len(sample)
    assert [2, 2, 2, 2, 2, 1, 1] == sorted(sample.degrees.tolist(), reverse=True)


@pytest.mark.data("hepth")
def test_medians_meet_the_printed_reductions() -> None:
    """HEPTH: 12 per cent at most, from exact laws."""
    points = []
    for series in (figure_17.EM, figure_17.LD):
        points += figure_17.measure({"dataset": "hepth", "series": series}, QUICK, np.random.default_rng(0))
    found = figure_17.reductions(Results(points), "hepth")

    assert 12 == pytest.approx(found.max(), abs=1)
    assert 4 == pytest.approx(found.mean(), abs=1)


@pytest.mark.data("nltcs")
def test_a_tree_is_measured_on_the_fold_left_out() -> None:
    """A cell of Figure 23: accuracies with their standard errors."""
    cell = {"dataset": "nltcs", "target": "a15", "depth": 2, "series": id3_trees.SULQ, "stop": id3_trees.CORRECTED}
    found = id3_trees.measure(cell, QUICK, np.random.default_rng(0))

    assert [0.01, 0.1, 1.0] == [each.x for each in found]
    assert 0.7 < found[-1].value < 0.85
    assert all(3 <= each.runs <= 5 for each in found)


def test_runs_are_held_against_each_other_all_with_all() -> None:
    """A point is lost where some other is larger in both; no more than coverage says of at least as large."""
    rng = np.random.default_rng(0)
    better, worse = rng.integers(0, 4, (5, 3, 2)), rng.integers(0, 4, (4, 2, 2))
    expected = [
        [np.mean([any(a > c and b > d for a, b in one) for c, d in other]) for one in better] for other in worse
    ]
    weakly = [[metrics.coverage(one, other, strict=True) for one in better] for other in worse]

    assert expected == multi_objective_table_1.beaten(better, worse).tolist()
    assert (np.array(expected) <= weakly).all()
