"""Formulas over statistics of a group: what they are, and how far each part of one moves when a statistic does.

Every part says two things of intervals: where its value lies when its own parts lie in theirs, and how far it moves
when they move by so much. Both enclose all that may happen and are isotone as they are computed; a part that does not
move at all has the step ``None``.

Proof: ``derived_sensitivity.md``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from dpselect.formulas import functions
from dpselect.formulas.interval import Interval
from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.numbers import exact_public

Step = Interval | None


class Differences(Protocol):
    """Enclosures of the parts of a formula before and after one row comes, and of their moves."""

    def before(self, part: Expression) -> Interval:
        """Return where a part lies without the row."""
        ...

    def after(self, part: Expression) -> Interval:
        """Return where it lies with the row."""
        ...

    def step(self, part: Expression) -> Step:
        """Return how far it moves, ``None`` where it does not."""
        ...


class Expression(ABC):
    """A formula over statistics: write it with + - * / and the functions of this module.

    >>> infected, patients = statistic("infected"), statistic("patients")
    >>> (infected + 1) / (patients + 10)
    (infected + 1) / (patients + 10)
    """

    parts: tuple[Expression, ...] = ()

    @abstractmethod
    def value(self, parts: Sequence[Interval]) -> Interval:
        """Return where the value lies, from where its parts do."""

    @abstractmethod
    def step(self, moves: Differences) -> Step:
        """Return how far it moves."""

    @abstractmethod
    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return the value in decimal arithmetic."""

    @abstractmethod
    def __repr__(self) -> str: ...

    def __add__(self, other: Expression | float | Fraction) -> Expression:
        return total(self, expression(other))

    __radd__ = __add__

    def __neg__(self) -> Expression:
        return scale(Fraction(-1), self)

    def __sub__(self, other: Expression | float | Fraction) -> Expression:
        return total(self, -expression(other))

    def __rsub__(self, other: Expression | float | Fraction) -> Expression:
        return total(expression(other), -self)

    def __mul__(self, other: Expression | float | Fraction) -> Expression:
        right = expression(other)
        for constant, rest in ((right, self), (self, right)):
            if isinstance(constant, Linear) and not constant.weights:
                return scale(constant.constant, rest)
        return Product(self, right)

    __rmul__ = __mul__

    def __truediv__(self, other: Expression | float | Fraction) -> Expression:
        right = expression(other)
        if isinstance(right, Linear) and not right.weights:
            if right.constant == 0:
                raise InputError("A formula does not divide by 0: write another number.")
            return scale(1 / right.constant, self)
        return Quotient(self, right)

    def __rtruediv__(self, other: Expression | float | Fraction) -> Expression:
        return expression(other) / self


