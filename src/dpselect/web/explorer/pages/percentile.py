"""Percentile: where the answer falls, in the unit of the column, and what one person changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.analysis.charts.pmf_chart import short
from dpselect.analysis.charts.values import numbers_of, value_bars
from dpselect.analysis.epsilon_plan import epsilon_for, error_bound
from dpselect.analysis.least_epsilon import least_epsilon
from dpselect.dataset import NumericDomain
from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.registry import MECHANISMS, require_mechanism
from dpselect.queries import Quantiles
from dpselect.scores.scores import Scores
from dpselect.utilities.grid_counts import count_on_grid, public_grid
from dpselect.utilities.percentile import rank_scores
from dpselect.utilities.quantile_shares import percent
from dpselect.web.explorer import example_dataset
from dpselect.web.explorer.explorer_page import Chart, Commands, Content, PageTable, Part, State, View
from dpselect.web.explorer.figures import enough, factor
from dpselect.web.explorer.form_fields import ChoiceField, Field, NumberField, TextField, exact_text
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.opening import keywords, opening, options
from dpselect.web.explorer.query_commands import shell_of
from dpselect.web.explorer.text_column import TextColumn

Floats = NDArray[np.float64]
# Values of a grid beyond which a page would be slow, alone and with all mechanisms beside each other.
VALUES, _COMPARED = 20_000, 500
_RIGHT = Fraction(95, 100)
# The two whose worst error is known exactly.
_WHATEVER = ("permute-and-flip", "exponential")


@dataclass(frozen=True)
class _PercentileQuestion:
    """The question: lower, upper and step of the grid, its values, and both laws, of shape (m,)."""

    state: State
    source: Material
    bounds: tuple[float, float, float]
    values: Floats
    scores: Scores
    epsilon: Fraction
    here: Floats
    there: Floats

    @property
    def true(self) -> float:
        """The percentile itself."""
        return float(self.values[int(self.scores.values.argmax())])

    @property
    def off(self) -> Floats:
        """The distance of each value from the percentile, shape (m,)."""
        return np.abs(self.values - self.true)

    @property
    def column(self) -> str:
        """The name of the column."""
        return short(self.state["column"])

    @property
    def rows(self) -> int:
        """The number of rows of a person that count; each is drawn for at its share of epsilon."""
        return self.source.rows_per_person

    @property
    def share(self) -> Fraction:
        """The epsilon of one row."""
        return self.epsilon / self.rows

    @property
    def unit(self) -> str:
        """The records that come or go: persons, where each has one row."""
        return "rows" if self.rows > 1 else f"{self.source.protected_unit}s"

    @property
    def neighbour(self) -> str:
        """The person or row that is added, in words."""
        return dict(_neighbours(self.source))[str(self.state["neighbour"])]

    @property
    def noun(self) -> str:
        """The percentile that is asked for."""
        p = self.state["p"]
        return f"median of {self.column}" if p == 50 else f"percentile {p:.12g} of {self.column}"


def _with_numbers(material: Material) -> Material:
    """Return what has a column of numbers: the made-up people where the table has none."""
    return material if material.numeric else EXAMPLES


def _neighbours(source: Material) -> tuple[tuple[str, str], ...]:
    """Return who may be added: somebody with all rows that count, of the lowest or of the highest value."""
    many = source.rows_per_person
    rows = "the {} value" if many == 1 else f"{many} rows of the {{}} value"
    return tuple(
        (name, f"one {source.protected_unit} more, with {rows.format(value)}")
        for name, value in (("low", "lowest"), ("high", "highest"))
    )


def _fields(material: Material) -> Sequence[Field]:
    source = _with_numbers(material)
    columns = tuple((name, name) for name in source.numeric)
    first = "income" if source.given != "table" else columns[0][0]
    empty = "Empty takes one that fits these public values."
    # Described bounds are those of the command.
    grid: tuple[Field, ...] = (
        TextField("lower", "Lower", "", help=f"The smallest value there may be. {empty}"),
        TextField("upper", "Upper", "", help="The largest. Of private data both are public knowledge."),
        TextField("step", "Step", "", help="How fine the answer is."),
    )
    unit = "rows" if source.rows_per_person > 1 else f"{source.protected_unit}s"
    return (
        NumberField("epsilon", "Epsilon", 0.05, 0.001, 100, slider=True, help="Smaller is more private."),
        ChoiceField("column", "Column", columns, first, help=f"Of {source.table_name}."),
        NumberField("p", "Percentile", 50, 0, 100, help="50 is the median, 100 the largest value."),
        *(grid if source.dataset is None else ()),
        ChoiceField("mechanism", "Mechanism", tuple((name, name) for name in MECHANISMS), "permute-and-flip"),
        ChoiceField("neighbour", "Neighbour", _neighbours(source), "low"),
        ChoiceField(
            "shown", "Values in the picture", (("near", "those that are likely"), ("all", "all of the grid")), "near"
        ),
        TextField("error", "Small enough error", "", help="In the unit of the column. Empty is five steps."),
        NumberField("records", f"Small enough error in {unit}", 10, 1, 10**9, whole=True, help="Whatever the data."),
    )


def _view(state: State, material: Material) -> View:
    source = _with_numbers(material)
    asked = _question(state, source)

    def draw(width: float) -> Any:
        pmfs = (np.exp(asked.here), np.exp(asked.there))
        name, between = state["mechanism"], _near(asked) if state["shown"] == "near" else None
        return value_bars(asked.scores, *pmfs, name, float(asked.epsilon), asked.column, between, width)

    says = f"{_headline(asked)} {_ratio(asked)}"
    line = f"Dashed: {_text(asked.true)}. Line of steps: {asked.neighbour}."
    parts: list[Part] = [Chart("How likely each value is", draw, f"{_headline(asked)} {line}")]
    parts += [_errors(asked), _enough(asked)]
    parts += [_comparison(asked)] if len(asked.scores) <= _COMPARED else []
    return View(says, parts, _commands(asked, source), _example(asked, source))


def _question(state: State, source: Material) -> _PercentileQuestion:
    """Return the laws.

    Raises:
        ValueError: bounds that are not in order, a grid with too many values, a column without numbers.
        PrivacyError: a mechanism that does not apply.
    """
    cells, rows = source.columns[state["column"]], source.rows_per_person
    bounds, epsilon = round_bounds(state, cells, source.bounds_of(state["column"])), exact_epsilon(state["epsilon"])
    scores = _scores(cells, *bounds, state["p"])
    more = _scores(cells, *bounds, state["p"], state["neighbour"], rows)
    mechanism = require_mechanism(state["mechanism"])
    here, there = (mechanism.log_pmf(each, epsilon / rows) for each in (scores, more))
    return _PercentileQuestion(state, source, bounds, numbers_of(scores), scores, epsilon, here, there)


@lru_cache(maxsize=4)
def _grid_counts(cells: TextColumn, lower: float, upper: float, step: float) -> tuple[NDArray[np.int64], Any]:
    """Return how many persons have each value of the grid, shape (m,), and the grid."""
    grid = public_grid(None, lower, upper, step)
    return count_on_grid(cells, grid)[0], grid


@lru_cache(maxsize=8)
def _scores(
    cells: TextColumn, lower: float, upper: float, step: float, p: float, more: str = "", rows: int = 1
) -> Scores:
    """Return the rank scores, with the rows of one person more where that is asked for."""
    counts, grid = _grid_counts(cells, lower, upper, step)
    if more:
        counts = counts.copy()
        counts[0 if more == "low" else -1] += rows
    return rank_scores(counts, percent(p), grid)


def round_bounds(state: State, cells: TextColumn, known: NumericDomain | None) -> tuple[float, float, float]:
    """Return lower, upper and step: those that were written or described, or round ones around the values."""
    if not cells.numbers.size:
        raise InputError(f"The column {short(state['column'])} has no numbers: choose another.")
    least, most = float(cells.numbers.min()), float(cells.numbers.max())
    lower, upper, step = (_number(state.get(name, ""), name.capitalize()) for name in ("lower", "upper", "step"))
    if known is not None:
        lower = float(known.lower) if lower is None else lower
        upper = float(known.upper) if upper is None else upper
        step = float(known.step) if step is None else step
    if step is not None and step <= 0:
        raise InputError("Step is how fine the answer is: write a number above 0.")
    span = (most if upper is None else upper) - (least if lower is None else lower)
    if (lower is None or upper is None) and max(abs(least), abs(most)) > 1e15:
        raise InputError(f"The column {short(state['column'])} reaches beyond 10^15: write Lower and Upper.")
    if step is None:
        # Between whole numbers nothing finer is asked for.
        whole = bool((cells.numbers == np.floor(cells.numbers)).all())
        step = max(1 if whole else 0, _round(span / 125))
    if lower is None:
        # Where zero is near, grids mostly begin there.
        lower = 0 if 0 <= least <= span else step * math.floor(least / step)
    if upper is None:
        upper = lower + step * max(1, math.ceil((most - lower) / step))
    lower, upper, step = (_plain(number) for number in (lower, upper, step))
    if not lower < upper:
        raise InputError("Lower is below Upper: write the smallest and the largest value that there may be.")
    if (upper - lower) / step >= VALUES:
        raise InputError(f"The grid has more than {VALUES:,} values, more than the page shows: write a larger step.")
    if lower + step > upper:
        raise InputError("The grid has one value: write a smaller step.")
    return lower, upper, step


def _round(number: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least the number; 1 for what is not above 0."""
    if not number > 0:
        return 1
    power = 10.0 ** math.floor(math.log10(number))
    return next(float(f"{times * power:.12g}") for times in (1, 2, 5, 10) if times * power >= number * (1 - 1e-9))


