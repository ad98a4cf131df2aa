"""Release a histogram: check, pay, then draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dpselect.histograms.count_arrays import Floats, Integers, require_counts
from dpselect.kernel.bound import require_rate
from dpselect.kernel.errors import InputError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.session import Session

Estimate = Callable[[Integers, Fraction, Session], Floats]
# From a public shape and epsilon to the least rate of noise that an algorithm asks for.
LeastRate = Callable[[tuple[int, ...], Fraction], Fraction]
LEAST_EPSILON = Fraction(1, 10_000)


def release_histogram(
    name: str,
    estimate: Estimate,
    least_rate: LeastRate,
    counts: Any,
    epsilon: Epsilon,
    ledger: Accountant | None,
    *,
    session_factory: SessionFactory = open_session,
    metadata: Mapping[str, str] | None = None,
) -> Floats:
    """Return the estimate of a histogram, once the whole epsilon is recorded.

    Raises:
        TypeError, ValueError: as :func:`require_counts`; epsilon is not a number of at least 1/10000, or too small for
            the noise that this shape needs.
        PrivacyError: the estimate draws more than epsilon; what was paid stays paid.
        BudgetError: the ledger does not allow it; nothing was spent.
    """
    cells, exact = require_counts(counts), require_epsilon(epsilon)
    require_rate(least_rate(cells.shape, exact))
    guarantee = Guarantee(exact, Neighbours.ADD_REMOVE)
    # Everything that can refuse has done so: from here on the spend stands, whatever happens.
    with session_factory(guarantee, mechanism=name, ledger=ledger, metadata=metadata) as draws:
        return estimate(cells, exact, draws)


def require_epsilon(epsilon: Epsilon) -> Fraction:
    """Return epsilon as the exact number that was written, or say what to pass."""
    exact = exact_epsilon(epsilon)
    if exact < LEAST_EPSILON:
        raise InputError("epsilon must be at least 1/10000 for a histogram: less leaves nothing but noise.")
    return exact
