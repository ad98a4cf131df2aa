"""Public facts of one dataset, as its curator declares them. Nothing here is learned from rows."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, PlainValidator, Tag, model_validator

from dpselect.dataset import Dataset
from dpselect.dataset.fields import KEYS
from dpselect.kernel.numbers import exact_delta, exact_epsilon, exact_public
from dpselect.ledger.accountant import Terms

# Names stand in addresses and in the names of files.
NAME = r"^[a-z0-9][a-z0-9_-]{0,62}$"
Name = Annotated[str, Field(pattern=NAME)]
_MOST_VALUES = 10**6


def _epsilon(value: Any) -> Fraction:
    try:
        return exact_epsilon(value)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _delta(value: Any) -> Fraction:
    try:
        return exact_delta(value)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _number(value: Any) -> Fraction:
    try:
        return exact_public(value, "a public number")
    except TypeError as error:
        raise ValueError(str(error)) from None


def _nodes(value: Any) -> int | tuple[str | int, ...]:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    listed = isinstance(value, (list, tuple)) and all(type(each) in (int, str) for each in value)
    if not listed or not value or len({*value}) != len(value):
        raise ValueError("nodes are a positive number, or a list of different names.")
    return tuple(value)


Nodes = Annotated[int | tuple[str | int, ...], PlainValidator(_nodes)]
Epsilon = Annotated[Fraction, BeforeValidator(_epsilon)]
Delta = Annotated[Fraction, BeforeValidator(_delta)]
Number = Annotated[Fraction, BeforeValidator(_number)]


def _plain(part: Any) -> Any:
    return dict(vars(part)) if isinstance(part, Facts) else part


def plain(number: Fraction) -> int | float:
    """Return a public number as people write it: an integer where it is one."""
    return int(number) if number.denominator == 1 else float(number)


class Facts(BaseModel):
    """What every part of the settings is: frozen, and without names that nobody knows."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Numbers(Facts):
    """A column of numbers.

    Attributes:
        lower, upper: its public bounds.
        step: how fine answers are; it divides the bounds.
    """

    lower: Number
    upper: Number
    step: Number = Fraction(1)

    @model_validator(mode="after")
    def _even(self) -> Numbers:
        if not (self.lower < self.upper and self.step > 0):
            raise ValueError("lower must be below upper, and step positive.")
        many = (self.upper - self.lower) / self.step
        if many.denominator != 1 or many > _MOST_VALUES:
            raise ValueError(f"step must divide the bounds into at most {_MOST_VALUES} whole steps.")
        return self

    @property
    def bounds(self) -> dict[str, int | float]:
        """Return lower, upper and step as the library takes them."""
        return {name: plain(getattr(self, name)) for name in ("lower", "upper", "step")}

    @property
    def values(self) -> int:
        """Return how many grid values there are."""
        return int((self.upper - self.lower) / self.step) + 1

    @property
    def grid(self) -> list[float]:
        """Return the grid values in order, each the nearest double."""
        below = lcm(self.lower.denominator, self.step.denominator)
        first, step = int(self.lower * below), int(self.step * below)
        return [(first + place * step) / below for place in range(self.values)]


Values = Annotated[tuple[str | int | float, ...], Field(min_length=1, max_length=_MOST_VALUES)]


def _kind(value: Any) -> str:
    return "values" if isinstance(value, (list, tuple)) else "numbers"


# A list of public values, or the bounds of numbers.
ColumnFacts = Annotated[Annotated[Values, Tag("values")] | Annotated[Numbers, Tag("numbers")], Discriminator(_kind)]


class Budget(Facts):
    """What a ledger allows in all; it never changes.

    Attributes:
        epsilon, delta: the most that may be spent.
        rule: what is added up, as for :meth:`dpselect.Ledger.open`.
    """

    epsilon: Epsilon
    delta: Delta = Fraction(0)
    rule: Literal["sum", "rho"] = "sum"


