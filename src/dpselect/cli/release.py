"""A release on the command line: the mechanism that was asked for, the answer in words and for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dpselect as dps
from dpselect.cli.plan import accuracy, facts_text, promise
from dpselect.cli.request import Request
from dpselect.cli.spending import purse_of
from dpselect.cli.verb import Answer
from dpselect.mechanisms.worst_case import worst_of
from dpselect.release.select import METHOD, Release

# More candidates than this are not laid out for a bound on the error.
_MOST = 10**7


def mechanism_of(request: Request, default: str) -> dps.Mechanism:
    """Return the mechanism that was asked for, or the default.

    Raises:
        ValueError: there is none of this name, the empty one included.
    """
    return dps.mechanism(default if request.mechanism is None else request.mechanism)


def best(
    request: Request, scores: dps.Scores, mechanism: dps.Mechanism, k: int = 1, unit: str = "", **facts: str
) -> Release[Any]:
    """Release the best k candidates, from the ledger of the command line; ``facts`` are recorded.

    ``unit`` says what a score counts, where that is known.
    """
    purse = purse_of(request, **facts)
    request.unit, request.worst = unit, worst_of(scores, k, request.epsilon, mechanism, METHOD)
    sensitivity = scores.sensitivity
    if sensitivity.fixed:
        request.bound = bound(
            len(scores), sensitivity.ceiling, scores.range_bound, lambda: request.epsilon / k, mechanism
        )
    return dps.top_k(scores, k, request.epsilon, mechanism=mechanism, ledger=purse)


def bound(
    candidates: int | None, sensitivity: Any, range_bound: int, epsilon: Callable[[], Any], mechanism: dps.Mechanism
) -> Callable[[], float | None]:
    """Return how to find what the expected error of one draw is at most, whatever the data.

    It follows from the number of candidates and one constant sensitivity, so it is found from scores that are all
    zero: no private one has a part in it.
    """

    def found() -> float | None:
        if candidates is None or not 1 <= candidates <= _MOST:
            return None
        example = dps.Scores(np.zeros(candidates), float(sensitivity), range_bound=range_bound)
        try:
            return dps.expected_error_bound(example, epsilon(), mechanism=mechanism)
        except (ValueError, dps.PrivacyError):
            return None

    return found


def released(release: Release[Any], lines: Sequence[str], note: str = "", unit: str = "", **more: Any) -> Answer:
    """Return a release as lines and, after a note, what it cost and how accurate it is at worst; and for programs."""
    worst = release.worst_error
    facts = {
        "candidates": release.candidates,
        **more,
        "mechanism": release.mechanism,
        "guarantee": promise(release.guarantee),
        "accuracy": accuracy(worst, unit),
    }
    cost = f"{note}{facts_text(release.guarantee)}, by {release.mechanism}"
    return Answer("\n".join([*lines, cost, *([] if worst is None else [worst.sentence(unit=unit)])]), facts)


def ranked(release: Release[Any]) -> list[str]:
    """Return the winners, one per line, in the order of their selection."""
    return [f"{rank:>3}  {name}" for rank, name in enumerate(release.candidates, 1)]
