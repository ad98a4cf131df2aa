"""Choose among candidates: counts that can be changed by hand, and the exact chance of each name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.analysis.charts.pmf_chart import chance_text, pmf_bars, short
from dpselect.analysis.epsilon_plan import epsilon_for
from dpselect.analysis.least_epsilon import least_epsilon
from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.large_epsilon import LARGEST
from dpselect.mechanisms.registry import MECHANISMS, require_mechanism
from dpselect.queries import MostCommon
from dpselect.scores.scores import Scores
from dpselect.utilities.counts import counts
from dpselect.utilities.popularity import popularity
from dpselect.web.explorer import example_dataset
from dpselect.web.explorer.explorer_page import Chart, Commands, Content, PageTable, State, View
from dpselect.web.explorer.figures import enough, factor
from dpselect.web.explorer.form_fields import ChoiceField, CountsField, Field, NumberField, TextField, exact_text
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.opening import keywords, opening, options
from dpselect.web.explorer.query_commands import shell_of

# Names and how often each was chosen.
Tally = tuple[tuple[str, int], ...]
VOTES: Tally = (("tea", 60), ("coffee", 57), ("water", 31), ("juice", 12), ("milk", 7))
# Differences of logarithms of chances stay exact enough for the digits that are shown.
MOST = 10**9
_STEPS = {"more": 1, "less": -1}
# The two whose worst error is known exactly.
_WHATEVER = ("permute-and-flip", "exponential")
# Different counts beyond which no epsilon is searched for where noise is added to each candidate.
_MOST_SEARCHED = 500
# Different values of a column beyond which it is not shown.
_VALUES = 100_000


@dataclass(frozen=True)
class _MechanismPmfs:
    """Of every mechanism the logarithm of its law, shape (m,), or why it does not apply."""

    known: dict[str, NDArray[np.float64]]
    why: dict[str, str]


def _fields(material: Material) -> Sequence[Field]:
    mechanisms = tuple((name, name) for name in MECHANISMS)
    known = material.lists if material.dataset is not None else material.columns
    columns = tuple((name, f"the values of {name}") for name in known if name)
    first, described = columns[0][0] if columns and material.given == "table" else "", material.dataset is not None
    fields: list[Field] = [
        NumberField(
            "epsilon",
            "Epsilon",
            0.5,
            0.001,
            100,
            slider=True,
            help="What the choice may reveal; smaller is more private.",
        ),
        ChoiceField("mechanism", "Mechanism", mechanisms, "permute-and-flip"),
    ]
    by_hand = "Change them by hand. Used where no column is chosen."
    return [
        *fields,
        ChoiceField(
            "column", "Candidates", (("", "counts by hand"), *columns), first, help=f"Of {material.table_name}."
        ),
        CountsField("candidate", "Candidates and their counts", VOTES, high=MOST, help=by_hand),
        ChoiceField(
            "neighbour",
            "Neighbour",
            tuple((name, f"one {material.protected_unit} {name}") for name in _STEPS),
            "more",
            help=f"Of two neighbours one has one {material.protected_unit} more.",
        ),
        TextField(
            "changes",
            f"The value of that {material.protected_unit}" if described else "Whom that person chose",
            "",
            help="A candidate's name; the best one where this is empty.",
        ),
        NumberField(
            "probability", "Right with probability", 0.95, 0.01, 0.9999, help="How often the best should be named."
        ),
    ]


def _view(state: State, material: Material) -> View:
    column = state["column"]
    rows: Tally = _tally(material, column) if column else state["candidate"]
    epsilon = exact_epsilon(state["epsilon"])
    pmfs, name = _pmfs(rows, epsilon), state["mechanism"]
    if name in pmfs.why:
        raise InputError(f"{name} does not apply: {pmfs.why[name]}.")
    scores, here = _scores(rows), pmfs.known[name]
    place, who = _changed_position(rows, state), material.protected_unit
    there = require_mechanism(name).log_pmf(_scores(_neighbour(rows, place, state["neighbour"])), epsilon)
    says, changes = _headline(scores, np.exp(here)), _changes(scores, here, there, float(epsilon), who)

    def draw(width: float) -> Any:
        return pmf_bars(scores, np.exp(here), np.exp(there), name, float(epsilon), width)

    words = f"{says} Black marks: {_words(rows, place, state, material)}."
    parts = (
        Chart("How likely each candidate is", draw, words),
        changes,
        _epsilon_table(rows, state),
        _comparison(scores, pmfs),
    )
    answer = f"{says} {_ratio(here, there, float(epsilon))}"
    return View(answer, parts, commands_of(name, state["epsilon"], column, material), _example(rows, place, state))


def _tally(material: Material, column: str) -> Tally:
    """Return the values of a column and how often each occurs: of a described one all that are listed, by persons.

    Raises:
        ValueError: none, or too many.
    """
    rows = tally_of(material, column) if material.dataset is not None else material.counts_of(column)
    if not rows:
        raise InputError(f"The column {short(column)} is empty, so there is nothing to choose from: take another.")
    if len(rows) > _VALUES:
        raise InputError(
            f"The column {short(column)} has {len(rows):,} different values, and this page shows at most {_VALUES:,}: "
            "take another."
        )
    return rows


def tally_of(material: Material, column: str) -> Tally:
    """Return how many different persons of a described table, or how many rows, have each listed value."""
    cells, person = material.columns[column], material.person
    rows = {"item": cells} | ({"person": material.columns[person]} if person else {})
    known = popularity(rows, person="person" if person else None, item="item", domain=[*material.lists[column]])
    return tuple(zip(material.lists[column], known.values.tolist(), strict=True))


@lru_cache(maxsize=8)
def _scores(rows: Tally) -> Scores:
    names, numbers = zip(*rows, strict=True)
    return counts(np.array(numbers, dtype=np.int64), names)


@lru_cache(maxsize=2)
def _pmfs(rows: Tally, epsilon: Fraction) -> _MechanismPmfs:
    """Return the pmfs of all mechanisms: another mechanism or neighbour takes one pmf more."""
    pmfs = _MechanismPmfs({}, {})
    for name in MECHANISMS:
        try:
            pmfs.known[name] = require_mechanism(name).log_pmf(_scores(rows), epsilon)
        except (PrivacyError, ValueError) as reason:
            why = str(reason).partition(":")[0].rstrip(".")
            pmfs.why[name] = why[:1].lower() + why[1:]
    return pmfs


def _changed_position(rows: Tally, state: State) -> int:
    """Return the position of the candidate whose count a neighbour changes.

    Raises:
        ValueError: nobody has that name, or a count of 0 would fall.
    """
    named = state["changes"].strip()
    names = [name for name, _ in rows]
    if named and named not in names:
        raise InputError(f"No candidate is called {short(named)}: write one of the names, or leave it empty.")
    place = names.index(named) if named else int(_scores(rows).values.argmax())
    if state["neighbour"] == "less" and not rows[place][1]:
        raise InputError(f"Nobody chose {short(names[place])}, so nobody can be taken away: take one person more.")
    return place


def _neighbour(rows: Tally, place: int, step: str) -> Tally:
    name, count = rows[place]
    return (*rows[:place], (name, count + _STEPS[step]), *rows[place + 1 :])


def _words(rows: Tally, place: int, state: State, material: Material) -> str:
    chose = "who chose" if material.dataset is None else "with the value"
    return f"with one {material.protected_unit} {state['neighbour']} {chose} {short(rows[place][0])}"


def _short_of_best(scores: Scores) -> NDArray[np.int64]:
    """Return how far each count lies below the largest: exact, as counts are integers."""
    behind: NDArray[np.int64] = scores.values.max() - scores.values
    return behind


def _headline(scores: Scores, pmf: NDArray[np.float64]) -> str:
    best = np.flatnonzero(_short_of_best(scores) == 0)
    chance = chance_text(float(pmf[best].sum()))
    if best.size == 1:
        name = short(scores.candidates[int(best[0])])
        return f"{name}, which has the largest count, is named with probability {chance}."
    if best.size == len(scores):
        return f"All {best.size:,} candidates have the same count, so each is as good and as likely as another."
    return f"One of the {best.size:,} candidates that share the largest count is named with probability {chance}."


def _loss(here: NDArray[np.float64], there: NDArray[np.float64]) -> tuple[float, int]:
    """Return the largest logarithm of a ratio of two chances, and whose it is."""
    with np.errstate(invalid="ignore"):
        losses = np.abs(here - there)
    # Two chances that are both below any double do not differ.
    losses[np.isnan(losses)] = 0
    return float(losses.max()), int(losses.argmax())


def _ratio(here: NDArray[np.float64], there: NDArray[np.float64], epsilon: float) -> str:
    loss, _ = _loss(here, there)
    return f"This neighbour changes a chance by a factor of {factor(loss)} at most; epsilon allows {factor(epsilon)}."


def _changes(
    scores: Scores, here: NDArray[np.float64], there: NDArray[np.float64], epsilon: float, who: str
) -> PageTable:
    loss, place = _loss(here, there)
    rows = [
        ["changes most", short(scores.candidates[place])],
        ["its chance here", chance_text(math.exp(here[place]))],
        ["its chance on the neighbour", chance_text(math.exp(there[place]))],
        ["the larger over the smaller", factor(loss)],
        ["what epsilon allows, e^epsilon", factor(epsilon)],
    ]
    return PageTable(f"What one {who} changes", ("fact", "figure"), rows, "Of this neighbour; others may change more.")


def _epsilon_table(rows: Tally, state: State) -> PageTable:
    """Return the epsilons at which the best is named often enough: for these counts, and whatever they are."""
    name, probability = state["mechanism"], float(state["probability"])
    here, whatever = _here(rows, name, probability), _whatever(len(rows), name, probability)
    lines = [["for these counts alone", here], ["whatever the counts are", whatever]]
    title = f"Epsilon that names the best with probability {probability:g}"
    note = "The first is a fact about public counts. Before private counts are seen, plan with the second."
    return PageTable(title, ("holds", f"epsilon of {name}"), lines, note)


@lru_cache(maxsize=64)
def _here(rows: Tally, name: str, probability: float) -> str:
    noisy = require_mechanism(name).sampler.most_groups is not None or require_mechanism(name).sampler.tails is not None
    if noisy and len({count for _, count in rows}) > _MOST_SEARCHED:
        return f"not searched for beyond {_MOST_SEARCHED} different counts"
    try:
        found = least_epsilon(_scores(rows), probability, mechanism=name)
    except (PrivacyError, ValueError):
        return "not known"
    return enough(found)


@lru_cache(maxsize=64)
def _whatever(candidates: int, name: str, probability: float) -> str:
    if name not in _WHATEVER:
        return "not known of this mechanism"
    found = epsilon_for(
        error=1, candidates=candidates, probability=probability, mechanism=name, range_bound=1, kind="integer"
    )
    return enough(found)


def _comparison(scores: Scores, pmfs: _MechanismPmfs) -> PageTable:
    behind = _short_of_best(scores)
    rows = []
    for name, log_law in pmfs.known.items():
        pmf = np.exp(log_law)
        rows.append([name, chance_text(float(pmf[behind == 0].sum())), f"{float(pmf @ behind):.3g}"])
    note = "Expected loss: how many votes the one named lies below the best, on average."
    for name, why in pmfs.why.items():
        note += f" {name} does not apply: {why}."
    return PageTable(
        "All mechanisms at this epsilon", ("mechanism", "right with probability", "expected loss"), rows, note
    )


def commands_of(name: str, asked: float, column: str, material: Material) -> Commands:
    """Return the commands of a description, which protects persons and reads its rows alone, or those of a file."""
    if not column and material.description:
        by_hand = _commands_of_file(name, asked)
        return replace(by_hand, note=f"Counts by hand are of no column of {material.description}. {by_hand.note}")
    if not material.description:
        return _commands_of_file(name, asked, column, material.reading)
    commands = example_dataset.commands(material.description, MostCommon(column, epsilon=exact_epsilon(asked)))
    if name == "permute-and-flip":
        return commands
    return replace(commands, note=f"{commands.note} A described dataset is asked by permute-and-flip, not by {name}.")


def _commands_of_file(name: str, asked: float, column: str = "", reading: Mapping[str, str] | None = None) -> Commands:
    """Return how the largest of private counts is named by a mechanism, at an epsilon."""
    epsilon, said = exact_text(asked), reading or {}
    note = "Candidates are public: list all of them, whatever the data, in choices.txt, one per line."
    if name == "inverse-sensitivity":
        shell = ""
        note += " No command draws counts by inverse-sensitivity: the Python does."
    elif name == "permute-and-flip":
        query = MostCommon(column or "choice", epsilon=exact_epsilon(asked))
        shell = shell_of(query, "people.csv", "--domain choices.txt --ledger people.ledger", options(said))
    else:
        meant = " --yes" if exact_epsilon(asked) > LARGEST else ""
        shell = (
            "dpselect select counts.csv --candidate choice --score count --kind integer --sensitivity 1 "
            f"--range-bound 1 --domain rows --mechanism {name}{options(said)} --epsilon {epsilon} "
            f"--ledger people.ledger{meant}"
        )
        note += " In counts.csv each has a line, those that nobody chose too."
    python = (
        "from collections import Counter\n"
        + opening(
            "people.ledger",
            'choices = Path("choices.txt").read_text(encoding="utf-8").splitlines()',
            f'people = dps.data.TableFile.of("people.csv"{keywords(said)}).columns()',
            f"found = Counter(people[{(column or 'choice')!r}].tolist())",
            paths=True,
        )
        + "scores = dps.utilities.counts([found[name] for name in choices], choices)\n"
        f'dps.select(scores, epsilon={epsilon}, mechanism="{name}", ledger=ledger)'
    )
    return Commands(shell, python, note)


def _example(rows: Tally, place: int, state: State) -> str:
    shown = dict(rows)
    return (
        "import dpselect as dps\n\n"
        f"votes = {shown!r}\n"
        "scores = dps.utilities.counts([*votes.values()], [*votes])\n"
        f"neighbour = votes | {{{rows[place][0]!r}: {rows[place][1] + _STEPS[state['neighbour']]}}}\n"
        "other = dps.utilities.counts([*neighbour.values()], [*neighbour])\n"
        f'dps.plot.pmf_chart(scores, epsilon={state["epsilon"]!r}, mechanism="{state["mechanism"]}", neighbour=other)'
    )


PAGE = Content(_fields, _view, {"candidate": ("column", ("",))})
