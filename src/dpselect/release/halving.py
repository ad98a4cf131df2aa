"""Several quantiles by recursive halving: one edge per share, at budgets that add up to epsilon along every path.

The middle share is drawn first; the mass left of its edge and that right of it are then two problems of half as many
shares each. A record whose sub-cells lie on both sides of an edge is in both, with the masses it has there.

References: Kaplan, Schnapp and Stemmer 2022 (halving); masses and budgets by path are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from dpselect.kernel.errors import InputError
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.prices import bounded_range_price
from dpselect.kernel.ranks import Ranks

# Draws an edge: ranks, the least and the largest edge, those of the targets in units, and the rate for each unit.
DrawEdge = Callable[[Ranks, int, int, Fraction, Fraction, Fraction], int]


@dataclass(frozen=True)
class Aim:
    """A public share, and how many records beyond share * n its edge should be: neighbours move both alike."""

    share: Fraction
    more: Fraction = Fraction(0)

    @classmethod
    def at(cls, share: Fraction) -> Aim:
        """Return what lies within the record of rank floor(share n) + 1, that of share 1 within the last record."""
        return cls(share, Fraction(-1, 2) if share == 1 else Fraction(1, 2 * share.denominator))


def halve_recursively(
    ranks: Ranks, shares: Sequence[Fraction], epsilon: Fraction, draw: DrawEdge, total: int | None = None
) -> list[int]:
    """Return the places of distinct increasing shares, never decreasing; epsilon is that of the whole list.

    Args:
        total: a public number of records, right or wrong: then the first edge is drawn for what lacks on its sides.
    """
    places = [0] * len(shares)
    aims = [Aim.at(share) for share in shares]

    def halve(first: int, last: int, low: int, high: int, least: Aim, most: Aim, left: Fraction) -> None:
        """Draw the edges of the shares first .. last - 1 between two edges, with what is left of epsilon."""
        if first == last:
            return
        middle = (first + last) // 2
        here, aim = left / (last - first).bit_length(), aims[middle]
        within = (aim.share - least.share) / (most.share - least.share)
        more = aim.more - (1 - within) * least.more - within * most.more
        base, units = ranks.at(low), ranks.at(high) - ranks.at(low)
        if total is not None and (first, last) == (0, len(shares)) and 2 * within != 1:
            # What lacks on both sides is how far the rank is from an interval, but for a constant.
            sides = within * total + more, Fraction(units, ranks.cuts) - (1 - within) * total + more
            least_rank, most_rank, rate = min(sides) * ranks.cuts, max(sides) * ranks.cuts, here / ranks.cuts
        else:
            least_rank = most_rank = base + within * units + more * ranks.cuts
            rate = here / (2 * max(within, 1 - within) * ranks.cuts)
        edge = draw(ranks, low, high, least_rank, most_rank, rate)
        places[middle] = min(edge // ranks.cuts, ranks.size - 1)
        halve(first, middle, low, edge, least, aim, left - here)
        halve(middle + 1, last, edge, high, aim, most, left - here)

    halve(0, len(shares), 0, ranks.edges, Aim(Fraction(0)), Aim(Fraction(1)), epsilon)
    return places


@lru_cache(maxsize=4096)
def path_price(shares: int, epsilon: Fraction) -> Fraction:
    """Return the rho of so many shares at epsilon: that of the dearest path of draws, each of bounded range.

    >>> float(path_price(1, Fraction(1))), float(path_price(7, Fraction(1)))
    (0.1233015615, 0.0416025246)
    """
    if not shares:
        return Fraction(0)
    here = epsilon / shares.bit_length()
    sides = (path_price(side, epsilon - here) for side in {shares // 2, (shares - 1) // 2})
    return bounded_range_price(here) + max(sides)


def of_records(paid: Neighbours) -> Neighbours:
    """Return what draws that count records protect: a record, or where persons were paid for one record of a person."""
    return Neighbours.PERSON if paid is Neighbours.PERSON else Neighbours.ADD_REMOVE


def require_shares(shares: Sequence[Fraction]) -> Sequence[Fraction]:
    """Return shares that increase, and refuse others (``ValueError``)."""
    if not shares or not 0 <= shares[0] <= shares[-1] <= 1 or any(a >= b for a, b in pairwise(shares)):
        raise InputError("shares must increase, from 0 to 1: sort them and name each once.")
    return shares
