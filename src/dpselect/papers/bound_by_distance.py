"""A smooth bound from how far the database is from those that are very sensitive, for a utility of one's own.

Let U be the databases x with LS(x) > T, T public, D the global sensitivity and ud(x) the least number of steps from x
to U. For every beta up to the least of ln(D / LS(x)) / ud(x) over all x outside U,

    S(x) = D e^(-beta ud(x))

is a beta-smooth bound. With T the largest value of LS below D (Theorem 4) it is the beta-smooth sensitivity itself.
What must be known is ud of the database at hand, and the least of the quotients over all databases: a public fact.

References: Yamamoto and Shibuya 2024, Theorems 4 and 5. ``utilities.tdt`` has the exact smooth sensitivity instead, at
every beta; Theorem 4 there needs a beta of about 2e-5. Proof: ``bound_by_distance.md``.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_positive
from dpselect.scores.sensitivity import Sensitivity, local, smooth, smooth_bound, steps_of


def bound_by_distance(distance: int, *, ceiling: float, largest_beta: Epsilon) -> Sensitivity:
    """Return the smooth bound of a database that is so many steps from U, exact by public weights.

    Args:
        distance: ud of the database at hand, private: 0 inside U.
        ceiling: D, public.
        largest_beta: public: the largest beta for which the bound holds, of :func:`largest_beta`; a mechanism that asks
            for a larger one gets the bound for this one, which is smooth for it too.

    Raises:
        ValueError, TypeError: a distance that is not an integer >= 0, or other numbers that are not positive.

    >>> import dpselect as dps
    >>> known = bound_by_distance(40, ceiling=1, largest_beta=0.1)
    >>> scores = dps.Scores([0.5, 0.1, 0.2], sensitivity=known)
    >>> dps.mechanism("smooth-private-selection").pmf(scores, 1).round(2)
    array([0.43, 0.27, 0.3 ])
    """
    steps, most = steps_of(distance), exact_positive(largest_beta, "largest_beta")
    jump = local(lambda t: ceiling if t >= steps else 0.0, ceiling=ceiling, reach=steps)
    return smooth_bound(lambda beta: smooth(jump, min(Fraction(beta), most)), ceiling=ceiling)


def largest_beta(distances: ArrayLike, sensitivities: ArrayLike, *, ceiling: float) -> float:
    """Return the largest beta of Theorem 5, rounded down, from every database outside U.

    Args:
        distances: ud of each, shape (n,), at least 1.
        sensitivities: LS of each, shape (n,), at most the ceiling.
        ceiling: D.

    Raises:
        ValueError: shapes that differ, nothing, or a database whose sensitivity leaves no beta.

    >>> round(largest_beta([1, 2, 3], [0.5, 0.5, 0.1], ceiling=1), 4)
    0.3466
    """
    away, moves = np.asarray(distances, dtype=np.float64), np.asarray(sensitivities, dtype=np.float64)
    if away.shape != moves.shape or away.ndim != 1 or not away.size or not (away >= 1).all():
        raise InputError("Pass one distance of at least 1 and one sensitivity for every database outside U.")
    if not ((moves >= 0) & (moves < ceiling)).all():
        raise InputError("Outside U sensitivities are at least 0 and below the ceiling: lower the threshold.")
    with np.errstate(divide="ignore"):
        # The quotient is right to a relative 2^-53, and its logarithm to a few units in the last place.
        least = float(((np.log(ceiling / moves) * (1 - 2.0**-48) - 2.0**-50) / away).min())
    if math.isinf(least):
        raise InputError("No database outside U has a sensitivity, so any beta will do: pass one of your own.")
    if least <= 0:
        raise InputError("Some database is as sensitive as the ceiling allows, to rounding: count it to U.")
    return math.nextafter(least, 0.0)


def quieter_below(ceiling: float, *, phi: float, gamma: int = 4) -> float:
    """Return the smooth bound below which smooth private selection adds less noise on average than permute-and-flip.

    That is Lemma 4 at gamma = 4: (4/27)^(1/4) (1 - phi) ceiling. Noise is one-sided, the range bound 2 for both.

    Raises:
        ValueError: phi is not between 0 and 1; gamma is not an integer above 2, where noise has a mean.

    >>> round(quieter_below(1, phi=0.5), 4)
    0.3102
    """
    if not 0 < phi < 1 or gamma != int(gamma) or gamma < 3:
        raise InputError("phi lies between 0 and 1, and gamma is an integer of at least 3.")
    mean = 1 / (2 * math.cos(math.pi / gamma))
    steepest: float = (gamma - 1) ** ((gamma - 1) / gamma)
    return (1 - phi) * ceiling / (mean * steepest)