def _plain(number: float) -> float | int:
    """Return a number as an integer where it is one, and otherwise with the digits that people write."""
    return int(number) if float(number).is_integer() and abs(number) < 2**53 else float(f"{number:.12g}")


def _number(text: str, label: str) -> float | None:
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= 1e15:
        raise InputError(f"{label} is a number such as 100 or 0.5: write one up to 10^15, or leave it empty.")
    return value


def _text(number: float) -> str:
    return f"{number:,.6g}" if abs(number) < 1e6 else f"{number:,.12g}"


def _rough(number: float) -> str:
    """Return a number with three digits, and without a power of ten where it is large."""
    return f"{float(f'{number:.3g}'):,.12g}" if number >= 0.001 else f"{number:.3g}"


def _headline(asked: _PercentileQuestion) -> str:
    return (
        f"With probability 0.95 the answer is at most {_text(_within(asked.off, np.exp(asked.here)))} away from "
        f"{_text(asked.true)}, the {asked.noun}."
    )


def _near(asked: _PercentileQuestion) -> tuple[float, float]:
    """Return the ends of the values that are likely with either law, and of some beside them."""
    likely = np.exp(np.maximum(asked.here, asked.there))
    places = np.flatnonzero(likely > 0.002 * likely.max())
    beside = 2 + (places[-1] - places[0]) // 10
    first, last = max(0, places[0] - beside), min(asked.values.size - 1, places[-1] + beside)
    return float(asked.values[first]), float(asked.values[last])


