"""A bar raised by one secret geometric number, and numbers that may reach it: exact, by coins.

A number that falls short of the bar reaches it if one coin shows heads, and the height above the bar is then
geometric again, so that most questions draw one coin and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NoReturn

import numpy as np

from dpselect.kernel.bernoulli_exp import Entropy, flip
from dpselect.kernel.errors import InputTypeError
from dpselect.kernel.samplers.discrete_laplace import geometric


class GeometricThreshold:
    """A bar at 0, raised once by a geometric number that nobody sees.

    Args:
        rate: of that number; above 2^-40.
        stream: makes the random bytes of one draw.
    """

    __slots__ = ("_raised", "_stream")

    def __init__(self, rate: Fraction, stream: Callable[[], Entropy]) -> None:
        self._stream = stream
        self._raised = int(geometric(1, rate, stream())[0])

    def margin(self, distance: int, rate: Fraction) -> int | None:
        """Return how far above the bar a number plus fresh geometric noise is, or ``None`` where it is below.

        Args:
            distance: of the number from 0; at most 2^61 + 2^60 + 2^59 in size.
            rate: of its noise; above 2^-40.
        """
        entropy, short = self._stream(), self._raised - distance
        if short > 0 and not flip(np.array([short], dtype=np.int64), rate, entropy).size:
            return None
        return max(-short, 0) + int(geometric(1, rate, entropy)[0])

    def __repr__(self) -> str:
        return "GeometricThreshold()"

    def __reduce__(self) -> NoReturn:
        raise InputTypeError("A bar is never copied: its secret would answer twice.")
