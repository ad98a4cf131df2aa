"""What verdicts could not tell apart is said: numbers that would pass anyway, and whole printed lines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from research.engine import power, verdicts
from research.engine.experiment import Experiment, Point, Printed, Results
from research.engine.runs import Outcome
from research.engine.series import PRIVACY, Series
from tests.research.tiny_experiment import EXPERIMENT

TRUE, FALSE = "ours of one", "ours of other"
BUDGETS = tuple(float(x) for x in range(1, 13))


def _experiment(values: dict[str, list[float]]) -> Experiment:
    places = tuple(Printed("p", name, x, y) for name, ys in values.items() for x, y in zip(BUDGETS, ys, strict=True))
    return replace(
        EXPERIMENT,
        printed=places,
        claims=(),
        tolerance=0.0,
        paper_runs=100,
        judged_by={"one": (TRUE,), "other": (FALSE,)},
        series=(Series(TRUE, "as described", "exponential"), Series(FALSE, "as described", "exponential")),
    )


def _results(apart: float) -> Results:
    """Return two lines of ours of which each number has a standard error of .01."""
    points = [Point("p", TRUE, x, 0.5, 0.01, 100) for x in BUDGETS]
    points += [Point("p", FALSE, x, 0.5 + apart, 0.01, 100) for x in BUDGETS]
    return Results([*points, *(Point(PRIVACY, name, 1.0, 0.9) for name in (TRUE, FALSE))])


def _drawn(apart: float) -> Experiment:
    draws = np.random.default_rng(3).normal(size=(2, len(BUDGETS))) * 0.01
    return _experiment({"one": list(0.5 + draws[0]), "other": list(0.5 + apart + draws[1])})


def test_a_line_tells_methods_apart_that_no_number_of_it_can() -> None:
    """Three hundredths apart: every number would pass for the other method, and the whole line would not."""
    experiment, results = _drawn(0.03), _results(0.03)
    rows = verdicts.rows(Outcome(experiment, results))
    one, other = power.line_tests(experiment, results)

    assert {row.verdict for row in rows} == {"reproduced"}
    assert all("off would pass" in row.why for row in rows)
    assert sum(FALSE in row.why for row in rows) >= 10
    assert (one.numbers, one.ours, one.other) == (12, TRUE, FALSE)
    assert min(one.chance, other.chance) > 0.01
    assert min(one.other_chi_square, other.other_chi_square) > 3 * 12


def test_a_line_that_does_not_fit_as_a_whole_is_seen() -> None:
    """Though each of its numbers is within what is allowed."""
    experiment, results = _experiment({"one": [0.53] * 12}), _results(0.2)
    (test,) = power.line_tests(experiment, results)

    assert {row.verdict for row in verdicts.rows(Outcome(experiment, results))} == {"reproduced"}
    assert test.chance < 1e-4
    assert test.cells()[4] == "below 0.0001"


def test_the_sentence_counts_what_other_methods_would_pass() -> None:
    """Where lines are far apart, none of them."""
    near, far = (power.sentence(Outcome(_drawn(apart), _results(apart))) for apart in (0.0, 0.3))

    assert "and 24 by another method's line too" in near
    assert "another method" not in far
    assert "Of the 24 numbers reproduced, half would be so if they were" in far


def test_exact_numbers_need_no_power() -> None:
    """Rounding alone is allowed: nothing else would pass."""
    exact = replace(EXPERIMENT, printed=(Printed("p", "twice", 1.0, 2.0, decimals=0),), claims=(), tolerance=0.0)
    results = Results([Point("p", "twice", 1.0, 2.0)])

    assert power.sentence(Outcome(exact, results)) == ""
    assert power.line_tests(exact, results) == []
