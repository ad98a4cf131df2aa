"""Shares from 0 to 1 and percentages from 0 to 100: read exactly, and one never taken for the other.

Both are public and say the same thing: the quantile of share s among n records is the record of rank floor(s n) + 1,
and that of share 1 the last one.
"""

from __future__ import annotations

import decimal
import numbers
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.kernel.errors import Advice, InputError, InputTypeError

# Keeps the products of a share and up to 4 * 10^10 records within 64 bits; beyond, Python's integers are used.
_FINEST = 10**8
_RANGE = "p must be a percentage, 0 <= p <= 100."


def percent(p: Any) -> Fraction:
    """Return the share p / 100 of one percentage, 0 <= p <= 100; a float is read as its decimal text.

    A share finer than one part in 10^8 counts as the nearest that is not.

    Raises:
        TypeError: not a number.
        ValueError: outside [0, 100].

    >>> percent(99.9), percent(Fraction(100, 3)), percent(100 / 3)
    (Fraction(999, 1000), Fraction(1, 3), Fraction(1, 3))
    """
    exact = _read(p, "p must be a number: pass a percentage such as 50 or 99.9.")
    if exact is None or not 0 <= exact <= 100:
        raise InputError(_RANGE)
    return (exact / 100).limit_denominator(_FINEST)


def shares_of(q: Iterable[Any] | None, p: Iterable[Any] | None = None) -> list[Fraction]:
    """Return distinct shares as exact fractions: ``q`` from 0 to 1, or percentages ``p`` from 0 to 100.

    A float is read as its decimal text.

    Raises:
        TypeError: not a list of numbers.
        ValueError: both or neither; none, one given twice, or one outside [0, 1]; one above 1 can only be a percentage.

    >>> shares_of([0.25, Fraction(1, 3)])
    [Fraction(1, 4), Fraction(1, 3)]
    """
    if (q is None) == (p is None):
        raise InputError(
            Advice("Which quantiles? Pass either {q=|--q}, shares such as 0.25, or {p=|--p}, percentages such as 25.")
        )
    if q is None:
        return _shares_of_percentages(p)
    exact = _exact_shares(q, "q", "shares", "[0.25, 0.5, 0.75]")
    beyond = [share for share in exact if 1 < share <= 100]
    if beyond and all(0 <= share <= 100 for share in exact):
        raise InputError(
            f"{_are(beyond, 'a percentage', 'percentages')}: pass p instead of q, or "
            f"{_shares_text([share / 100 for share in beyond])}."
        )
    if not all(0 <= share <= 1 for share in exact):
        raise InputError("Every share must be from 0 to 1: pass for example 0.25, or 0.5 for the median.")
    return _distinct(exact, "A share")


def _shares_of_percentages(p: Any) -> list[Fraction]:
    """Return the shares p / 100 of distinct percentages, 0 <= p <= 100, exactly; a float is read as its decimal text.

    Several of which none exceeds 1 and not all are whole can only be shares. One alone between 0 and 1 may be either.

    >>> shares_of(None, [0.1, 99.9])
    [Fraction(1, 1000), Fraction(999, 1000)]
    """
    exact = _exact_shares(p, "p", "percentages", "[25, 50, 75]")
    if len(exact) == 1:
        require_no_share(exact[0])
    if len(exact) > 1 and all(0 <= each <= 1 for each in exact) and any(each.denominator > 1 for each in exact):
        raise InputError(
            Advice(
                f"{_are(exact, 'a share', 'shares')}{{|, and --p takes percentages}}: pass "
                f"{_shares_text([100 * each for each in exact])}, or {{q instead of p|--q instead of --p}}."
            )
        )
    if not all(0 <= each <= 100 for each in exact):
        raise InputError(_RANGE)
    return _distinct([each / 100 for each in exact], "A percentage")


def require_no_share(p: Fraction) -> None:
    """Refuse a single percentage that may be meant as a share, such as 0.5 for the median (``ValueError``)."""
    if 0 < p < 1:
        low, high = f"{float(p):g}", f"{float(100 * p):g}"
        raise InputError(
            Advice(
                f"Is {low} meant in per cent, or as a share{' (the median)' if p == Fraction(1, 2) else ''}? For the "
                f"share pass {high}; for {low} per cent pass the share {float(p / 100):g} to "
                "{quantiles|dpselect quantiles --q}."
            )
        )


def _exact_shares(values: Iterable[Any], name: str, kind: str, example: str) -> list[Fraction]:
    message = f"{name} must be a list of {kind}: pass for example {example}."
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputTypeError(message)
    exact = [_read(value, message) for value in values]
    if not exact:
        raise InputError(f"{name} is empty: pass at least one, for example {example}.")
    # What is not finite lies outside every range.
    return [Fraction(-1) if value is None else value for value in exact]


def _read(value: Any, message: str) -> Fraction | None:
    """Return a number exactly, a float as its decimal text, or None if it is not finite."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, decimal.Decimal)):
        raise InputTypeError(message)
    try:
        return Fraction(str(value))
    except ValueError:
        return None


def _distinct(shares: list[Fraction], one: str) -> list[Fraction]:
    if len(set(shares)) < len(shares):
        raise InputError(f"{one} is given twice: pass each once.")
    return shares


def _are(values: Sequence[Fraction], one: str, several: str) -> str:
    return f"{_shares_text(values)} is {one}" if len(values) == 1 else f"{_shares_text(values)} are {several}"


def _shares_text(values: Sequence[Fraction]) -> str:
    shown = [f"{float(value):g}" for value in values]
    if len(shown) > 4:
        return f"{shown[0]}, {shown[1]}, ..., {shown[-1]}"
    *first, last = shown
    return f"{', '.join(first)} and {last}" if first else last
