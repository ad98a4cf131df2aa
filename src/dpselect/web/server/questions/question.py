"""What every question has: a price, names that are looked up among public ones, and an answer."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from dpselect.kernel.budget import Accountant
from dpselect.release.release import Release
from dpselect.web.server.facts import DatasetFacts, Numbers
from dpselect.web.server.refusal import Wrong
from dpselect.web.server.rows import MadeUp, Table

# Exact sums of prices stay short: of any numbers, a few hundred odd ones would be too long for any ledger.
_PLACES = 10**6
_MOST = 1000
_DECIMAL = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,6})?")
# Deltas are far smaller.
_FINE = 10**15
_CHANCE = re.compile(r"0?\.[0-9]{1,15}")
NO_COLUMN = "This dataset has no such column of this kind: name one of its columns, and ask for one that is right."


def _price(value: Any) -> Fraction:
    """Return an epsilon with at most six decimals."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        exact = Fraction(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= _MOST:
        exact = Fraction(repr(value))
    else:
        exact = Fraction(0)
    if not 0 < exact <= _MOST or _PLACES % exact.denominator:
        raise ValueError(f"epsilon is a positive number of at most {_MOST} with at most six decimals.")
    return exact


def _shown(price: Fraction) -> str:
    whole, rest = divmod(int(price * _PLACES), _PLACES)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".")


def _delta(value: Any) -> Fraction:
    """Return a delta with at most fifteen decimals."""
    exact = Fraction(0)
    if isinstance(value, str) and _CHANCE.fullmatch(value):
        exact = Fraction(value)
    elif isinstance(value, float) and 0 < value < 1:
        exact = Fraction(repr(value))
    if not 0 < exact < 1 or _FINE % exact.denominator:
        raise ValueError("delta is a number above 0 and below 1 with at most fifteen decimals, such as 0.000001.")
    return exact


def _fine(delta: Fraction) -> str:
    return f"0.{int(delta * _FINE):015}".rstrip("0")


Price = Annotated[
    Fraction,
    BeforeValidator(_price),
    PlainSerializer(_shown, return_type=str),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": _MOST, "multipleOf": 0.000001}),
]
Delta = Annotated[
    Fraction,
    BeforeValidator(_delta),
    PlainSerializer(_fine, return_type=str),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 1e-15}),
]


def _writable(name: str) -> str:
    if not name.isprintable():
        raise ValueError("a name holds letters, digits and other signs that can be printed.")
    return name


# What an analyst calls a column.
ColumnName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_writable)]


class Data(Protocol):
    """Rows, true or made up."""

    def table(self, columns: Sequence[str]) -> Table:
        """Return the cells of some columns."""
        ...

    def graph(self) -> Any:
        """Return the graph."""
        ...


class Question(BaseModel, ABC):
    """What an analyst asks about one dataset.

    Attributes:
        epsilon: what it may cost in all: how much the answer may reveal of any one person or row. Less is more private,
            and less accurate.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    epsilon: Price

    @abstractmethod
    def require(self, facts: DatasetFacts, most: int) -> None:
        """Refuse what is not a question about a dataset, by its public facts alone.

        Args:
            facts: of the dataset.
            most: how many public candidates one question may have.

        Raises:
            Wrong: it is not.
        """

    @abstractmethod
    def ask(self, data: Data, facts: DatasetFacts, ledger: Accountant) -> Release[Any]:
        """Return the release that answers it; what it costs is spent from the ledger first."""

    def example(self, facts: DatasetFacts, ledger: Accountant) -> Release[Any]:
        """Return a release of made-up rows, which costs what one of the true rows does, from a ledger that notes it."""
        return self.ask(MadeUp(facts), facts, ledger)

    def attached(self, release: Release[Any]) -> dict[str, Any]:  # noqa: ARG002
        """Return what an answer has beside what its certificate says; released, like that."""
        return {}

    def is_long(self, facts: DatasetFacts) -> bool:  # noqa: ARG002
        """Return whether an answer may take many seconds, by public facts: such questions wait in a queue apart."""
        return False

    @abstractmethod
    def words(self) -> str:
        """Return the question in words, for a certificate."""

    @abstractmethod
    def public(self, facts: DatasetFacts) -> dict[str, Any]:
        """Return the public facts that readers of the answer need."""


def numbers(facts: DatasetFacts, column: str) -> Numbers:
    """Return the bounds of a column of numbers.

    Raises:
        Wrong: there is no such column.
    """
    domain = facts.columns.get(column)
    if not isinstance(domain, Numbers):
        raise Wrong(NO_COLUMN)
    return domain


def values(facts: DatasetFacts, column: str) -> tuple[Any, ...]:
    """Return the public values of a column.

    Raises:
        Wrong: there is no such column.
    """
    domain = facts.columns.get(column)
    if domain is None or isinstance(domain, Numbers):
        raise Wrong(NO_COLUMN)
    return domain


def require_few(candidates: int, most: int) -> None:
    """Refuse a question among too many public candidates (``Wrong``)."""
    if candidates > most:
        raise Wrong(f"This question has {candidates} public candidates and the server allows {most}: ask for fewer.")


def columns_of(facts: DatasetFacts, column: str, by: str | None) -> list[str]:
    """Return the columns that a question reads."""
    return [each for each in (column, by, facts.person) if each is not None]


def arguments(facts: DatasetFacts, by: str | None) -> dict[str, Any]:
    """Return what the library is told of groups and persons."""
    asked: dict[str, Any] = {} if by is None else {"by": by, "groups": [*values(facts, by)]}
    if facts.person is not None:
        asked |= {"person": facts.person, "rows_per_person": facts.rows_per_person}
    return asked


def known(facts: DatasetFacts, by: str | None) -> dict[str, Any]:
    """Return the public facts of groups and persons, for readers."""
    grouped = {} if by is None else {"groups": [*values(facts, by)]}
    return grouped | ({} if facts.person is None else {"rows per person": facts.rows_per_person})
