"""Several objectives: the Pareto front, weights, and how likely each candidate is under both."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.analysis.charts.front import front_points
from dpselect.analysis.charts.pmf_chart import chance_text, pmf_bars
from dpselect.analysis.metrics import on_front
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import default_mechanism, require_mechanism
from dpselect.queries import TopK
from dpselect.scores.combine import aggregate, pareto
from dpselect.scores.scores import Scores
from dpselect.web.explorer.explorer_page import Chart, Commands, Content, PageTable, State, View
from dpselect.web.explorer.figures import factor
from dpselect.web.explorer.form_fields import ChoiceField, Field, FiguresField, NumberField, TextField, exact_text
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.opening import opening
from dpselect.web.explorer.query_commands import shell_of

# Made up: 200 sick and 1,600 healthy people, and eight rules for whom to test further.
RULES = (
    ("cough", (180, 900)),
    ("fever", (171, 1200)),
    ("both", (160, 1400)),
    ("either", (150, 1350)),
    ("x-ray", (120, 1500)),
    ("age", (110, 1100)),
    ("blood test", (90, 1560)),
    ("two tests", (60, 1580)),
)
Rows = Sequence[tuple[str, tuple[int, ...]]]
MECHANISMS = ("local-dampening", "local-dampening-flip", "permute-and-flip", "exponential")
# One number of the likeliest candidate, and by how much the neighbour differs there.
NEIGHBOURS = {"first-more": (0, 1), "first-less": (0, -1), "second-more": (1, 1), "second-less": (1, -1)}
_MECHANISM_CHOICES = (("default", "what dps.select takes"), *((name, name) for name in MECHANISMS))
_RULE = (("pareto", "Pareto front (PrivPareto)"), ("weights", "weighted sum (PrivAgg)"))
_CHANGE_CHOICES = (("one", "one of the two numbers"), ("all", "both numbers"))


def _fields(_: Material) -> Sequence[Field]:
    moved = tuple(
        (name, f"one {'more' if step > 0 else 'less'} in the {('first', 'second')[place]} number")
        for name, (place, step) in NEIGHBOURS.items()
    )
    return (
        NumberField("epsilon", "Epsilon", 0.2, 0.001, 100, slider=True, help="Smaller is more private."),
        ChoiceField("rule", "Combine by", _RULE, "pareto"),
        ChoiceField(
            "mechanism",
            "Mechanism",
            _MECHANISM_CHOICES,
            "default",
            help="PrivPareto as published draws by local-dampening.",
        ),
        NumberField("weight-1", "First weight", 5, 0, 1000, help="What one more in the first number is worth."),
        NumberField("weight-2", "Second weight", 1, 0, 1000),
        FiguresField(
            "candidate",
            "Candidates with two counts of people",
            ("first", "second"),
            RULES,
            help="These are made up. One person moves each count by at most 1; more is better.",
        ),
        TextField("name-1", "The first number", "sick people found"),
        TextField("name-2", "The second number", "healthy people cleared"),
        ChoiceField(
            "touched",
            "One person can change",
            _CHANGE_CHOICES,
            "one",
            help="It counts for weights: a person is either.",
        ),
        ChoiceField(
            "neighbour",
            "Neighbour",
            moved,
            "first-more",
            help="What one person changes of the likeliest candidate, and of no other.",
        ),
    )


def _columns(rows: Rows) -> list[dict[str, int]]:
    """Return the first and the second number of every candidate, by name."""
    return [{name: cells[place] for name, cells in rows} for place in (0, 1)]


def _objectives(rows: Rows) -> list[Scores]:
    """Return both counts as scores."""
    return [Scores(column, sensitivity=1, range_bound=1, kind="integer") for column in _columns(rows)]


def _page_mechanism(scores: Scores, state: State) -> Mechanism:
    """Return the mechanism of the page; the library's own choice depends on the scores."""
    chosen = state["mechanism"]
    return default_mechanism(scores) if chosen == "default" else require_mechanism(chosen)


