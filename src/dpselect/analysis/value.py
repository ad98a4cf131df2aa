"""Errors of a released number: exact figures from its law.

A smooth bound is private, and so is everything computed from it: for public or made-up data, or for the curator's eyes.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon
from dpselect.release.value_questions import ValueQuestion, value_question

_HALF = Fraction(1, 2)


def value_pmf(
    value: Any,
    smooth_bound: Any,
    *,
    epsilon: Epsilon,
    answers: ArrayLike,
    noise: str = "student-t",
    beta: Epsilon | None = None,
    tick: Epsilon | None = None,
) -> NDArray[np.float64]:
    """Return the exact probability of answers of :func:`dpselect.release_value`, shape (k,).

    Args:
        answers: shape (k,); each stands for the nearest multiple of the tick.
        value, smooth_bound, epsilon, noise, beta, tick: as for the release.

    Raises:
        PrivacyError, ValueError, TypeError: as the release.

    >>> value_pmf(10, 1, epsilon=2, answers=[9, 10, 11], beta=0.3, tick=1).round(3)
    array([0.202, 0.293, 0.202])
    """
    asked = _value_question(value, smooth_bound, epsilon, noise, beta, tick)
    cells = [math.floor(Fraction(answer) / asked.tick + _HALF) for answer in np.atleast_1d(answers).tolist()]
    return np.exp(asked.noise.log_cells(cells, asked.centre, asked.scale))


def value_error(
    smooth_bound: Any,
    *,
    epsilon: Epsilon,
    probability: float = 0.5,
    noise: str = "student-t",
    beta: Epsilon | None = None,
    tick: Epsilon | None = None,
) -> float:
    """Return how far off an answer is at most with this probability, in the unit of the number.

    Raises:
        PrivacyError, ValueError, TypeError: as the release; a probability that is not between 0 and 1.

    >>> [round(value_error(1, epsilon=2, beta=0.3, tick=0.01, noise=noise), 2) for noise in ("student-t", "cauchy")]
    [0.48, 0.44]
    """
    if not 0 < probability < 1:
        raise InputError("probability lies between 0 and 1: how many of the answers are to be that near.")
    asked = _value_question(0, smooth_bound, epsilon, noise, beta, tick)
    # The number and the answer are each rounded by half a tick at most.
    return (float(asked.scale) * asked.noise.within(probability) + 1) * float(asked.tick)


def _value_question(
    value: Any, smooth_bound: Any, epsilon: Epsilon, noise: str, beta: Epsilon | None, tick: Epsilon | None
) -> ValueQuestion:
    # Which neighbours are protected changes no law.
    return value_question(
        value, smooth_bound, epsilon=epsilon, neighbours="add-remove", noise=noise, beta=beta, tick=tick
    )
