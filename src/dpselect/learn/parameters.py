"""Parameters of estimators: what they must be, said in one sentence."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.base import Mechanism, UnsoundMechanism, require_pure
from dpselect.mechanisms.registry import require_mechanism


def whole(value: Any, name: str, least: int, words: str, most: int | None = None) -> int:
    """Return an integer parameter, or say what it must be."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(Advice(f"{{{name}}} must be an integer of at least {least}: {words}."))
    if most is not None and value > most:
        raise InputError(Advice(f"{{{name}}} must be at most {most:,}: {words}."))
    return int(value)


def epsilon_of(estimator: Any) -> Fraction:
    """Return the epsilon that an estimator was made with, or refuse one without.

    Raises:
        PrivacyError: there is none, because nobody but the curator can say how much a fit may cost.
        ValueError, TypeError: it is not positive and finite.
    """
    if estimator.epsilon is None:
        name = type(estimator).__name__
        raise PrivacyError(Advice("Say how much privacy a fit may cost, as in {name}({epsilon=1}).", name=name))
    return exact_epsilon(estimator.epsilon)


def chosen_mechanism(choice: Any) -> Mechanism:
    """Return a mechanism by name or as it is.

    Raises:
        ValueError: there is none of that name.
        PrivacyError: a published calibration that is not private, or a mechanism with a delta.
    """
    mechanism = require_mechanism(choice)
    if isinstance(mechanism, UnsoundMechanism):
        raise PrivacyError(f"{mechanism!r} is not private and trains nothing: use a sound calibration.")
    require_pure(mechanism)
    return mechanism
