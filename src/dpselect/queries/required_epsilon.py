"""The least epsilon at which the answer to a query errs by less than is allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from dpselect.dataset import Dataset
from dpselect.kernel.errors import InputError
from dpselect.mechanisms.error_bound import PROBABILITY, NoBound
from dpselect.queries.base import Query
from dpselect.queries.field_kinds import MOST_EPSILON
from dpselect.queries.plan import plan_of

# Prices have so many decimals.
_PARTS = 10**6
# Few digits can be read; rounded up they suffice.
_DIGITS = Context(prec=4, rounding=ROUND_CEILING)


def with_error_below(
    query: Callable[[Fraction], Query[Any]], error: Fraction, dataset: Dataset, rule: str = "sum"
) -> Query[Any]:
    """Return the query at the least epsilon of four digits at which its error stays below one in 95 % of answers.

    No row is read and nothing is spent.

    Args:
        query: returns it by its epsilon.
        error: in the unit of its answer.
        dataset: its description.
        rule: of the ledger that would pay.

    Raises:
        ValueError: no bound on its error is known, or no epsilon is enough; or as :func:`plan_of`.

    >>> from dpselect.queries.median import Median
    >>> data = Dataset(source="a.csv", columns={"age": {"lower": 0, "upper": 120}})
    >>> asked = with_error_below(lambda epsilon: Median("age", epsilon=epsilon), Fraction(20), data)
    >>> asked.epsilon, plan_of(asked, data).error_bound.at(0.95)
    (Fraction(7057, 10000), 20)
    """

    def suffices(parts: int) -> bool:
        found = plan_of(query(Fraction(parts, _PARTS)), dataset, rule).error_bound
        if isinstance(found, NoBound):
            raise InputError(f"{found.describe()}, so name its epsilon instead of an error.")
        return found.at(PROBABILITY) <= error

    if not suffices(MOST_EPSILON * _PARTS):
        raise InputError("No epsilon is enough for so small an error: allow a larger one.")
    low, high = 0, MOST_EPSILON * _PARTS
    while high - low > 1 and _rounded_up(low) != _rounded_up(high):
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return replace(query(Fraction(1)), epsilon=_rounded_up(high))


def _rounded_up(parts: int) -> Fraction:
    return Fraction(_DIGITS.create_decimal(Decimal(parts))) / _PARTS
