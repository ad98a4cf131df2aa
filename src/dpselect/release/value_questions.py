"""A number with a smooth bound, ready to be drawn: an integer, an exact scale, and a price.

Proof: ``value_questions.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import neighbours as relation
from dpselect.kernel.numbers import Epsilon, exact_epsilon, exact_positive
from dpselect.mechanisms.smooth.scale import tick_exponent
from dpselect.mechanisms.smooth.value_noise import NOISES, ValueNoise
from dpselect.scores.sensitivity import Sensitivity, smooth

_HALF = Fraction(1, 2)


@dataclass(frozen=True, repr=False, eq=False)
class ValueQuestion:
    """A number to be released: what is drawn, and what it costs and is promised.

    Attributes:
        noise: what is added.
        centre: the number in ticks, rounded to the nearest.
        scale: of the noise, in ticks; exact, and as private as the number.
        tick: what is released is a multiple of it; public.
        beta: how fast the bound may move, the logarithm for each step; public.
        guarantee: of one draw.
        largest: the largest scale that a public ceiling allows; public. ``None`` where there is no ceiling.
    """

    noise: ValueNoise
    centre: int
    scale: Fraction
    tick: Fraction
    beta: Fraction
    guarantee: Guarantee
    largest: Fraction | None = None


def value_question(
    value: Any,
    smooth_bound: Any,
    *,
    epsilon: Epsilon,
    neighbours: str,
    noise: str = "student-t",
    beta: Epsilon | None = None,
    tick: Epsilon | None = None,
) -> ValueQuestion:
    """Return the question, or refuse what has no guarantee or lacks a public fact; as :func:`release_value`."""
    if noise not in NOISES:
        raise InputError(
            f"noise is {' or '.join(repr(name) for name in NOISES)}, not {noise!r}: 'cauchy' is what "
            "dpselect.mechanism calls 'cauchy-2', and numbers have no other noise."
        )
    law, total = NOISES[noise], exact_epsilon(epsilon)
    guarantee = Guarantee(total, relation(neighbours))
    if isinstance(smooth_bound, Sensitivity):
        moving, bound, step = _compute(smooth_bound, law.share(total) if beta is None else beta, tick)
    else:
        moving, bound, step = _require(smooth_bound, beta, tick)
    scale = law.scale(total, moving)
    ticks = _private(value, "value") / step
    # One tick more pays for the rounding of the number: see the proof.
    largest = scale * (Fraction(smooth_bound.ceiling) / step + 1) if isinstance(smooth_bound, Sensitivity) else None
    return ValueQuestion(law, math.floor(ticks + _HALF), scale * (bound / step + 1), step, moving, guarantee, largest)


def _compute(sensitivity: Sensitivity, beta: Epsilon, tick: Epsilon | None) -> tuple[Fraction, Fraction, Fraction]:
    """Return beta, the exact smooth bound and the tick, by a public rule unless they are passed."""
    if math.isinf(sensitivity.ceiling):
        raise PrivacyError("A smooth bound needs a public ceiling of the sensitivity: pass ceiling=.")
    moving = exact_positive(beta, "beta")
    fine = Fraction(2) ** tick_exponent(sensitivity.ceiling)
    return moving, smooth(sensitivity, moving), fine if tick is None else exact_positive(tick, "tick")


def _require(smooth_bound: Any, beta: Epsilon | None, tick: Epsilon | None) -> tuple[Fraction, Fraction, Fraction]:
    """Return beta, the bound and the tick; all three must be there."""
    if beta is None:
        raise PrivacyError(
            "A smooth bound belongs to a beta: pass beta=, the public number for which neighbours have bounds that "
            "differ by a factor of at most e^beta."
        )
    if tick is None:
        raise PrivacyError("The bound is private, so how fine the answer is must be public: pass tick=.")
    step, moving = exact_positive(tick, "tick"), exact_positive(beta, "beta")
    bound = _private(smooth_bound, "smooth_bound")
    if bound < 0:
        raise InputError("smooth_bound must not be negative: it bounds how far one neighbour moves the number.")
    return moving, bound, step


def _private(number: Any, name: str) -> Fraction:
    """Return a private number exactly, a float as the binary number it is; messages do not show it."""
    plain = number.item() if isinstance(number, np.generic) else number
    if isinstance(plain, bool) or not isinstance(plain, (int, float, Fraction, Decimal)):
        raise InputTypeError(f"{name} must be a number.")
    if isinstance(plain, (float, Decimal)) and not math.isfinite(plain):
        raise InputError(f"{name} must be finite: let the query give a number on every database.")
    return Fraction(plain)
