"""Parts of a description: domains of columns, weights of edges, limits of a budget, and what refuses them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from itertools import pairwise
from math import lcm
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from dpselect.kernel.errors import Advice, DPSelectError
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import exact_delta, exact_epsilon, exact_public, whole
from dpselect.ledger.composition import Terms
from dpselect.sources.periods import Periods, public_date
from dpselect.sources.public_names import PublicNames
from dpselect.sources.urls import is_url

Key = tuple[str, ...]
Part = TypeVar("Part")
# Grids are arithmetic on integers that doubles hold.
_EXACT = 2**53
_LONGEST = 300
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_QUOTIENT = re.compile(r"[+-]?[0-9]{1,300}/[0-9]{1,300}")


class DatasetError(DPSelectError, ValueError):
    """A description says something that cannot be used; the message is one sentence with what to do.

    Attributes:
        key: where it is said, such as ``("columns", "income", "lower")``; empty for the whole.
        reason: the sentence without the place.
    """

    def __init__(self, key: Key, reason: str, place: str = "") -> None:
        self.key, self.reason = key, reason
        # Advice is a sentence of its own where no key stands before it.
        said = f"{reason[:1].lower()}{reason[1:]}" if isinstance(reason, Advice) else reason
        super().__init__(f"{place}{'.'.join(key)}: {said}" if key else f"{place}{reason}")


@dataclass(frozen=True)
class NumericDomain:
    """Bounds of a column of numbers, and how fine answers about it are; exact, and public.

    Attributes:
        lower, upper: the bounds; what lies outside counts as the nearest of them.
        step: how fine answers are; it divides the bounds.
        edges: of bins, for histograms and models, from the lower bound to the upper one; without them bins are even.

    Raises:
        DatasetError: not such numbers.

    >>> NumericDomain(0, 1, 0.1).step
    Fraction(1, 10)
    """

    lower: Fraction
    upper: Fraction
    step: Fraction = Fraction(1)
    edges: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "step"):
            object.__setattr__(self, name, exact((name,), getattr(self, name)))
        if not self.lower < self.upper:
            raise DatasetError(("lower",), "lower must be below upper: write the public bounds of the column.")
        if self.step <= 0 or ((self.upper - self.lower) / self.step).denominator != 1:
            raise DatasetError(("step",), "step must be positive and divide the bounds evenly: write another.")
        object.__setattr__(self, "edges", self._edges())
        over = lcm(self.lower.denominator, self.step.denominator)
        if max(abs(self.lower * over), abs(self.upper * over), Fraction(over)) > _EXACT:
            raise DatasetError(("step",), "step is so fine that doubles cannot hold the values: write a larger one.")

    @property
    def bounds(self) -> tuple[float, float]:
        """Return both bounds as estimators take them, as integers where they are whole."""
        lower, upper = (int(each) if each.denominator == 1 else float(each) for each in (self.lower, self.upper))
        return lower, upper

    def _edges(self) -> tuple[Fraction, ...]:
        if not isinstance(self.edges, (list, tuple)):
            raise DatasetError(("edges",), "edges are a list of numbers: write one such as [0, 18, 65, 120].")
        edges = tuple(exact(("edges",), each) for each in self.edges)
        rising = all(one < other for one, other in pairwise(edges))
        if edges and not (rising and (edges[0], edges[-1]) == (self.lower, self.upper)):
            raise DatasetError(("edges",), "edges rise from lower to upper: write both, and those between in order.")
        return edges


@dataclass(frozen=True)
class DateDomain:
    """Bounds of a column of dates, and how fine answers about it are; public.

    Attributes:
        lower, upper: dates, or text such as ``"2025-12-31"``; what lies outside counts as the nearest of them.
        step: ``"day"``, ``"week"``, ``"month"``, ``"quarter"`` or ``"year"``: how fine answers are.

    Raises:
        DatasetError: not such dates.

    >>> DateDomain("2025-01-01", "2025-12-31", "quarter").periods.names[0]
    '2025-Q1'
    """

    lower: date
    upper: date
    step: str = "day"

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            with refusal((name,)):
                object.__setattr__(self, name, public_date(name, getattr(self, name)))
        with refusal(("step",)):
            _ = self.periods

    @property
    def periods(self) -> Periods:
        """Return the days, weeks, months, quarters or years between the bounds."""
        return Periods.between(self.lower, self.upper, self.step)


@dataclass(frozen=True)
class WeightColumn:
    """Weights of the edges of a graph.

    Attributes:
        column: the column or attribute that holds them; ``weight`` where they have no name, as the third field of a
            line.
        cap: public: what one pair of nodes weighs at most.
        kind: ``"real"`` or ``"integer"``, as for :class:`dpselect.data.WeightedGraph`.
    """

    column: str
    cap: Fraction
    kind: str = "real"

    def __post_init__(self) -> None:
        text(("column",), self.column)
        object.__setattr__(self, "cap", exact(("cap",), self.cap))
        if self.cap <= 0:
            raise DatasetError(("cap",), "cap must be positive: write what one pair of nodes weighs at most.")
        if self.kind not in ("integer", "real"):
            raise DatasetError(("kind",), 'kind is "integer" or "real": write one of the two.')


@dataclass(frozen=True)
class BudgetLimits:
    """A total that never changes, of what may be spent.

    Attributes:
        epsilon, delta: the most that may be spent.
        rule: what is added up, as for :meth:`dpselect.Ledger.open`.
        ledger: where every spend is recorded: a file, or a ledger in PostgreSQL.
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    rule: str = "sum"
    ledger: str | None = None

    def __post_init__(self) -> None:
        for name, read in (("epsilon", exact_epsilon), ("delta", exact_delta)):
            number = exact((name,), getattr(self, name))
            with refusal((name,)):
                object.__setattr__(self, name, read(number))
        if self.ledger is not None:
            text(("ledger",), self.ledger)
        with refusal(("rule",)):
            self.terms(Neighbours.ADD_REMOVE)

    def terms(self, neighbours: Neighbours) -> Terms:
        """Return the terms of a ledger; the data are called as its file is, whatever they are kept in."""
        name = "" if self.ledger is None or is_url(self.ledger) else Path(self.ledger).stem
        return Terms.of(self.epsilon, self.delta, neighbours, name, self.rule)


