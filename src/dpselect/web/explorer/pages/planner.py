"""Plan several releases: what each costs and how wrong it may be, whether all fit a budget, and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from textwrap import indent
from typing import Any

from dpselect.analysis.charts.budget_chart import budget_chart
from dpselect.analysis.charts.risk import risk_chart
from dpselect.dataset import Dataset
from dpselect.kernel.errors import BudgetError, InputError, PrivacyError
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import PROTECTED_UNITS, Neighbours
from dpselect.kernel.numbers import exact_epsilon
from dpselect.ledger.attack import attack_success, in_words
from dpselect.ledger.composition import Terms, Totals
from dpselect.queries.columns import plain
from dpselect.web.explorer.explorer_page import Chart, Commands, Content, Note, PageTable, Part, State, View
from dpselect.web.explorer.form_fields import ChoiceField, Field, NumberField
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.planned_queries import KINDS, PERSON, PlannedQuery, Price, price_of
from dpselect.web.explorer.row_fields import Row, RowFields
from dpselect.web.explorer.shell_words import quote_word

# So many rows, and so many releases of one; more candidates than this are asked about on the command line.
_MOST_ROWS, _MOST_TIMES, _MOST_SIZE = 8, 100, 100_000
_DEEPER = " " * 4
_SIDES = (Neighbours.ADD_REMOVE.value, PERSON)
_COLUMNS = (
    ChoiceField(
        "what",
        "Question",
        (("", "none: choose one to add a release"), *((name, kind.words) for name, kind in KINDS.items())),
        "",
    ),
    NumberField("size", "Out of", 10, 1, _MOST_SIZE, whole=True),
    NumberField("named", "Named", 1, 1, 1000, whole=True),
    NumberField("epsilon", "Epsilon", 0.1, 0.0001, 10),
    NumberField("times", "Times", 1, 1, _MOST_TIMES, whole=True),
)
_ROWS = RowFields(
    "release",
    "Releases",
    _COLUMNS,
    (
        {"what": "counts", "size": 8, "named": 1, "epsilon": 0.2, "times": 1},
        {"what": "median", "size": 121, "named": 1, "epsilon": 0.3, "times": 1},
        {"what": "most-common", "size": 50, "named": 3, "epsilon": 0.4, "times": 1},
    ),
    _MOST_ROWS,
    "release",
    help="Out of: how many values, items, nodes or classes there are, a public number. Named: how many of them the "
    "answer names, where it names some.",
)
_BUDGET = (
    NumberField("budget", "Budget, epsilon", 1, 0.001, 100, help="What all releases together may reveal."),
    ChoiceField(
        "rule",
        "What is added up",
        (("sum", "epsilons"), ("rho", "rhos: needs a delta")),
        "sum",
        help="Rhos pay for more releases where there are many small ones.",
    ),
    NumberField("delta", "Delta, for rhos alone", 1e-6, 1e-15, 0.1),
    ChoiceField(
        "protected",
        "Protected",
        tuple((side, PROTECTED_UNITS[Neighbours(side)]) for side in (*_SIDES, Neighbours.EDGE.value)),
        _SIDES[0],
    ),
)


@dataclass(frozen=True)
class _PlannedRow:
    """A row of the plan: its price, what all of its releases take, and why the budget refuses them, if it does."""

    place: int
    planned: PlannedQuery
    times: int
    price: Price
    amount: Fraction
    refusal: str = ""

    @property
    def label(self) -> str:
        words = KINDS[self.planned.kind].label_of(self.planned)
        return words if self.times == 1 else f"{self.times} x {words}"


@dataclass(frozen=True)
class _Budget:
    """The limit, the spends before, and the name of the ledger's file, where there is one."""

    terms: Terms
    totals: Totals
    name: str = ""

    @property
    def unit(self) -> str:
        return "rho" if self.terms.rule == "rho" else "epsilon"

    def amount(self, totals: Totals) -> Fraction:
        """Return what was spent, in the currency of the rule."""
        return totals.rho if self.terms.rule == "rho" else totals.epsilon

    @property
    def whole(self) -> Fraction:
        return self.terms.rho if self.terms.rule == "rho" else self.terms.epsilon


def _fields(material: Material) -> Sequence[Field]:
    return (_ROWS,) if material.ledger is not None else (*_budget_fields(material.dataset), _ROWS)


