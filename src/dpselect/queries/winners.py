"""The best of many candidates, with whatever else of a list is free."""

from __future__ import annotations

from typing import Any

from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms import mechanism as mechanism_of
from dpselect.release.one_shot import ONE_SHOT, PEELING, has_gaps, method_of
from dpselect.release.questions import question, require_count
from dpselect.release.release import Release
from dpselect.release.select import top_k
from dpselect.scores.scores import Scores

JOINT = "joint"


def best(
    scores: Scores, k: int, *, epsilon: Epsilon, mechanism: str, method: str | None = None, accountant: Accountant
) -> Release[tuple[Any, ...]]:
    """Return the release of :func:`dpselect.top_k`, with gaps and a p-value wherever they are free.

    Raises:
        PrivacyError, ValueError, TypeError, BudgetError: as there.
    """
    chooser, k = mechanism_of(mechanism), require_count(k, len(scores))
    gaps = False
    if method not in (JOINT, PEELING):
        asked = question(scores, exact_epsilon(epsilon) / k, chooser)
        way = method_of(asked, k, method, accountant)
        gaps = (k == 1 or way == ONE_SHOT) and chooser.measure(scores) is not None and has_gaps(asked, k)
    return top_k(scores, k, epsilon=epsilon, mechanism=chooser, method=method, gaps=gaps, ledger=accountant)