def _neighbour_rows(state: State, likeliest: int) -> Rows:
    """Return the candidates of the neighbour, with the numbers that it has for them."""
    place, step = NEIGHBOURS[state["neighbour"]]
    rows = list(state["candidate"])
    name, cells = rows[likeliest]
    rows[likeliest] = (name, tuple(max(0, cell + step * (number == place)) for number, cell in enumerate(cells)))
    return rows


def _combine(objectives: list[Scores], state: State, rule: str) -> Scores:
    """Return the score that one of the two rules draws from."""
    if rule == "pareto":
        return pareto(objectives)
    return aggregate(objectives, _weights(state), max_changed=state["touched"], range_bound=1)


def _weights(state: State) -> list[Any]:
    """Return the weights, whole ones as integers: sums of those are exact."""
    return [int(each) if each == int(each) else each for each in (state["weight-1"], state["weight-2"])]


def _view(state: State, _: Material) -> View:
    epsilon, rule = exact_epsilon(state["epsilon"]), state["rule"]
    objectives = _objectives(state["candidate"])
    scores = _combine(objectives, state, rule)
    drawn = _page_mechanism(scores, state)
    here = drawn.log_pmf(scores, epsilon)
    probabilities, front, likeliest = np.exp(here), on_front(objectives), int(here.argmax())
    moved = _neighbour_rows(state, likeliest)
    there = drawn.log_pmf(_combine(_objectives(moved), state, rule), epsilon)
    loss = float(np.abs(here - there).max())
    headline = (
        f"By {'the Pareto front' if rule == 'pareto' else 'weights'}, {scores.candidates[likeliest]} is named most "
        f"often, with probability {chance_text(float(probabilities.max()))}; some candidate of the front is named with "
        f"probability {chance_text(float(probabilities[front].sum()))}. The neighbour changes a chance by a factor of "
        f"{factor(loss)} at most here; epsilon allows {factor(float(epsilon))}."
    )
    weights = None if rule == "pareto" else [float(each) for each in _weights(state)]
    names = (state["name-1"], state["name-2"])

    def points(width: float) -> Any:
        return front_points(objectives, probabilities, drawn.name, float(epsilon), weights, names, width)

    def bars(width: float) -> Any:
        return pmf_bars(scores, probabilities, np.exp(there), drawn.name, float(epsilon), width)

    named = ", ".join(str(scores.candidates[place]) for place in np.flatnonzero(front)[:12].tolist())
    on = (
        f"{int(front.sum())} of {front.size} candidates are on the front: {named}{', ...' if front.sum() > 12 else ''}."
    )
    beside = f"The likeliest candidate here has probability {chance_text(float(probabilities.max()))}, and there "
    beside += f"{chance_text(float(np.exp(there[likeliest])))}."
    parts = (
        Chart("Both numbers of every candidate", points, on),
        Chart("How likely each candidate is, here and on the neighbour", bars, beside),
        _candidates(state, objectives, front, epsilon),
        _mechanisms(state, objectives, front, epsilon),
    )
    return View(headline, parts, _commands(state, drawn.name), _example(state, moved, drawn.name))


def _candidates(state: State, objectives: list[Scores], front: Any, epsilon: Fraction) -> PageTable:
    """Return the chance of every candidate by both rules, with the mechanism that the page is about."""
    pmfs, dominators = [], -pareto(objectives).values
    for rule in ("pareto", "weights"):
        scores = _combine(objectives, state, rule)
        pmfs.append(_page_mechanism(scores, state).pmf(scores, epsilon))
    rows = [
        [
            name,
            *(f"{cell:,}" for cell in cells),
            "yes" if front[number] else f"no, behind {int(dominators[number]):,}",
            *(chance_text(float(probabilities[number])) for probabilities in pmfs),
        ]
        for number, (name, cells) in enumerate(state["candidate"])
    ]
    header = ("candidate", state["name-1"], state["name-2"], "on the front", "by Pareto", "by weights")
    return PageTable("Chances by Pareto and by weights", header, rows)


