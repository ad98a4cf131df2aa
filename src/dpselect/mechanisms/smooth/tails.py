"""Heavy-tailed noise as the session draws it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tails:
    """The noise Z that is drawn exactly, of scale 1.

    Attributes:
        gamma: at least 2, for a density proportional to 1 / (1 + |z|^gamma); 0 for 1 / (1 + z^2)^2, which is Student t
            with three degrees of freedom over sqrt 3.
        sides: 1 for |Z|, 2 for Z.
    """

    gamma: int
    sides: int = 1
