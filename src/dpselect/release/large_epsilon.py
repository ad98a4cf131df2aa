"""An epsilon at which a promise says next to nothing is spent only by whoever says that it is meant."""

from __future__ import annotations

import math
from fractions import Fraction

from dpselect.kernel.budget import Spender, costs_nothing
from dpselect.kernel.errors import PrivacyError

# What passes without a question.
LARGEST = Fraction(10)


def meaning(epsilon: Fraction) -> str:
    """Return what an epsilon allows, in words.

    >>> meaning(Fraction(20))
    'epsilon 20 lets one record make an outcome e^20, about 10^8, times as likely, which protects next to nothing'
    """
    # Beyond what a double holds the order of magnitude is all that is said.
    order = math.floor(min(epsilon, Fraction(10**300)) / math.log(10))
    shown = f"{float(epsilon):g}" if epsilon < 10**300 else "beyond 10^300"
    power = f"about 10^{order}" if order < 10**6 else "more than 10^1000000"
    return (
        f"epsilon {shown} lets one record make an outcome e^{shown}, {power}, times as likely, which protects next to "
        "nothing"
    )


def require_meant(epsilon: Fraction, book: Spender | None) -> None:
    """Refuse a large epsilon that no budget counts, unless the data are public and cost nothing.

    Raises:
        PrivacyError: it is above ``LARGEST``, and nobody said that it is meant.
    """
    if book is None and epsilon > LARGEST and not costs_nothing.get():
        raise PrivacyError(
            f"{meaning(epsilon).capitalize()}: pass at most {LARGEST}, or if it is meant say so with a budget of that "
            f"size, as in with dpselect.budget(epsilon={float(min(epsilon, Fraction(10**300))):g})."
        )
