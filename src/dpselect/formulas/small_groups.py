"""A public minimum size of groups: ratios of smaller ones are filled up with the rows that make them worst.

Of a ratio a / n of sums, of which every row adds between r and R times as much to a as to n, a group of n < m rows has
(a + (m - n) r) / m where larger is better. That is r + min(s / m, s / n) with s = a - r n, which is 0 or more: two
ratios of sums, and no step at n = m. Groups of m rows and more keep their ratio.

Proof: ``derived_sensitivity.md``.
"""

from __future__ import annotations

from copy import copy
from fractions import Fraction

from dpselect.formulas.derived_sensitivity import FormulaError
from dpselect.formulas.elementary import Logarithm, SquareRoot
from dpselect.formulas.expression import (
    Expression,
    Largest,
    Linear,
    Quotient,
    ScaledExpression,
    Sum,
    ZeroBasedQuotient,
    minimum,
)
from dpselect.formulas.rows import RowKinds


def fill_small_groups(formula: Expression, rows: RowKinds, least: int) -> Expression:
    """Return a formula, of which larger is better, whose ratios are of at least so many rows.

    Args:
        formula: with ratios by a count of rows, and no prior.
        rows: kinds of rows.
        least: the public number of rows, at least 1.

    Raises:
        FormulaError: it has no such ratio, or it is not clear which rows make one worst.

    >>> from dpselect.formulas.expression import statistic
    >>> rows = RowKinds.of([{"n": 1, "stars": (1, 5)}])
    >>> fill_small_groups(statistic("stars") / statistic("n"), rows, 20)
    (-1 * (max((0.05 * n + -0.05 * stars), (n + -1 * stars) / n)) + 1)
    """
    filled = _with_minimum(formula, rows, least, 1)
    if filled is formula:
        raise FormulaError("A minimum size is for averages and rates, and this score has neither: leave it out.")
    return filled


def _with_minimum(formula: Expression, rows: RowKinds, least: int, sign: int) -> Expression:
    """Return a part of a formula that grows with it by this sign; 0 where that is not known."""
    if isinstance(formula, Linear):
        return formula
    if isinstance(formula, Quotient) and formula.is_of_sums:
        over, under = formula.parts
        assert isinstance(over, Linear)
        assert isinstance(under, Linear)
        return formula if under.constant else _filled_ratio(over, under, rows, least, sign)
    signs = [_sign_of_part(formula, place) * sign for place in range(len(formula.parts))]
    parts = tuple(_with_minimum(part, rows, least, each) for part, each in zip(formula.parts, signs, strict=True))
    if all(one is other for one, other in zip(parts, formula.parts, strict=True)):
        return formula
    made = copy(formula)
    made.parts = parts
    return made


def _sign_of_part(formula: Expression, place: int) -> int:
    if isinstance(formula, ScaledExpression):
        return 1 if formula.factor > 0 else -1
    if isinstance(formula, (Sum, Largest, SquareRoot, Logarithm)):
        return 1
    return 1 if isinstance(formula, Quotient) and place == 0 else 0


def _filled_ratio(over: Linear, under: Linear, rows: RowKinds, least: int, sign: int) -> Expression:
    one, other, pair = rows.facts(over), rows.facts(under), rows.pair(over, under)
    if over.constant or other.low is None or other.width != other.scale or pair.ratios is None:
        raise FormulaError(f"{under!r} may be 0, and divides, and is not a count of rows: add a number to it.")
    worst_of, other_end = pair.ratios[:: sign or 1]
    if not sign or worst_of is None or other_end is None:
        raise FormulaError(
            "A minimum size fills small groups up with rows of the worst value, and which is worst is not clear in "
            "this score: give a prior, such as 20:3 for twenty more rows of 3."
        )
    worst = worst_of * Fraction(other.scale, one.scale)
    above = (over - worst * under) if sign > 0 else (worst * under - over)
    assert isinstance(above, Linear)
    share = minimum(above / least, ZeroBasedQuotient(above, under))
    return share + worst if sign > 0 else worst - share
