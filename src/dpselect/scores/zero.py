"""The meaning of a score of exactly zero, declared in public: the best score there can be, the worst, or neither.

Local dampening counts how many steps a score of zero is safe for, its leading zeros of delta, T of them, and dampens it
to +T where zero is the best, -T where it is the worst, and 0 otherwise. Each is private (proof: ``local_dampening.md``)
as long as it is the same on every database.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpselect.kernel.errors import InputError

SIGNS = {"best": 1, "worst": -1, "neutral": 0}
_NAMES = {sign: name for name, sign in SIGNS.items()}


def zero_of(zero: Any) -> str:
    """Return the name of a zero, or say which there are (``ValueError``)."""
    if not isinstance(zero, str) or zero not in SIGNS:
        raise InputError(
            'zero is "best" (no possible score is above 0), "worst" (none is below 0) or "neutral": a public fact '
            "about the score."
        )
    return zero


def negate_zero(zero: str) -> str:
    """Return what zero means where the order of the scores is reversed.

    >>> negate_zero("best"), negate_zero("neutral")
    ('worst', 'neutral')
    """
    return _NAMES[-SIGNS[zero]]


def zero_of_sum(zeros: Iterable[tuple[bool, str]]) -> str:
    """Return what zero means for a weighted sum: what it means for every part, turned round where a weight is negative.

    Args:
        zeros: whether the weight is negative, and the zero, of every part.

    >>> zero_of_sum([(False, "best"), (True, "worst")]), zero_of_sum([(False, "best"), (False, "worst")])
    ('best', 'neutral')
    """
    meant = {negate_zero(zero) if negative else zero for negative, zero in zeros}
    return meant.pop() if len(meant) == 1 else "neutral"
