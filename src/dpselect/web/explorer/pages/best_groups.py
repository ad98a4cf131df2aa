"""Best groups by a formula: a score that is written by hand, its derived sensitivity, and the exact chance of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.analysis.charts.distance import sensitivity_chart
from dpselect.analysis.charts.pmf_chart import chance_text, pmf_bars, short
from dpselect.dataset import Dataset, NumericDomain
from dpselect.formulas.derived_sensitivity import FormulaError
from dpselect.formulas.grammar import Prior, group_score
from dpselect.kernel.errors import InputError
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.queries import BestGroups
from dpselect.queries.sql.sql_plan import statistics_of
from dpselect.queries.sql.statement import SqlStatement
from dpselect.release.best import ORDERS, GroupRanking
from dpselect.scores.scores import Scores
from dpselect.web.explorer import example_dataset
from dpselect.web.explorer.explorer_page import Chart, Commands, Content, Note, PageTable, State, View
from dpselect.web.explorer.form_fields import ChoiceField, Field, NumberField, TextField, exact_text
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.opening import keywords, opening
from dpselect.web.explorer.pages.percentile import round_bounds
from dpselect.web.explorer.query_commands import shell_of
from dpselect.web.explorer.shell_words import quote_word

NAME = "permute-and-flip"
# Groups of a page.
_GROUPS = 200
# Rows of a prior where none is written.
_PRIOR_ROWS = 20
_UNBOUND = {"lower": "", "upper": "", "step": ""}


@dataclass(frozen=True)
class _FormulaQuestion:
    """A question about groups, and what follows from it.

    Attributes:
        query: as a command would ask it.
        dataset: what is public of the table.
        scores: of the groups, with their derived sensitivity.
        margins: what is drawn by.
        here: the chance of each group to be named first.
    """

    query: BestGroups
    dataset: Dataset
    scores: Scores
    margins: Scores
    here: NDArray[np.float64]


def _table(material: Material) -> Material:
    """Return the material, or the examples where it has no column of groups."""
    return material if _group_values(material) else EXAMPLES


def _group_values(material: Material) -> dict[str, list[str]]:
    """Return the columns with few different values, which may be groups, with those values: described ones, if any."""
    if material.dataset is not None:
        return {name: [*values] for name, values in material.lists.items() if 1 < len(values) <= _GROUPS}
    held = {name: [value for value, _ in material.counts_of(name)] for name in material.columns}
    return {
        name: sorted(values)
        for name, values in held.items()
        if name not in material.numeric and 1 < len(values) <= _GROUPS
    }


def _fields(material: Material) -> Sequence[Field]:
    source = _table(material)
    listed, number = [*_group_values(source)], next(iter(source.numeric[1:] or source.numeric), "")
    score = f"avg({number})" if number else f"count({listed[-1]} = '{_group_values(source)[listed[-1]][0]}')"
    return (
        NumberField(
            "epsilon", "Epsilon", 0.1, 0.001, 100, slider=True, help="For the whole list; smaller is more private."
        ),
        TextField("score", "Score", score, help="Such as avg(income), rate(rich = 'yes'), or a formula over counts."),
        ChoiceField("by", "Choose among", tuple((name, f"the values of {name}") for name in listed), listed[0]),
        TextField(
            "prior",
            "Prior",
            "",
            help="Rows that every average or rate is given, and their value, such as 20:3. Empty gives averages and "
            f"rates {_PRIOR_ROWS} rows of the middle of their bounds, and other formulas none.",
        ),
        NumberField("k", "How many to name", 1, 1, 20, whole=True),
        ChoiceField("order", "Best is", tuple((name, f"the {name} score") for name in ORDERS), ORDERS[0]),
    )


def _view(state: State, material: Material) -> View:
    source = _table(material)
    asked = _question(state, source)
    query, margins, here = asked.query, asked.margins, asked.here
    best = int(margins.values.argmax())
    (statistics, moves), who = statistics_of(query, asked.dataset), _protected_unit(asked.dataset)
    says = (
        f"{short(margins.candidates[best])} has the {query.order} {short(query.score)}, and is named first with "
        f"probability {chance_text(float(here[best]))}."
    )
    part = f" for {query.k} names" if query.k > 1 else ""
    chances = Chart(
        "How likely each group is to be named first",
        lambda width: pmf_bars(margins, here, None, NAME, float(query.epsilon), width, part=part),
        says,
    )
    curves = Chart(
        f"How far one {who} could move each score",
        lambda width: sensitivity_chart(asked.scores, width=width),
        "A line per group: derived from the formula, here at distance 0 and further away.",
    )
    why = (
        f"Counted: {statistics}.",
        f"{moves[:1].upper()}{moves[1:]}.",
        f"The score of a large group is moved little by one {who}, so large groups are told apart more surely.",
    )
    return View(
        f"{says} {_reach(asked.scores, who)}",
        (chances, curves, _facts(asked), Note(f"What is counted, and how far one {who} moves it", why)),
        _commands(asked, source),
        _example(asked, source),
    )


def _protected_unit(dataset: Dataset) -> str:
    """Return who moves a score: one row, or one person with all rows of theirs that count."""
    return "row" if dataset.person is None else "person"


def _reach(scores: Scores, who: str) -> str:
    """Say how far one row, or one person, moves a score: here, and whatever the data."""
    here, ceiling = float(scores.sensitivity.at([0]).max()), scores.sensitivity.ceiling
    worst = f"{ceiling:,.4g} at most" if np.isfinite(ceiling) else "more, the more rows there are"
    return f"One {who} moves these scores by {here:,.3g} at most, and on other data by {worst}."


def _question(state: State, source: Material) -> _FormulaQuestion:
    """Return the question and both scores of its groups.

    Raises:
        ValueError: the score cannot be read, or has no value for some rows; no such column; k is too large.
    """
    dataset = _dataset(source)
    score = state["score"].strip()
    query = BestGroups(
        score,
        by=state["by"],
        prior=state["prior"].strip() or _middle(score, dataset),
        k=int(state["k"]),
        order=state["order"],
        epsilon=exact_epsilon(state["epsilon"]),
    )
    query.size(dataset)
    groups = dataset.groups(query.by)
    persons = (dataset.person, dataset.rows_per_person)
    ranking = GroupRanking.of(query.score, dataset.columns, query.prior, query.order, *persons)
    read = {*ranking.columns.columns, query.by} | ({dataset.person} if dataset.person else set())
    rows = {name: [*source.columns[name]] for name in read}
    scores, margins = ranking.scores(rows, query.by, groups), ranking.margins(rows, query.k, query.by, groups)
    here = np.exp(permute_and_flip().log_pmf(margins, query.epsilon / query.k))
    return _FormulaQuestion(query, dataset, scores, margins, here)


def _middle(score: str, dataset: Dataset) -> str | None:
    """Return a prior of the middle of the bounds of a score's first average or rate; ``None`` where it has neither."""
    try:
        ratios = group_score(score, Prior.parse("1:0")).ratios
    except FormulaError:
        # The query says what is wrong with it.
        return None
    if not ratios:
        return None
    domain = dataset.columns.get(ratios[0].column or "")
    bounds = (domain.lower, domain.upper) if isinstance(domain, NumericDomain) else (Fraction(0), Fraction(1))
    return f"{_PRIOR_ROWS}:{format_exact((bounds[0] + bounds[1]) / 2)}"


