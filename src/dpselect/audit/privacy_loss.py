"""The true privacy loss of a release: exactly, from its law, on every pair of neighbours of a universe."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.audit.admissibility import Utility
from dpselect.audit.universe import Universe
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.units import UnitScores
from dpselect.mechanisms.base import Mechanism, SmoothMechanism, UnitMechanism, UnsoundMechanism
from dpselect.mechanisms.ordered_pmf import list_log_pmf
from dpselect.mechanisms.registry import require_mechanism
from dpselect.release.one_shot import ONE_SHOT, PEELING
from dpselect.release.questions import flips_units
from dpselect.scores.scores import Scores

Floats = NDArray[np.float64]
OutcomePmf = Callable[[Any], Mapping[Any, float] | Floats]

# Rounding of logarithms, and four times the relative error of a law that is a quadrature.
_RELATIVE, _QUADRATURE = 1e-9, 4e-12
# More outcomes than this a database are not listed.
_MOST_OUTCOMES = 200_000


@dataclass(frozen=True)
class PrivacyLoss:
    """The worst case over a universe.

    Attributes:
        claim: epsilon and delta as claimed, exact.
        worst: the largest |ln Pr_x[o] - ln Pr_y[o]| over neighbours x, y and outcomes o; infinite when an
            outcome is possible on one side only.
        delta: the least delta for which (epsilon, delta) holds at the claimed epsilon; 0 when worst <= epsilon.
        holds: whether the claim is kept.
        attained: which pair and outcome attain the worst, in words.
        pairs: how many pairs of neighbours were compared.
        stretch: the most by which effective scores moved apart, over their span; above 1 is a fault.
            ``nan`` where there are no effective scores.
        pair: positions in the universe of the two databases that attain the worst; ``None`` where none are neighbours.
    """

    claim: tuple[Fraction, Fraction]
    worst: float
    delta: float
    holds: bool
    attained: str
    pairs: int
    stretch: float
    pair: tuple[int, int] | None = None

    def __str__(self) -> str:
        epsilon, delta = self.claim
        claim = f"epsilon = {epsilon}" + (f", delta = {delta}" if delta else "")
        return (
            f"{claim}: {'kept' if self.holds else 'BROKEN'}\nworst loss {self.worst:.6g} over {self.pairs} pairs, "
            f"{self.attained}"
        )


def privacy_loss(
    mechanism: str | Mechanism,
    utility: Utility,
    universe: Universe,
    *,
    epsilon: Epsilon,
    k: int = 1,
    method: str | None = None,
) -> PrivacyLoss:
    """Return the exact worst loss of ``select`` (k = 1) or of ``top_k``, whose outcomes are ordered lists.

    Args:
        mechanism: its name, or from ``dpselect.mechanism(name)``.
        utility: database to Scores.
        universe: from ``dpselect.audit``.
        epsilon: of the whole release.
        k: how many candidates it names.
        method: as for ``top_k``: ``"one-shot"`` or ``"peeling"``, or ``None`` for the one that it takes by itself.

    Raises:
        ValueError: too many ordered lists to write down; whatever the utility raises, with the database named.

    >>> import dpselect as dps
    >>> def heads(records):
    ...     return dps.Scores([sum(records), len(records) - sum(records)], sensitivity=1, kind="integer")
    >>> coins = dps.audit.multisets([0, 1], 6)
    >>> loss = privacy_loss(dps.mechanism("exponential"), heads, coins, epsilon=1)
    >>> loss.holds, round(loss.worst, 3)
    (True, 0.47)
    """
    mechanism, total = require_mechanism(mechanism), exact_epsilon(epsilon)
    scores = [utility(database) for database in universe]
    if math.perm(len(scores[0]), k) > _MOST_OUTCOMES:
        raise InputError(f"There are {math.perm(len(scores[0]), k)} ordered lists: take fewer candidates or k.")
    if method not in (None, PEELING, ONE_SHOT) or (method == ONE_SHOT and not flips_units(mechanism)):
        raise InputError('method is "peeling", or "one-shot" for mechanisms that draw by permute-and-flip, or None.')
    once = k > 1 and method != PEELING and flips_units(mechanism)
    logs = np.array([lists_log_pmf(mechanism, *mechanism.quantize(score, total / k), k, once=once) for score in scores])
    pairs = universe.pairs()
    stretch = math.nan
    if isinstance(mechanism, UnitMechanism):
        units = [mechanism.effective(score) for score in scores]
        stretch = max((_stretch(units[x], units[y]) for x, y in pairs.tolist()), default=0.0)
    names = _lists(scores[0], k)
    # What a mechanism that only has laws would promise is compared too.
    delta = k * mechanism.delta if isinstance(mechanism, SmoothMechanism | UnsoundMechanism) else Fraction(0)
    return _privacy_loss(logs, universe, pairs, total, delta, names, stretch)


def privacy_loss_of_pmf(pmf: OutcomePmf, universe: Universe, *, epsilon: Epsilon, delta: Any = 0) -> PrivacyLoss:
    """Return the exact worst loss of anything whose outcomes can be written down.

    Args:
        pmf: database to the probabilities of its outcomes: a mapping, or an array over the same outcomes on every
            database. Whole applications fit, as long as their outcome set is small.
        universe: from ``dpselect.audit``.
        epsilon: as claimed.
        delta: as claimed; 0 for a pure guarantee.

    Raises:
        ValueError: probabilities that are negative, NaN, or do not sum to 1.

    >>> import dpselect as dps
    >>> truth_or_coin = lambda x: {x: 0.75, 1 - x: 0.25}
    >>> loss = privacy_loss_of_pmf(truth_or_coin, dps.audit.metric_space([[0, 1], [1, 0]]), epsilon=1)
    >>> loss.holds, round(loss.worst, 4)
    (False, 1.0986)
    """
    pmfs = [pmf(database) for database in universe]
    maps = [chances if isinstance(chances, Mapping) else dict(enumerate(chances.tolist())) for chances in pmfs]
    outcomes = sorted({outcome for chances in maps for outcome in chances}, key=repr)
    table = np.array([[chances.get(outcome, 0.0) for outcome in outcomes] for chances in maps])
    bad = np.flatnonzero(~(np.abs(table.sum(axis=1) - 1) < 1e-9) | (table < 0).any(axis=1))
    if bad.size:
        raise InputError(
            f"The law on {universe.words(int(bad[0]))} is not a distribution: probabilities must be >= 0 and sum to 1."
        )
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    return _privacy_loss(logs, universe, universe.pairs(), exact_epsilon(epsilon), Fraction(delta), outcomes, math.nan)


def top_k_log_pmf(mechanism: Mechanism, unit: UnitScores, k: int, epsilon: Fraction, method: str = PEELING) -> Floats:
    """Return log Pr of every ordered list of k candidates, in the order of ``itertools.permutations``."""
    rate = mechanism.sampler.rate(unit, epsilon / k)
    return lists_log_pmf(mechanism, unit.ticks, rate, k, once=method == ONE_SHOT)


def lists_log_pmf(
    mechanism: Mechanism, ticks: NDArray[np.int64], rate: Fraction, k: int, *, once: bool = False
) -> Floats:
    """Return log Pr of every ordered list of k candidates from ticks, in the order of ``itertools.permutations``."""
    if once:
        return np.array([list_log_pmf(ticks, rate, names) for names in itertools.permutations(range(ticks.size), k)])

    def follow(positions: list[int], left: int) -> list[float]:
        first: list[float] = mechanism.tick_log_pmf(ticks[positions], rate).tolist()
        if left == 1:
            return first
        return [
            log + rest for i, log in enumerate(first) for rest in follow(positions[:i] + positions[i + 1 :], left - 1)
        ]

    return np.array(follow(list(range(ticks.size)), k))


def _lists(scores: Scores, k: int) -> list[Any]:
    return list(itertools.permutations(scores.candidates, k)) if k > 1 else list(scores.candidates)


def _stretch(one: UnitScores, two: UnitScores) -> float:
    return float(np.ptp(one.ticks - two.ticks) / max(one.span, two.span))


def _privacy_loss(
    logs: Floats,
    universe: Universe,
    pairs: NDArray[np.int64],
    epsilon: Fraction,
    delta: Fraction,
    outcomes: list[Any],
    stretch: float,
) -> PrivacyLoss:
    if not len(pairs):
        return PrivacyLoss((epsilon, delta), 0.0, 0.0, True, "no two databases are neighbours", 0, stretch)
    first, second = logs[pairs[:, 0]], logs[pairs[:, 1]]
    # An outcome that is impossible on both sides tells nothing.
    with np.errstate(invalid="ignore"):
        ratio = np.abs(np.where(first == second, 0.0, first - second))
    at, outcome = np.unravel_index(int(ratio.argmax()), ratio.shape)
    worst = float(ratio[at, outcome])
    limit = float(epsilon) * (1 + _RELATIVE) + _QUADRATURE
    needed = 0.0
    if worst > limit:
        chances = np.exp(first), np.exp(second)
        factor = math.exp(min(limit, 700.0))
        needed = max(float(np.maximum(p - factor * q, 0).sum(axis=1).max()) for p, q in (chances, chances[::-1]))
    x, y = pairs[at].tolist()
    attained = f"for outcome {outcomes[outcome]} between {universe.words(x)} and {universe.words(y)}"
    holds = worst <= limit or (delta > 0 and needed <= float(delta) * (1 + _RELATIVE))
    return PrivacyLoss((epsilon, delta), worst, needed, holds, attained, len(pairs), stretch, (x, y))
