"""Exact amounts of a budget as a server writes them; text that would be a number without end is not one."""

from __future__ import annotations

import re
from fractions import Fraction

# No exponent: of a few signs it would make a number that fills the memory.
_AMOUNT = re.compile(r"[0-9]{1,2000}(?:[./][0-9]{1,2000})?")


def amount(text: str) -> Fraction:
    """Return an amount of epsilon, delta or rho.

    Raises:
        ValueError: it is not one.

    >>> amount("0.25"), amount("1/3")
    (Fraction(1, 4), Fraction(1, 3))
    >>> amount("1e999999999")
    Traceback (most recent call last):
    ...
    ValueError: This is not an amount of a budget.
    """
    if not isinstance(text, str) or not _AMOUNT.fullmatch(text):
        raise ValueError("This is not an amount of a budget.")
    return Fraction(text)
