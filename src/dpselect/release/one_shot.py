"""Lists in one pass: when, and what their gaps say. Proof: ``one_shot.md``."""

from __future__ import annotations

import math
from fractions import Fraction

from dpselect.kernel.errors import InputError
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms.scaling import Measure
from dpselect.release.questions import Question

ONE_SHOT, PEELING = "one-shot", "peeling"
# At a smaller rate noise might not fit an integer.
_LEAST_RATE = Fraction(1, 2**40)
# Of a larger exponent too little is left for a float.
_MOST_EXPONENT = Fraction(700)


def method_of(asked: Question, k: int, method: str | None, ledger: Accountant | None, *, gaps: bool = False) -> str:
    """Return how a list is drawn, by public facts; where nothing is asked for, in one pass if that is better.

    Peeling is better where rhos are added (k draws cost about a k-th of one) or draws must be small.

    Raises:
        ValueError: no such method, or one pass is asked for and cannot be.
    """
    if method not in (None, ONE_SHOT, PEELING):
        raise InputError('method must be "one-shot", "peeling" or "joint", or None for the one that fits.')
    if method == PEELING and gaps:
        raise InputError('Only one pass has gaps: leave out method="peeling", or gaps=True.')
    if method == ONE_SHOT or gaps:
        require_ordered(asked, k, gaps=gaps)
        return ONE_SHOT
    fits = k > 1 and asked.once and asked.rate > _LEAST_RATE and getattr(ledger, "rule", "sum") != "rho"
    allows = getattr(ledger, "can_afford", lambda _: True)
    return ONE_SHOT if method is None and fits and allows(k * asked.guarantee.epsilon) else PEELING


def require_ordered(asked: Question, k: int, *, gaps: bool, candidates: int | None = None) -> None:
    """Refuse what cannot be drawn in one pass, or has no gap below the last winner (``ValueError``)."""
    if not asked.once:
        raise InputError(
            "One pass and its gaps are for mechanisms that draw by permute-and-flip from unit scores: use "
            "permute-and-flip, or leave out method and gaps."
        )
    if not asked.rate > _LEAST_RATE:
        raise InputError(
            "epsilon is too small for one pass, as the noise would not fit an integer: pass a larger one, or "
            'method="peeling" without gaps.'
        )
    if gaps and k == (asked.ticks.size if candidates is None else candidates):
        raise InputError("The last gap is the lead over the best of the others, and there are none: ask for fewer.")


def free_gaps(asked: Question, k: int, ledger: Accountant | None) -> bool:
    """Return whether gaps change nothing else: neither the price nor how a list is drawn by itself."""
    return (k == 1 or method_of(asked, k, None, ledger) == ONE_SHOT) and has_gaps(asked, k)


def has_gaps(asked: Question, k: int, candidates: int | None = None) -> bool:
    """Return whether a list of k has gaps, by public facts."""
    try:
        require_ordered(asked, k, gaps=True, candidates=candidates)
    except ValueError:
        return False
    return True


def require_measure(measure: Measure | None) -> Measure:
    """Return what ticks say of the scores, or refuse gaps of anything else (``ValueError``)."""
    if measure is None:
        raise InputError(
            "Gaps are in units of the scores, and this mechanism ranks other numbers: leave them out, or use another."
        )
    return measure


def p_value(gap: int, rate: Fraction) -> float:
    """Return exp(-rate * gap), rounded up: small where the last winner leads by more than noise explains."""
    return min(1.0, math.exp(-float(min(rate * gap, _MOST_EXPONENT))) * (1 + 2.0**-40))
