"""The secret number of repetitions of a private run, and how much of the whole price one run may spend."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import exponential_between
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import exact_public, whole

# Digits of enclosures, and how finely the share of one run is sought.
_DIGITS, _STEPS = 60, 2**20
# Beyond it an exponential is nothing beside gamma.
_LARGE = 1000
# A draw flips about 1 / gamma coins.
_LEAST_GAMMA = Fraction(1, 10**6)


@dataclass(frozen=True)
class RunCount:
    """The law of the secret number of runs, of which one is released: the best, or the first that is good enough.

    The chance of k runs is in proportion to (1-gamma)^(k-1) prod_(j<k) (j+eta) / (j+1), for k from 1 to ``most``.

    Attributes:
        gamma: public, below 1; the mean number of runs of the geometric law is about 1 / gamma.
        eta: public, above -1 and at most 1: 1 is the geometric law, 0 the logarithmic one.
        good_enough: public; the first run with at least this score is released, and none if there is no such run.
            ``None`` for the best of all runs.
        cap: public; no more runs than this, ten times 1 / gamma by default.

    Raises:
        TypeError: gamma, eta or ``good_enough`` is not a finite number; floats are taken as they are written.
        ValueError: gamma below 10^-6 or not below 1; eta out of its range; ``good_enough`` with another eta than 1; a
            cap below 1.

    Proof of the price: ``run_count.md``.
    """

    gamma: Fraction
    eta: Fraction = Fraction(1)
    good_enough: Fraction | None = None
    cap: int | None = None

    def __post_init__(self) -> None:
        for name in ("gamma", "eta", "good_enough"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, exact_public(getattr(self, name), name))
        if not _LEAST_GAMMA <= self.gamma < 1:
            raise InputError("gamma must be at least 10^-6 and less than 1: about one over the mean number of runs.")
        if not -1 < self.eta <= 1:
            raise InputError("eta must be above -1 and at most 1: 1 for the geometric law, 0 for the logarithmic one.")
        if self.good_enough is not None and self.eta != 1:
            raise InputError("good_enough= goes with the geometric law alone: leave out eta.")
        if self.cap is not None:
            whole(self.cap, "cap", "how many runs there may be")

    @property
    def most(self) -> int:
        """Return the largest number of runs; larger ones are drawn again."""
        return math.ceil(10 / self.gamma) if self.cap is None else self.cap

    @property
    def power(self) -> Fraction:
        """Return how often the price counts ln((e^epsilon + gamma) / (1 + gamma e^epsilon)), beside epsilon."""
        return Fraction(1) if self.good_enough is not None else 1 + self.eta

    def epsilon_of_run(self, total: Fraction) -> Fraction:
        """Return an epsilon for each run of which the price is at most ``total``; nearly the largest, rounded down."""
        # The price is at most (1 + power) epsilon, whatever gamma is.
        least = total / (1 + self.power)
        low, high = 0, _STEPS
        while high - low > 1:
            middle = (low + high) // 2
            fits = self._fits(least + (total - least) * middle / _STEPS, total)
            low, high = (middle, high) if fits else (low, middle)
        return least + (total - least) * low / _STEPS

    def _fits(self, epsilon: Fraction, total: Fraction) -> bool:
        """Return whether enclosures show that epsilon + power ln(...) <= total."""
        run, _ = _enclose_exp(epsilon)
        _, rest = _enclose_exp((total - epsilon) / self.power)
        return (1 + self.gamma * run) * rest <= run + self.gamma

    def chances(self) -> NDArray[np.float64]:
        """Return the chance of 1, 2, .. ``most`` runs."""
        j = np.arange(1, self.most)
        steps = math.log1p(-float(self.gamma)) + np.log(j + float(self.eta)) - np.log(j + 1)
        weights = np.exp(np.append(0.0, np.cumsum(steps)))
        return np.asarray(weights / weights.sum())


def _enclose_exp(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals low <= exp(-exponent) <= high, short ones also for a large exponent."""
    if exponent > _LARGE:
        return Fraction(0), Fraction(1, 2**_LARGE)
    return exponential_between(exponent, _DIGITS)
