"""The epsilon that is needed, and what an epsilon gives, whatever the data: from public facts alone."""

from __future__ import annotations

from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.worst_case import WorstCase, WorstCaseBound


def epsilon_for(
    *,
    error: Epsilon,
    candidates: int,
    probability: Epsilon = 0.95,
    k: int = 1,
    mechanism: str | Mechanism = "permute-and-flip",
    method: str | None = None,
    sensitivity: Epsilon = 1,
    range_bound: int = 2,
    kind: str = "real",
) -> float:
    """Return the least epsilon at which the error stays below ``error`` with this probability, whatever the data.

    It is the exact worst case over all databases (for joint lists an upper bound), rounded up to six digits, so that
    what is printed suffices. It is 0 where any epsilon is enough, as where a uniform draw keeps the error.

    The error of a choice is how far the winner's score lies below the best score; of a list, how far the worst winner
    lies below the k-th best candidate; of a joint list, the most by which a place lies below the candidate that belongs
    there. All are in units of the score. For medians and percentiles these are records to add or remove, counted from
    the best value of the grid.

    Args:
        error: what the error should stay below, > 0. Between integer scores it is rounded up.
        candidates: how many there are: a public number.
        probability: how likely that is at least, between 0 and 1.
        k: how many candidates are named.
        mechanism: ``"permute-and-flip"`` or ``"exponential"``.
        method: of a list: ``"one-shot"`` or ``"peeling"``; one-shot unless the mechanism is exponential, whose list is
            the same both ways, and which also has ``"joint"``.
        sensitivity: how far one neighbour moves one score at most.
        range_bound: 1 when one added record moves all scores the same way, else 2.
        kind: of the scores. ``"real"`` holds for integers too, and costs a millionth more.

    Raises:
        ValueError, TypeError: numbers outside their range; a mechanism or a method of which no worst case is known.

    >>> epsilon_for(error=10, probability=0.95, candidates=1000, range_bound=1)
    0.917521
    >>> epsilon_for(error=10, probability=0.95, candidates=1000, range_bound=1, mechanism="exponential")
    0.985123
    """
    case = WorstCase.of(candidates, k, mechanism, method, sensitivity, range_bound, kind)
    return case.epsilon_for(error, probability)


def error_bound(
    *,
    epsilon: Epsilon,
    candidates: int,
    k: int = 1,
    mechanism: str | Mechanism = "permute-and-flip",
    method: str | None = None,
    sensitivity: Epsilon = 1,
    range_bound: int = 2,
    kind: str = "real",
) -> WorstCaseBound:
    """Return the error bound of a release on the worst of all databases, the inverse of :func:`epsilon_for`.

    ``tail(error)`` is the largest probability of at least this error, ``at(probability)`` the bound that it stays
    below, and for one choice ``expected_error()`` the largest expected error. All are rounded up. Where a database is
    at hand, :func:`error_tail` and :func:`expected_error` are its own figures.

    Args:
        epsilon: of the whole release.
        candidates, k, mechanism, method, sensitivity, range_bound, kind: as for :func:`epsilon_for`.

    Raises:
        ValueError, TypeError: as :func:`epsilon_for`.

    >>> worst = error_bound(epsilon=1, candidates=1000, range_bound=1, kind="integer")
    >>> worst.at(0.95), round(worst.tail(5), 3), round(worst.expected_error(), 2)
    (10, 0.852, 4.42)

    Limits: Worst errors are known for two mechanisms. ``epsilon_for``, ``dpselect plan`` and ``release.error_bound``
    cover permute-and-flip and the exponential mechanism at one public bound: one choice, lists in one pass, and lists
    that the exponential mechanism peels, exactly; joint lists by an upper bound. No bound is known for lists that
    permute-and-flip peels, for dampening and smooth noise, and for candidates whose number is counted first. Several
    quantiles have a bound where they are drawn by halving, not where they are drawn jointly or read off a tree of
    counts; with a public total it holds if the total is right. Of trees only the counts at the leaves have one (of ID3
    trees, without pruning), and nothing bounds how well a model predicts. Errors are measured on scores as they are
    held: integers cut at 2^61, real numbers as said above, and in lists of real scores no gap to the best is more than
    2^28 sensitivities. The worst mean is exact for the exponential mechanism, an upper bound for permute-and-flip, and
    unknown for lists.
    """
    case = WorstCase.of(candidates, k, mechanism, method, sensitivity, range_bound, kind)
    return WorstCaseBound(case, exact_epsilon(epsilon))
