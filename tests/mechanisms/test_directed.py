"""Decimal arithmetic with a direction."""

import decimal
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest

from dpselect.mechanisms.smooth.rounded_decimals import both, digits_for, largest

DIGITS = 40


@pytest.mark.parametrize("precision", [4, 28, 100])
@pytest.mark.parametrize(
    "x", ["0", "1e-50", f"0.1{'0' * 33}1", f"1.{'0' * 33}1", "2.718281828459045235360287471352662", f"700.{'0' * 30}1"]
)
def test_functions_lie_on_their_side(x: str, precision: int) -> None:
    """Whatever the precision of the caller's own decimals, and no further than two units in the last place."""
    down, up = both(DIGITS)
    exact = Decimal(x)
    with decimal.localcontext(prec=precision), mpmath.workdps(80):
        for name, value in (
            ("exp", mpmath.exp(mpmath.mpf(str(exact)))),
            ("exp_of_minus", mpmath.exp(-mpmath.mpf(str(exact)))),
            *([("ln", mpmath.log(mpmath.mpf(str(exact))))] if exact else []),
        ):
            low, high = (mpmath.mpf(str(getattr(side, name)(exact))) for side in (down, up))
            assert low <= value <= high
            assert high - low <= 3 * abs(value) * mpmath.mpf(10) ** (1 - DIGITS)


def test_fractions_lie_on_their_side() -> None:
    """A third, from below and from above."""
    down, up = both(DIGITS)

    assert Fraction(down.of(Fraction(1, 3))) < Fraction(1, 3) < Fraction(up.of(Fraction(1, 3)))
    assert down.of(Fraction(1, 4)) == up.of(Fraction(1, 4))


def test_digits_grow_where_one_is_taken_away() -> None:
    """Of e^beta - 1 forty digits are left."""
    down, up = both(digits_for(Decimal("1e-300")))
    growth = [side.context.subtract(side.exp(Decimal("1e-300")), Decimal(1)) for side in (down, up)]

    assert Fraction(growth[0]) < Fraction(1, 10**300) * (1 + Fraction(1, 10**299)) < Fraction(growth[1])
    assert growth[1] / growth[0] - 1 < Decimal("1e-27")


@pytest.mark.parametrize("bound", ["1e-300", "0.3333333333333333", "1", "12345.678901234567"])
def test_the_largest_number_of_twelve_digits_is_found(bound: str) -> None:
    """It holds, and the next one does not."""
    limit = Decimal(bound)
    result = largest(lambda x: x <= limit, Fraction(10**6))

    assert result <= Fraction(limit) < result * (1 + Fraction(3, 10**11))


def test_what_holds_everywhere_stops_above() -> None:
    """Nobody asks beyond."""
    assert largest(lambda _: True, Fraction(7, 2)) == Fraction(7, 2)
