"""Samplers that draw a winner from integer ticks: a name, its exact law, and what the promise needs to know of it.

Nothing here draws. The one place that does, ``dpselect.release``, finds the sampler by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.units import UnitScores
from dpselect.mechanisms import pmf
from dpselect.mechanisms.smooth import noise_distributions as noises
from dpselect.mechanisms.smooth.heavy_tail import HeavyTail
from dpselect.mechanisms.smooth.slides import shift
from dpselect.mechanisms.smooth.tails import Tails

LogPmf = Callable[[NDArray[np.int64], NDArray[np.int64], Fraction], NDArray[np.float64]]


@dataclass(frozen=True)
class Sampler:
    """A sampler of a winner from integer ticks, with its exact law.

    Attributes:
        name: what the docs call it, and what the session finds the draw by.
        log_pmf: distinct gaps, their counts and the rate to log Pr of one candidate of each group.
        bounded_range: whether its releases have bounded range.
        laplace: whether Laplace noise dominates its releases from unit scores (``kernel/prices.md``).
        most_groups: the number of distinct scores beyond which the law is refused, or ``None``.
        tails: the noise of noisy max with heavy tails, which the session draws by what it is and not by name.
        strength: epsilon to what a gap of one span is multiplied by; ``None`` for epsilon itself.
        grouped: whether the same law can be drawn among groups of equal scores.
        clip: how many candidates there are to a public number of units of noise: nobody counts as further behind the
            best. ``None`` where gaps are not clipped.
    """

    name: str
    log_pmf: LogPmf
    bounded_range: bool = False
    laplace: bool = False
    most_groups: int | None = None
    tails: Tails | None = None
    strength: Callable[[Fraction], Fraction] | None = None
    grouped: bool = False
    clip: Callable[[int], Fraction] | None = None

    def rate(self, unit: UnitScores, epsilon: Fraction) -> Fraction:
        """Return what a gap of one tick is multiplied by."""
        return unit.rate(epsilon if self.strength is None else self.strength(epsilon))

    def tick_log_pmf(
        self, ticks: NDArray[np.int64], rate: Fraction, counts: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of each position, shape (m,).

        With ``counts`` each position stands for that many candidates, and the law is that of one of them.

        Raises:
            ValueError: more distinct scores than the law is computed for.
        """
        gaps, group, sizes = np.unique(ticks.max() - ticks, return_inverse=True, return_counts=True)
        if counts is not None:
            sizes = np.zeros(gaps.size, dtype=np.int64)
            np.add.at(sizes, group, counts)
        if self.most_groups is not None and gaps.size > self.most_groups:
            raise InputError(
                f"The law of {self.name} is computed for at most {self.most_groups} distinct scores: "
                "use permute-and-flip, which is never worse."
            )
        return self.log_pmf(gaps, sizes, rate)[group]


def _slid(epsilon: Fraction) -> Fraction:
    """Return the shift that one-sided t noise hides at this epsilon, in units of the noise that is drawn."""
    return shift(HeavyTail(0), epsilon)


def _drawn_pmf(
    gaps: NDArray[np.int64], counts: NDArray[np.int64], rate: Fraction, noise: noises.NoiseDistribution
) -> NDArray[np.float64]:
    """Return the law of noisy max, the rate in units of the noise that is drawn."""
    return noises.log_pmf(gaps, counts, rate * Fraction(noise.unit), noise)


EXPONENTIAL = Sampler("exponential", pmf.exponential, bounded_range=True, grouped=True)
PERMUTE_AND_FLIP = Sampler("permute-and-flip", pmf.permute_and_flip, laplace=True, grouped=True)
LAPLACE = Sampler("noisy max, Laplace", pmf.laplace, laplace=True, most_groups=10_000)
# The names of samplers that differ by their clip: ``smooth.clip``.
CLIPPED_FLIP, CLIPPED_LAPLACE = "permute-and-flip, clipped", "noisy max, Laplace, clipped"


def noisy_max(noise: noises.NoiseDistribution, strength: Callable[[Fraction], Fraction] | None = None) -> Sampler:
    """Return the sampler that names the largest of score plus noise; without tails, of laws only."""
    sides = "one-sided" if noise.sides == 1 else "two-sided"
    return Sampler(
        f"noisy max, {sides} {noise.name}",
        partial(_drawn_pmf, noise=noise),
        most_groups=None if noise.sides == 1 else 500,
        tails=noise.tails,
        strength=strength,
    )


def require_sampler(sampler: Sampler) -> None:
    """Refuse what is not drawn as it says (``ValueError``): a session finds a draw by its name, tails or clip."""
    if sampler.tails is None and sampler.clip is None and sampler not in (EXPONENTIAL, PERMUTE_AND_FLIP, LAPLACE):
        raise InputError("A sampler is EXPONENTIAL, PERMUTE_AND_FLIP or LAPLACE of dpselect.mechanisms, as it is.")


STUDENT = noisy_max(noises.student_t(), _slid)