def _bounds(source: Material, name: str) -> tuple[float, float, float]:
    return round_bounds(_UNBOUND, source.columns[name], source.bounds_of(name))


def _dataset(source: Material) -> Dataset:
    """Return what is described, or what is public of a table: the bounds of its numbers, the values of its groups."""
    if source.dataset is not None:
        return source.dataset
    columns: dict[str, Any] = dict(_group_values(source))
    for name in source.numeric:
        columns[name] = dict(zip(("lower", "upper", "step"), _bounds(source, name), strict=True))
    if not columns:
        raise InputError("This table has no column of numbers and none of few names: name another file.")
    return Dataset(source="people.csv", columns=columns)


def _facts(asked: _FormulaQuestion) -> PageTable:
    sensitivity = asked.scores.sensitivity.at([0])[0]
    sign = -1 if asked.query.order == "lowest" else 1
    order = np.argsort(-asked.margins.values, kind="stable")
    rows = [
        [
            short(asked.margins.candidates[place]),
            f"{sign * asked.scores.values[place]:,.6g}",
            f"{sensitivity[place]:,.3g}",
            f"{asked.margins.values[place]:,.3g}",
            chance_text(float(asked.here[place])),
        ]
        for place in order.tolist()
    ]
    who = _protected_unit(asked.dataset)
    note = f"Margin: how many {who}s must come or go before the group changes sides of the list."
    return PageTable("Every group", ("group", "score", f"one {who} moves it by", "margin", "named first"), rows, note)