def _budget_fields(dataset: Dataset | None) -> Sequence[Field]:
    """Return the fields of a budget, which begin with what a description says of it and of who is protected."""
    if dataset is None:
        return _BUDGET
    first: dict[str, Any] = {"protected": dataset.neighbours.value}
    if dataset.budget is not None:
        said = dataset.budget
        first |= {"budget": plain(said.epsilon), "rule": said.rule}
        first |= {"delta": plain(said.delta)} if said.delta else {}
    return [replace(each, default=first.get(each.name, each.default)) for each in _BUDGET]


def _view(state: State, material: Material) -> View:
    budget = _budget(state, material)
    asked, after = _add_rows(state["release"], budget)
    spent, whole = budget.amount(budget.totals), budget.whole
    left = whole - budget.amount(after)
    headline = _headline(asked, budget, left)
    bars = [(each.label, float(each.amount)) for each in asked]
    refused = [each.place - 1 for each in asked if each.refusal]

    def draw(width: float) -> Any:
        return budget_chart(bars, float(whole), spent=float(spent), refused=refused, unit=budget.unit, width=width)

    parts: list[Part] = [Chart("Shares of the budget", draw, headline), _costs(asked, budget)]
    parts += _risk(budget, after)
    errors = [f"{each.place}. {each.label}: {each.price.line}." for each in asked]
    parts.append(Note("How wrong each may be, at 95 %", errors))
    parts += [] if not budget.name else [_book(budget)]
    return View(headline, parts, _commands(asked, budget), _example(bars, budget, refused))


def _budget(state: State, material: Material) -> _Budget:
    """Return the budget that was typed, or what the ledger says now."""
    ledger = material.ledger
    if ledger is None:
        delta = state["delta"] if state["rule"] == "rho" else 0
        return _Budget(Terms.of(state["budget"], delta, state["protected"], "people", state["rule"]), Totals())
    try:
        return _Budget(ledger.terms, ledger.totals, ledger.name)
    except (OSError, ValueError):
        # Its own words name the folder.
        raise InputError(f"{ledger.name} cannot be read now: look at it with dpselect budget show.") from None


def _add_rows(rows: Sequence[Row], budget: _Budget) -> tuple[list[_PlannedRow], Totals]:
    """Return what each row takes, as the library would add it up, and the totals of those that fit."""
    terms, totals, asked = budget.terms, budget.totals, list[_PlannedRow]()
    side = terms.neighbours if terms.neighbours in _SIDES else _SIDES[0]
    for place, row in enumerate(rows, 1):
        size = 1 if row["what"] == "number" else row["size"]
        planned = PlannedQuery(row["what"], size, row["named"], exact_epsilon(row["epsilon"]), side)
        try:
            price = price_of(planned, terms.rule)
        except (ValueError, TypeError, PrivacyError) as error:
            raise InputError(f"Release {place}: {error}") from None
        event = price.event(terms, row["times"])
        amount, refusal = budget.amount(Totals().after(event)), ""
        try:
            totals = terms.admit(totals, event)
        except (BudgetError, ValueError) as error:
            refusal = str(error)
        asked.append(_PlannedRow(place, planned, row["times"], price, amount, refusal))
    return asked, totals


def _headline(asked: Sequence[_PlannedRow], budget: _Budget, left: Fraction) -> str:
    refused = next((each for each in asked if each.refusal), None)
    if refused is not None:
        return f"Release {refused.place} ({refused.label}) is refused. {refused.refusal}"
    many = sum(each.times for each in asked)
    together = sum((each.amount for each in asked), Fraction(0))
    spent = budget.amount(budget.totals)
    before = f" {_figure(spent)} was spent before." if spent else ""
    fits = "The release fits" if many == 1 else f"All {many} releases fit"
    return f"{fits}: {budget.unit} {_figure(together)} of {_figure(budget.whole)}, and {_figure(left)} is left.{before}"


def _costs(asked: Sequence[_PlannedRow], budget: _Budget) -> PageTable:
    rows = [
        (
            f"{each.place}. {each.label}",
            "refused" if each.refusal else "fits",
            format_exact(each.planned.epsilon),
            _figure(each.amount),
            f"{float(each.amount / budget.whole):.1%}",
        )
        for each in asked
    ]
    header = ("release", "verdict", "epsilon of one", f"{budget.unit} in all", "of the budget")
    notes = [f"Release {each.place}: {each.refusal}" for each in asked if each.refusal]
    return PageTable("What each release costs", header, rows, " ".join(notes))


