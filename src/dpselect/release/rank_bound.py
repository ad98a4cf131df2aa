"""The rank error of quantiles that are drawn one by one, whatever the data: from public facts alone.

Proof: ``rank_bound.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.ranks import CUTS
from dpselect.mechanisms.error_bound import PROBABILITY, ErrorBound, exact_chance, with_chance
from dpselect.mechanisms.worst_tails import gumbel, least_exponent
from dpselect.release.halving import Aim


@dataclass(frozen=True)
class RankBound(ErrorBound):
    """A bound on the records between the values drawn and the ranks that were asked for, whatever the data.

    The rank of a value is any from the number of records below it to the number of records up to it. The figures are
    for columns in which no value is shared by more than ``ties`` records; for each further so many, one record more.

    Attributes:
        shares: distinct, increasing.
        size: how many values the grid has.
        epsilon: of all together.
        total: the public number of records for which the first was drawn, or ``None``; the figures hold if it is right.
        cuts: sub-cells of a grid value.
    """

    shares: tuple[Fraction, ...]
    size: int
    epsilon: Fraction
    total: int | None = None
    cuts: int = CUTS

    @property
    def ties(self) -> int:
        """Return for how many records of one value the error is one record more."""
        return 2 * self.cuts // len(self.shares).bit_length()

    def at(self, probability: Epsilon = PROBABILITY) -> float:
        """Return what all errors stay below with this probability, in records, rounded up.

        Raises:
            ValueError, TypeError: the probability is not between 0 and 1.
        """
        # Any of the draws may go wrong.
        each = 1 - (1 - exact_chance(probability)) / len(self.shares)
        exponent = least_exponent(gumbel, 1, Decimal(self.size * self.cuts), each)
        largest = self._largest(0, len(self.shares), _NOTHING, _ALL, self.epsilon, exponent)
        return math.ceil(largest) + 1

    def _sentence(self, probability: Epsilon, unit: str) -> str:
        least, unit = self.at(probability), unit or "records"
        share = with_chance(probability)
        each = "less than" if len(self.shares) == 1 else "each less than"
        if_right = "" if self.total is None else f" if there are {self.total} records"
        rank = "its rank" if len(self.shares) > 1 else "the rank asked for"
        return (
            f"{each} {least:g} {unit} from {rank} {share}{if_right} (1 more for every {self.ties} records that share "
            "a value)"
        )

    def _largest(self, first: int, last: int, low: _Edge, high: _Edge, left: Fraction, exponent: Fraction) -> Fraction:
        """Return the largest error of the shares first .. last - 1 between two edges, each drawn as ``halved`` does."""
        if first == last:
            return Fraction(0)
        middle = (first + last) // 2
        here, aim = left / (last - first).bit_length(), Aim.at(self.shares[middle])
        within = (aim.share - low.aim.share) / (high.aim.share - low.aim.share)
        known = self.total is not None and (first, last) == (0, len(self.shares)) and 2 * within != 1
        rate = here if known else here / (2 * max(within, 1 - within))
        # How far the target may lie outside of what is between the edges.
        outside = abs(aim.more - (1 - within) * low.aim.more - within * high.aim.more)
        error = (1 - within) * low.error + within * high.error + exponent / rate + outside
        edge = _Edge(aim, error)
        below = self._largest(first, middle, low, edge, left - here, exponent)
        above = self._largest(middle + 1, last, edge, high, left - here, exponent)
        return max(error, below, above)


@dataclass(frozen=True)
class _Edge:
    """An edge that is drawn, or an end of the line, and how far it may lie from its rank."""

    aim: Aim
    error: Fraction = Fraction(0)


_NOTHING, _ALL = _Edge(Aim(Fraction(0))), _Edge(Aim(Fraction(1)))