# Of a column of names that no public list holds.
UNLISTED: Final = "unlisted"
# A list of public values, the bounds of numbers or dates, or neither.
ColumnDomain = NumericDomain | DateDomain | tuple[Any, ...] | Literal["unlisted"]


@contextmanager
def refusal(key: Key) -> Iterator[None]:
    """Make of whatever is refused inside the refusal of a key."""
    try:
        yield
    except DatasetError as error:
        raise DatasetError((*key, *error.key), error.reason) from None
    except (TypeError, ValueError) as error:
        if error.args and isinstance(error.args[0], Advice):
            raise DatasetError(key, error.args[0]) from None
        reason = str(error).removeprefix(f"{key[-1]}: ")
        raise DatasetError(key, reason[:1].lower() + reason[1:]) from None


def exact(key: Key, value: Any) -> Fraction:
    """Return a public number exactly as it is written; text may be a quotient, such as ``"1/3"``."""
    if isinstance(value, str) and _QUOTIENT.fullmatch(value) and int(value.partition("/")[2]):
        value = Fraction(value)
    if isinstance(value, Decimal):
        short = value.is_finite() and max(abs(value.adjusted()), -int(value.as_tuple().exponent)) <= _LONGEST
        value = Fraction(value) if short else None
    try:
        number = exact_public(value, key[-1])
    except TypeError:
        raise DatasetError(key, "this must be a finite number, such as 0.5: write one.") from None
    if number and not Fraction(1, 10**_LONGEST) <= abs(number) <= 10**_LONGEST:
        raise DatasetError(key, "this must be between 10^-300 and 10^300: write another number.")
    return number


