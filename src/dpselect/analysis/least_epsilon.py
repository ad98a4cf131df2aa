"""The least epsilon at which a mechanism is right often enough on scores that anybody may see: a search on its law."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_positive
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import require_mechanism
from dpselect.scores.scores import Scores, require_scores

# Between these an epsilon is searched for, and it has this many digits.
LOWEST, LARGEST = Fraction(1, 10**9), Fraction(1000)
_DIGITS = 6
# Where the chance of other candidates may fall again, it is looked at here: four epsilons for each power of ten.
_GRID = tuple(Fraction(f"{10 ** (place / 4):.3g}") for place in range(-12, 13))


def least_epsilon(
    scores: Scores, probability: Epsilon, *, mechanism: str | Mechanism, right: NDArray[np.bool_] | None = None
) -> float:
    """Return the least epsilon at which a best candidate is named with this probability on these very scores.

    It has six digits and is rounded up: it suffices, and one unit less of the last digit does not. It is 0 where a
    uniform draw is right often enough, and infinite where 1000 does not suffice. :func:`dpselect.epsilon_for` holds
    whatever the data; this is a function of the scores, so they are public ones.

    Args:
        scores: of public or made-up data.
        probability: of naming a best candidate, between 0 and 1.
        mechanism: whose law it is; the larger epsilon, the likelier are its best candidates.
        right: which candidates are right, the best ones among them, shape (m,); ``None`` for the best ones alone.
            Of others a larger epsilon may make some less likely: what is returned suffices, and so does every larger
            epsilon of a grid up to 1000; an infinite one says that 1000 does not suffice.

    Raises:
        PrivacyError: the mechanism does not apply to these scores.
        ValueError: a probability outside of (0, 1), or scores of which there is no law.

    >>> import dpselect as dps
    >>> votes = dps.utilities.counts([60, 57, 31])
    >>> least_epsilon(votes, 0.95, mechanism="permute-and-flip")
    0.767529
    """
    wanted = exact_positive(probability, "probability")
    if wanted >= 1:
        raise InputError("probability must lie between 0 and 1, for example 0.95.")
    drawn = require_mechanism(mechanism)
    wins = require_scores(scores).values == scores.values.max() if right is None else right
    always = Fraction(int(wins.sum()), len(scores)) >= wanted
    if always and right is None:
        return 0.0
    least = float(1 - wanted)

    @lru_cache(maxsize=256)
    def excess(epsilon: Fraction) -> float:
        """The excess of errors over those allowed, as a difference of log odds."""
        log_law = drawn.log_pmf(scores, epsilon)
        wrong = float(np.exp(log_law[~wins]).sum())
        # A mechanism that is nearly always wrong knows the odds by how often it is right.
        well = float(np.exp(log_law[wins]).sum())
        odds = math.log(max(wrong, 1e-300)) - math.log(max(well, 1e-300))
        return odds - (math.log(least) - math.log1p(-least))

    if right is None or right.all():
        return 0.0 if always else _first(excess)
    fails = [number for number, epsilon in enumerate(_GRID) if excess(epsilon) > 0]
    if not fails:
        return 0.0 if always else _first(excess)
    return math.inf if fails[-1] == len(_GRID) - 1 else _round_up(excess, *_GRID[fails[-1] : fails[-1] + 2])


def _first(excess: Callable[[Fraction], float]) -> float:
    """Return the first number of six digits at which a falling function is at most 0."""
    low = high = Fraction(1)
    while excess(high) > 0:
        if high >= LARGEST:
            return math.inf
        low, high = high, min(high * 8, LARGEST)
    while low == high or excess(low) <= 0:
        if low <= LOWEST:
            return float(LOWEST)
        low, high = low / 8, low
    return _round_up(excess, low, high)


def _round_up(excess: Callable[[Fraction], float], low: Fraction, high: Fraction) -> float:
    """Return the first number of six digits where it is at most 0, of two between which it gets there."""
    from scipy.optimize import brentq

    root = math.exp(brentq(lambda x: excess(Fraction(math.exp(x))), math.log(low), math.log(high), xtol=1e-8))
    unit = Fraction(10) ** (math.floor(math.log10(root)) + 1 - _DIGITS)
    # Rounding may have put the root on either side of a multiple: the law itself decides.
    times, step = math.ceil(Fraction(root) / unit), 1
    while excess(times * unit) > 0:
        times, step = times + step, 2 * step
    below, step = times - 1, 1
    while excess(below * unit) <= 0:
        times, below, step = below, below - step, 2 * step
    while times - below > 1:
        middle = (times + below) // 2
        times, below = (middle, below) if excess(middle * unit) <= 0 else (times, middle)
    return float(times * unit)
