"""Most common: how likely each item is to be named first, and what one person with all of their rows changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.analysis.charts.pmf_chart import chance_text, pmf_bars, short
from dpselect.analysis.epsilon_plan import epsilon_for, error_bound
from dpselect.analysis.least_epsilon import least_epsilon
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.queries import MostCommon
from dpselect.scores.scores import Scores
from dpselect.utilities.popularity import popularity
from dpselect.web.explorer import example_dataset
from dpselect.web.explorer.explorer_page import Chart, Commands, Content, Note, PageTable, State, View
from dpselect.web.explorer.figures import enough, factor
from dpselect.web.explorer.form_fields import ChoiceField, Field, NumberField, TextField, exact_text
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.opening import keywords, opening, options
from dpselect.web.explorer.query_commands import shell_of
from dpselect.web.explorer.shell_words import quote_word
from dpselect.web.explorer.text_column import TextColumn

# Of names that no list holds: a delta far below one over the number of persons.
_DELTA = Fraction(1, 10**6)
NAME = "permute-and-flip"
# Different items of a column beyond which a page would be slow, and names that a command spells out.
ITEMS, _SPELLED = 10_000, 40
_RIGHT = Fraction(95, 100)
_NEIGHBOURS = (
    ("rest", "one person more, with every item but the first"),
    ("first", "one person more, with the first item alone"),
    ("all", "one person more, with every item"),
)


_EPSILON = NumberField("epsilon", "Epsilon", 0.2, 0.001, 100, slider=True, help="Of all names together.")
_FIELDS = (
    NumberField("k", "How many to name", 1, 1, 50, whole=True),
    ChoiceField("neighbour", "Neighbour", _NEIGHBOURS, "rest", help="First is the item that most persons have."),
    NumberField("error", "Small enough error", 10, 1, 10**9, whole=True, help="Fewer persons behind than this."),
)


@dataclass(frozen=True)
class _MostCommonQuestion:
    """The question, the place of the item that most have, and both laws of the first place, shape (m,).

    Attributes:
        person: the column of persons; empty where rows are counted.
    """

    state: State
    person: str
    scores: Scores
    added: NDArray[np.int64]
    epsilon: Fraction
    first: int
    here: NDArray[np.float64]
    there: NDArray[np.float64]

    @property
    def unit(self) -> str:
        """The items that are counted."""
        return "persons" if self.person else "rows"

    @property
    def best(self) -> str:
        """The item that most have, as text."""
        return short(self.scores.candidates[self.first])


def _fields(material: Material) -> Sequence[Field]:
    if material.dataset is not None:
        return _described_fields(material)
    columns = tuple((name, name) for name in material.visits)
    few = [name for name, cells in material.visits.items() if len(cells.counts) <= ITEMS]
    person, item = ("visitor", "place") if material.given != "table" else ("", _likely(material, few))
    return (
        _EPSILON,
        ChoiceField(
            "person",
            "Person",
            (("", "every row is a person"), *columns),
            person,
            help="The column that tells persons apart: each counts once per item, whatever rows they have.",
        ),
        ChoiceField("item", "Item", columns, item),
        TextField(
            "domain",
            "Public items",
            "",
            help="With commas between. Empty means those of this public table; of private data list them yourself.",
        ),
        *_FIELDS,
    )


def _described_fields(material: Material) -> Sequence[Field]:
    """Return the fields of a described table, which says itself what persons and public items are."""
    columns = tuple((name, name) for name in material.lists) or (("", "no column has a list of values"),)
    return (_EPSILON, ChoiceField("item", "Item", columns, columns[0][0]), *_FIELDS)


def _likely(material: Material, names: Sequence[str]) -> str:
    """Return the column of text with the fewest different cells, more than one, or else the first of all."""
    texts = [name for name in names if not material.visits[name].is_numeric and len(material.visits[name].counts) > 1]
    return min(texts or names, key=lambda name: len(material.visits[name].counts), default=next(iter(material.visits)))


def _view(state: State, material: Material) -> View:
    asked = _question(state, material)

    def draw(width: float) -> Any:
        part = f" for {state['k']} names" if state["k"] > 1 else ""
        here, there = np.exp(asked.here), np.exp(asked.there)
        return pmf_bars(asked.scores, here, there, NAME, float(asked.epsilon), width, part=part)

    says = f"{_headline(asked)} {_ratio(asked)}"
    parts = (
        Chart("How likely each item is to be named first", draw, f"{_headline(asked)} Black marks: {_marks(asked)}"),
        _errors(asked),
        _persons(asked),
        _unlisted_note(asked, material),
    )
    return View(says, parts, _commands(asked, material), _example(asked, material))


def _question(state: State, material: Material) -> _MostCommonQuestion:
    """Return the laws of the first place.

    Raises:
        ValueError: no items, too many, or fewer than are to be named.
    """
    columns, name = material.visits, state["item"]
    who = state.get("person", material.person)
    if not name:
        raise InputError(f"No column of {material.description} has a list of values: describe one that has.")
    if who == name:
        raise InputError("Persons and items are the same column: choose two.")
    domain = tuple(dict.fromkeys(each.strip() for each in state.get("domain", "").split(",") if each.strip()))
    domain = domain or material.lists.get(name) or _occurring(columns[name], name)
    if len(domain) > ITEMS:
        raise InputError(f"The column {short(name)} has {len(domain):,} items, and the page shows {ITEMS:,} at most.")
    person = columns[who] if who else None
    scores = _scores(person, columns[name], domain)
    if state["k"] > len(scores):
        raise InputError(f"There are {len(scores):,} items: name at most that many.")
    first = int(scores.values.argmax())
    added = np.zeros(len(scores), dtype=np.int64)
    if state["neighbour"] == "first":
        added[first] = 1
    elif state["neighbour"] == "all" and person is not None:
        added[:] = 1
    elif person is not None:
        added[np.arange(len(scores)) != first] = 1
    else:
        # A row has one item: the one that comes after the first.
        added[np.argsort(-scores.values, kind="stable")[min(1, len(scores) - 1)]] = 1
    epsilon = exact_epsilon(state["epsilon"])
    here, there = (_pmf(each, epsilon / state["k"]) for each in (scores, _more(scores, added)))
    return _MostCommonQuestion(state, who, scores, added, epsilon, first, here, there)


def _occurring(cells: TextColumn, name: str) -> tuple[str, ...]:
    items = tuple(sorted(item for item, _ in cells.counts))
    if not items:
        raise InputError(f"The column {short(name)} is empty: choose another.")
    if len(items) > ITEMS:
        raise InputError(
            f"The column {short(name)} has {len(items):,} different values, and the page shows {ITEMS:,} at most: "
            "choose another, or write the public items that are meant."
        )
    return items


@lru_cache(maxsize=4)
def _scores(person: TextColumn | None, item: TextColumn, domain: tuple[str, ...]) -> Scores:
    """Return how many different persons, or rows, have each item."""
    rows = {"item": item} if person is None else {"person": person, "item": item}
    return popularity(rows, person=None if person is None else "person", item="item", domain=[*domain])


def _more(scores: Scores, added: NDArray[np.int64]) -> Scores:
    return Scores(
        scores.values + added,
        1,
        scores.candidates,
        scores.neighbours.value,
        range_bound=1,
        kind="integer",
        zero="worst",
    )


def _pmf(scores: Scores, epsilon: Fraction) -> NDArray[np.float64]:
    return permute_and_flip().log_pmf(scores, epsilon)


def _headline(asked: _MostCommonQuestion) -> str:
    count = int(asked.scores.values[asked.first])
    chance = chance_text(float(np.exp(asked.here[asked.first])))
    tied = int((asked.scores.values == asked.scores.values.max()).sum())
    alike = f" ({tied:,} items share that place)" if tied > 1 else ""
    return f"{asked.best}, which most {asked.unit} have ({count:,}){alike}, is named first with probability {chance}."


def _ratio(asked: _MostCommonQuestion) -> str:
    loss = float(np.abs(asked.here - asked.there).max())
    allowed = float(asked.epsilon) / asked.state["k"]
    what = "epsilon" if asked.state["k"] == 1 else "its share of epsilon"
    return (
        f"{_who(asked)} changes a chance by a factor of {factor(loss)} at most here; {what} allows {factor(allowed)}."
    )


def _marks(asked: _MostCommonQuestion) -> str:
    who = _who(asked).rstrip(",")
    return f"{who[:1].lower()}{who[1:]}."


def _who(asked: _MostCommonQuestion) -> str:
    if not asked.person:
        return f"One row more, of {short(asked.scores.candidates[int(asked.added.argmax())])},"
    has = {"rest": f"every item but {asked.best}", "first": f"{asked.best} alone", "all": "every item"}
    return f"One person more, with {has[asked.state['neighbour']]},"


def _added_item(asked: _MostCommonQuestion) -> str:
    """Return who is added without a name of the table, for a comment: a name with a new line in it would end that."""
    if not asked.person:
        return "One row more, of the item that has a 1"
    return dict(_NEIGHBOURS)[asked.state["neighbour"]].capitalize()


def _errors(asked: _MostCommonQuestion) -> PageTable:
    """Return how far the names may lie below the true ones: here, and whatever the data."""
    k, size, unit = asked.state["k"], len(asked.scores), asked.unit
    behind = asked.scores.values.max() - asked.scores.values
    pmf = np.exp(asked.here)
    order = np.argsort(behind, kind="stable")
    reached = np.cumsum(pmf[order])
    most = int(behind[order][min(np.searchsorted(reached, float(_RIGHT)), size - 1)])
    worst = error_bound(epsilon=asked.epsilon, candidates=size, k=k, range_bound=1, kind="integer")
    rows = [
        ["first name, here, in 95 of 100 draws", f"at most {most:,} {unit} behind the best"],
        ["first name, here, on average", f"{float(pmf @ behind):.3g} {unit} behind the best"],
        ["each name, in general", worst.describe(unit, _RIGHT)],
    ]
    return PageTable(
        "How far a name may lie behind", ("of what", "error"), rows, "Exact. The last line holds for private data too."
    )


def _persons(asked: _MostCommonQuestion) -> PageTable:
    """Return which epsilon is enough."""
    k, error, unit = asked.state["k"], asked.state["error"], asked.unit
    # The first of k places is drawn at its share.
    right = _least(asked.scores) * k
    general = epsilon_for(
        error=error, probability=_RIGHT, candidates=len(asked.scores), k=k, range_bound=1, kind="integer"
    )
    each = "it" if k == 1 else "each name"
    rows = [
        [f"{asked.best} is named first, on this table", enough(right)],
        [f"{each} is fewer than {error:,} {unit} behind, whatever the data", enough(general)],
    ]
    return PageTable("Right with 95 %: which epsilon is enough", ("so that", "epsilon"), rows)


@lru_cache(maxsize=8)
def _least(scores: Scores) -> float:
    return least_epsilon(scores, _RIGHT, mechanism=NAME)


def _unlisted_note(asked: _MostCommonQuestion, material: Material) -> Note:
    title, file, unlisted = "Items that no list names", material.description, material.unknown_domains
    if not asked.person:
        how = "Choose a column of persons" if material.dataset is None else f"Name a column of persons in {file}"
        return Note(title, (f"{how} to see the command for items that no public list names.",))
    why = (
        "Where nobody can list all items, a small delta pays for names that only the data knows: a name that few "
        "persons have then stays unnamed."
    )
    if material.dataset is None:
        query = _unlisted_query(asked, asked.state["item"])
        command = shell_of(query, "visits.csv", _person(asked), "--ledger visits.ledger")
        return Note(title, (f"{why} The ledger needs a delta too (dpselect budget create --delta).", command))
    if not unlisted:
        how = f'Describe their column in {file} as "unlisted", and add a delta to its budget.'
        return Note(title, (f"{why} {how}",))
    return Note(title, (f"{why} The budget needs a delta too.", shell_of(_unlisted_query(asked, unlisted[0]), file)))


def _unlisted_query(asked: _MostCommonQuestion, column: str) -> MostCommon:
    return MostCommon(column, k=asked.state["k"], delta=_DELTA, kept=100, epsilon=asked.epsilon)


def _person(asked: _MostCommonQuestion) -> str:
    # An equals sign, so that a name that begins with a dash is a name.
    return f"--person={quote_word(asked.person)}" if asked.person else ""


def _commands(asked: _MostCommonQuestion, material: Material) -> Commands:
    reading = material.reading
    query = MostCommon(asked.state["item"], k=asked.state["k"], epsilon=asked.epsilon)
    if material.description:
        return example_dataset.commands(material.description, query)
    state, names = asked.state, [str(name) for name in asked.scores.candidates]
    spelled = len(names) <= _SPELLED and not any("," in name or name != name.strip() for name in names)
    # One name with a comma behind it is a list; without it a number would be a count.
    listed = quote_word(",".join(names) + ("," if len(names) == 1 else "")) if spelled else "items.txt"
    epsilon, k = exact_text(state["epsilon"]), state["k"]
    said = (_person(asked), f"--domain={listed}", "--ledger visits.ledger", options(reading))
    shell = shell_of(query, "visits.csv", *said)
    domain = repr(names) if spelled else 'Path("items.txt").read_text(encoding="utf-8").splitlines()'
    person = f"person={asked.person!r}, " if asked.person else ""
    file = [f'visits = dps.data.TableFile.of("visits.csv"{keywords(reading)})'] if reading else []
    table = "visits" if file else '"visits.csv"'
    python = (
        opening("visits.ledger", f"domain = {domain}", *file, paths=not spelled)
        + f"dps.most_common({table}, {k}, epsilon={epsilon}, {person}item={state['item']!r}, "
        "domain=domain, ledger=ledger)"
    )
    where = "The items are public: list all that there may be" + ("." if spelled else ", one per line in items.txt.")
    budget = "the ledger is one of persons (dpselect budget create --neighbours person)" if asked.person else ""
    note = f"Put your file and your ledger in place of visits.csv and visits.ledger{budget and '; '}{budget}. {where}"
    return Commands(shell, python, note)


def _example(asked: _MostCommonQuestion, material: Material) -> str:
    state = asked.state
    person = f"person={asked.person!r}, " if asked.person else ""
    relation, k = asked.scores.neighbours.value, state["k"]
    shared = "" if k == 1 else "from fractions import Fraction\n\n"
    epsilon = exact_text(state["epsilon"])
    epsilon = epsilon if k == 1 else f'Fraction("{epsilon}") / {k}'
    return (
        f"{shared}import dpselect as dps\n{material.visits_python}\n"
        f"domain = {[*asked.scores.candidates]!r}\n"
        f"scores = dps.utilities.popularity(visits, {person}item={state['item']!r}, domain=domain)\n"
        f"# {_added_item(asked)}.\n"
        f"added = {asked.added.tolist()!r}\n"
        f"more = dps.Scores(scores.values + added, 1, domain, {relation!r}, range_bound=1)\n"
        f'dps.plot.pmf_chart(scores, epsilon={epsilon}, mechanism="{NAME}", neighbour=more)'
    )


PAGE = Content(_fields, _view)