@dataclass(frozen=True, repr=False)
class Linear(Expression):
    """A sum of statistics with exact weights, and an exact constant.

    Attributes:
        weights: names of statistics, in order, each with a weight other than 0.
        constant: what is added.
    """

    weights: tuple[tuple[str, Fraction], ...]
    constant: Fraction

    @classmethod
    def of(cls, weights: Mapping[str, Fraction], constant: Fraction) -> Linear:
        """Return the sum of weighted statistics."""
        return cls(tuple(sorted((name, each) for name, each in weights.items() if each)), constant)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Tables of known enclosures ask for it again and again.
        return hash((self.weights, self.constant))

    def value(self, parts: Sequence[Interval]) -> Interval:  # noqa: ARG002
        """Refuse: where statistics lie is known where rows are."""
        raise InputTypeError("A sum of statistics is read from counts.")

    def step(self, moves: Differences) -> Step:  # noqa: ARG002
        """Refuse: how far statistics move is known where rows are."""
        raise InputTypeError("A sum of statistics is read from counts.")

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return the sum; parts are the statistics in the order of the weights."""
        rational = [(each, part) for (_, each), part in zip(self.weights, parts, strict=True)]
        found = sum((part * each.numerator / each.denominator for each, part in rational), Decimal(0))
        return found + Decimal(self.constant.numerator) / self.constant.denominator

    def __repr__(self) -> str:
        terms = [name if each == 1 else f"{_number_text(each)} * {name}" for name, each in self.weights]
        terms += [_number_text(self.constant)] if self.constant or not terms else []
        return terms[0] if len(terms) == 1 else f"({' + '.join(terms)})"


class Unary(Expression):
    """A function of one part."""

    name = ""

    def __init__(self, part: Expression) -> None:
        self.parts = (part,)

    def step(self, moves: Differences) -> Step:
        """Return how far it moves."""
        (part,) = self.parts
        by = moves.step(part)
        return None if by is None else self.step_interval(moves.before(part), moves.after(part), by)

    @abstractmethod
    def step_interval(self, before: Interval, after: Interval, step: Interval) -> Interval:
        """Return how far it moves where its part does."""

    def __repr__(self) -> str:
        return f"{self.name}({self.parts[0]!r})"


class _Binary(Expression):
    """An operation of two parts."""

    sign = ""

    def __init__(self, first: Expression, second: Expression) -> None:
        self.parts = (first, second)

    def __repr__(self) -> str:
        return f"{self.parts[0]!r} {self.sign} {self.parts[1]!r}"


class ScaledExpression(Unary):
    """An exact number times a part."""

    def __init__(self, factor: Fraction, part: Expression) -> None:
        super().__init__(part)
        self.factor = factor

    def value(self, parts: Sequence[Interval]) -> Interval:
        """Return the product."""
        return parts[0].times(self.factor)

    def step_interval(self, before: Interval, after: Interval, step: Interval) -> Interval:  # noqa: ARG002
        """Return the product."""
        return step.times(self.factor)

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return the product."""
        return parts[0] * self.factor.numerator / self.factor.denominator

    def __repr__(self) -> str:
        return f"{_number_text(self.factor)} * ({self.parts[0]!r})"


class Sum(_Binary):
    """Two parts added up."""

    sign = "+"

    def value(self, parts: Sequence[Interval]) -> Interval:
        """Return the sum."""
        return parts[0] + parts[1]

    def step(self, moves: Differences) -> Step:
        """Return the sum of the steps."""
        one, other = (moves.step(part) for part in self.parts)
        if one is None or other is None:
            return other if one is None else one
        return one + other

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return the sum."""
        return parts[0] + parts[1]

    def __repr__(self) -> str:
        return f"({super().__repr__()})"


class Product(_Binary):
    """Two parts multiplied."""

    sign = "*"

    def value(self, parts: Sequence[Interval]) -> Interval:
        """Return the product."""
        return parts[0] * parts[1]

    def step(self, moves: Differences) -> Step:
        """Return a' b' - a b, as da b' + a db and as da b + a' db."""
        a, b = self.parts
        one, other = moves.step(a), moves.step(b)
        if one is None:
            return None if other is None else moves.before(a) * other
        if other is None:
            return one * moves.before(b)
        early = one * moves.after(b) + moves.before(a) * other
        return early.cut(one * moves.before(b) + moves.after(a) * other)

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return the product."""
        return parts[0] * parts[1]


class Quotient(_Binary):
    """A part divided by another that is above 0, whatever the rows are."""

    sign = "/"

    @property
    def is_of_sums(self) -> bool:
        """Return whether both parts are sums of statistics."""
        return all(isinstance(part, Linear) for part in self.parts)

    def value(self, parts: Sequence[Interval]) -> Interval:
        """Return the quotient."""
        return parts[0].over(parts[1])

    def step(self, moves: Differences) -> Step:
        """Return (da - q db) / b' and (da - q' db) / b, q and q' the quotients before and after."""
        a, b = self.parts
        one, other = moves.step(a), moves.step(b)
        if other is None:
            return None if one is None else one.over(moves.before(b))
        early, late = -(moves.before(self) * other), -(moves.after(self) * other)
        if one is not None:
            early, late = one + early, one + late
        return early.over(moves.after(b)).cut(late.over(moves.before(b)))

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return the quotient."""
        return parts[0] / parts[1]


class ZeroBasedQuotient(Quotient):
    """A ratio of sums that is 0 where both are 0: every row adds between 0 and a multiple of what divides."""

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return the quotient."""
        return parts[0] / parts[1] if parts[1] else Decimal(0)


