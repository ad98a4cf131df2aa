"""Bounds on how far one neighbour moves a list of integers, and the noise that this allows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpselect.kernel.errors import InputError
from dpselect.kernel.neighbours import Neighbours

# A geometric number of more bits than this is not drawn: epsilon would be below 2^-40, or sigma above 2^40.
_MOST_BITS = 40


@dataclass(frozen=True)
class Bound:
    """A bound on how far one neighbour moves a list of integers, all moves added up. It is made where it is proved.

    Attributes:
        total: positive; exact.
        neighbours: what one step between databases is.

    Raises:
        ValueError: not positive.

    >>> Bound(1).times(3)
    Bound(total=Fraction(3, 1), neighbours=<Neighbours.ADD_REMOVE: 'add-remove'>)
    """

    total: Fraction | int
    neighbours: Neighbours = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", Fraction(self.total))
        object.__setattr__(self, "neighbours", Neighbours(self.neighbours))
        if self.total <= 0:
            raise InputError("A bound is a positive number: how far one neighbour moves the numbers in all.")

    def times(self, lists: int) -> Bound:
        """Return the bound of that many lists of which one neighbour moves each by this one."""
        return Bound(self.total * lists, self.neighbours)


@dataclass(frozen=True)
class SquaredBound:
    """A bound on the sum of the squares by which one neighbour moves a list of integers. It is made where proved.

    Gaussian noise of variance ``squared / (2 rho)`` on each of them costs rho.

    Attributes:
        squared: positive; exact.
        neighbours: what one step between databases is.

    Raises:
        ValueError: not positive.

    >>> SquaredBound(3)
    SquaredBound(squared=Fraction(3, 1), neighbours=<Neighbours.ADD_REMOVE: 'add-remove'>)
    """

    squared: Fraction | int
    neighbours: Neighbours = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "squared", Fraction(self.squared))
        object.__setattr__(self, "neighbours", Neighbours(self.neighbours))
        if self.squared <= 0:
            raise InputError(
                "A squared bound is a positive number: the squares of all moves by one neighbour, added up."
            )

    def times(self, lists: int) -> SquaredBound:
        """Return the bound of that many lists of which one neighbour moves each by this one."""
        return SquaredBound(Fraction(self.squared) * lists, self.neighbours)

    def variance(self, rho: Fraction) -> Fraction:
        """Return the variance of the Gaussian noise with which a release of these numbers costs rho."""
        return Fraction(self.squared) / (2 * rho)


def require_rate(rate: Fraction) -> None:
    """Refuse a rate at which noise would not fit an integer: check it before anything is spent.

    Raises:
        ValueError: it is 2^-40 or less.
    """
    if not rate > Fraction(1, 2**_MOST_BITS):
        raise InputError(
            "epsilon is too small for counts, as the noise would not fit an integer: pass a larger one, or let fewer "
            "questions share it."
        )


def require_variance(variance: Fraction) -> None:
    """Refuse a variance at which noise would not fit an integer: check it before anything is spent.

    Raises:
        ValueError: it is 2^80 or more.
    """
    if not variance < 4**_MOST_BITS:
        raise InputError(
            "rho is too small for these numbers, as the noise would not fit an integer: pass a larger one, or numbers "
            "in larger units."
        )