def _risk(budget: _Budget, after: Totals) -> list[Part]:
    """Return the picture of what an attacker can tell from everything that fits, where something does."""
    terms = budget.terms
    if not budget.amount(after):
        return []
    if terms.rule == "rho":
        promise = Guarantee.from_rho(after.rho, terms.delta, terms.neighbours)
    else:
        promise = Guarantee(after.epsilon, Neighbours(terms.neighbours), min(after.delta, terms.delta))

    def draw(width: float) -> Any:
        return risk_chart(promise, width=width)

    return [Chart("What an attacker can tell", draw, f"An attacker {in_words(attack_success(promise))}.")]


def _book(budget: _Budget) -> PageTable:
    """Return what the ledger says: its owner may see it."""
    terms, spent = budget.terms, budget.amount(budget.totals)
    rows = [
        ("protected", PROTECTED_UNITS[Neighbours(terms.neighbours)]),
        (
            "budget",
            f"epsilon {format_exact(terms.epsilon)}" + (f", delta {format_exact(terms.delta)}" if terms.delta else ""),
        ),
        ("what is added up", f"{budget.unit}s"),
        (f"{budget.unit} spent", _figure(spent)),
        (f"{budget.unit} left", _figure(budget.whole - spent)),
        ("releases so far", f"{budget.totals.releases:,}"),
    ]
    note = "It was read just now, and nothing is ever written to it from here. What it says is for its owner."
    return PageTable(f"The ledger {budget.name}", ("terms", "now"), rows, note)


def _commands(asked: Sequence[_PlannedRow], budget: _Budget) -> Commands:
    name, terms = budget.name or "people.ledger", budget.terms
    file = quote_word(name)
    lines, python = [], ["import dpselect as dps", ""]
    if budget.name:
        python.append(f"ledger = dps.Ledger.read({name!r})")
    else:
        more, facts = "", ""
        if terms.rule == "rho":
            more, facts = (
                f" --delta {format_exact(terms.delta)} --rule rho",
                f', delta={format_exact(terms.delta)}, rule="rho"',
            )
        if terms.neighbours != _SIDES[0]:
            more += f" --neighbours {terms.neighbours}"
            facts += f', neighbours="{terms.neighbours}"'
        epsilon = format_exact(terms.epsilon)
        lines.append(f"dpselect budget create {file} --epsilon {epsilon} --dataset people{more}")
        python.append(f'ledger = dps.Ledger.open("{name}", epsilon={epsilon}, dataset="people"{facts})')
    lines += _shell(asked, file)
    calls = [
        (indent(KINDS[each.planned.kind].python_of(each.planned), _DEEPER * (each.times > 1)), each.times)
        for each in asked
    ]
    if any("people" in call for call, _ in calls):
        python.append('people = dps.data.TableFile.of("people.csv").columns()')
    for call, times in calls:
        python += [f"for _ in range({times}):", call] if times > 1 else [call]
    short = "The ledger is called by its name alone: add its folder, or its address. " if budget.name else ""
    note = (
        f"{short}A dry run spends nothing and says what it would cost: without --dry-run the command asks. Public "
        "lists stand in the commands; the names of files and columns are made up. Queries of one description can be "
        "asked under one total: see dpselect publish --help."
    )
    return Commands("\n".join(lines), "\n".join(python), note)


def _shell(asked: Sequence[_PlannedRow], ledger: str) -> list[str]:
    """Return a dry run of each release."""
    lines = list[str]()
    for each in asked:
        lines += [f"# {each.times} times:"] * (each.times > 1)
        lines.append(KINDS[each.planned.kind].shell_of(each.planned, f"--ledger {ledger}", "--dry-run"))
    return lines


def _example(bars: Sequence[tuple[str, float]], budget: _Budget, refused: Sequence[int]) -> str:
    facts = [f"spent={float(budget.amount(budget.totals))!r}"] if budget.totals.releases else []
    facts += [f"refused={list(refused)!r}"] if refused else []
    facts += ['unit="rho"'] if budget.unit == "rho" else []
    rows = "".join(f"    {bar!r},\n" for bar in bars)
    return (
        "import dpselect as dps\n\n"
        f"releases = [\n{rows}]\n"
        f"dps.plot.budget_chart({', '.join(['releases', repr(float(budget.whole)), *facts])})"
    )


def _figure(value: Fraction) -> str:
    text = format_exact(value)
    return text if "/" not in text and len(text) <= 8 else f"{float(value):.4g}"


PAGE = Content(_fields, _view)
