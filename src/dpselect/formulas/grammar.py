"""Scores of groups as text, such as ``avg(stars)`` or ``count(infected = 'yes') / (count() + 10)``.

A small grammar of its own reads them: nothing is evaluated, and a text is short and not deep. Statistics are sums over
the rows of a group: ``count()``, ``count(column = value)``, ``sum(column)``; ``avg(column)`` and ``rate(condition)``
are ratios of those with a prior. ``overall(..)`` takes the rows of all groups.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dpselect.formulas import elementary
from dpselect.formulas import expression as e
from dpselect.formulas.derived_sensitivity import FormulaError
from dpselect.kernel.errors import Advice, InputError

MOST_LETTERS, _DEEPEST, _MOST_PARTS = 500, 24, 1000
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?)|(?P<quoted>'(?:[^']|'')*')|"
    r'(?P<column>"(?:[^"]|"")+")|(?P<name>[^\W\d]\w*)|(?P<sign><=|>=|!=|<>|==|[-+*/(),<>=]))'
)
_PRIOR = re.compile(r"(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}):(-?(?:\d{1,12}(?:\.\d{1,9})?|\.\d{1,9}))", re.ASCII)
_FUNCTIONS: dict[str, tuple[int, Callable[..., e.Expression]]] = {
    "square": (1, elementary.square),
    "sqrt": (1, elementary.sqrt),
    "log": (1, elementary.log),
    "xlogx": (1, elementary.xlogx),
    "abs": (1, elementary.absolute),
    "min": (2, e.minimum),
    "max": (2, e.maximum),
    "parallel": (2, e.parallel),
    "clip": (3, elementary.clip),
}
_STATISTICS = ("count", "sum", "avg", "rate", "overall")
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SPELLINGS = {"==": "=", "<>": "!="}


@dataclass(frozen=True)
class RowCondition:
    """Condition that a row fulfils to be counted.

    Attributes:
        column: whose cell is compared.
        sign: ``=``, ``!=``, ``<``, ``<=``, ``>`` or ``>=``.
        value: with which text or number.
    """

    column: str
    sign: str
    value: str | Fraction

    def holds(self, cell: Any) -> Any:
        """Return whether a cell, or each of an array, fulfils it."""
        return _COMPARISONS[self.sign](cell, self.value)

    def __str__(self) -> str:
        value = _quote(self.value, "'") if isinstance(self.value, str) else _number(self.value)
        return f"{_column_text(self.column)} {self.sign} {value}"


@dataclass(frozen=True)
class GroupSum:
    """One sum over rows.

    Attributes:
        column: which is added up; ``None`` to count rows.
        condition: of rows that count.
        overall: whether rows of all groups do.
    """

    column: str | None = None
    condition: RowCondition | None = None
    overall: bool = False

    @property
    def reads(self) -> str | None:
        """Return the column that it reads; ``None`` for all rows."""
        return self.column if self.condition is None else self.condition.column

    def __str__(self) -> str:
        sum_of = f"sum({_column_text(self.column)})" if self.column is not None else f"count({self.condition or ''})"
        return f"overall({sum_of})" if self.overall else sum_of


@dataclass(frozen=True)
class Prior:
    """Rows that every ratio is given beside those of its group.

    Attributes:
        rows: how many, above 0.
        value: of each.
    """

    rows: Fraction
    value: Fraction

    @classmethod
    def parse(cls, text: Any) -> Prior:
        """Return the prior that ``5:3`` means: five rows of 3.

        Raises:
            ValueError: not two numbers with a colon, or no rows.
        """
        if isinstance(text, Prior):
            return text
        match = _PRIOR.fullmatch(str(text))
        if match is None or Fraction(match[1]) <= 0:
            raise InputError("a prior is a number of rows and the value of each, such as 5:3 or 20:0.1.")
        return cls(Fraction(match[1]), Fraction(match[2]))

    def __str__(self) -> str:
        return f"{_number(self.rows)}:{_number(self.value)}"


@dataclass(frozen=True)
class GroupScore:
    """A score of groups that was read from text.

    Attributes:
        formula: over the names of its sums.
        sums: these sums, by their names.
        ratios: what its averages and rates add up: a column, or rows that fulfil a condition.
    """

    formula: e.Expression
    sums: dict[str, GroupSum]
    ratios: tuple[GroupSum, ...]


def group_score(text: str, prior: Prior | None = None, *, has_minimum: bool = False) -> GroupScore:
    """Return the score that a text means.

    Args:
        text: of at most 500 letters.
        prior: what averages and rates are given.
        has_minimum: whether groups have a minimum size, so that averages and rates need no prior.

    Raises:
        FormulaError: it is not such a score, or it has an average or a rate and neither prior nor minimum size.

    >>> group_score("avg(stars)", Prior.parse("5:3")).formula
    (sum(stars) + 15) / (count() + 5)
    """
    return _Reader(text, prior, has_minimum=has_minimum).score()


class _Reader:
    """Reads one text, from its start to its end."""

    def __init__(self, text: str, prior: Prior | None, *, has_minimum: bool) -> None:
        if not isinstance(text, str) or not 0 < len(text) <= MOST_LETTERS:
            raise FormulaError(f"A score is a text of 1 to {MOST_LETTERS} letters, such as avg(stars).")
        self._tokens, self._prior, self._has_minimum = _tokens(text), prior, has_minimum
        self._place, self._depth, self._overall = 0, 0, False
        self._sums: dict[str, GroupSum] = {}
        self._ratios: list[GroupSum] = []

    def score(self) -> GroupScore:
        """Return the whole score."""
        formula = self._sum()
        if self._next() is not None:
            raise FormulaError(
                f"The score goes on where it should end, at {self._token_text()}: write an operator before it."
            )
        if _many_parts(formula, {}) > _MOST_PARTS:
            raise FormulaError(
                f"The score has more than {_MOST_PARTS} parts, of which abs doubles its own: nest it less."
            )
        return GroupScore(formula, self._sums, tuple(self._ratios))

    def _sum(self) -> e.Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise FormulaError(f"The score is more than {_DEEPEST} brackets deep: write a simpler one.")
        found = self._product()
        while (sign := self._take("+", "-")) is not None:
            found = found + self._product() if sign == "+" else found - self._product()
        self._depth -= 1
        return found

    def _product(self) -> e.Expression:
        found = self._factor()
        while (sign := self._take("*", "/")) is not None:
            other = self._factor()
            if sign == "*":
                found = found * other
                continue
            try:
                found = found / other
            except ValueError as error:
                raise FormulaError(str(error)) from None
        return found

    def _factor(self) -> e.Expression:
        signs = 0
        while self._take("-") is not None:
            signs += 1
        found = self._atom()
        return -found if signs % 2 else found

    def _atom(self) -> e.Expression:
        token = self._next()
        if token is not None and token[0] == "number":
            self._place += 1
            return e.expression(Fraction(token[1]))
        if self._take("(") is not None:
            found = self._sum()
            self._require(")")
            return found
        if token is None or token[0] != "name":
            raise FormulaError(
                f"The score has {self._token_text()} where a number or a statistic such as count() or avg(stars) "
                f"belongs."
            )
        self._place += 1
        name = token[1].lower()
        if name not in _FUNCTIONS and name not in _STATISTICS:
            raise FormulaError(f"A score has no {token[1]}: write {', '.join([*_STATISTICS, *_FUNCTIONS])}.")
        self._require("(")
        found = self._statistic(name) if name in _STATISTICS else self._function(name)
        self._require(")")
        return found

    def _function(self, name: str) -> e.Expression:
        many, function = _FUNCTIONS[name]
        parts = [self._sum()]
        while self._take(",") is not None:
            parts.append(self._sum())
        if len(parts) != many:
            raise FormulaError(f"{name} takes {many} number{'s' if many > 1 else ''}: write as many.")
        if name != "clip":
            return function(*parts)
        low, high = parts[1:]
        if not (isinstance(low, e.Linear) and isinstance(high, e.Linear)) or low.weights or high.weights:
            raise FormulaError("The bounds of clip are numbers: write clip(.., 0, 1).")
        try:
            return function(parts[0], low.constant, high.constant)
        except ValueError as error:
            raise FormulaError(str(error)) from None

    def _statistic(self, name: str) -> e.Expression:
        if name == "overall":
            if self._overall:
                raise FormulaError("overall is within another: leave one out.")
            self._overall = True
            found = self._sum()
            self._overall = False
            return found
        if name == "count":
            ends = self._next() == ("sign", ")")
            return self._sum_of(GroupSum(condition=None if ends else self._condition(), overall=self._overall))
        if name == "rate":
            return self._ratio(GroupSum(condition=self._condition(), overall=self._overall))
        of = GroupSum(self._column(), overall=self._overall)
        if self._next() not in (None, ("sign", ")")):
            raise FormulaError(
                f"{name} takes the name of one column: for what is computed of each row, such as the square of a "
                "price, add a column to the table and describe it."
            )
        return self._sum_of(of) if name == "sum" else self._ratio(of)

    def _ratio(self, of: GroupSum) -> e.Expression:
        self._ratios.append(of)
        whole = self._sum_of(GroupSum(overall=of.overall))
        if self._prior is None and self._has_minimum:
            return self._sum_of(of) / whole
        if self._prior is None:
            raise FormulaError(
                Advice(
                    "An average or a rate of few rows says little, and one of none nothing: give a prior, such as 20:3 "
                    "for twenty more rows of 3 in every group, or a minimum size, {min_rows=20|--min-rows 20}; about "
                    "as many rows as would convince you."
                )
            )
        return (self._sum_of(of) + self._prior.rows * self._prior.value) / (whole + self._prior.rows)

    def _sum_of(self, found: GroupSum) -> e.Linear:
        self._sums[str(found)] = found
        return e.statistic(str(found))

    def _condition(self) -> RowCondition:
        found = self._comparison()
        following = self._next()
        if following is not None and following[0] == "name":
            raise FormulaError(
                "A condition within a score compares one column once: for two at once, add a column to the table that "
                "says both, such as 'treated yes'."
            )
        return found

    def _comparison(self) -> RowCondition:
        column = self._column()
        sign = self._take(*_COMPARISONS, *_SPELLINGS)
        token = self._next()
        below = self._take("-") is not None
        token = self._next() if below else token
        if sign is None or token is None or token[0] not in ("number", "quoted", "name"):
            raise FormulaError("A condition compares a column with a value: write count(infected = 'yes').")
        self._place += 1
        sign = _SPELLINGS.get(sign, sign)
        if token[0] == "number":
            return RowCondition(column, sign, -Fraction(token[1]) if below else Fraction(token[1]))
        if sign not in ("=", "!=") or below:
            raise FormulaError("Texts are compared by = and != alone: write numbers for the others.")
        value = token[1][1:-1].replace("''", "'") if token[0] == "quoted" else token[1]
        return RowCondition(column, sign, value)

    def _column(self) -> str:
        token = self._next()
        if token is None or token[0] not in ("name", "column"):
            raise FormulaError(
                f"The score has {self._token_text()} where the name of a column belongs: write avg(stars)."
            )
        self._place += 1
        return token[1] if token[0] == "name" else token[1][1:-1].replace('""', '"')

    def _next(self) -> tuple[str, str] | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _token_text(self) -> str:
        token = self._next()
        return "its end" if token is None else token[1]

    def _take(self, *signs: str) -> str | None:
        token = self._next()
        if token is None or token[0] != "sign" or token[1] not in signs:
            return None
        self._place += 1
        return token[1]

    def _require(self, sign: str) -> None:
        if self._take(sign) is None:
            raise FormulaError(f"The score has {self._token_text()} where {sign} belongs.")


def _many_parts(formula: e.Expression, known: dict[e.Expression, int]) -> int:
    """Return how many parts a formula has as it is walked through, where one object may be several of them."""
    if formula not in known:
        known[formula] = 1 + sum(_many_parts(each, known) for each in formula.parts)
    return known[formula]


def _number(exact: Fraction) -> str:
    """Return an exact number as decimal text, or as a quotient where that is none or is long."""
    short = Decimal(exact.numerator) / Decimal(exact.denominator)
    return f"{short:f}" if Fraction(short) == exact else str(exact)


def _column_text(column: str) -> str:
    return column if re.fullmatch(r"[^\W\d]\w*", column) else _quote(column, '"')


def _quote(text: str, sign: str) -> str:
    return f"{sign}{text.replace(sign, 2 * sign)}{sign}"


def _tokens(text: str) -> list[tuple[str, str]]:
    found, place, end = [], 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if text[place:].lstrip().startswith(("^", "**")):
            raise FormulaError("A score has no powers: write square(x) for x^2, and x * x * x for x^3.")
        if match is None or match.lastgroup is None:
            raise FormulaError(f"The score has a sign that it cannot have, at its letter {place + 1}: leave it out.")
        found.append((match.lastgroup, match[match.lastgroup]))
        place = match.end()
    return found
