"""Mechanisms side by side: error in the user's unit, and how often the best is named, against epsilon."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dpselect.analysis.charts.error import chance_chart, error_chart
from dpselect.analysis.charts.pmf_chart import chance_text
from dpselect.analysis.compare import ComparisonRow, row
from dpselect.dataset import NumericDomain
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.registry import MECHANISMS
from dpselect.queries import Median
from dpselect.scores.scores import Scores
from dpselect.utilities.counts import counts
from dpselect.utilities.median import median
from dpselect.web.explorer import example_dataset
from dpselect.web.explorer.explorer_page import Chart, Commands, Content, PageTable, State, View
from dpselect.web.explorer.form_fields import (
    ChoiceField,
    CountsField,
    Field,
    NumberField,
    SeveralField,
    TextField,
    exact_text,
)
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.opening import keywords, opening, options
from dpselect.web.explorer.pages.candidates import MOST, VOTES, Tally, commands_of
from dpselect.web.explorer.query_commands import shell_of
from dpselect.web.explorer.text_column import TextColumn

_USUAL = ("permute-and-flip", "exponential", "generalised-exponential", "smooth-noisy-max")
# Points of a line, and values of a grid for medians: enough for a picture, and few enough for a slider.
_POINTS, _GRID = 7, 100
_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True)
class _Grid:
    """The public candidates of a median."""

    lower: float
    upper: float
    step: float


@dataclass(frozen=True)
class _Problem:
    """The candidates of a choice: counts, or the values of a grid for the median of a column.

    Attributes:
        column: what it is the median of, or empty for counts by hand.
        cells: of that column.
        rows: counts by hand.
        unit: of the error.
        known: the described bounds of that column.
        rows_per_person: each row of a person is drawn for at its share of epsilon.
    """

    column: str
    cells: TextColumn | None
    rows: Tally
    unit: str
    known: NumericDomain | None = None
    rows_per_person: int = 1


def _fields(material: Material) -> Sequence[Field]:
    numeric = tuple((name, f"the median of {name}") for name in material.numeric if name)
    first = numeric[0][0] if numeric and material.given == "table" else ""
    every = tuple((name, name) for name in MECHANISMS)
    about = f"A median is one of the values of a public grid. Columns are those of {material.table_name}."
    return [
        NumberField("epsilon", "Epsilon", 0.5, 0.001, 100, slider=True, help="Where the line stands in the charts."),
        SeveralField("mechanism", "Mechanisms", every, _USUAL),
        ChoiceField("column", "What is chosen", (("", "the largest of counts by hand"), *numeric), first, help=about),
        TextField("unit", "Unit of the column", "", help="Such as years; it stands beside errors."),
        CountsField(
            "candidate", "Candidates and their counts", VOTES, high=MOST, help="Used where no column is chosen."
        ),
        NumberField("low", "Charts from epsilon", 0.05, 0.001, 100),
        NumberField("high", "Charts up to epsilon", 10, 0.001, 100),
    ]


def _view(state: State, material: Material) -> View:
    if state["low"] >= state["high"]:
        raise InputError("The charts go from a smaller epsilon up to a larger one: change one of the two.")
    column = state["column"]
    unit = (state["unit"].strip()[:40] or f"units of {column}") if column else ""
    problem = (
        _Problem(column, material.columns[column], (), unit, material.bounds_of(column), material.rows_per_person)
        if column
        else _Problem("", None, state["candidate"], "")
    )
    ends = (float(state["low"]), float(state["high"]))
    lines = [_line(problem, name, *ends) for name in state["mechanism"]]
    epsilon = exact_epsilon(state["epsilon"])
    here = [_at(problem, name, epsilon) for name in state["mechanism"]]
    applied = [each for each in here if not each.why]
    if not applied:
        raise InputError("No mechanism that you chose applies here: choose others.")
    best = min(applied, key=lambda each: _error(each))
    marked = float(epsilon) if ends[0] <= epsilon <= ends[1] else None

    def error(width: float) -> Any:
        return error_chart(lines, epsilon=marked, width=width)

    def chance(width: float) -> Any:
        return chance_chart(lines, epsilon=marked, width=width)

    says = _headline(problem, best, state["epsilon"])
    parts = (
        Chart("How wrong, on average", error, f"Expected error of each mechanism against epsilon. {says}"),
        Chart("How often right", chance, "Probability that a best candidate is named, against epsilon."),
        _table(problem, here, state["epsilon"]),
    )
    return View(says, parts, _commands(problem, best.name, state, material), _example(problem, state))


@lru_cache(maxsize=8)
def _scores(problem: _Problem) -> Scores:
    if problem.cells is None:
        names, numbers = zip(*problem.rows, strict=True)
        return counts(np.array(numbers, dtype=np.int64), names)
    grid = _grid(problem)
    return median(problem.cells.numbers, lower=grid.lower, upper=grid.upper, step=grid.step)


@lru_cache(maxsize=8)
def _grid(problem: _Problem) -> _Grid:
    """Return the described grid, or about a hundred values around all of a public column, of a step people take."""
    if (known := problem.known) is not None:
        return _Grid(*(_tidy(float(each)) for each in (known.lower, known.upper, known.step)))
    assert problem.cells is not None
    values = problem.cells.numbers
    if not values.size:
        raise InputError(f"The column {problem.column} has no numbers, so it has no median: take another.")
    low, high = float(values.min()), float(values.max())
    if not high - low < 1e15 or max(abs(low), abs(high)) > 1e15:
        raise InputError(f"The column {problem.column} reaches beyond 10^15: take another.")
    rough = max((high - low) / _GRID, 1e-9 * max(abs(low), abs(high)), 1e-12)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in _STEPS if each * power >= rough * (1 - 1e-9))
    # Between whole numbers nothing is finer than 1.
    step = max(1.0, step) if (values == np.round(values)).all() else step
    lower, upper = (_tidy(step * times) for times in (math.floor(low / step), math.ceil(high / step)))
    return _Grid(lower, upper if upper > lower else _tidy(lower + step), _tidy(step))


def _tidy(number: float) -> float:
    """Return a multiple of a step as it is written: a whole number where it is one."""
    short = float(f"{number:.12g}")
    return int(short) if short == int(short) else short


@lru_cache(maxsize=128)
def _line(problem: _Problem, name: str, low: float, high: float) -> ComparisonRow:
    return _row(problem, name, _epsilons(low, high))


@lru_cache(maxsize=64)
def _at(problem: _Problem, name: str, epsilon: Fraction) -> ComparisonRow:
    return _row(problem, name, [epsilon])


def _row(problem: _Problem, name: str, epsilons: Sequence[Any]) -> ComparisonRow:
    """Return the figures of a mechanism at these epsilons, of which each row of a person has its share."""
    exact = tuple(map(exact_epsilon, epsilons))
    shares = [each / problem.rows_per_person for each in exact]
    return replace(row(_scores(problem), name, shares, unit=problem.unit), epsilons=exact)


def _epsilons(low: float, high: float) -> list[float]:
    """Return epsilons that are as far apart as they look on a log axis, with three digits; the ends as they are."""
    between = np.geomspace(low, high, _POINTS)[1:-1]
    return sorted({low, *(min(high, max(low, float(f"{each:.3g}"))) for each in between), high})


def _error(each: ComparisonRow) -> float:
    return (each.distance or each.error)[0]


def _of(problem: _Problem) -> str:
    return problem.unit or "votes"


def _headline(problem: _Problem, best: ComparisonRow, epsilon: float) -> str:
    what = f"the median of {problem.column}" if problem.column else "the largest count"
    return (
        f"At epsilon {exact_text(epsilon)} {best.name} has the smallest error of these about {what}: "
        f"{_error(best):.3g} {_of(problem)} on average. "
        f"It names a best candidate with probability {chance_text(best.best[0])}."
    )


def _table(problem: _Problem, rows: Sequence[ComparisonRow], epsilon: float) -> PageTable:
    cells = [[each.name, f"{_error(each):.3g}", chance_text(each.best[0])] for each in rows if not each.why]
    note = ""
    for each in rows:
        why = each.why.partition(":")[0].rstrip(".")
        note += f"{each.name} does not apply: {why[:1].lower()}{why[1:]}. " if why else ""
    header = ("mechanism", f"expected error, {_of(problem)}", "right with probability")
    return PageTable(f"At epsilon {exact_text(epsilon)}", header, cells, note.strip())


def _commands(problem: _Problem, name: str, state: State, material: Material) -> Commands:
    if not problem.column:
        return commands_of(name, state["epsilon"], "", material)
    query = Median(problem.column, mechanism=name, epsilon=exact_epsilon(state["epsilon"]))
    if material.description:
        return example_dataset.commands(material.description, query)
    grid, epsilon, reading = _grid(problem), exact_text(state["epsilon"]), material.reading
    ends = f"--lower {grid.lower} --upper {grid.upper} --step {grid.step} --ledger people.ledger"
    shell = shell_of(query, "people.csv", ends, options(reading))
    python = (
        opening("people.ledger", f'values = dps.data.Column.read("people.csv", {problem.column!r}{keywords(reading)})')
        + f"scores = dps.utilities.median(values, lower={grid.lower}, upper={grid.upper}, step={grid.step})\n"
        f'dps.select(scores, epsilon={epsilon}, mechanism="{name}", ledger=ledger)'
    )
    note = "The grid is public: of private data it follows from what is known beforehand, never from the records."
    return Commands(shell, python, note)


def _example(problem: _Problem, state: State) -> str:
    low, high = float(state["low"]), float(state["high"])
    epsilons, rows = f"epsilons = {_epsilons(low, high)!r}\n", problem.rows_per_person
    if rows > 1:
        epsilons += f"# A person has {rows} rows, and each is drawn for at its share.\n"
        epsilons += f"epsilons = [each / {rows} for each in epsilons]\n"
    if problem.column:
        grid = _grid(problem)
        made = f"counted = {_tally(problem)!r}\n" + (
            "values = [value for value, count in counted.items() for _ in range(count)]\n"
            f"scores = dps.utilities.median(values, lower={grid.lower}, upper={grid.upper}, step={grid.step})\n"
        )
    else:
        votes = dict(problem.rows)
        made = f"votes = {votes!r}\nscores = dps.utilities.counts([*votes.values()], [*votes])\n"
    return (
        f"import dpselect as dps\n\n{made}"
        f"{epsilons}"
        f"names = {[*state['mechanism']]!r}\n"
        f"rows = [dps.accuracy.compare.row(scores, name, epsilons, unit={problem.unit!r}) for name in names]\n"
        "chances = dps.plot.chance_chart(rows)  # shown by a cell that ends with this name\n"
        "dps.plot.error_chart(rows)"
    )


def _tally(problem: _Problem) -> dict[float, int]:
    """Return how often each value of a column occurs."""
    assert problem.cells is not None
    values, numbers = np.unique(problem.cells.numbers, return_counts=True)
    return {_whole(value): number for value, number in zip(values.tolist(), numbers.tolist(), strict=True)}


def _whole(number: float) -> float:
    return int(number) if number == int(number) else number


PAGE = Content(_fields, _view, {"candidate": ("column", ("",))})
