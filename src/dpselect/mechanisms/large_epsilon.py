"""An epsilon at which a promise says next to nothing is spent only by whoever says that it is meant.

A guard against slips: no promise depends on it, so it stands outside of what a release must trust.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from numbers import Integral
from typing import Any, TypeVar, cast

from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.privacy_filter import session

D = TypeVar("D", bound=Callable[..., Any])
# What passes without a question.
LARGEST = 10
# A context in which nobody said anything of budgets, unlike one in which releases are free.
_UNSAID: Any = object()


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


def asking_first(session_factory: D) -> D:
    """Return a session factory that refuses a large epsilon before it pays, where no budget or ledger says that it is
    meant.

    What ``use_accountant(None)`` declares free, because its data are public, is not asked about.

    Raises (by the factory):
        PrivacyError: it is above ``LARGEST``, and nobody said that it is meant.
    """

    # A slip in an argument is then told of the name that was called.
    session_factory.__qualname__ = session_factory.__name__

    @functools.wraps(session_factory)
    def checked_factory(guarantee: Any, *, ledger: Any = None, count: Any = 1, **noted: Any) -> Any:
        # What is not a guarantee or a number is refused by the factory itself.
        if ledger is None and isinstance(guarantee, Guarantee) and isinstance(count, Integral):
            require_meant(guarantee, int(count))
        return session_factory(guarantee, ledger=ledger, count=count, **noted)

    return cast(D, checked_factory)


def require_meant(guarantee: Guarantee, releases: int) -> None:
    """Refuse an epsilon above ``LARGEST`` where no budget says that it is meant (``PrivacyError``)."""
    epsilon = guarantee.epsilon if releases == 1 else guarantee.epsilon * releases
    if epsilon.numerator <= LARGEST * epsilon.denominator or session.get(_UNSAID) is not _UNSAID:
        return
    size = f"epsilon={float(min(epsilon, Fraction(10**300))):g}"
    terms = f"{size}, delta={float(guarantee.delta * releases):g}" if guarantee.delta else size
    relation = guarantee.neighbours
    terms += "" if relation is Neighbours.ADD_REMOVE else f", neighbours={relation.value!r}"
    raise PrivacyError(
        f"{meaning(epsilon).capitalize()}: pass at most {LARGEST}, or if it is meant say so with a budget of that "
        f"size, as in with dpselect.budget({terms})."
    )
