"""Exact numbers as people read them. A page of help needs it, so nothing here needs NumPy."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

# Decimals of so many places and digits are written as such, smaller numbers than the last with an exponent.
_MOST_PLACES, _MOST_DIGITS, _SMALL = 30, 12, Fraction(1, 10**9)
_DECIMALS = Context(prec=400)


def format_exact(number: Fraction) -> str:
    """Return an exact number as people read it: a decimal where that is exact and short, else a fraction.

    >>> [format_exact(Fraction(text)) for text in ("0.25", "1e-6", "1/3", "12", "1e-12")]
    ['0.25', '0.000001', '1/3', '12', '1e-12']
    """
    if (10**_MOST_PLACES) % number.denominator:
        return str(number)
    decimal = _DECIMALS.divide(Decimal(number.numerator), Decimal(number.denominator))
    if len(decimal.as_tuple().digits) > _MOST_DIGITS:
        return str(number)
    return f"{decimal:f}" if not number or abs(number) >= _SMALL else f"{_DECIMALS.normalize(decimal)}".lower()


def count_text(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count_text(1, "row"), count_text(2, "entry")
    ('1 row', '2 entries')
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun.removesuffix('y')}ies" if noun.endswith("y") else f"{number} {noun}s"


def format_rounded(number: Fraction | float, digits: int = 4, rounding: str = ROUND_CEILING) -> str:
    """Return so many digits, rounded up, which is safe for what is spent; of a float those of its text.

    >>> format_rounded(0.6), format_rounded(Fraction(1, 3)), format_rounded(10**400)
    ('0.6', '0.3334', '1e+400')
    >>> format_rounded(Fraction(1, 3), rounding="ROUND_FLOOR")
    '0.3333'
    """
    exact = Fraction(repr(number)) if isinstance(number, float) else number
    short = Context(digits, rounding).divide(Decimal(exact.numerator), Decimal(exact.denominator)).normalize()
    return f"{short:e}" if abs(short.adjusted()) > 300 else f"{float(short):.{digits}g}"