class DatasetFacts(Facts):
    """One dataset.

    Attributes:
        source: a table: a file, or a URL with its ``table``.
        graph: an edge file instead.
        separator, decimal, encoding, where, thousands: how a file of text is read, as for
            :meth:`dpselect.data.TableFile.of`.
        nodes: the public nodes of a graph: how many, or their names.
        ends: the columns of an edge file.
        columns: the public columns that may be asked about, with their domains.
        person: the column that tells persons apart; without one, rows are protected one by one.
        rows_per_person: how many rows of one person count.
        max_degree: the public bound on the degrees of a graph, where there is one.
        budget: the most that may ever be spent.
        ledger: where every spend is recorded, if not in the folder of ledgers.
        allowance: how much of it is released at first; all of it unless this is said.
        shares: how much of it each analyst may spend at first. Nobody else sees the dataset.
        about: a sentence for analysts.
    """

    source: str | None = None
    table: str | None = None
    graph: str | None = None
    separator: str | None = None
    decimal: str | None = None
    encoding: str = "utf-8"
    where: str | None = None
    thousands: str | None = None
    nodes: Nodes | None = None
    ends: tuple[str, str] = ("source", "target")
    columns: dict[str, ColumnFacts] = Field(default_factory=dict)
    person: str | None = None
    rows_per_person: Annotated[int, Field(ge=1)] = 1
    max_degree: Annotated[int, Field(ge=1)] | None = None
    budget: Budget
    ledger: str | None = None
    allowance: Epsilon | None = None
    shares: dict[Name, Epsilon] = Field(default_factory=dict)
    about: str = ""

    @model_validator(mode="after")
    def _one_kind(self) -> DatasetFacts:
        if (self.source is None) == (self.graph is None):
            raise ValueError("name a source, which is a table, or a graph: one of the two.")
        if self.graph is not None and self.nodes is None:
            raise ValueError("nodes are public and those with edges are not: say how many there are, or list them.")
        if self.graph is not None and (self.columns or self.person):
            raise ValueError("a graph has nodes and no columns or persons: leave those out.")
        if self.graph is None and not self.columns:
            raise ValueError("columns are missing: declare at least one with its bounds or values.")
        if self.graph is None and (self.nodes is not None or self.max_degree is not None):
            raise ValueError("nodes and max_degree go with a graph: leave them out.")
        if self.person is not None and self.person in self.columns:
            raise ValueError("the column that tells persons apart cannot be asked about: take it out of columns.")
        if self.person is None and self.rows_per_person != 1:
            raise ValueError("rows_per_person goes with person: name the column that tells persons apart.")
        if self.first_allowance > self.budget.epsilon:
            raise ValueError("allowance is above the budget: it may be raised up to that and no further.")
        # Terms that no ledger takes are refused here.
        self.terms("")
        return self

    @cached_property
    def description(self) -> Dataset:
        """Return the same facts as a description."""
        said = {name: value for name, value in vars(self).items() if name in self.model_fields_set and name in KEYS}
        for name in said.keys() & {"columns"}:
            said[name] = {column: _plain(domain) for column, domain in said[name].items()}
        return Dataset(**said | {"budget": _plain(self.budget), "about": self.about or None})

    @property
    def first_allowance(self) -> Fraction:
        """Return how much is released at first."""
        return self.budget.epsilon if self.allowance is None else self.allowance

    @property
    def neighbours(self) -> str:
        """Return what every release protects."""
        if self.graph is not None:
            return "edge"
        return "add-remove" if self.person is None else "person"

    def terms(self, dataset: str, epsilon: Fraction | None = None) -> Terms:
        """Return the terms of the ledger, or those of a smaller epsilon by the same rule."""
        most = self.budget.epsilon if epsilon is None else epsilon
        return Terms.of(most, self.budget.delta, self.neighbours, dataset, self.budget.rule)
