"""One edge between the sub-cells of a grid, near given ranks: the exponential mechanism, in a time no grid decides.

Ranks increase, so edges whose gap to the targets is small are an interval, found by a binary search.

References: the law is that of McSherry and Talwar 2007; the shells are ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dpselect.kernel.bernoulli_exp import Entropy, below
from dpselect.kernel.ranks import Ranks
from dpselect.kernel.samplers.group_draws import under

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


def edge(ranks: Ranks, low: int, high: int, least: Fraction, most: Fraction, rate: Fraction, entropy: Entropy) -> int:
    """Return an edge in [low, high] with probability proportional to exp(-rate gap).

    The gap is how far the units left of it are outside [least, most].

    Args:
        least, most: in units; equal for a single target. rate: positive, for each unit.
    """
    best, shells = _shells(ranks, low, high, least, most, rate)
    last = shells[-1].power
    weights = [(shell.lefts + shell.rights) << (last - shell.power) for shell in shells]
    total = sum(weights)
    while True:
        index = below(total, entropy)
        number = 0
        while index >= weights[number]:
            index -= weights[number]
            number += 1
        shell = shells[number]
        drawn = shell.member(index >> (last - shell.power))
        rank = ranks.at(drawn)
        if under(0, 1 << shell.power, (max(least - rank, rank - most, Fraction(0)) - best) * rate, entropy):
            return drawn


def _shells(
    ranks: Ranks, low: int, high: int, least: Fraction, most: Fraction, rate: Fraction
) -> tuple[Fraction, list[_Shell]]:
    """Return the least gap of all edges, and shells of edges around it; the last takes all that remain."""
    over = math.lcm(least.denominator, most.denominator)
    first, last = int(least * over), int(most * over)
    middle = min(max(ranks.first(-(-first // over)), low), high)
    near = (ranks.at(each) * over for each in (middle, max(middle - 1, low)))
    best = min(max(first - rank, rank - last, 0) for rank in near)
    inner, shells, powers = (middle, middle - 1), list[_Shell](), (high - low + 1).bit_length() + _FURTHER
    halving = _LN2 * over / rate
    for power in range(powers + 1):
        outer = low, high
        if power < powers:
            # Gaps are multiples of 1 / over, so ranks of edges of a smaller gap lie between two integers.
            gap = best - (-(power + 1) * halving.numerator // halving.denominator)
            above, beyond = -(-(first - gap + 1) // over), -(-(last + gap) // over)
            outer = max(ranks.first(above), low), min(ranks.first(beyond) - 1, high)
        shells.append(_Shell(power, outer[0], inner[0] - outer[0], inner[1] + 1, outer[1] - inner[1]))
        inner = outer
        if outer == (low, high):
            break
    return Fraction(best, over), shells
