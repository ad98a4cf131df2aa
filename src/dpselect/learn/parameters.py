"""Parameters of estimators: what they must be, said in one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpselect.kernel.errors import Advice, PrivacyError
from dpselect.mechanisms.kinds import LawOnly, Mechanism, require_pure
from dpselect.mechanisms.named import require_mechanism


def whole(value: Any, name: str, least: int, words: str, most: int | None = None) -> int:
    """Return an integer parameter, or say what it must be."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(Advice(f"{{{name}}} must be an integer of at least {least}: {words}."))
    if most is not None and value > most:
        raise ValueError(Advice(f"{{{name}}} must be at most {most:,}: {words}."))
    return int(value)


def chosen_mechanism(choice: Any) -> Mechanism:
    """Return a mechanism by name or as it is.

    Raises:
        ValueError: there is none of that name.
        PrivacyError: a published calibration that is not private, or a mechanism with a delta.
    """
    mechanism = require_mechanism(choice)
    if isinstance(mechanism, LawOnly):
        raise PrivacyError(f"{mechanism!r} is not private and trains nothing: use a sound calibration.")
    require_pure(mechanism)
    return mechanism
