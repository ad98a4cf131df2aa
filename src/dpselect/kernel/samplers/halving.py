"""One edge between the sub-cells of a grid, near a rank: the exponential mechanism, in a time that no grid decides.

Ranks increase, so edges whose gap to the target is small are an interval, found by a binary search.

References: the law is that of McSherry and Talwar 2007; the shells are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpselect.kernel.coins import Entropy, below, exponential_between
from dpselect.kernel.ranks import Ranks

# Above ln 2.
_LN2 = Fraction(6931471805599453095, 10**19)
# Beyond the bits of their number, edges are told apart by this many halvings more.
_FURTHER = 32


@dataclass(frozen=True, repr=False)
class _Shell:
    """Edges of which the gap is at least that of ``power`` halvings: some from ``left`` on, some from ``right`` on."""

    power: int
    left: int
    lefts: int
    right: int
    rights: int

    def member(self, index: int) -> int:
        return self.left + index if index < self.lefts else self.right + index - self.lefts


def edge(ranks: Ranks, low: int, high: int, target: Fraction, rate: Fraction, entropy: Entropy) -> int:
    """Return an edge in [low, high] with probability proportional to exp(-rate |units left of it - target|).

    Args:
        target: in units. rate: positive, for each unit.
    """
    best, shells = _shells(ranks, low, high, target, rate)
    most = shells[-1].power
    weights = [(shell.lefts + shell.rights) << (most - shell.power) for shell in shells]
    total = sum(weights)
    while True:
        index = below(total, entropy)
        number = 0
        while index >= weights[number]:
            index -= weights[number]
            number += 1
        shell = shells[number]
        drawn = shell.member(index >> (most - shell.power))
        if _coin((abs(ranks.at(drawn) - target) - best) * rate, shell.power, entropy):
            return drawn


def _shells(ranks: Ranks, low: int, high: int, target: Fraction, rate: Fraction) -> tuple[Fraction, list[_Shell]]:
    """Return the least gap of all edges, and shells of edges around it; the last takes all that remain."""
    number, over = target.numerator, target.denominator
    middle = min(max(ranks.first(-(-number // over)), low), high)
    best = min(abs(ranks.at(each) * over - number) for each in (middle, max(middle - 1, low)))
    inner, shells, most = (middle, middle - 1), list[_Shell](), (high - low + 1).bit_length() + _FURTHER
    halving = _LN2 * over / rate
    for power in range(most + 1):
        outer = low, high
        if power < most:
            # Gaps are multiples of 1 / over, so ranks of edges of a smaller gap lie between two integers.
            gap = best - (-(power + 1) * halving.numerator // halving.denominator)
            above, beyond = -(-(number - gap + 1) // over), -(-(number + gap) // over)
            outer = max(ranks.first(above), low), min(ranks.first(beyond) - 1, high)
        shells.append(_Shell(power, outer[0], inner[0] - outer[0], inner[1] + 1, outer[1] - inner[1]))
        inner = outer
        if outer == (low, high):
            break
    return Fraction(best, over), shells


def _coin(exponent: Fraction, power: int, entropy: Entropy) -> bool:
    """Flip one coin Bernoulli(2^power exp(-exponent)), which is a probability: with as many bits as it takes."""
    if not exponent:
        return True
    prefix, bits, digits = 0, power, 25 + power // 3
    while True:
        prefix, bits = prefix << 64 | int.from_bytes(entropy(8), "big"), bits + 64
        least, most = exponential_between(exponent, digits)
        if Fraction(prefix + 1, 2**bits) <= least:
            return True
        if Fraction(prefix, 2**bits) >= most:
            return False
        digits += 20
