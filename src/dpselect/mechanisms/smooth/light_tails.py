"""Smooth Noisy Max with exponential or Laplace noise and no clip: (epsilon, delta), because nothing pure is possible.

With a public phi in (0, 1), b the range bound and c = b / ((1 - phi) epsilon), beta is the largest number with

    (U)  what candidates far behind can lose when the scale shrinks is at most delta,
    (D)  (1 - phi) epsilon e^-beta + beta K <= epsilon.

Exponential noise, one-sided: (m-1)/2 (1 - e^-beta) e^(-(phi epsilon + beta)/(e^beta - 1)) <= delta, and K = ln(m/2),
or (m-1) .23197 below five candidates. Laplace noise: ``_lost_laplace``, and K the root D of (m-1)(1+D) = 4 e^D - 2 - D,
or (m-1) .26281 below six. Every step is rounded against us. Proof: ``light_tails.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from dpselect.mechanisms.smooth.rounded_decimals import RoundedDecimals, both, digits_for, largest

# Beyond this a smaller epsilon is used: the noise is nothing already.
LARGEST = Fraction(600)
# Suprema of W ln((1 + W) / 2W) and of D (1 + D) / (4 e^D - 2 - D), rounded up, and up to how many rivals they decide.
_PEAKS = {"exponential": (Fraction(23197, 100_000), 3), "laplace": (Fraction(26281, 100_000), 4)}
_DIGITS = 50
_ONE, _TWO, _FOUR = Decimal(1), Decimal(2), Decimal(4)


def calibrate(
    candidates: int, epsilon: Fraction, *, range_bound: int, noise: str, phi: Fraction, delta: Fraction
) -> tuple[Fraction, Fraction]:
    """Return (beta, c) for that many candidates: beta rounded down, c exact."""
    epsilon = min(epsilon, LARGEST)
    return _beta(max(candidates, 2), epsilon, noise, phi, delta), range_bound / ((1 - phi) * epsilon)


@lru_cache(maxsize=1024)
def _beta(m: int, epsilon: Fraction, noise: str, phi: Fraction, delta: Fraction) -> Fraction:
    dilated, lost = dilation_cost(m, noise), _SCALE_LOSS[noise]

    def holds(beta: Decimal) -> bool:
        down, up = both(digits_for(beta, times=2))
        slide = up.context.multiply(up.of((1 - phi) * epsilon), up.exp_of_minus(beta))
        paid = up.context.add(slide, up.context.multiply(beta, up.of(dilated)))
        return paid <= down.of(epsilon) and lost(m, phi * epsilon, beta, down, up) <= down.of(delta)

    # There K alone costs epsilon.
    return largest(holds, epsilon / dilated)


def dilation_cost(m: int, noise: str) -> Fraction:
    """Return K: what a shrinking scale costs per unit of its logarithm, rounded up, for m >= 2 candidates.

    >>> [round(float(dilation_cost(m, "exponential")), 4) for m in (2, 10, 1000)]
    [0.232, 1.6094, 6.2146]
    """
    peak, few = _PEAKS[noise]
    if m - 1 <= few:
        return (m - 1) * peak
    down, up = both(_DIGITS)
    if noise == "exponential":
        return Fraction(up.ln(up.of(Fraction(m, 2))))

    def short(d: Decimal) -> bool:
        right = down.context.subtract(down.context.multiply(_FOUR, down.exp(d)), up.context.add(_TWO, d))
        return right < up.context.multiply(Decimal(m - 1), up.context.add(_ONE, d))

    # The first number of twelve digits at which it no longer falls short lies just above the largest at which it does.
    return largest(short, Fraction(m)) * (1 + Fraction(1, 10**10))


def _lost_exponential(m: int, spent: Fraction, beta: Decimal, down: RoundedDecimals, up: RoundedDecimals) -> Decimal:
    """Return (m-1)/2 (1 - e^-beta) e^(-(spent + beta)/(e^beta - 1)), rounded up."""
    growth = up.context.subtract(up.exp(beta), _ONE)
    exponent = down.context.divide(down.context.add(down.of(spent), beta), growth)
    share = up.context.subtract(_ONE, down.exp_of_minus(beta))
    return up.context.multiply(up.context.multiply(up.of(Fraction(m - 1, 2)), share), up.exp_of_minus(exponent))


def _lost_laplace(m: int, spent: Fraction, beta: Decimal, down: RoundedDecimals, up: RoundedDecimals) -> Decimal:
    """Return (m-1) (1/2 + t/4) e^-t (k/(k+g))^(k/g) g/(k+g), t = spent/g, k = (1+t)/(2+t), g = e^beta - 1, rounded up.

    Where g is rounded up and then t and k down, this bounds what it should be; the factor (k/(k+g))^(k/g) at these
    very numbers is rounded up.
    """
    g = up.context.subtract(up.exp(beta), _ONE)
    t = down.context.divide(down.of(spent), g)
    k = down.context.divide(down.context.add(_ONE, t), up.context.add(_TWO, t))
    # ln (k/(k+g)) is negative: its product with k/g rounded down is the larger one.
    log = up.ln(up.context.divide(k, down.context.add(k, g)))
    exponent = up.context.subtract(up.context.multiply(down.context.divide(k, g), min(log, Decimal(0))), t)
    front = up.context.multiply(Decimal(m - 1), up.context.add(Decimal("0.5"), up.context.divide(t, _FOUR)))
    share = up.context.divide(g, down.context.add(k, g))
    return up.context.multiply(up.context.multiply(front, share), up.exp(exponent))


_SCALE_LOSS: dict[str, Callable[[int, Fraction, Decimal, RoundedDecimals, RoundedDecimals], Decimal]] = {
    "exponential": _lost_exponential,
    "laplace": _lost_laplace,
}