def _mechanisms(state: State, objectives: list[Scores], front: Any, epsilon: Fraction) -> PageTable:
    """Return how likely each mechanism names one of the front, and the best weighted sum."""
    byes = [_combine(objectives, state, rule) for rule in ("pareto", "weights")]
    best = byes[1].values == byes[1].values.max()
    rows = []
    for name in MECHANISMS:
        pareto_pmf, weights_pmf = (require_mechanism(name).pmf(scores, epsilon) for scores in byes)
        chances = pareto_pmf[front], weights_pmf[front], weights_pmf[best]
        rows.append([name, *(chance_text(float(each.sum())) for each in chances)])
    header = ("mechanism", "Pareto: on the front", "weights: on the front", "weights: the best sum")
    note = "Permute-and-flip and the exponential mechanism use the largest sensitivity there can be."
    return PageTable("All mechanisms at this epsilon", header, rows, note)


def _commands(state: State, name: str) -> Commands:
    epsilon, pareto = exact_text(state["epsilon"]), state["rule"] == "pareto"
    query = TopK(
        ("degree", "ego-density"),
        pareto=pareto,
        weights=None if pareto else _weights(state),
        mechanism=name,
        epsilon=exact_epsilon(state["epsilon"]),
    )
    shell = shell_of(query, "edges.parquet", "--nodes 37700 --ledger graph.ledger")
    columns = _columns(state["candidate"])
    python = "\n".join(
        [
            opening("people.ledger", f"found = {columns[0]!r}", f"cleared = {columns[1]!r}").rstrip("\n"),
            'first = dps.Scores(found, sensitivity=1, range_bound=1, kind="integer")',
            'second = dps.Scores(cleared, sensitivity=1, range_bound=1, kind="integer")',
            f"scores = {_python(state)}",
            f'dps.select(scores, epsilon={epsilon}, mechanism="{name}", ledger=ledger)',
        ]
    )
    note = (
        "The command combines two metrics of the nodes of a private graph. In the Python, put private counts in the "
        "place of found and cleared, which are those of this page: each maps every public candidate to its count."
    )
    return Commands(shell, python, note)


def _python(state: State) -> str:
    """Return the combined score as Python writes it."""
    if state["rule"] == "pareto":
        return "dps.multiobjective.pareto([first, second])"
    weights = ", ".join(f"{each!r}" for each in _weights(state))
    touched = state["touched"]
    return f'dps.multiobjective.aggregate([first, second], weights=[{weights}], max_changed="{touched}", range_bound=1)'


def _example(state: State, moved: Rows, name: str) -> str:
    columns = _columns(state["candidate"])
    other = _columns(moved)
    weights = "" if state["rule"] == "pareto" else f", weights={_weights(state)!r}"
    epsilon = exact_text(state["epsilon"])
    return "\n".join(
        [
            "import dpselect as dps",
            "",
            f"found, cleared = {columns[0]!r}, {columns[1]!r}",
            'first = dps.Scores(found, sensitivity=1, range_bound=1, kind="integer")',
            'second = dps.Scores(cleared, sensitivity=1, range_bound=1, kind="integer")',
            f"scores = {_python(state)}",
            f"names = ({state['name-1']!r}, {state['name-2']!r})",
            f"dps.plot.front_chart([first, second], epsilon={epsilon}, scores=scores{weights}, "
            f'mechanism="{name}", names=names)',
            "# %%",
            f"found, cleared = {other[0]!r}, {other[1]!r}",
            'first = dps.Scores(found, sensitivity=1, range_bound=1, kind="integer")',
            'second = dps.Scores(cleared, sensitivity=1, range_bound=1, kind="integer")',
            f"neighbour = {_python(state)}",
            f'dps.plot.pmf_chart(scores, epsilon={epsilon}, mechanism="{name}", neighbour=neighbour)',
        ]
    )


PAGE = Content(_fields, _view)
