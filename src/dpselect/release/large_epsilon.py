"""An epsilon at which a promise says next to nothing is spent only by whoever says that it is meant."""

from __future__ import annotations

import math
from fractions import Fraction

from dpselect.kernel.budget import Spender, costs_nothing
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours

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


def require_meant(guarantee: Guarantee, releases: int, book: Spender | None) -> None:
    """Refuse a large epsilon that no budget counts, unless the data are public and cost nothing.

    Raises:
        PrivacyError: it is above ``LARGEST``, and nobody said that it is meant.
    """
    epsilon = guarantee.epsilon * releases
    if book is not None or epsilon <= LARGEST or costs_nothing.get():
        return
    size = f"epsilon={float(min(epsilon, Fraction(10**300))):g}"
    terms = f"{size}, delta={float(guarantee.delta * releases):g}" if guarantee.delta else size
    relation = guarantee.neighbours
    terms += "" if relation is Neighbours.ADD_REMOVE else f", neighbours={relation.value!r}"
    raise PrivacyError(
        f"{meaning(epsilon).capitalize()}: pass at most {LARGEST}, or if it is meant say so with a budget of that "
        f"size, as in with dpselect.budget({terms})."
    )
