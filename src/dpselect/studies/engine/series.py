"""What a line of an experiment is: which of the three accounts of a method, and whose colour and marker it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dpselect.analysis.families import FAMILIES

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

    Raises:
        ValueError: an unknown family.
    """

    name: str
    kind: Kind
    family: str

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise ValueError(f"There is no family {self.family!r}: add it to analysis/families.py.")