def _within(off: Floats, probabilities: Floats) -> float:
    """Return the least distance that the answer keeps with a probability of 0.95."""
    order = np.argsort(off, kind="stable")
    reached = np.cumsum(probabilities[order])
    # The law sums to one only up to rounding.
    return float(off[order][min(int(np.searchsorted(reached, float(_RIGHT) - 1e-12)), off.size - 1)])


def _ratio(asked: _PercentileQuestion) -> str:
    loss, who = float(np.abs(asked.here - asked.there).max()), asked.neighbour
    return (
        f"O{who[1:]}, changes a chance by a factor of {factor(loss)} at most here; epsilon allows "
        f"{factor(float(asked.epsilon))}."
    )


def _errors(asked: _PercentileQuestion) -> PageTable:
    probabilities, name = np.exp(asked.here), asked.state["mechanism"]
    worst = "not known of this mechanism"
    if name in _WHATEVER:
        case = {"candidates": len(asked.scores), "mechanism": name, "kind": "integer"}
        worst = error_bound(epsilon=asked.share, **case).describe(asked.unit, _RIGHT)
    rows = [
        ["here, in 95 of 100 draws", f"at most {_text(_within(asked.off, probabilities))}"],
        ["here, on average", _rough(float(probabilities @ asked.off))],
        [f"here, in {asked.unit}, on average", _rough(float(probabilities @ -asked.scores.values.astype(np.float64)))],
        [f"in general, in {asked.unit}", worst],
    ]
    note = (
        f"{asked.unit.capitalize()}: how many would have to come or go until the answer is the percentile. "
        "The last line holds for private data too."
    )
    return PageTable(f"How far the answer is from {_text(asked.true)}", ("error", "size"), rows, note)


