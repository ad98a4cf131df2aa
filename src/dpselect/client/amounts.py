"""Exact amounts of a budget as a server writes them."""

from __future__ import annotations

from fractions import Fraction

from dpselect.certificates.canonical_json import number_of
from dpselect.kernel.errors import InputError


def amount(text: str) -> Fraction:
    """Return an amount of epsilon, delta or rho.

    Raises:
        ValueError: it is not one.

    >>> amount("0.25"), amount("1/3")
    (Fraction(1, 4), Fraction(1, 3))
    """
    number = number_of(text)
    if number < 0:
        raise InputError("This is not an amount of a budget.")
    return number
