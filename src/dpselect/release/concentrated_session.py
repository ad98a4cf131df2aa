"""Draws of a promise by rho: exact Gaussian noise, and every draw at an epsilon by its price in rho.

Proof: ``concentrated_session.md``. A pure release reaches nothing in this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import Bound, SquaredBound, require_rate, require_variance
from dpselect.kernel.errors import InputTypeError, PrivacyError
from dpselect.kernel.guarantee import PURE, Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon, exact_rho
from dpselect.kernel.prices import PRICES, geometric_price, largest_epsilon
from dpselect.kernel.privacy_filter import PrivacyFilter
from dpselect.kernel.ranks import Ranks
from dpselect.mechanisms.registry import Named, require_mechanism
from dpselect.release.halving import halve_recursively, of_records, path_price, require_shares
from dpselect.release.noise_source import NoiseSource
from dpselect.release.questions import countable
from dpselect.release.session import Session
from dpselect.scores.scores import Scores

Integers = NDArray[np.int64]


class ConcentratedSession(Session):
    """A session paid for by a rho: Gaussian noise at a rho, and choices, counts and streams at an epsilon.

    Each draw at an epsilon is taken at the least rho that holds for its kind (``kernel/prices.md``), and refused where
    it has a delta.
    """

    __slots__ = ()
    _allowance: _RhoFilter
    rule = "rho"

    @property
    def remaining(self) -> Fraction:
        """Return the rho that is left of what was paid."""
        return self._allowance.remaining

    def can_afford(self, epsilon: Fraction) -> bool:
        """Return whether one draw of any kind may have this epsilon, if its price is left."""
        return self._allowance.can_afford(self._allowance.price(epsilon, PURE))

    def epsilon_within(self, rho: Any, *, mechanism: Named | None = None, quantiles: int = 0) -> Fraction:
        """Return the largest epsilon at which one selection costs at most this rho; nothing is taken.

        Args:
            rho: positive and finite.
            mechanism: of the selection; ``None`` for any other draw, such as counts with noise.
            quantiles: how many are drawn by halving instead; 0 for one of these draws.

        >>> import dpselect as dps
        >>> with dps.open_session(dps.Guarantee.from_rho(1, 1e-6, "add-remove")) as draws:
        ...     float(draws.epsilon_within(1)), float(draws.epsilon_within(1, mechanism=dps.mechanism("exponential")))
        (1.543404638, 2.987598881)
        """
        people = self._allowance.people
        shape = PURE if mechanism is None else require_mechanism(mechanism).guarantee(Scores([0, 0], 1), 1).shape
        price = partial(path_price, quantiles) if quantiles else PRICES[shape]
        return largest_epsilon(price, exact_rho(rho) * people**2) / people

    def counts(self, values: Integers, epsilon: Epsilon, bound: Bound) -> Integers:
        """Return integers plus exact two-sided geometric noise, as :meth:`Session.counts`, at the price of that
        noise.
        """
        total = self._price(epsilon, bound)
        rate, integers, people = total / bound.total, countable(values), self._allowance.people
        require_rate(rate)
        self._require(bound.neighbours)
        # Integers move by whole numbers.
        price = geometric_price(rate, people * max(1, int(bound.total))) / people**2
        self._allowance.take(min(price, self._allowance.price(total, PURE)))
        return self._outcomes.noisy(integers, rate)

    def halving(
        self, ranks: Ranks, shares: Sequence[Fraction], epsilon: Epsilon, total: int | None = None
    ) -> list[int]:
        """Return the grid places of shares, as :meth:`Session.halving`, at the price of the dearest path of draws."""
        each, increasing, people = exact_epsilon(epsilon), require_shares(shares), self._allowance.people
        self._require(of_records(self._allowance.neighbours))
        self._allowance.take(path_price(len(increasing), people * each) / people**2)
        return halve_recursively(ranks, increasing, each, self._outcomes.edge, total)

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
        >>> with dps.open_session(dps.Guarantee.from_rho(1, 1e-6, "add-remove")) as draws:
        ...     sums = draws.gaussian(np.array([1000, 2000]), 1, dps.mechanisms.SquaredBound(1))
        >>> bool((abs(sums - [1000, 2000]) < 20).all())
        True
        """
        price = exact_rho(rho)
        if not isinstance(bound, SquaredBound):
            raise InputTypeError(
                "bound must be a SquaredBound, made where it is proved how far one neighbour moves the numbers."
            )
        variance = bound.variance(price)
        require_variance(variance)
        integers = countable(values)
        self._require(bound.neighbours)
        self._allowance.take(price)
        return self._outcomes.gaussian(integers, variance)

    def _require(self, neighbours: Neighbours) -> None:
        """Refuse a draw that protects other neighbours than were paid for."""
        paid = self._allowance.neighbours
        if neighbours is not paid:
            raise PrivacyError(
                f"What was paid protects {paid.value} neighbours, and this draw {neighbours.value} ones: use one."
            )

    def _pay(self, promise: Guarantee, count: int) -> None:
        if promise.stated_rho is None:
            super()._pay(promise, count)
            return
        self._require(promise.neighbours)
        self._allowance.take(promise.stated_rho, count)

    def _take(
        self,
        epsilon: Fraction,
        neighbours: Neighbours,
        count: int = 1,
        *,
        shape: int = PURE,
        delta: Fraction = Fraction(0),
    ) -> None:
        self._require(neighbours)
        if delta:
            raise PrivacyError("This draw has a delta, for which no rho pays: open with an epsilon and a delta for it.")
        self._allowance.take(self._allowance.price(epsilon, shape), count)


class _RhoFilter(PrivacyFilter):
    """The rest of a rho, for draws that protect one of several records of a person.

    Attributes:
        people: how many records of one person there may be; what is taken is a share of the square of that.
    """

    __slots__ = ("people",)

    def __init__(
        self, rho: Fraction, neighbours: Neighbours, releases: int = 1, *, people: int, shape: int = 0, **_: Any
    ) -> None:
        super().__init__(rho, neighbours, releases, shape=shape)
        self.people = people

    def price(self, epsilon: Fraction, shape: int) -> Fraction:
        """Return what a draw of this shape takes."""
        return PRICES[shape](self.people * epsilon) / self.people**2

    def _refusal(self, epsilon: Fraction, delta: Fraction) -> str:  # noqa: ARG002
        most = f", at most {self._each} for each draw" if self._unused[0] else ""
        return (
            f"This draw asks for rho {epsilon} and {self.remaining} is left of what was paid{most}: pay for it when "
            "the release is opened, or draw with less."
        )

    def _part(self) -> _RhoFilter:
        part = _RhoFilter(self._each, self.neighbours, people=self.people)
        part._unused, part._lock = self._unused, self._lock
        return part


def concentrated_session(
    guarantee: Guarantee, releases: int, people: int, outcomes: NoiseSource
) -> ConcentratedSession:
    """Return draws that spend the rho of that many releases.

    Args:
        guarantee: one that states a rho.
        people: how many records of one person there may be: m of them cost m^2 times what one does by Gaussian noise,
            and what m epsilon costs by other draws.
    """
    share = guarantee.rho / people**2
    return ConcentratedSession(_RhoFilter(share, guarantee.neighbours, releases, people=people), outcomes)