def _enough(asked: _PercentileQuestion) -> PageTable:
    """Return which epsilon is enough, here and whatever the data."""
    state = asked.state
    name, size, records = state["mechanism"], len(asked.scores), state["records"]
    error = _number(state["error"], "Small enough error")
    error = 5 * asked.bounds[2] if error is None else error
    if error < 0:
        raise InputError("Small enough error is a distance: write a number of at least 0.")
    here, general = _least(asked.scores, asked.true, error, name) * asked.rows, "not known of this mechanism"
    if name in _WHATEVER:
        found = epsilon_for(error=records, probability=_RIGHT, candidates=size, mechanism=name, kind="integer")
        general = enough(found * asked.rows)
    rows = [
        [f"the answer is at most {_text(error)} away, on this table", enough(here)],
        [f"it is fewer than {records:,} {asked.unit} away, whatever the data", general],
    ]
    return PageTable("Right with 95 %: which epsilon is enough", ("so that", "epsilon"), rows)


@lru_cache(maxsize=8)
def _least(scores: Scores, true: float, error: float, name: str) -> float:
    """Return an epsilon at which the answer keeps this distance in 95 of 100 draws."""
    # A distance of three steps is one, however the steps are rounded.
    near = np.abs(numbers_of(scores) - true) <= error * (1 + 1e-9)
    return least_epsilon(scores, _RIGHT, mechanism=name, right=near)


def _comparison(asked: _PercentileQuestion) -> PageTable:
    """Return how far the answer of each mechanism is from the percentile."""
    rows = []
    for name in MECHANISMS:
        try:
            probabilities = require_mechanism(name).pmf(asked.scores, asked.share)
        except (PrivacyError, ValueError):
            continue
        within = _text(_within(asked.off, probabilities))
        rows.append([name, f"at most {within}", _rough(float(probabilities @ asked.off))])
    return PageTable("All mechanisms at this epsilon", ("mechanism", "in 95 of 100 draws", "on average"), rows)


def _commands(asked: _PercentileQuestion, source: Material) -> Commands:
    state, reading = asked.state, source.reading
    query = Quantiles(state["column"], p=[state["p"]], mechanism=state["mechanism"], epsilon=asked.epsilon)
    if source.description:
        return example_dataset.commands(source.description, query)
    lower, upper, step = asked.bounds
    # A grid ends with its last value, whatever lies beyond it.
    last = _plain(float(asked.values[-1]))
    epsilon, p, name = exact_text(state["epsilon"]), exact_text(state["p"]), state["mechanism"]
    said = (f"--lower {lower!r} --upper {last!r} --step {step!r} --ledger people.ledger", options(reading))
    shell = shell_of(query, "people.csv", *said)
    python = (
        opening("people.ledger", f'column = dps.data.Column.read("people.csv", {state["column"]!r}{keywords(reading)})')
        + f"scores = dps.utilities.percentile(column, {p}, lower={lower!r}, upper={upper!r}, step={step!r})\n"
        f'dps.select(scores, epsilon={epsilon}, mechanism="{name}", ledger=ledger)'
    )
    note = (
        "Put your file and your ledger in place of people.csv and people.ledger. Lower and upper are public: know them "
        "before you look at private data."
    )
    return Commands(shell, python, note)


def _example(asked: _PercentileQuestion, source: Material) -> str:
    state = asked.state
    lower, upper, step = asked.bounds
    grid = f"{exact_text(state['p'])}, lower={lower!r}, upper={upper!r}, step={step!r}"
    extreme = _plain(lower if state["neighbour"] == "low" else numbers_of(asked.scores)[-1].item())
    added = f"{extreme!r}" if asked.rows == 1 else f"*[{extreme!r}] * {asked.rows}"
    epsilon = exact_text(state["epsilon"])
    shared = "" if asked.rows == 1 else "from fractions import Fraction\n\n"
    epsilon = epsilon if asked.rows == 1 else f'Fraction("{epsilon}") / {asked.rows}'
    return (
        f"{shared}import dpselect as dps\n{source.table_python}\n"
        f"values = [*table[{state['column']!r}]]\n"
        f"scores = dps.utilities.percentile(values, {grid})\n"
        f"# {asked.neighbour.capitalize()}.\n"
        f"more = dps.utilities.percentile([*values, {added}], {grid})\n"
        f"dps.plot.value_chart(scores, epsilon={epsilon}, "
        f'mechanism="{state["mechanism"]}", neighbour=more, '
        f"unit={asked.column!r}, between={_near(asked) if state['shown'] == 'near' else None})"
    )


PAGE = Content(_fields, _view)
