"""Release a number whose noise follows a smooth bound: spend, then draw, then return."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms.error_bound import ErrorBound, NoBound
from dpselect.release.number_bound import NumberBound
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.release import Release
from dpselect.release.value_questions import ValueQuestion, value_question
from dpselect.scores.sensitivity import Sensitivity

_PRIVATE = (
    "the noise follows a bound that is private; a Sensitivity with a public ceiling has one, and "
    "dpselect.accuracy.value_error is for the eyes of the curator"
)


def release_value(
    value: Any,
    smooth_bound: float | Fraction | Sensitivity,
    *,
    epsilon: Epsilon,
    neighbours: str,
    noise: str = "student-t",
    beta: Epsilon | None = None,
    tick: Epsilon | None = None,
    ledger: Accountant | None = None,
) -> Release[Fraction]:
    """Release a number plus heavy-tailed noise whose scale follows a smooth bound of its local sensitivity.

    The draw is exact: the number is rounded to the nearest tick, the noise is refined until its own rounding is
    certain, and the constant is the least that epsilon allows, rounded up.

    Args:
        value: the number.
        smooth_bound: a number that is a beta-smooth bound on this database: no neighbour moves the value by more than
            the bound of either, and the bounds of neighbours differ by a factor of at most e^beta. Or a
            :class:`Sensitivity` of the value with a ceiling, from which that bound is computed exactly.
        epsilon: the budget.
        neighbours: what one step between databases is, as for :class:`Scores`.
        noise: ``"student-t"`` with three degrees of freedom, or ``"cauchy"``, which allows a beta three times as large
            and has tails so heavy that its answers have no mean.
        beta: public, below epsilon / 3 for Student t and epsilon for Cauchy noise. A bound
            that is a number must be smooth for it; for a Sensitivity a public rule gives it unless it is passed.
        tick: public: what is released is a multiple of it. It adds one tick to the bound. For a Sensitivity
            it is 2^-24 of the ceiling, or up to half of that, unless it is passed.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for ``neighbours``, if the bound is what it says.

    Raises:
        PrivacyError: ``beta`` or ``tick`` is missing beside a number, or the Sensitivity has no ceiling.
        ValueError, TypeError: beta too large for epsilon, values that are not finite numbers; nothing was spent.
        BudgetError: the ledger does not allow it; nothing was spent.

    References: Nissim, Raskhodnikova and Smith 2007; Chaves 2024, Theorems 2.21 and 2.22, with less noise for the same
    promise (``mechanisms/smooth/value_noise.md``).

    >>> release = release_value(52_300, 40, epsilon=2, beta=0.3, tick=10, neighbours="substitution")
    >>> abs(release.value - 52_300) < 100_000, release.value % 10, release.guarantee
    (True, Fraction(0, 1), Guarantee(epsilon=2, neighbours='substitution'))

    Limits: A smooth bound is a claim. ``release_value`` and ``sensitivity.smooth_bound`` trust the bound that they are
    passed, for the numbers as they are computed: a query that computes floats carries its rounding into the claim. A
    number or a bound that is not finite is refused before anything is spent, so let the query give one on every
    database. Neither the bound nor the scale of the noise may be published.
    """
    asked = value_question(
        value, smooth_bound, epsilon=epsilon, neighbours=neighbours, noise=noise, beta=beta, tick=tick
    )
    return release_question(asked, ledger)


def release_question(
    asked: ValueQuestion, ledger: Accountant | None = None, session_factory: SessionFactory = open_session
) -> Release[Fraction]:
    """Release the answer to a question with a given session factory."""
    name = f"release-value, {asked.noise.name}"
    with session_factory(asked.guarantee, mechanism=name, ledger=ledger) as draws:
        value = draws.noisy_number(asked)
    return Release(value, name, asked.guarantee, tick=asked.tick, error_bound=error_bound_of_value(asked))


def error_bound_of_value(asked: ValueQuestion) -> ErrorBound:
    """Return how far off the answer may be by the largest noise that the public ceiling allows."""
    if asked.largest is None:
        return NoBound(_PRIVATE)
    return NumberBound(asked.noise, asked.largest, asked.tick)
