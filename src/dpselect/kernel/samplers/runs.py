"""The secret number of runs: an exact draw by coins of rational chance."""

from __future__ import annotations

from fractions import Fraction

from dpselect.kernel.bernoulli_exp import Entropy, below


def runs(gamma: Fraction, eta: Fraction, most: int, entropy: Entropy) -> int:
    """Return k in 1 .. most with a chance in proportion to (1-gamma)^(k-1) prod_(j<k) (j+eta) / (j+1).

    Args:
        gamma: in (0, 1]. eta: in (-1, 1]; 1 is the geometric law, 0 the logarithmic one.
        most: larger numbers are drawn again, never cut to this one.
        entropy: where the bits come from.
    """
    k = 1
    while True:
        if k <= most and _coin(gamma, entropy):
            return k
        k = k + 1 if k <= most and _coin((k + eta) / (k + 1), entropy) else 1


def _coin(chance: Fraction, entropy: Entropy) -> bool:
    return below(chance.denominator, entropy) < chance.numerator
