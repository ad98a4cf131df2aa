"""Verdicts are just: chance on both sides is counted, a price is named, and twice the printed value never comes out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from research.engine import verdicts
from research.engine.allowed import allowed
from research.engine.budgets import AUTHORS_GRID, saved, steps, steps_of
from research.engine.claims import Gain, at_most, budget_within, saving, up_to
from research.engine.experiment import Point, Printed, Results
from research.engine.runs import Outcome
from research.engine.series import PRIVACY, Series
from research.engine.verdicts import best, rule
from research.papers import id3_trees
from tests.research.tiny_experiment import EXPERIMENT

RELEASED = Series("twice, as released", "as released", "exponential")
SOUND = Series("twice", "sound", "permute-and-flip")
TRUTH = Series("truth", "reference", "reference")
BOTH = replace(EXPERIMENT, series=(RELEASED, SOUND, TRUTH), printed=(), tolerance=0.0)


def _place(value, **changes):
    return Printed("p", "twice", 1.0, value, **{"ours": (RELEASED.name, SOUND.name), "decimals": 2, **changes})


def _results(released, sound, *, loss=1.14, error=0.0, runs=0):
    return Results(
        [
            Point("p", RELEASED.name, 1.0, released, error, runs),
            Point("p", SOUND.name, 1.0, sound, error, runs),
            Point(PRIVACY, RELEASED.name, 1.0, loss),
            Point(PRIVACY, SOUND.name, 1.0, 0.98),
        ]
    )


@pytest.mark.parametrize(
    ("released", "sound", "loss", "verdict"),
    [
        (0.3, 0.9, 1.14, "reproduced, without privacy"),
        (0.3, 0.9, 1.0, "reproduced"),
        (0.9, 0.3, 1.14, "reproduced"),
        (0.3, 0.3, 1.14, "reproduced"),
        (0.9, 0.9, 1.14, "refuted"),
    ],
)
def test_a_number_comes_out_with_privacy_or_at_a_price(released, sound, loss, verdict):
    """It is compared with every account of the method, and the loss that was measured says which verdict it gets."""
    assert verdict == rule(BOTH, _results(released, sound, loss=loss), _place(0.3)).verdict


def test_what_was_made_up_is_neither_refuted_nor_reproduced():
    """A number that rests on unpublished data depends on them, whatever ours is."""
    judgement = rule(BOTH, _results(0.3, 0.3), _place(0.3, depends="the counts were drawn at random"))

    assert "depends on unpublished data or choices" == judgement.verdict
    assert "the counts were drawn at random" == judgement.why


def test_a_fact_has_no_price():
    """A count of a dataset is reproduced, though it is not a private series."""
    results = Results([Point("p", "truth", 1.0, 7.0)])

    assert "reproduced" == rule(BOTH, results, Printed("p", "truth", 1.0, 7.0)).verdict
    assert "refuted" == rule(BOTH, results, Printed("p", "truth", 1.0, 8.0)).verdict


@pytest.mark.parametrize(
    ("value", "ours", "error", "verdict"),
    [
        (0.12, 0.22, 0.05, "not comparable"),
        (0.22, 0.10, 0.05, "refuted"),
        (0.00, 0.004, 0.0, "reproduced"),
        (0.00, 0.02, 0.02, "not comparable"),
        (0.10, 0.21, 0.001, "refuted"),
        (-0.10, 0.11, 0.001, "refuted"),
    ],
)
def test_twice_the_printed_value_is_never_reproduced(value, ours, error, verdict):
    """Large errors do not make a factor of two come out; what rounds to the same does."""
    results = _results(ours, ours, error=error, runs=400 if error else 0)

    assert verdict == rule(BOTH, results, _place(value)).verdict


def test_the_printed_number_has_an_error_of_its_own():
    """Its runs were few too: the spread of one run of ours over the root of theirs."""
    exact = Point("p", SOUND.name, 1.0, 0.5)
    drawn = Point("p", SOUND.name, 1.0, 0.5, 0.01, 100)
    many = replace(BOTH, paper_runs=25)

    assert 0.0 == allowed(BOTH, _place(0.5), exact).chance
    assert pytest.approx(0.1 / 5, rel=0.02) == allowed(many, _place(0.5), drawn).chance / math.hypot(1, 0.5) / 1.984
    told = allowed(replace(many, spread=lambda _: 0.5), _place(0.5), exact).chance
    assert pytest.approx(1.96 * 0.1, rel=1e-3) == told
    assert pytest.approx(1.96 * 0.3, rel=1e-3) == allowed(many, _place(0.5, error=0.3), exact).chance


def test_a_line_is_held_against_one_line_of_ours():
    """A private line that misses one number gives way as a whole: none is picked from here and the next from there."""
    series = (RELEASED.name, SOUND.name)
    places = tuple(Printed("p", "twice", x, 0.3, ours=series, decimals=2) for x in (1.0, 2.0))
    experiment = replace(BOTH, printed=places)
    values = {RELEASED.name: (0.3, 0.3), SOUND.name: (0.3, 0.9)}
    points = [Point("p", name, x, y) for name, ys in values.items() for x, y in zip((1.0, 2.0), ys, strict=True)]
    losses = [Point(PRIVACY, RELEASED.name, 1.0, 1.14), Point(PRIVACY, SOUND.name, 1.0, 0.9)]
    results = Results([*points, *losses])

    assert 2 * ["reproduced, without privacy"] == [rule(experiment, results, place).verdict for place in places]


def test_a_refuted_number_of_one_panel_moves_no_other():
    """Each printed row, a series in a panel, has a line of its own."""
    series = (RELEASED.name, SOUND.name)
    places = tuple(Printed(panel, "twice", 1.0, 0.3, ours=series, decimals=2) for panel in "pq")
    points = [Point(panel, RELEASED.name, 1.0, 0.3) for panel in "pq"]
    points += [Point("p", SOUND.name, 1.0, 0.3), Point("q", SOUND.name, 1.0, 0.9)]
    losses = [Point(PRIVACY, RELEASED.name, 1.0, 1.14), Point(PRIVACY, SOUND.name, 1.0, 0.9)]
    results, experiment = Results([*points, *losses]), replace(BOTH, printed=places)

    assert ["reproduced", "reproduced, without privacy"] == [rule(experiment, results, each).verdict for each in places]


def test_a_noisy_line_does_not_widen_what_is_allowed():
    """How the printed number spreads is known from a line as released, not from another that spreads more."""
    many = replace(BOTH, paper_runs=10)
    points = [Point("p", RELEASED.name, 1.0, 0.9, 0.001, 100), Point("p", SOUND.name, 1.0, 0.4, 0.02, 100)]
    results = Results([*points, Point(PRIVACY, SOUND.name, 1.0, 0.9)])

    assert "refuted" == rule(many, results, _place(0.6)).verdict


@pytest.mark.parametrize(("value", "error", "runs"), [(math.nan, 0.0, 0), (0.3, 0.0, 2), (0.3, 0.0, 10), (0.3, 0.1, 2)])
def test_what_is_not_known_is_not_reproduced(value, error, runs):
    """No number, two runs, or ten that all give the same."""
    results = Results([Point("p", SOUND.name, 1.0, value, error, runs), Point(PRIVACY, SOUND.name, 1.0, 0.9)])

    assert "not comparable" == rule(BOTH, results, _place(0.3)).verdict


def test_what_the_paper_has_is_not_believed_without_a_loss():
    """Only what is sound is private where no loss was measured."""
    points = [Point("p", name, 1.0, 0.3) for name in (RELEASED.name, SOUND.name)]
    described = replace(BOTH, series=(Series("twice, as released", "as described", "exponential"), SOUND))

    assert [False, True] == [BOTH.private(Results(points), name) for name in (RELEASED.name, SOUND.name)]
    assert not described.private(Results(points), RELEASED.name)


def test_at_most_is_not_up_to():
    """A gain beyond the printed one refutes "at most", unless chance makes it; a smaller one is another size."""
    assert "refuted" == at_most(12, [Gain("a", 60.0)]).verdict
    assert "reproduced" == at_most(12, [Gain("a", 11.0), Gain("b", 13.0, 2.0)]).verdict
    assert "same direction, other size" == at_most(12, [Gain("a", 4.0)]).verdict
    assert "refuted" == at_most(12, [Gain("a", -4.0)]).verdict
    assert "not comparable" == at_most(12, [Gain("a", math.nan)]).verdict


def test_what_is_not_a_number_is_not_within():
    """A line that was not computed saves nothing."""
    nothing = [Point("p", "ours", x, math.nan) for x in AUTHORS_GRID]
    results = Results([*nothing, *_line("theirs", AUTHORS_GRID[20])])

    assert budget_within(results, "p", "ours", 5.0) is None
    assert "refuted" == saving(results, "p", "ours", "theirs", percent=51, close=5, private=True).verdict


def test_many_numbers_are_allowed_more_each():
    """Of a table of true numbers, one is called wrong in at most one table of twenty."""
    draws = np.random.default_rng(1).normal(size=(2000, 40))
    places = tuple(_place(10.0, decimals=None, error=1.0) for _ in range(40))
    limit = allowed(replace(BOTH, printed=places), places[0], Point("p", SOUND.name, 1.0, 10.0)).chance

    wrongly = np.mean(np.any(np.abs(draws) > limit, axis=1))
    assert 0.03 < wrongly < 0.07
    assert allowed(BOTH, places[0], Point("p", SOUND.name, 1.0, 10.0)).chance < limit


def test_few_runs_decide_nothing():
    """Where chance allows more than half of what is printed, only what is farther away is decided."""
    assert "not comparable" == rule(BOTH, _results(0.3, 0.3, error=0.1, runs=4), _place(0.3)).verdict
    assert "not comparable" == rule(BOTH, _results(0.6, 0.6, error=0.2, runs=60), _place(0.3)).verdict
    assert "refuted" == rule(BOTH, _results(0.9, 0.9, error=0.2, runs=60), _place(0.3)).verdict


def test_a_price_is_named_beside_what_is_private():
    """The legend says the loss; a loss without bound is called so; a reference has none."""
    results = _results(1.0, 1.0)
    names = [RELEASED.name, SOUND.name]

    assert "twice, as released (not private: loss at least 1.14 epsilon)" == BOTH.series_label(results, names[0], names)
    assert "twice" == BOTH.series_label(results, names[1], names)
    assert "truth" == BOTH.series_label(results, "truth", [*names, "truth"])
    assert "without bound" in BOTH.series_label(_results(1.0, 1.0, loss=math.inf), names[0], names)


def test_only_what_is_private_is_ranked():
    """A loss above epsilon takes a series out of the race; so does being a reference, or nothing that is described."""
    second = Series("second", "as described", "exponential")
    experiment = replace(BOTH, series=(*BOTH.series, second))
    names = (RELEASED.name, SOUND.name, "second", "truth", "a fact")
    points = [Point("p", name, x, x) for name in names for x in (1.0, 2.0)]
    losses = [Point(PRIVACY, RELEASED.name, 1.0, 1.2), Point(PRIVACY, "second", 1.0, 0.5)]

    assert {SOUND.name, "second"} == {name for name, _ in best(experiment, Results([*points, *losses]))}


def test_the_losses_are_not_a_panel():
    """Losses stand beside what is drawn, not in it."""
    assert ["p"] == _results(1.0, 1.0).panels()


def test_a_family_has_one_look():
    """A series of an unknown family is refused, so that no picture invents a colour."""
    with pytest.raises(ValueError, match="add it to _display/families.py"):
        Series("x", "sound", "telepathy")


def _line(series, budget):
    return [Point("p", series, x, 1.0 if x >= budget * 0.999 else 9.0) for x in AUTHORS_GRID]


@pytest.mark.parametrize(
    ("number", "verdict"),
    [
        (-1, "refuted"),
        (3, "same direction, other size"),
        (4, "reproduced"),
        (6, "reproduced"),
        (7, "same direction, other size"),
    ],
)
def test_savings_are_steps_of_the_authors_budgets(number, verdict):
    """Printed 69 per cent is five steps: four and six are reproduced, others another size, none is refuted."""
    results = Results([*_line("ours", AUTHORS_GRID[10]), *_line("theirs", AUTHORS_GRID[10 + number])])
    judgement = saving(results, "p", "ours", "theirs", percent=69, close=5, private=True)

    assert verdict == judgement.verdict
    assert f"{number} steps of the authors' budgets, printed 5" == judgement.why


def test_a_rival_that_never_arrives_needs_more_than_the_last_budget():
    """Then the saving is at least so much; and where neither arrives nothing is decided."""
    never = _line("theirs", 1e9)
    results = Results([*_line("ours", AUTHORS_GRID[20]), *never])

    assert saving(results, "p", "ours", "theirs", percent=69, close=5, private=False).ours.startswith("at least 88%")
    assert (
        "not comparable"
        == saving(
            Results([*_line("ours", 1e9), *never]), "p", "ours", "theirs", percent=69, close=5, private=True
        ).verdict
    )


def test_an_error_that_rises_again_is_not_within():
    """A budget is enough when the error stays small from there on."""
    line = [Point("p", "s", x, y) for x, y in [(1.0, 2.0), (2.0, 9.0), (3.0, 4.0), (4.0, 1.0)]]

    assert 3.0 == budget_within(Results(line), "p", "s", 5.0)


def test_the_printed_savings_are_whole_steps():
    """51, 70, 76 and 85 per cent are 3, 5, 6 and 8 steps, which is how the grid was found."""
    assert [3, 5, 5, 6, 8] == [steps_of(percent) for percent in (51, 69, 70, 76, 85)]
    assert 30 == len(AUTHORS_GRID)
    assert pytest.approx((0.1, 100.0)) == (AUTHORS_GRID[0], AUTHORS_GRID[-1])
    assert pytest.approx(saved(5)) == 100 * (1 - AUTHORS_GRID[5] / AUTHORS_GRID[10])
    assert pytest.approx(29) == steps(AUTHORS_GRID[0], AUTHORS_GRID[-1])


@pytest.mark.parametrize(
    ("value", "error", "verdict", "why"),
    [
        (45.5, 0.0, "same direction, other size", "from 28.5 to 29.5 would be reproduced"),
        (81.0, 9.0, "same direction, other size", "the greatest of 2 settings"),
        (28.6, 0.0, "reproduced", "the greatest of 2 settings"),
        (12.0, 0.0, "same direction, other size", "the greatest of 2 settings"),
        (-3.0, 0.0, "refuted", "the greatest of 2 settings"),
        (12.0, 9.0, "not comparable", "more runs decide"),
        (14.2, 6.4, "not comparable", "within chance from -0.1 to 28.5"),
        (20.0, 5.0, "reproduced", "the greatest of 2 settings"),
        (math.nan, 0.0, "refuted", "the greatest of 1 settings"),
        (12.0, 20.0, "not comparable", "more runs decide"),
    ],
)
def test_up_to_is_judged_by_the_greatest_gain(value, error, verdict, why):
    """More or less than printed is another size, none is a refutation, and what chance could hide is not decided."""
    judgement = up_to(29, [Gain("small", -4.0), Gain("large", value, error)])

    assert verdict == judgement.verdict
    assert why in judgement.why


@pytest.mark.parametrize(
    ("losses", "verdict"),
    [([], "reproduced, without privacy"), ([0.9], "reproduced"), ([0.9, 1.1], "reproduced, without privacy")],
)
def test_a_sentence_without_a_measured_loss_is_not_private(losses, verdict):
    """Claims of the papers on trees judge their series as the verdicts on numbers do."""
    points = [Point("p", name, 1.0, value) for name, value in ((id3_trees.LOCAL, 0.9), (id3_trees.GLOBAL, 0.5))] + [
        Point(PRIVACY, id3_trees.LOCAL, float(place), loss) for place, loss in enumerate(losses)
    ]
    claim = id3_trees.most("up to", "40", ["p"], (id3_trees.LOCAL, id3_trees.GLOBAL), 40, needs="nothing")

    assert verdict == claim.judge(Results(points)).verdict


def test_a_printed_line_finds_its_line_of_ours_once(monkeypatch):
    """However many numbers it has."""
    held = []
    monkeypatch.setattr(verdicts, "line", lambda *asked: held.append(asked) or SOUND.name)
    printed = tuple(replace(_place(0.3), x=float(x)) for x in range(40))
    outcome = Outcome(replace(BOTH, printed=printed, claims=()), Results([]))

    assert 40 == len(verdicts.rows(outcome))
    assert 1 == len(held)