def _commands(asked: _FormulaQuestion, source: Material) -> Commands:
    query = asked.query
    name = source.description or "people.toml"
    note = f"Bounds and values are public: write them into {name}, never from private rows."
    if sql := _sql(asked):
        prior = "" if query.prior is None else f" --prior {query.prior}"
        words = f"{quote_word(name)} {quote_word(sql)} --epsilon {exact_text(float(query.epsilon))}{prior}"
        note += f" The same in SQL: dpselect sql {words}"
    if source.description:
        return replace(example_dataset.commands(source.description, query), note=note)
    groups, columns = list(asked.dataset.groups(query.by)), _used(asked)
    prior = "" if query.prior is None else f", prior={query.prior!r}"
    order = "" if query.order == ORDERS[0] else f", order={query.order!r}"
    python = opening("people.ledger", f'people = dps.data.TableFile.of("people.csv"{keywords(source.reading)})') + (
        f"dps.best(people, {query.k}, epsilon={exact_text(float(query.epsilon))}, by={query.by!r}, groups={groups!r},\n"
        f"         score={query.score!r}, columns={columns!r}{prior}{order}, ledger=ledger)"
    )
    return Commands(shell_of(query, name, "--ledger people.ledger"), python, note)


def _sql(asked: _FormulaQuestion) -> str:
    """Return the SELECT that asks the same; "" where SQL has no word for the score, or is not installed."""
    query, order = asked.query, "DESC" if asked.query.order == ORDERS[0] else "ASC"
    text = f"SELECT {query.by} FROM dataset GROUP BY {query.by} ORDER BY {query.score} {order} LIMIT {query.k}"
    beside = {"epsilon": query.epsilon} | ({} if query.prior is None else {"prior": query.prior})
    try:
        return text if SqlStatement.parse(text, asked.dataset, beside).query == query else ""
    except (ImportError, ValueError):
        return ""


def _used(asked: _FormulaQuestion) -> Mapping[str, Any]:
    """Return the domains of the columns that the score reads, as Python writes them."""
    shown: Mapping[str, Any] = asked.query.public(asked.dataset)["columns"]
    return {name: each.get("values", each) for name, each in shown.items()}


def _example(asked: _FormulaQuestion, source: Material) -> str:
    query, dataset = asked.query, asked.dataset
    prior = "" if query.prior is None else f", prior={query.prior!r}"
    who = f", person={dataset.person!r}, rows_per_person={dataset.rows_per_person}" if dataset.person else ""
    return (
        f"import dpselect as dps\nfrom dpselect.release.best import GroupRanking\n{source.table_python}\n"
        f"groups = {list(asked.dataset.groups(query.by))!r}\n"
        f"ranking = GroupRanking.of({query.score!r}, {_used(asked)!r}{prior}, order={query.order!r}{who})\n"
        f"rows = {{name: [*cells] for name, cells in table.items()}}\n"
        f"margins = ranking.margins(rows, {query.k}, {query.by!r}, groups)\n"
        f"dps.plot.pmf_chart(margins, epsilon={exact_text(float(query.epsilon))} / {query.k}, mechanism={NAME!r})\n"
        "# %%\n"
        f"dps.plot.sensitivity_chart(ranking.scores(rows, {query.by!r}, groups))"
    )


PAGE = Content(_fields, _view)
