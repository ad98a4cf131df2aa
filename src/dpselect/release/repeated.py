"""One of a secret number of private runs: the best, or the first that is good enough; of all others nothing is left."""

from __future__ import annotations

import logging
import math
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

Score = int | float | Fraction
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True)
class Run(Generic[R_co]):
    """What one private run releases, if it is the one that is released.

    Attributes:
        result: what the run returned beside its score.
        score: the released score, by which runs are compared; exact.
    """

    result: R_co
    score: Score


def released_run(run: Callable[[], Any], count: int, good_enough: Fraction | None) -> Run[Any] | None:
    """Return the best of so many runs, the first of equals; or the first that is good enough.

    Args:
        run: returns a result and its score. A run that raises, or whose score is not a number, is worse than all
            others.
        count: how many; secret.
        good_enough: public; ``None`` for the best.

    Returns: ``None`` where every run failed, or none was good enough.
    """
    best: Run[Any] | None = None
    for _ in range(count):
        latest = finished(run)
        if latest is None:
            continue
        if good_enough is None:
            best = latest if best is None or latest.score > best.score else best
        elif latest.score >= good_enough:
            return latest
    return best


def finished(run: Callable[[], Any]) -> Run[Any] | None:
    """Return what a run returns, in silence; ``None`` where it raises, or returns no result with a score."""
    try:
        with _silence():
            result, score = run()
            return Run(result, _number(score))
    except (Exception, SystemExit):
        # Which run failed, and why, is as private as its result would be.
        return None


def _number(score: Any) -> Score:
    """Return a score as a number of a kind that compares with all others, without rounding."""
    score = score.item() if isinstance(score, np.generic) else score
    if isinstance(score, float) and math.isinf(score):
        return score
    if not isinstance(score, (int, float, Fraction, Decimal)):
        raise TypeError("A score is a number.")
    # NaN raises here.
    return score if type(score) is int else Fraction(score)


@contextmanager
def _silence() -> Iterator[None]:
    """Print, log and warn nothing, and show no progress: what appeared would tell of runs that are not released."""
    level = logging.root.manager.disable
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(level)
