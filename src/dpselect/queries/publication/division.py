"""Division of a total among queries: amounts first, the rest by weight, rounded down so that it is never exceeded."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from dpselect.kernel.errors import InputError

# Prices of queries have so many decimals.
_UNIT = 10**6


def divide_total(
    total: Fraction, amounts: Mapping[str, Fraction], weights: Mapping[str, Fraction]
) -> dict[str, Fraction]:
    """Return the amount of each name, with at most six decimals; they add up to at most the total.

    Args:
        total: what there is.
        amounts: of names that have one.
        weights: of all others: positive.

    Raises:
        ValueError: the amounts alone are more, or nothing is left for a weight.

    >>> divide_total(Fraction(1), {"a": Fraction(1, 2)}, {"b": Fraction(1), "c": Fraction(2)})
    {'a': Fraction(1, 2), 'b': Fraction(83333, 500000), 'c': Fraction(333333, 1000000)}
    """
    rest = total - sum(amounts.values(), Fraction(0))
    if rest < 0:
        raise InputError("the amounts of epsilon add up to more than the total: raise it, or lower them.")
    whole = sum(weights.values(), Fraction(0))
    shares = {name: Fraction(int(rest * weight / whole * _UNIT), _UNIT) for name, weight in weights.items()}
    for name, share in shares.items():
        if not share:
            raise InputError(f"less than 0.000001 is left for {name}: raise the total, or its weight.")
    return {**amounts, **shares}
