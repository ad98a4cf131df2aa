"""Releases that somebody plans: what the library would spend for each, and what it says of the error.

Nothing is drawn: a release is asked of a synthetic table, from a budget that stops it at its spend, which comes first.
What it costs and promises does not depend on rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dpselect import utilities
from dpselect.kernel.budget import Accountant
from dpselect.kernel.written import written
from dpselect.ledger.accountant import Terms
from dpselect.ledger.events import Event
from dpselect.ledger.recording import RecordingAccountant, Spend, price
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.mechanisms.named import require_mechanism
from dpselect.mechanisms.worst_case import error_bound_of
from dpselect.release.by_group import UNIT, error_bound_of_group
from dpselect.release.counts import counts, error_bound_of_counts, promised
from dpselect.release.median import median
from dpselect.release.most_common import most_common
from dpselect.release.one_shot import PEELING, method_of
from dpselect.release.questions import question
from dpselect.release.select import top_k
from dpselect.scores.scores import Scores
from dpselect.views.contributions import Contributions
from dpselect.views.synthetic import synthetic_graph, synthetic_table

PERSON, _WHO = "person", "who"
# A tree of more classes would keep a visitor waiting.
_CLASSES = 10_000
_PERMUTE = "permute-and-flip"


@dataclass(frozen=True)
class Planned:
    """One question of a plan. All of it is public.

    Attributes:
        kind: what is asked, one of ``KINDS``.
        size: how many values, items, nodes or classes there are.
        named: how many are named.
        epsilon: of one release.
        neighbours: whom it protects where the question leaves a choice: ``"add-remove"`` or ``"person"``.
    """

    kind: str
    size: int
    named: int
    epsilon: Fraction
    neighbours: str

    @property
    def person(self) -> bool:
        """Return whether persons are protected with all of their rows."""
        return self.neighbours == PERSON


@dataclass(frozen=True)
class Price:
    """What one release would spend, and what it says of its error.

    Attributes:
        spend: what the ledger would record.
        line: how wrong it may be, whatever the data, or why that is not known.
    """

    spend: Spend
    line: str

    def event(self, terms: Terms, times: int = 1) -> Event:
        """Return what a budget of these terms would record."""
        return replace(self.spend, count=self.spend.count * times).event(terms.dataset)


@dataclass(frozen=True)
class Kind:
    """A kind of question.

    Attributes:
        words: in the list of kinds.
        label: of a row, where "{named}" and "{size}" are filled in.
        ask: ask the question of a made-up table, paid from a budget.
        error_bound: what it says of its error.
        shell, python: the command and the call, where what is public is filled in.
    """

    words: str
    label: str
    ask: Callable[[Planned, Accountant], None]
    bound: Callable[[Planned, Accountant], ErrorBound]
    shell: str
    python: str

    def label_of(self, planned: Planned) -> str:
        """Return what a row is called."""
        return self.label.format(size=f"{planned.size:,}", named=planned.named)

    def shell_of(self, planned: Planned) -> str:
        """Return the command without dpselect and without a ledger."""
        person = f" --person {_WHO}" if planned.person else ""
        words = self.shell.format(size=planned.size, last=planned.size - 1, named=planned.named, person=person)
        return f"{words} --epsilon {written(planned.epsilon)}"

    def python_of(self, planned: Planned) -> str:
        """Return the call, of ``people`` where it is about a table."""
        who = f', person="{_WHO}"' if planned.person else ""
        facts: dict[str, Any] = {"size": planned.size, "last": planned.size - 1, "named": planned.named}
        facts["domains"] = f'{{"age": (0, 120), "job": range({planned.size})}}'
        facts["columns"] = f'("age", "job", "{_WHO}")' if planned.person else '("age", "job")'
        return self.python.format(who=who, epsilon=written(planned.epsilon), **facts)


@lru_cache(maxsize=256)
def priced(planned: Planned, rule: str) -> Price:
    """Return what a release spends from a budget of this rule.

    Raises:
        ValueError, PrivacyError: as the library refuses it.
    """
    kind = KINDS[planned.kind]
    bound = kind.bound(planned, RecordingAccountant(rule))
    return Price(price(lambda book: kind.ask(planned, book), rule), bound.describe())


def _table(planned: Planned, *columns: str) -> dict[str, list[int]]:
    domains: dict[str, Any] = dict.fromkeys(columns, range(planned.size))
    return synthetic_table(domains | ({_WHO: None} if planned.person else {}))


def _who(planned: Planned) -> str | None:
    return _WHO if planned.person else None


def _ask_counts(planned: Planned, book: Accountant) -> None:
    table, cells = _table(planned, "job"), range(planned.size)
    counts(table, epsilon=planned.epsilon, column="job", domain=cells, person=_who(planned), ledger=book)


def _counts_bound(planned: Planned, _: Accountant) -> ErrorBound:
    return error_bound_of_counts(*promised(planned.epsilon, _who(planned), None), planned.size)


def _ask_median(planned: Planned, book: Accountant) -> None:
    table, upper = _table(planned, "age"), planned.size - 1
    person = _who(planned)
    median(table, column="age", lower=0, upper=upper, epsilon=planned.epsilon, person=person, ledger=book)  # type: ignore[call-overload]


def _median_bound(planned: Planned, _: Accountant) -> ErrorBound:
    mechanism, grid = require_mechanism(_PERMUTE), np.arange(planned.size, dtype=np.float64)
    rows = Contributions.of(None, None, [] if planned.person else None, None)
    if rows is not None:
        return error_bound_of_group(grid, Fraction(1, 2), planned.epsilon, mechanism, rows)
    scores = utilities.median([], grid=grid)
    return replace(error_bound_of(scores, 1, planned.epsilon, mechanism, PEELING), unit=UNIT)


def _items(planned: Planned) -> Scores:
    """Return how many persons, or rows, have each item: none."""
    return utilities.popularity(_table(planned, "item"), item="item", person=_who(planned), domain=range(planned.size))


def _ask_items(planned: Planned, book: Accountant) -> None:
    table, items = _table(planned, "item"), range(planned.size)
    most_common(
        table, planned.named, epsilon=planned.epsilon, item="item", person=_who(planned), domain=items, ledger=book
    )


def _nodes(planned: Planned) -> Scores:
    """Return the degrees of a graph without edges."""
    return utilities.degree(synthetic_graph(planned.size))


def _ask_nodes(planned: Planned, book: Accountant) -> None:
    top_k(_nodes(planned), planned.named, epsilon=planned.epsilon, ledger=book)


def _list_bound(scores: Scores, planned: Planned, book: Accountant, unit: str) -> ErrorBound:
    """Return what a list says, which permute-and-flip draws as the budget's rule has it."""
    mechanism = require_mechanism(_PERMUTE)
    asked = question(scores, planned.epsilon / planned.named, mechanism)
    method = method_of(asked, planned.named, None, book)
    return replace(error_bound_of(scores, planned.named, planned.epsilon, mechanism, method), unit=unit)


