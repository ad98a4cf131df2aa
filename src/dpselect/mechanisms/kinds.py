"""A mechanism: a name, a transformation of scores, a sampler and the guarantee they give. Three kinds, one protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import Epsilon, exact_epsilon, whole
from dpselect.kernel.units import UnitScores
from dpselect.mechanisms.sampler import Sampler
from dpselect.mechanisms.smooth.scores import SmoothScores
from dpselect.scores.grouped import GroupedScores
from dpselect.scores.scores import Scores, require_scores
from dpselect.scores.sensitivity import constant

Smooth = Callable[[Scores, Fraction], SmoothScores]


@runtime_checkable
class Mechanism(Protocol):
    """A private selection mechanism. Get one from ``dpselect.mechanism(name)``.

    Attributes:
        name: the published name.
        summary: one sentence: when to use it.
        sampler: how the winner is drawn.
        parameters: public parameters, fixed before the data is seen.
    """

    name: str
    summary: str
    sampler: Sampler
    parameters: dict[str, Any]

    def prepared(self, scores: Scores, epsilon: Fraction) -> tuple[NDArray[np.int64], Fraction]:
        """Return what the sampler takes: ticks, shape (m,), and what one tick is multiplied by."""
        ...

    def law(self, scores: Scores, epsilon: Epsilon) -> NDArray[np.float64]:
        """Return the exact probability of each candidate, shape (m,), summing to 1.

        The law is that of the sampler: same ticks, same span, same epsilon. It is computed from private
        scores, so show it only for public data or keep it to yourself.

        Raises:
            ValueError: epsilon is not positive and finite; too many distinct scores for Laplace noise.
        """
        return np.exp(self.log_law(scores, epsilon))

    def log_law(self, scores: Scores, epsilon: Epsilon) -> NDArray[np.float64]:
        """Return the natural logarithm of :meth:`law`, shape (m,): finite where the law underflows."""
        return self.ticks_log_law(*self.prepared(require_scores(scores), exact_epsilon(epsilon)))

    def grouped_log_law(self, grouped: GroupedScores, epsilon: Epsilon) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of *one* candidate of each group, shape (g,)."""
        return self.ticks_log_law(*self.prepared(grouped.scores, exact_epsilon(epsilon)), grouped.counts)

    def unit_log_law(self, unit: UnitScores, epsilon: Epsilon) -> NDArray[np.float64]:
        """Return :meth:`log_law` of effective scores that are known already, shape (m,)."""
        return self.ticks_log_law(unit.ticks, self.sampler.rate(unit, exact_epsilon(epsilon)))

    def ticks_log_law(
        self, ticks: NDArray[np.int64], rate: Fraction, counts: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return the logarithm of the sampler's law on prepared ticks, shape (m,).

        With ``counts`` each position stands for that many candidates, and the law is that of one of them.
        """
        return self.sampler.ticks_log_law(ticks, rate, counts)

    def guarantee(self, scores: Scores, epsilon: Epsilon) -> Guarantee:
        """Return what one selection at this epsilon promises.

        Raises:
            ValueError: epsilon is not positive and finite.
            PrivacyError: an unsound calibration, which has no guarantee.
        """
        return Guarantee(
            exact_epsilon(epsilon),
            scores.neighbours,
            bounded_range=self.sampler.bounded_range,
        )


@dataclass(frozen=True, repr=False)
class UnitMechanism(Mechanism):
    """A mechanism whose effective scores move by at most one unit between neighbours.

    Attributes:
        name, summary, sampler, parameters: as :class:`Mechanism`.
        effective: Scores to UnitScores; a function of the data through the scores only.
    """

    name: str
    summary: str
    effective: Callable[[Scores], UnitScores]
    sampler: Sampler
    parameters: dict[str, Any] = field(default_factory=dict, hash=False)

    def prepared(self, scores: Scores, epsilon: Fraction) -> tuple[NDArray[np.int64], Fraction]:
        """Return effective scores as ticks, shape (m,), and what one tick is multiplied by."""
        unit = self.effective(scores)
        return unit.ticks, self.sampler.rate(unit, epsilon)

    def __repr__(self) -> str:
        return _shown(self)


@dataclass(frozen=True, repr=False)
class _Scaled(Mechanism):
    """What mechanisms have whose noise follows the scores.

    Attributes:
        name, summary, sampler, parameters: as :class:`Mechanism`.
        smooth: Scores and epsilon to ticks, and what one of them is worth in units of noise.
        delta: of each selection, 0 where its promise is pure.
    """

    name: str
    summary: str
    smooth: Smooth
    sampler: Sampler
    parameters: dict[str, Any] = field(default_factory=dict, hash=False)
    delta: Fraction = Fraction(0)

    def prepared(self, scores: Scores, epsilon: Fraction) -> tuple[NDArray[np.int64], Fraction]:
        """Return scores in ticks, shape (m,), and what one tick is worth in units of noise."""
        weighed = self.smooth(scores, epsilon)
        return weighed.ticks, weighed.rate

    def beta(self, candidates: int, epsilon: Epsilon, *, range_bound: int = 2) -> Fraction:
        """Return the beta for which the bound of that many scores must be smooth: a function of public facts.

        Raises:
            ValueError: epsilon is not positive and finite, or there is no candidate.

        >>> import dpselect as dps
        >>> dps.mechanism("smooth-private-selection", phi=0.5, gamma=2).beta(11, 1)
        Fraction(1, 20)
        """
        asked = list[Fraction]()

        def probe(beta: Fraction, _: float) -> Fraction:
            asked.append(beta)
            return Fraction(1)

        known = replace(constant(1), smoothed=probe)
        nothing = np.zeros(whole(candidates, "candidates", "how many there are"))
        self.smooth(Scores(nothing, known, range_bound=range_bound), exact_epsilon(epsilon))
        return asked[0]

    def guarantee(self, scores: Scores, epsilon: Epsilon) -> Guarantee:
        """Return what one selection at this epsilon promises, with its delta.

        Raises:
            ValueError: epsilon is not positive and finite.
        """
        return replace(super().guarantee(scores, epsilon), delta=self.delta)

    def __repr__(self) -> str:
        return _shown(self)


class SmoothMechanism(_Scaled):
    """A mechanism whose noise follows a smooth bound, so that its scores depend on epsilon: no unit scores."""


@dataclass(frozen=True, repr=False)
class LawOnly(_Scaled):
    """What has laws and no guarantee, so that it releases nothing: published calibrations that are not private.

    Attributes:
        because: why, and what to use instead.
    """

    because: str = (
        "This published calibration is not private, so it has no guarantee and releases nothing: use its law, "
        'or mechanism("smooth-noisy-max").'
    )

    def guarantee(self, scores: Scores, epsilon: Epsilon) -> Guarantee:  # noqa: ARG002
        """Refuse: there is none.

        Raises:
            PrivacyError: always.
        """
        raise PrivacyError(self.because)


_KINDS = (UnitMechanism, SmoothMechanism, LawOnly)


def require_mechanism(mechanism: Any) -> Mechanism:
    """Return the mechanism, or say how to get one (``TypeError``)."""
    if isinstance(mechanism, _KINDS):
        return mechanism
    name = mechanism if isinstance(mechanism, str) else "permute-and-flip"
    raise TypeError(f"mechanism must be a Mechanism: pass mechanism=dpselect.mechanism({name!r}).")


def require_pure(mechanism: Mechanism) -> None:
    """Refuse a mechanism with a delta where pure epsilon is promised (``PrivacyError``)."""
    if isinstance(mechanism, _Scaled) and mechanism.delta:
        raise PrivacyError(f"{mechanism.name} has a delta here, and pure epsilon is promised: build it without delta=.")


def require_grouped(mechanism: Mechanism) -> None:
    """Refuse a mechanism that cannot draw among groups, and name some that can (``ValueError``)."""
    if not (mechanism.sampler.grouped and isinstance(mechanism, UnitMechanism)):
        raise ValueError(
            f"{mechanism.name} adds noise to every candidate, which groups cannot do: use permute-and-flip, "
            "exponential, or a dampening mechanism drawn by one of them."
        )


def _shown(mechanism: Mechanism) -> str:
    shown = "".join(f", {name}={value!r}" for name, value in mechanism.parameters.items())
    return f"mechanism({mechanism.name!r}{shown})"