class Parallel(_Binary):
    """a b / (a + b) of two parts that are 0 or more, and 0 at 0: half their harmonic mean.

    It grows with each of them by at most as much. (a - b)^2 / (a + b) is a + b - 4 parallel(a, b), and the Gini
    impurity of counts is a sum of these: quotients that would be loose become exact.
    """

    def value(self, parts: Sequence[Interval]) -> Interval:
        """Return it as 1 / (1 / a + 1 / b)."""
        return functions.parallel(*parts)

    def step(self, moves: Differences) -> Step:
        """Return the step of a, and then that of b beside the new a."""
        a, b = self.parts
        one, other = moves.step(a), moves.step(b)
        first = None if one is None else functions.parallel_step(moves.before(a), moves.after(a), one, moves.before(b))
        if other is None:
            return first
        second = functions.parallel_step(moves.before(b), moves.after(b), other, moves.after(a))
        return second if first is None else first + second

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return it."""
        both = parts[0] + parts[1]
        return parts[0] * parts[1] / both if both else Decimal(0)

    def __repr__(self) -> str:
        return f"parallel({self.parts[0]!r}, {self.parts[1]!r})"


class Largest(_Binary):
    """The larger of two parts."""

    def value(self, parts: Sequence[Interval]) -> Interval:
        """Return the larger."""
        return functions.larger(*parts)

    def step(self, moves: Differences) -> Step:
        """Return the step of whichever is larger before and after; of either, where that is not known."""
        a, b = self.parts
        one, other = moves.step(a), moves.step(b)
        if one is None and other is None:
            return None
        ends = [(moves.before(part), moves.after(part)) for part in (a, b)]
        return functions.larger_step(ends, one, other)

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return the larger."""
        return max(parts)

    def __repr__(self) -> str:
        return f"max({self.parts[0]!r}, {self.parts[1]!r})"


def statistic(name: str) -> Linear:
    """Return a statistic of a group by its name: a sum over rows."""
    return Linear.of({name: Fraction(1)}, Fraction(0))


def expression(value: Expression | float | Fraction) -> Expression:
    """Return a formula, or a finite number as one, a float by its text (``TypeError``, ``ValueError``: neither)."""
    return value if isinstance(value, Expression) else Linear((), exact_public(value, "a constant"))


def total(one: Expression, other: Expression) -> Expression:
    """Return the sum of two formulas: one sum of statistics, or one ratio of two by the same sum, where it is one."""
    ratios = [each for each in (one, other) if isinstance(each, Quotient) and each.is_of_sums]
    if len(ratios) == 2 and type(one) is type(other) and one.parts[1] == other.parts[1]:
        over = total(one.parts[0], other.parts[0])
        return over if over == expression(0) else type(ratios[0])(over, one.parts[1])
    if not isinstance(one, Linear) or not isinstance(other, Linear):
        return Sum(one, other)
    weights = dict(one.weights)
    for name, each in other.weights:
        weights[name] = weights.get(name, Fraction(0)) + each
    return Linear.of(weights, one.constant + other.constant)


def scale(factor: Fraction, part: Expression) -> Expression:
    """Return an exact number times a formula."""
    if isinstance(part, Linear):
        return Linear.of({name: factor * each for name, each in part.weights}, factor * part.constant)
    if isinstance(part, Quotient) and part.is_of_sums:
        return type(part)(scale(factor, part.parts[0]), part.parts[1])
    return part if factor == 1 else ScaledExpression(factor, part)


def parallel(a: Expression | float, b: Expression | float) -> Expression:
    """Return a b / (a + b), 0 at 0; a and b must be 0 or more whatever the rows are."""
    return Parallel(expression(a), expression(b))


def maximum(a: Expression | float, b: Expression | float) -> Expression:
    """Return the larger of two."""
    return Largest(expression(a), expression(b))


def minimum(a: Expression | float, b: Expression | float) -> Expression:
    """Return the smaller of two."""
    return -Largest(-expression(a), -expression(b))


def _number_text(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"