def text(key: Key, value: Any) -> str:
    """Return a text that a file can hold and that is not empty."""
    try:
        if isinstance(value, str) and value.strip() and "\0" not in value and value.encode():
            return value
    except UnicodeEncodeError:
        pass
    raise DatasetError(key, 'this must be text that is not empty: write it in quotes, such as "name".')


def texts(name: str, values: Any) -> tuple[str, ...]:
    """Return a list of text that is not empty, or raise with its key to blame."""
    if not isinstance(values, (list, tuple)):
        raise DatasetError((name,), 'this is a list of text: write ["a", "b"].')
    return tuple(text((name,), each) for each in values)


def plain(value: Any) -> Any:
    """Return a value as mappings, lists and exact numbers."""
    if is_dataclass(value) and not isinstance(value, type):
        said = {each.name: getattr(value, each.name) for each in fields(value)}
        return {name: plain(each) for name, each in said.items() if each not in (None, ())}
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return list(value) if isinstance(value, tuple) else value


def at_least_one(key: Key, value: Any, meaning: str) -> int:
    """Return a public number of things."""
    with refusal(key):
        return whole(value, key[-1], meaning)


def part_of(key: Key, kind: type[Part], value: Any) -> Part:
    """Return a part that a mapping of its fields describes; one that is made already stays as it is."""
    if isinstance(value, kind):
        return value
    names = [each.name for each in fields(kind)]  # type: ignore[arg-type]
    form = f"write {{{', '.join(f'{name} = ...' for name in names)}}}"
    if not isinstance(value, Mapping):
        raise DatasetError(key, f"this must be a table: {form}.")
    require_known(key, value, names)
    for each in fields(kind):  # type: ignore[arg-type]
        if each.default is MISSING and each.name not in value:
            raise DatasetError(key, f"{each.name} is missing: {form}.")
    with refusal(key):
        return kind(**value)


def require_known(key: Key, there: Collection[str], known: Collection[str]) -> None:
    """Refuse an unknown key, and name the one that is meant."""
    for name in there:
        if name not in known:
            near = get_close_matches(str(name).lower(), known, 1, 0.6)
            advice = f"did you mean {near[0]}?" if near else f"write one of {', '.join(known)}, or delete it."
            raise DatasetError((*key, str(name)), f"this key does not exist: {advice}")


def _is_date(value: Any) -> bool:
    """Return whether a bound is written as a date."""
    return isinstance(value, date) or (isinstance(value, str) and bool(_DATE.fullmatch(value)))


def domain_of(key: Key, value: Any) -> ColumnDomain:
    """Return the public domain of a column: a list of its values, or the bounds of its numbers."""
    if isinstance(value, Mapping) and any(_is_date(value.get(name)) for name in ("lower", "upper")):
        return part_of(key, DateDomain, value)
    if isinstance(value, DateDomain):
        return value
    if isinstance(value, (NumericDomain, Mapping)):
        return part_of(key, NumericDomain, value)
    if isinstance(value, str) and value == UNLISTED:
        return UNLISTED
    if not isinstance(value, (list, tuple)):
        raise DatasetError(
            key,
            'a column is {lower = ..., upper = ..., step = ...}, a list of values, ["a", "b"], or "unlisted": write '
            "one of them.",
        )
    listed = tuple(float(each) if isinstance(each, Decimal) else each for each in value)
    for each in listed:
        if isinstance(each, str) and each:
            text(key, each)
        elif not isinstance(each, (str, int, float)):
            raise DatasetError(key, "a list holds text, numbers and truth values: write dates in quotes.")
    if len(listed) == 2 and all(type(each) in (int, float) for each in listed) and listed[0] + 1 < listed[1]:
        low, high = listed
        raise DatasetError(
            key,
            f"a list of two numbers is two values: write {{lower = {low}, upper = {high}}} for all between, or "
            f"[{high}, {low}] for these two alone.",
        )
    with refusal(key):
        PublicNames.of(listed, "a list of values")
    return listed
