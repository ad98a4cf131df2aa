"""A mechanism: a name, a transformation of scores, a sampler and the guarantee they give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.coins import Entropy
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.guarantee import Guarantee, exact_epsilon
from dpselect.kernel.samplers import grouped as groups
from dpselect.kernel.samplers.exponential import exponential
from dpselect.kernel.samplers.laplace import laplace
from dpselect.kernel.samplers.permute_and_flip import permute_and_flip
from dpselect.kernel.units import SmoothScores, UnitScores
from dpselect.mechanisms import law
from dpselect.mechanisms.smooth import noise_distributions as noises
from dpselect.mechanisms.smooth import student_t as heavy_tails
from dpselect.scores.grouped import GroupedScores
from dpselect.scores.scores import Scores, require_scores

Draw = Callable[[NDArray[np.int64], Fraction, Entropy], int]
LogLaw = Callable[[NDArray[np.int64], NDArray[np.int64], Fraction], NDArray[np.float64]]


@dataclass(frozen=True)
class Sampler:
    """How a winner is drawn from integer ticks, with its exact law.

    Attributes:
        name: what the docs call it.
        draw: ticks, rate and entropy to the position of the winner.
        log_law: distinct gaps, their counts and the rate to log Pr of one candidate of each group.
        bounded_range: whether its releases have bounded range.
        most_groups: the number of distinct scores beyond which the law is refused, or ``None``.
        idealised: whether draws use floating-point noise, so that the guarantee is that of the ideal twin.
        strength: epsilon to what a gap of one span is multiplied by; epsilon itself unless the noise is another.
        grouped: the same law among groups of equal scores, or ``None`` where every candidate has noise of its own.
    """

    name: str
    draw: Draw
    log_law: LogLaw
    bounded_range: bool = False
    most_groups: int | None = None
    idealised: bool = False
    strength: Callable[[Fraction], Fraction] = Fraction
    grouped: groups.Draw | None = None

    def rate(self, unit: UnitScores, epsilon: Fraction) -> Fraction:
        """Return what a gap of one tick is multiplied by."""
        return unit.rate(self.strength(epsilon))


def _slid(epsilon: Fraction) -> Fraction:
    """Return the shift that one-sided t noise of scale 1 hides at this epsilon."""
    return Fraction(heavy_tails.shift_for(float(epsilon)))


EXPONENTIAL = Sampler("exponential", exponential, law.exponential, bounded_range=True, grouped=groups.exponential)
PERMUTE_AND_FLIP = Sampler("permute-and-flip", permute_and_flip, law.permute_and_flip, grouped=groups.permute_and_flip)
LAPLACE = Sampler("noisy max, Laplace", laplace, law.laplace, most_groups=10_000)


def noisy_max(noise: noises.Noise, strength: Callable[[Fraction], Fraction] = Fraction) -> Sampler:
    """Return the sampler that names the largest of score plus noise, in floating point (idealised)."""
    sides = "one-sided" if noise.sides == 1 else "two-sided"
    return Sampler(
        f"noisy max, {sides} {noise.name}",
        partial(noises.draw, noise=noise),
        partial(noises.log_law, noise=noise),
        most_groups=None if noise.sides == 1 else 500,
        idealised=True,
        strength=strength,
    )


STUDENT = noisy_max(noises.student_t(), _slid)


@dataclass(frozen=True)
class Mechanism:
    """A private selection mechanism. Get one from ``dpselect.mechanism(name)``.

    Attributes:
        name: the published name.
        summary: one sentence: when to use it.
        effective: Scores to UnitScores; a function of the data through the scores only.
        sampler: how the winner is drawn.
        parameters: public parameters, fixed before the data is seen.
        smooth: for mechanisms whose noise follows a smooth bound, Scores and epsilon to SmoothScores; these have
            no effective unit scores.
        unsound: a published calibration that is not private: it has laws and no guarantee, so it cannot release.
    """

    def prepared(self, scores: Scores, epsilon: Fraction) -> tuple[NDArray[np.int64], Fraction]:
        """Return what the sampler takes: ticks, shape (m,), and what one tick is multiplied by."""
        if self.smooth is not None:
            weighed = self.smooth(scores, epsilon)
            return weighed.ticks, weighed.rate
        unit = self.effective(scores)
        return unit.ticks, self.sampler.rate(unit, epsilon)

    name: str
    summary: str
    effective: Callable[[Scores], UnitScores]
    sampler: Sampler
    parameters: dict[str, Any] = field(default_factory=dict, hash=False)
    smooth: Callable[[Scores, Fraction], SmoothScores] | None = None
    unsound: bool = False

    def law(self, scores: Scores, epsilon: Any) -> NDArray[np.float64]:
        """Return the exact probability of each candidate, shape (m,), summing to 1.

        The law is that of the sampler: same ticks, same span, same epsilon. It is computed from private
        scores, so show it only for public data or keep it to yourself.

        Raises:
            ValueError: epsilon is not positive and finite; too many distinct scores for Laplace noise.
        """
        return np.exp(self.log_law(scores, epsilon))

    def log_law(self, scores: Scores, epsilon: Any) -> NDArray[np.float64]:
        """Return the natural logarithm of :meth:`law`, shape (m,): finite where the law underflows."""
        return self.ticks_log_law(*self.prepared(require_scores(scores), exact_epsilon(epsilon)))

    def unit_log_law(self, unit: UnitScores, epsilon: Any) -> NDArray[np.float64]:
        """Return :meth:`log_law` of effective scores that are known already, shape (m,)."""
        return self.ticks_log_law(unit.ticks, self.sampler.rate(unit, exact_epsilon(epsilon)))

    def ticks_log_law(
        self, ticks: NDArray[np.int64], rate: Fraction, counts: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return the logarithm of the sampler's law on prepared ticks, shape (m,).

        With ``counts`` each position stands for that many candidates, and the law is that of one of them.
        """
        gaps, group, sizes = np.unique(ticks.max() - ticks, return_inverse=True, return_counts=True)
        if counts is not None:
            sizes = np.zeros(gaps.size, dtype=np.int64)
            np.add.at(sizes, group, counts)
        if self.sampler.most_groups is not None and gaps.size > self.sampler.most_groups:
            raise ValueError(
                f"The law of {self.name} is computed for at most {self.sampler.most_groups} distinct scores: "
                "use permute-and-flip, which is never worse."
            )
        return self.sampler.log_law(gaps, sizes, rate)[group]

    def grouped_log_law(self, grouped: GroupedScores, epsilon: Any) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of *one* candidate of each group, shape (g,)."""
        return self.ticks_log_law(*self.prepared(grouped.scores, exact_epsilon(epsilon)), grouped.counts)

    def guarantee(self, scores: Scores, epsilon: Any) -> Guarantee:
        """Return what one selection at this epsilon promises.

        Raises:
            ValueError: epsilon is not positive and finite.
            PrivacyError: an unsound calibration, which has no guarantee.
        """
        if self.unsound:
            raise PrivacyError(
                "This published calibration is not private, so it has no guarantee and releases nothing: use its law, "
                'or mechanism("smooth-noisy-max").'
            )
        return Guarantee(
            exact_epsilon(epsilon),
            scores.neighbours,
            bounded_range=self.sampler.bounded_range,
            idealised=self.sampler.idealised,
        )

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        return f"mechanism({self.name!r}{given})"


def require_mechanism(mechanism: Any) -> Mechanism:
    """Return the mechanism, or say how to get one (``TypeError``)."""
    if isinstance(mechanism, Mechanism):
        return mechanism
    name = mechanism if isinstance(mechanism, str) else "permute-and-flip"
    raise TypeError(f"mechanism must be a Mechanism: pass mechanism=dpselect.mechanism({name!r}).")


def require_grouped(mechanism: Mechanism) -> Callable[..., int]:
    """Return the sampler over groups, or name mechanisms that have one (``ValueError``)."""
    if mechanism.sampler.grouped is None or mechanism.smooth is not None:
        raise ValueError(
            f"{mechanism.name} adds noise to every candidate, which groups cannot do: use permute-and-flip, "
            "exponential, or a dampening mechanism drawn by one of them."
        )
    return mechanism.sampler.grouped
