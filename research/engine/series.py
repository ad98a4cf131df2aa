"""What a line of an experiment is: which of the three accounts of a method, and whose colour and marker it has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from dpselect._display.families import FAMILIES
from dpselect.kernel.errors import InputError

Kind = Literal["as released", "as described", "sound", "reference"]

# The panel of true privacy losses: the x is epsilon, the value the loss over epsilon.
PRIVACY = "privacy loss, in epsilons"


@dataclass(frozen=True)
class Series:
    """One line of an experiment.

    Attributes:
        kind: ``"as released"``, the set-up that made the printed numbers; ``"as described"``, the paper's text,
            corrected where it errs; ``"sound"``, what this library recommends; ``"reference"``, no mechanism at all.
        family: the mechanism's family, which has one colour and marker in all pictures.
        measure: what its points measure, and against which reference, where lines of one panel differ in that: only
            lines of one measure are ranked against each other.

    Raises:
        ValueError: an unknown family.
    """

    name: str
    kind: Kind
    family: str
    measure: str = ""

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise InputError(f"The family {self.family!r} does not exist: add it to _display/families.py.")


def times(loss: float) -> str:
    """Return how many times epsilon a loss is, as people write it.

    >>> times(1.1362), times(83261000.0), times(float("inf"))
    ('1.14', '83,000,000', 'without bound')
    """
    if math.isinf(loss):
        return "without bound"
    return f"{float(f'{loss:.2g}'):,.0f}" if loss >= 1000 else f"{loss:.3g}"


def price(loss: float) -> str:
    """Return what a loss costs, in words.

    >>> price(8.5701)
    'at least 8.57 epsilon'
    """
    return times(loss) if math.isinf(loss) else f"at least {times(loss)} epsilon"
