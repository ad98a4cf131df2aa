"""Releases that somebody plans: what the library would spend for each, and what it says of the error.

Each is a query of a described dataset, whose price and error do not depend on rows: no row is read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpselect.dataset import Dataset
from dpselect.kernel.errors import InputError
from dpselect.kernel.format_exact import format_exact
from dpselect.ledger.composition import Terms
from dpselect.ledger.events import Event
from dpselect.ledger.recording import Spend
from dpselect.queries import Histogram, Median, MostCommon, Query, TopK, Train
from dpselect.queries.plan import plan_of
from dpselect.web.explorer.query_commands import shell_of

PERSON, _WHO = "person", "who"
# A tree of more classes would keep a user waiting.
_CLASSES = 10_000
_AGES = {"lower": 0, "upper": 120}


@dataclass(frozen=True)
class PlannedQuery:
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
    """The spend of one release, and the error that it states.

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
class QueryKind:
    """A kind of question.

    Attributes:
        words: in the list of kinds.
        label: of a row, where "{named}" and "{size}" are filled in.
        query: it, at an epsilon.
        dataset: what is public of the data.
        options: the same, after the name of a file, where it is filled in; the file is a description without any.
        python: the call, where what is public is filled in.
    """

    words: str
    label: str
    query: Callable[[PlannedQuery], Query[Any]]
    dataset: Callable[[PlannedQuery], Dataset]
    options: str
    python: str

    def label_of(self, planned: PlannedQuery) -> str:
        """Return what a row is called."""
        return self.label.format(size=f"{planned.size:,}", named=planned.named)

    def shell_of(self, planned: PlannedQuery, *more: str) -> str:
        """Return the command, with further options."""
        dataset, options = self.dataset(planned), self.options
        if options and dataset.person is not None:
            options += f" --person {dataset.person}"
        file = str(dataset.source or dataset.graph)
        place = file if options else file.replace(".csv", ".toml")
        return shell_of(self.query(planned), place, options.format(**_facts(planned)), *more)

    def python_of(self, planned: PlannedQuery) -> str:
        """Return the call, of ``people`` where it is about a table."""
        who = f', person="{_WHO}"' if planned.person else ""
        facts: dict[str, Any] = dict(_facts(planned))
        facts["domains"] = f'{{"age": (0, 120), "job": range({planned.size})}}'
        facts["columns"] = f'("age", "job", "{_WHO}")' if planned.person else '("age", "job")'
        return self.python.format(who=who, epsilon=format_exact(planned.epsilon), **facts)


@lru_cache(maxsize=256)
def price_of(planned: PlannedQuery, rule: str) -> Price:
    """Return what a release spends from a budget of this rule.

    Raises:
        ValueError, PrivacyError: as the library refuses it.
    """
    kind = KINDS[planned.kind]
    plan = plan_of(kind.query(planned), kind.dataset(planned), rule)
    return Price(plan.spends[0], plan.error_bound.describe())


def _facts(planned: PlannedQuery) -> dict[str, int]:
    return {"size": planned.size, "last": planned.size - 1, "named": planned.named}


def _people(planned: PlannedQuery, **columns: Any) -> Dataset:
    """Return a table of people with described columns."""
    return Dataset(source="people.csv", columns=columns, person=_WHO if planned.person else None)


def _names(planned: PlannedQuery) -> list[str]:
    return [*map(str, range(planned.size))]


def _classes(planned: PlannedQuery) -> Dataset:
    if planned.size > _CLASSES:
        raise InputError(
            f"A page plans trees of up to {_CLASSES:,} classes: take fewer, or ask dpselect train for a dry run, which "
            "takes the time that it needs."
        )
    return _people(planned, age=_AGES, job=_names(planned))


def _histogram_query(planned: PlannedQuery) -> Query[Any]:
    return Histogram("job", epsilon=planned.epsilon)


KINDS: dict[str, QueryKind] = {
    "number": QueryKind(
        "one number: how many rows have a value",
        "a number",
        _histogram_query,
        lambda planned: _people(planned, job=["nurse"]),
        "--domain nurse,",
        'dps.counts(people, epsilon={epsilon}, column="job", domain=["nurse"]{who}, ledger=ledger)',
    ),
    "counts": QueryKind(
        "counts of all values",
        "{size} counts",
        _histogram_query,
        lambda planned: _people(planned, job=_names(planned)),
        "--domain {size}",
        'dps.counts(people, epsilon={epsilon}, column="job", domain=range({size}){who}, ledger=ledger)',
    ),
    "median": QueryKind(
        "the median",
        "the median",
        lambda planned: Median("age", epsilon=planned.epsilon),
        lambda planned: _people(planned, age={"lower": 0, "upper": planned.size - 1}),
        "--lower 0 --upper {last}",
        'dps.median(people, column="age", lower=0, upper={last}, epsilon={epsilon}{who}, ledger=ledger)',
    ),
    "most-common": QueryKind(
        "the most common items",
        "the {named} most common of {size}",
        lambda planned: MostCommon("item", k=planned.named, epsilon=planned.epsilon),
        lambda planned: _people(planned, item=_names(planned)),
        "--domain {size}",
        'dps.most_common(people, {named}, epsilon={epsilon}, item="item"{who}, domain=range({size}), ledger=ledger)',
    ),
    "top-k": QueryKind(
        "top nodes of a graph by degree",
        "top {named} of {size} nodes",
        lambda planned: TopK("degree", k=planned.named, epsilon=planned.epsilon),
        lambda planned: Dataset(graph="friends.csv", nodes=planned.size),
        "--nodes {size}",
        'friends = dps.Graph.read("friends.csv", nodes={size})\n'
        "dps.top_k(dps.utilities.degree(friends), {named}, epsilon={epsilon}, ledger=ledger)",
    ),
    "tree": QueryKind(
        "a decision tree",
        "a tree for {size} classes",
        lambda planned: Train("job", model="tree", epsilon=planned.epsilon),
        _classes,
        "",
        "tree = dps.learn.DPTreeClassifier({epsilon}, domains={domains}{who}, ledger=ledger)\n"
        'tree.fit({{name: people[name] for name in {columns}}}, "job")',
    ),
}
