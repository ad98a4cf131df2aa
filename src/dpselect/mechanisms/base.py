"""A mechanism: a name, a transformation of scores, a sampler and the guarantee they give. Three kinds, one protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import Epsilon, exact_epsilon, whole
from dpselect.kernel.units import TICK_CLIP, UnitScores
from dpselect.mechanisms.sampler import Sampler, require_sampler
from dpselect.mechanisms.scaling import Measure
from dpselect.mechanisms.smooth.scores import SmoothScores
from dpselect.mechanisms.smooth.share import ShareWeight
from dpselect.scores.declared_bound import beta_below
from dpselect.scores.grouped_scores import GroupedScores
from dpselect.scores.scores import Scores, require_scores

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

    def quantize(self, scores: Scores, epsilon: Fraction) -> tuple[NDArray[np.int64], Fraction]:
        """Return what the sampler takes: ticks, shape (m,), and what one tick is multiplied by."""
        ...

    def pmf(self, scores: Scores, epsilon: Epsilon) -> NDArray[np.float64]:
        """Return the exact probability of each candidate, shape (m,), summing to 1.

        The law is that of the sampler: same ticks, same span, same epsilon. It is computed from private
        scores, so show it only for public data or keep it to yourself.

        Raises:
            ValueError: epsilon is not positive and finite; too many distinct scores for Laplace noise.
        """
        return np.exp(self.log_pmf(scores, epsilon))

    def log_pmf(self, scores: Scores, epsilon: Epsilon) -> NDArray[np.float64]:
        """Return the natural logarithm of :meth:`pmf`, shape (m,): finite where the law underflows."""
        return self.tick_log_pmf(*self.quantize(require_scores(scores), exact_epsilon(epsilon)))

    def grouped_log_pmf(self, grouped: GroupedScores, epsilon: Epsilon) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of *one* candidate of each group, shape (g,)."""
        return self.tick_log_pmf(*self.quantize(grouped.scores, exact_epsilon(epsilon)), grouped.counts)

    def unit_log_pmf(self, unit: UnitScores, epsilon: Epsilon) -> NDArray[np.float64]:
        """Return :meth:`log_pmf` of effective scores that are known already, shape (m,)."""
        return self.tick_log_pmf(unit.ticks, self.sampler.rate(unit, exact_epsilon(epsilon)))

    def tick_log_pmf(
        self, ticks: NDArray[np.int64], rate: Fraction, counts: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return the logarithm of the sampler's law on prepared ticks, shape (m,).

        With ``counts`` each position stands for that many candidates, and the law is that of one of them.
        """
        return self.sampler.tick_log_pmf(ticks, rate, counts)

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
            laplace=self.sampler.laplace,
        )

    def budget_fraction(self, scores: Scores) -> Fraction | None:  # noqa: ARG002
        """Return phi, the public share of epsilon that pays for a moving scale; ``None`` where the scale does not move.

        It is what was passed as ``phi=``, or else follows from what the scores declare.

        >>> import dpselect as dps
        >>> scores = dps.Scores([1, 0], dps.sensitivity.local(lambda t: t, ceiling=1), kind="integer")
        >>> [dps.mechanism(name).budget_fraction(scores) for name in ("smooth-noisy-max", "exponential")]
        [Fraction(7, 10), None]
        """
        return None

    def describe(self, scores: Scores | None = None) -> str:
        """Return what a release of these scores draws, in words that a ledger records: public facts only."""
        del scores
        return _label(self.name, self.parameters)

    def measure(self, scores: Scores) -> Measure | None:  # noqa: ARG002
        """Return what ticks say of scores; ``None`` where what is ranked is not the scores alone."""
        return None

    def beta(self, scores: Scores, epsilon: Epsilon, k: int = 1) -> float:  # noqa: ARG002
        """Refuse: only a mechanism whose noise follows a smooth bound has one.

        Raises:
            ValueError: always.
        """
        raise _no_beta(self)


@dataclass(frozen=True, repr=False)
class UnitMechanism(Mechanism):
    """A mechanism whose effective scores move by at most one unit between neighbours.

    Attributes:
        name, summary, sampler, parameters: as :class:`Mechanism`.
        effective: Scores to UnitScores; a function of the data through the scores only.
        measures: Scores to what their ticks say of them, or ``None``.
    """

    name: str
    summary: str
    effective: Callable[[Scores], UnitScores]
    sampler: Sampler
    parameters: dict[str, Any] = field(default_factory=dict, hash=False)
    measures: Callable[[Scores], Measure | None] | None = None

    def __post_init__(self) -> None:
        require_sampler(self.sampler)

    def quantize(self, scores: Scores, epsilon: Fraction) -> tuple[NDArray[np.int64], Fraction]:
        """Return effective scores as ticks, shape (m,), and what one tick is multiplied by."""
        unit = self.effective(scores)
        return _clip_ticks(unit, len(scores)), self.sampler.rate(unit, epsilon)

    def measure(self, scores: Scores) -> Measure | None:
        """Return what ticks say of scores; ``None`` where what is ranked is not the scores alone."""
        return None if self.measures is None else self.measures(scores)

    def __repr__(self) -> str:
        return _text(self)


@dataclass(frozen=True, repr=False)
class _ScaledMechanism(Mechanism):
    """The interface of mechanisms whose noise follows the scores.

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

    def quantize(self, scores: Scores, epsilon: Fraction) -> tuple[NDArray[np.int64], Fraction]:
        """Return scores in ticks, shape (m,), and what one tick is worth in units of noise."""
        weighed = self.smooth(scores, epsilon)
        return weighed.ticks, weighed.rate

    def beta(self, scores: Scores, epsilon: Epsilon, k: int = 1) -> float:
        """Return the beta that the function of ``sensitivity.smooth_bound`` will be called with; it is not called here.

        It is public: it follows from epsilon, k, the parameters and what the scores declare. Let the function return a
        bound that is smooth for the beta it is called with, never one that was found for another epsilon or k.

        Args:
            scores: what will be released, or public scores of as many candidates that declare the same.
            epsilon: of the whole release, as for :func:`dpselect.top_k`.
            k: how many candidates it names.

        Raises:
            ValueError, TypeError: epsilon, k or the scores would be refused by the release.

        >>> import dpselect as dps
        >>> known = dps.sensitivity.smooth_bound(lambda beta: 0.5, ceiling=1)
        >>> scores = dps.Scores([1, 0, 0, 0], known, kind="integer")
        >>> mechanism = dps.mechanism("smooth-private-selection", phi=0.5, gamma=2)
        >>> mechanism.beta(scores, 3), mechanism.beta(scores, 3, k=2)
        (0.5, 0.25)
        """
        known, total = require_scores(scores).sensitivity, exact_epsilon(epsilon)
        if known.smoothed is not None:
            known = replace(known, smoothed=_any_beta)
        if whole(k, "k", "how many candidates to name") > len(scores):
            raise InputError(f"k is {k} and there are {len(scores)} candidates: ask for at most that many.")
        used = self.smooth(Scores(scores.values, known, range_bound=scores.range_bound), total / k).beta
        if used is None:
            raise _no_beta(self)
        return beta_below(used)

    def budget_fraction(self, scores: Scores) -> Fraction | None:
        """Return phi, the public share of epsilon that pays for the moving scale; ``None`` of published ones."""
        return self.smooth.share(require_scores(scores)) if isinstance(self.smooth, ShareWeight) else None

    def describe(self, scores: Scores | None = None) -> str:
        """Return what a release of these scores draws: its noise, its parameters and its share."""
        share = None if scores is None else self.budget_fraction(scores)
        return _label(self.name, self.parameters if share is None else self.parameters | {"phi": float(share)})

    def guarantee(self, scores: Scores, epsilon: Epsilon) -> Guarantee:
        """Return what one selection at this epsilon promises, with its delta.

        Raises:
            ValueError: epsilon is not positive and finite.
        """
        # A scale that moves between neighbours takes the range and the path from any sampler.
        return replace(super().guarantee(scores, epsilon), delta=self.delta, bounded_range=False, laplace=False)

    def __repr__(self) -> str:
        return _text(self)


class SmoothMechanism(_ScaledMechanism):
    """A mechanism whose noise follows a smooth bound, so that its scores depend on epsilon: no unit scores."""

    def __post_init__(self) -> None:
        require_sampler(self.sampler)


@dataclass(frozen=True, repr=False)
class UnsoundMechanism(_ScaledMechanism):
    """A mechanism with laws and no guarantee, which releases nothing: published calibrations that are not private.

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


def _clip_ticks(unit: UnitScores, candidates: int) -> NDArray[np.int64]:
    """Return the ticks of unit scores, at most 2^61 from 0, or refuse by public facts what cannot be drawn."""
    ticks: NDArray[np.int64] = getattr(unit, "ticks", np.empty(0, dtype=np.int64))
    fits = isinstance(ticks, np.ndarray) and ticks.dtype == np.int64 and ticks.shape == (candidates,)
    if not fits or unit.span <= 0:
        raise InputTypeError(
            "effective returns UnitScores with one integer of 64 bits for each candidate and a positive span: use "
            "exact_ticks, floor_ticks or scale."
        )
    if not candidates or (ticks[ticks.argmax()] <= TICK_CLIP and ticks[ticks.argmin()] >= -TICK_CLIP):
        return ticks
    return np.clip(ticks, -TICK_CLIP, TICK_CLIP)


# What a mechanism is: one of these.
KINDS = (UnitMechanism, SmoothMechanism, UnsoundMechanism)


def require_pure(mechanism: Mechanism) -> None:
    """Refuse a mechanism with a delta where pure epsilon is promised (``PrivacyError``)."""
    if isinstance(mechanism, _ScaledMechanism) and mechanism.delta:
        raise PrivacyError(f"{mechanism.name} has a delta here, and pure epsilon is promised: build it without delta=.")


def require_grouped(mechanism: Mechanism) -> None:
    """Refuse a mechanism that cannot draw among groups, and name some that can (``ValueError``)."""
    if not (mechanism.sampler.grouped and isinstance(mechanism, UnitMechanism)):
        raise InputError(
            f"{mechanism.name} adds noise to every candidate, which groups cannot do: use permute-and-flip, "
            "exponential, or a dampening mechanism drawn by one of them."
        )


def _any_beta(_: Fraction, ceiling: float) -> Fraction:
    """Return a bound for any beta, where only beta is wanted."""
    return Fraction(ceiling)


def _no_beta(mechanism: Mechanism) -> ValueError:
    return InputError(
        f"{mechanism.name} follows no smooth bound, so it has no beta: use smooth-noisy-max or "
        "smooth-private-selection."
    )


def _label(name: str, parameters: dict[str, Any]) -> str:
    """Return a name, its noise, and its other parameters, phi last."""
    if not parameters:
        return name
    noise = [f"{parameters['noise']}"] if "noise" in parameters else []
    order = sorted(parameters.keys() - {"noise"}, key=lambda each: (each == "phi", [*parameters].index(each)))
    return ", ".join([name, *noise, *(f"{each} {parameters[each]}" for each in order)])


def _text(mechanism: Mechanism) -> str:
    shown = "".join(f", {name}={value!r}" for name, value in mechanism.parameters.items())
    return f"mechanism({mechanism.name!r}{shown})"