def _items_bound(planned: Planned, book: Accountant) -> ErrorBound:
    return _list_bound(_items(planned), planned, book, "persons" if planned.person else "records")


def _nodes_bound(planned: Planned, book: Accountant) -> ErrorBound:
    return _list_bound(_nodes(planned), planned, book, "neighbours")


def _tree(planned: Planned, book: Accountant | None) -> Any:
    from dpselect.learn.default import DPTreeClassifier

    if planned.size > _CLASSES:
        raise ValueError(
            f"A page plans trees of up to {_CLASSES:,} classes: take fewer, or ask dpselect plan, which takes the time "
            "that it needs."
        )

    domains = {"age": (0, 120), "job": list(range(planned.size))}
    return DPTreeClassifier(planned.epsilon, domains=domains, person=_who(planned), ledger=book)


def _ask_tree(planned: Planned, book: Accountant) -> None:
    _tree(planned, book).fit(_table(planned, "age", "job"), "job")


def _tree_bound(planned: Planned, _: Accountant) -> ErrorBound:
    bound: ErrorBound = _tree(planned, None).error_bound_for(planned.size)
    return bound


KINDS: dict[str, Kind] = {
    "number": Kind(
        "one number: how many rows have a value",
        "a number",
        _ask_counts,
        _counts_bound,
        "counts people.csv --column job --domain nurse,{person}",
        'dps.counts(people, epsilon={epsilon}, column="job", domain=["nurse"]{who}, ledger=ledger)',
    ),
    "counts": Kind(
        "counts of all values",
        "{size} counts",
        _ask_counts,
        _counts_bound,
        "counts people.csv --column job --domain {size}{person}",
        'dps.counts(people, epsilon={epsilon}, column="job", domain=range({size}){who}, ledger=ledger)',
    ),
    "median": Kind(
        "the median",
        "the median",
        _ask_median,
        _median_bound,
        "median people.csv --column age --lower 0 --upper {last}{person}",
        'dps.median(people, column="age", lower=0, upper={last}, epsilon={epsilon}{who}, ledger=ledger)',
    ),
    "most-common": Kind(
        "the most common items",
        "the {named} most common of {size}",
        _ask_items,
        _items_bound,
        "most-common people.csv{person} --item item --domain {size} --k {named}",
        'dps.most_common(people, {named}, epsilon={epsilon}, item="item"{who}, domain=range({size}), ledger=ledger)',
    ),
    "top-k": Kind(
        "top nodes of a graph by degree",
        "top {named} of {size} nodes",
        _ask_nodes,
        _nodes_bound,
        "top-k friends.csv --nodes {size} --metric degree --k {named}",
        'friends = dps.Graph.read("friends.csv", nodes={size})\n'
        "dps.top_k(dps.utilities.degree(friends), {named}, epsilon={epsilon}, ledger=ledger)",
    ),
    "tree": Kind(
        "a decision tree",
        "a tree for {size} classes",
        _ask_tree,
        _tree_bound,
        "train people.csv --target job --domains domains.toml --out model.json{person}",
        "tree = dps.learn.DPTreeClassifier({epsilon}, domains={domains}{who}, ledger=ledger)\n"
        'tree.fit({{name: people[name] for name in {columns}}}, "job")',
    ),
}
