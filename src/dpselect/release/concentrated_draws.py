"""Draws of a promise by rho: exact Gaussian noise, each at a rho of its own, together at most what was paid.

Proof: ``concentrated_draws.md``. A pure release reaches nothing in this file.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import SquaredBound, require_variance
from dpselect.kernel.budget import Allowance
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import exact_rho
from dpselect.release.draws import Draws
from dpselect.release.protocol import Outcomes
from dpselect.release.questions import countable

Integers = NDArray[np.int64]


class ConcentratedDraws(Draws):
    """What was opened by paying a rho: Gaussian noise and public coins, and no draw that costs an epsilon."""

    __slots__ = ()

    @property
    def left(self) -> Fraction:
        """Return the rho that is left of what was paid."""
        return self._allowance.left

    def allows(self, epsilon: Fraction) -> bool:  # noqa: ARG002
        """Return that no draw may have an epsilon."""
        return False

    def gaussian(self, values: Integers, rho: Any, bound: SquaredBound) -> Integers:
        """Return integers plus exact discrete Gaussian noise, of their shape; sizes beyond 2^61 are clipped.

        The variance of the noise is ``bound.squared / (2 rho)``.

        Args:
            values: whole numbers, of any shape.
            rho: what this draw costs; taken from what is left.
            bound: by how much one neighbour moves them: the squares of all moves, added up.

        Raises:
            PrivacyError: less is left, the block has ended, or other neighbours were paid for.
            TypeError, ValueError: bad input; a rho at which the noise would not fit an integer. Nothing was taken.

        >>> import dpselect as dps
        >>> with dps.opened(dps.Guarantee.concentrated(1, 1e-6, "add-remove")) as draws:
        ...     sums = draws.gaussian(np.array([1000, 2000]), 1, dps.mechanisms.SquaredBound(1))
        >>> bool((abs(sums - [1000, 2000]) < 20).all())
        True
        """
        price = exact_rho(rho)
        if not isinstance(bound, SquaredBound):
            raise TypeError(
                "bound must be a SquaredBound, made where it is proved how far one neighbour moves the numbers."
            )
        variance = bound.variance(price)
        require_variance(variance)
        integers, paid = countable(values), self._allowance.neighbours
        if bound.neighbours is not paid:
            raise PrivacyError(
                f"What was paid protects {paid.value} neighbours, and this draw {bound.neighbours.value} ones: use one."
            )
        self._allowance.take(price)
        return self._outcomes.gaussian(integers, variance)

    def _take(self, *_: Any, **__: Any) -> NoReturn:
        raise PrivacyError("A rho was paid, which pays for Gaussian noise only: open with an epsilon for other draws.")


class _RhoAllowance(Allowance):
    """What is left of a rho."""

    __slots__ = ()

    def _refusal(self, epsilon: Fraction, delta: Fraction) -> str:  # noqa: ARG002
        most = f", at most {self._each} for each draw" if self._unused[0] else ""
        return (
            f"This draw asks for rho {epsilon} and {self.left} is left of what was paid{most}: pay for it when the "
            "release is opened, or draw with less."
        )


def concentrated(guarantee: Guarantee, releases: int, people: int, outcomes: Outcomes) -> ConcentratedDraws:
    """Return draws that spend the rho of that many releases.

    Args:
        guarantee: one that states a rho.
        people: how many records of one person there may be: m of them cost m^2 times what one does.
    """
    share = guarantee.rho / people**2
    return ConcentratedDraws(_RhoAllowance(share, guarantee.neighbours, releases), outcomes)
