"""One of a secret number of private runs: the best, or the first that is good enough; of all others nothing is left."""

from __future__ import annotations

import gc
import logging
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from threading import RLock
from typing import Any, Generic, TextIO, TypeVar

import numpy as np

from dpselect.kernel.errors import InputTypeError

Score = int | float | Fraction
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True)
class Run(Generic[R_co]):
    """The release of one private run, if it is the run that is released.

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
    with silence():
        for _ in range(count):
            latest = finish_run(run)
            counts = latest is not None and (good_enough is None or latest.score >= good_enough)
            if latest is not None and counts and (best is None or latest.score > best.score):
                best = latest
            # What a run that lost leaves behind ends here, and prints and warns nothing when it does.
            del latest
            if good_enough is not None and counts:
                break
        gc.collect()
    return best


def strip_traceback(error: BaseException) -> BaseException:
    """Return an error that an interrupt raised, without the frames that it passed through so far."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def finish_run(run: Callable[[], Any]) -> Run[Any] | None:
    """Return what a run returns, in silence; ``None`` where it raises, or returns no result with a score."""
    with silence():
        try:
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
        raise InputTypeError("A score is a number.")
    # NaN raises here.
    return score if type(score) is int else Fraction(score)


class _SilentOutput:
    """Print, log and warn nothing, and show no progress: what appeared would tell of runs that are not released.

    All of these belong to the process. So the first search that enters notes how they were, and the last that leaves
    sets them back.
    """

    def __init__(self) -> None:
        self._inside, self._lock = 0, RLock()
        self._nowhere: TextIO | None = None
        self._back = ExitStack()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if self._nowhere is None:
                # Stays open until the process ends: who holds it, such as a progress bar, may write to it later.
                self._nowhere = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8", closefd=False)
            if not self._inside:
                self._back = self._save_state()
            # Each time: a run may have set something back.
            sys.stdout = sys.stderr = self._nowhere
            warnings.simplefilter("ignore")
            logging.disable(logging.CRITICAL)
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    self._back.close()

    def _save_state(self) -> ExitStack:
        """Return what sets everything back."""
        back = ExitStack()
        back.enter_context(redirect_stdout(sys.stdout))
        back.enter_context(redirect_stderr(sys.stderr))
        back.enter_context(warnings.catch_warnings())
        back.callback(logging.disable, logging.root.manager.disable)
        return back


silence = _SilentOutput()
