"""Outcomes that are the same on two databases: what a release of any size loses, draw by draw.

A third source of :class:`dpselect.release.noise_source.NoiseSource`. :class:`RecordingNoise` makes up what is drawn on
one database; :class:`RepeatingNoise` answers with the same on a neighbour, so that whatever is computed from it is the
same too, and adds up the worst log-ratio of every draw. :class:`dpselect.audit.scripted_noise.ScriptedNoise` runs
through every outcome; this runs through one, and takes every draw at its worst, so that releases of thousands of counts
can be audited. The session still counts what is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.ranks import Ranks
from dpselect.mechanisms.joint_top_k import JointQuestion, joint_log_pmf
from dpselect.mechanisms.sampler import PERMUTE_AND_FLIP, Sampler
from dpselect.mechanisms.smooth.value_noise import ValueNoise
from dpselect.release.partition import IntervalCandidates, least_cost

Integers = NDArray[np.int64]
# Integers below the bounds, of their shape: any, but not always the same.
Pick = Callable[[Integers], Integers]
# Made-up noise is from -3 to 3, made-up costs from 0 to 9.
_NOISE, _COSTS = 3, 10
# Less the rounding of a logarithm, so that a loss of epsilon is not called more.
_ROUNDING = 1e-12
_NO_KEYS = "Keys are revealed with a delta, and the loss of a transcript has none: sum over a Replay's scripts instead."
_NO_GROUPS = "Groups of equal scores have no candidates to compare: follow a script with Replay."
_NO_BAR = "A raised threshold has one secret for all its answers: follow a script with Replay."


@dataclass(frozen=True, eq=False, repr=False)
class Call:
    """One draw: what was asked, at which rate, and what came out.

    Attributes:
        kind: the name of the method.
        values: what one neighbour moves.
        fixed: what must be the same on a neighbour, such as which candidates are valid.
        rate: of what is drawn; 0 for public randomness.
        outcome: what was returned.
    """

    kind: str
    values: Integers
    fixed: tuple[Any, ...]
    rate: Fraction
    outcome: Any


class RecordingNoise:
    """Make up every outcome, and remember it.

    Args:
        pick: makes up integers below its bounds, such as those of a seeded generator.

    Attributes:
        calls: the draws so far.
    """

    def __init__(self, pick: Pick) -> None:
        self._pick, self.calls = pick, list[Call]()

    def _below(self, bound: int) -> int:
        return int(self._pick(np.array([bound]))[0])

    def _note(self, kind: str, values: Integers, fixed: tuple[Any, ...], rate: Fraction, outcome: Any) -> Any:
        self.calls.append(Call(kind, values.copy(), fixed, rate, outcome))
        return outcome

    def winners(self, sampler: Sampler, ticks: Integers, rate: Fraction, k: int) -> list[int]:
        """Any candidates are possible, one after the other."""
        remaining = list(range(ticks.size))
        chosen = [remaining.pop(self._below(len(remaining))) for _ in range(k)]
        return list(self._note("winners", ticks, (sampler, k), rate, chosen))

    def rank(self, ticks: Integers, rate: Fraction, k: int, gaps: bool) -> tuple[list[int], list[int]]:
        """Any candidates are possible, with any gaps that are not negative; these are small."""
        remaining = list(range(ticks.size))
        chosen = [remaining.pop(self._below(len(remaining))) for _ in range(k)]
        below = [self._below(_NOISE + 1) for _ in chosen] if gaps else []
        winners, leads = self._note("ordered", ticks, (k, gaps), rate, (chosen, below))
        return list(winners), list(leads)

    def rank_groups(self, *_: object) -> list[tuple[int, int]]:
        """Refuse: groups say which scores there are, and not which candidate has which on a neighbour."""
        raise InputError(_NO_GROUPS)

    def ordered_groups(self, *_: object) -> tuple[list[tuple[int, int]], list[int]]:
        """Refuse, as for groups that are peeled."""
        raise InputError(_NO_GROUPS)

    def rows(self, ticks: Integers, valid: NDArray[np.bool_], rate: Fraction) -> Integers:
        """Any valid candidate of every row."""
        ordinals = self._pick(valid.sum(axis=1).astype(np.int64))
        pairs = zip(valid, ordinals, strict=True)
        outcome = np.array([np.flatnonzero(allowed)[ordinal] for allowed, ordinal in pairs], dtype=np.int64)
        return np.asarray(self._note("rows", ticks, (valid.tobytes(),), rate, outcome))

    def each(self, sampler: Sampler, ticks: Integers, rates: Sequence[Fraction], which: Integers) -> Integers:
        """One winner for every entry, any of its candidates."""
        return np.array([self.winners(sampler, ticks[row], rates[row], 1)[0] for row in which.tolist()], dtype=np.int64)

    def noisy(self, counts: Integers, rate: Fraction) -> Integers:
        """Any integers are possible; these are near."""
        outcome = counts + self._pick(np.full(counts.shape, 2 * _NOISE + 1)) - _NOISE
        return np.asarray(self._note("noisy", counts, (), rate, outcome))

    def gaussian(self, values: Integers, variance: Fraction) -> Integers:
        """Any integers are possible; these are within three deviations."""
        most = 3 * math.isqrt(int(variance)) + _NOISE
        outcome = values + self._pick(np.full(values.shape, 2 * most + 1)) - most
        return np.asarray(self._note("gaussian", values, (), variance, outcome))

    def noisy_number(self, centre: int, scale: Fraction, noise: ValueNoise) -> int:
        """Any integer is possible; this is near."""
        outcome = centre + self._below(2 * _NOISE + 1) - _NOISE
        return int(self._note("noisy_number", np.array([centre, scale], dtype=object), (noise,), Fraction(0), outcome))

    def joint(self, asked: JointQuestion) -> list[int]:
        """Any ordered list."""
        left = list(range(asked.ticks.size))
        outcome = [left.pop(self._below(len(left))) for _ in range(asked.k)]
        return list(self._note("joint", asked.ticks, (asked.k, asked.clip), asked.rate, outcome))

    def raised_bar(self, _: Fraction) -> NoReturn:
        """Refuse: what a bar loses is a matter of all its answers together."""
        raise InputError(_NO_BAR)

    def keys(self, *_: object) -> NDArray[np.bool_]:
        """Refuse: keys have a delta, which the loss of one transcript does not count."""
        raise InputError(_NO_KEYS)

    def partition(self, candidates: IntervalCandidates, costs: Integers, rate: Fraction) -> Integers:
        """Any partition is possible."""
        outcome = least_cost(candidates, self._pick(np.full(costs.shape, _COSTS)))
        return np.asarray(self._note("partition", costs, (candidates.cells,), rate, outcome))

    def edge(self, ranks: Ranks, low: int, high: int, least: Fraction, most: Fraction, rate: Fraction) -> int:
        """Any edge is possible."""
        gaps = _gaps(ranks, low, high, least, most)
        return int(self._note("edge", gaps, (low, high), rate, low + self._below(high - low + 1)))

    def joint_edges(self, units: Integers, targets: Sequence[int], rate: Fraction) -> list[int]:
        """Any edges are possible, in their order."""
        outcome = sorted(self._below(units.size) for _ in targets[1:])
        return list(self._note("joint_edges", units, (tuple(targets),), rate, outcome))

    def runs(self, *_: object) -> int:
        """Refuse: runs that are not released have no place in what is compared."""
        raise InputError("One of a secret number of runs is released, not all of them: follow scripts with Replay.")

    def uniform(self, bounds: Integers) -> Integers:
        """Any integers below the bounds."""
        bounds = np.asarray(bounds)
        return np.asarray(
            self._note("uniform", bounds, (bounds.tobytes(),), Fraction(0), np.asarray(self._pick(bounds)))
        )


class RepeatingNoise:
    """Return what was drawn before, and add up the worst log-ratio of every draw.

    Attributes:
        loss: the sum so far, of what every draw may lose at its worst outcome.
        parts: the rho of every draw of Gaussian noise, exactly.
    """

    def __init__(self, recording: RecordingNoise) -> None:
        self._calls: Iterator[Call] = iter(recording.calls)
        self.loss, self.parts = Fraction(0), list[Fraction]()

    def _before(self, kind: str, values: Integers, fixed: tuple[Any, ...], rate: Fraction | None) -> Call:
        call = next(self._calls, None)
        if (
            call is None
            or (kind, values.shape, fixed) != (call.kind, call.values.shape, call.fixed)
            or (rate is not None and rate != call.rate)
        ):
            raise InputError("A neighbour asks other questions after the same outcomes: that loses everything.")
        return call

    def finish(self) -> Fraction:
        """Return the loss of all draws.

        Raises:
            ValueError: something was drawn on the first database and not on this one.
        """
        if next(self._calls, None) is not None:
            raise InputError("A neighbour asks fewer questions after the same outcomes: that loses everything.")
        return self.loss

    def _compare(self, here: NDArray[np.float64], there: NDArray[np.float64]) -> None:
        """Add what the laws of one draw lose, of which these are the logarithms."""
        self.loss += Fraction(max(0.0, float(np.abs(here - there).max()) - _ROUNDING))

    def winners(self, sampler: Sampler, ticks: Integers, rate: Fraction, k: int) -> list[int]:
        """The exact law of every winner among those that remain, at its worst candidate."""
        # The scale of noise may be private: its law knows the rate.
        call, remaining = self._before("winners", ticks, (sampler, k), None), np.arange(ticks.size)
        for winner in call.outcome:
            pairs = ((ticks, rate), (call.values, call.rate))
            self._compare(*(sampler.tick_log_pmf(each[remaining], scale) for each, scale in pairs))
            remaining = remaining[remaining != winner]
        return list(call.outcome)

    def rank(self, ticks: Integers, rate: Fraction, k: int, gaps: bool) -> tuple[list[int], list[int]]:
        """The rate times how far ticks move apart, for each winner: what no list exceeds."""
        call = self._before("ordered", ticks, (k, gaps), rate)
        self.loss += k * rate * int(np.ptp(ticks - call.values))
        winners, below = call.outcome
        return list(winners), list(below)

    def rank_groups(self, *_: object) -> list[tuple[int, int]]:
        """Refuse, as a recording does."""
        raise InputError(_NO_GROUPS)

    def ordered_groups(self, *_: object) -> tuple[list[tuple[int, int]], list[int]]:
        """Refuse, as for groups that are peeled."""
        raise InputError(_NO_GROUPS)

    def rows(self, ticks: Integers, valid: NDArray[np.bool_], rate: Fraction) -> Integers:
        """The exact law of the winner of every row, at its worst candidate."""
        call = self._before("rows", ticks, (valid.tobytes(),), rate)
        for here, there, allowed in zip(ticks, call.values, valid, strict=True):
            self._compare(*(PERMUTE_AND_FLIP.tick_log_pmf(each[allowed], rate) for each in (here, there)))
        return np.asarray(call.outcome)

    def each(self, sampler: Sampler, ticks: Integers, rates: Sequence[Fraction], which: Integers) -> Integers:
        """One winner for every entry, at its worst candidate."""
        return np.array([self.winners(sampler, ticks[row], rates[row], 1)[0] for row in which.tolist()], dtype=np.int64)

    def noisy(self, counts: Integers, rate: Fraction) -> Integers:
        """Geometric noise: the rate times the distance, attained far out."""
        call = self._before("noisy", counts, (), rate)
        self.loss += rate * int(np.abs(counts - call.values).sum())
        return np.asarray(call.outcome)

    def gaussian(self, values: Integers, variance: Fraction) -> Integers:
        """Gaussian noise has no worst outcome: in rho, the square of the distance over twice the variance."""
        call = self._before("gaussian", values, (), variance)
        moved: list[int] = (values.astype(object) - call.values).ravel().tolist()
        self.parts.append(Fraction(sum(move * move for move in moved)) / (2 * variance))
        return np.asarray(call.outcome)

    def noisy_number(self, centre: int, scale: Fraction, noise: ValueNoise) -> int:
        """The worst of all real answers, of which integers are roundings; in either direction."""
        call = self._before("noisy_number", np.array([centre, scale], dtype=object), (noise,), Fraction(0))
        first, before = call.values.tolist()
        # In units of one of the two scales, so that nothing overflows.
        moved, ratio = float((centre - first) / scale), float(before / scale)
        self.loss += Fraction(
            max(0.0, max(noise.loss(moved, *pair) for pair in ((ratio, 1.0), (1.0, ratio))) - _ROUNDING)
        )
        return int(call.outcome)

    def joint(self, asked: JointQuestion) -> list[int]:
        """The exact law of lists, at the worst of them."""
        call = self._before("joint", asked.ticks, (asked.k, asked.clip), asked.rate)
        self._compare(joint_log_pmf(asked), joint_log_pmf(replace(asked, ticks=call.values)))
        return list(call.outcome)

    def raised_bar(self, _: Fraction) -> NoReturn:
        """Refuse, as a recording does."""
        raise InputError(_NO_BAR)

    def keys(self, *_: object) -> NDArray[np.bool_]:
        """Refuse: keys have a delta, which the loss of one transcript does not count."""
        raise InputError(_NO_KEYS)

    def partition(self, candidates: IntervalCandidates, costs: Integers, rate: Fraction) -> Integers:
        """The noise of the kept interval hides how far two costs move apart (``release/partition.md``)."""
        call = self._before("partition", costs, (candidates.cells,), rate)
        moved = costs - call.values
        self.loss += rate * int(moved.max(initial=0) - moved.min(initial=0))
        return np.asarray(call.outcome)

    def edge(self, ranks: Ranks, low: int, high: int, least: Fraction, most: Fraction, rate: Fraction) -> int:
        """The exact law of an edge, at its worst."""
        gaps = _gaps(ranks, low, high, least, most)
        call = self._before("edge", gaps, (low, high), rate)
        here, there = (np.array([-float(gap * rate) for gap in each]) for each in (gaps, call.values.tolist()))
        self._compare(here - np.logaddexp.reduce(here), there - np.logaddexp.reduce(there))
        return int(call.outcome)

    def joint_edges(self, units: Integers, targets: Sequence[int], rate: Fraction) -> list[int]:
        """Each weight, and their sum, moves by at most the rate times how far all intervals move."""
        call = self._before("joint_edges", units, (tuple(targets),), rate)
        self.loss += 2 * rate * int(np.abs(np.diff(units - call.values)).sum())
        return list(call.outcome)

    def runs(self, *_: object) -> int:
        """Refuse, as the recording does."""
        raise InputError("One of a secret number of runs is released, not all of them: follow scripts with Replay.")

    def uniform(self, bounds: Integers) -> Integers:
        """Public randomness loses nothing, and must be asked for alike."""
        bounds = np.asarray(bounds)
        return np.asarray(self._before("uniform", bounds, (bounds.tobytes(),), Fraction(0)).outcome)


def _gaps(ranks: Ranks, low: int, high: int, least: Fraction, most: Fraction) -> Any:
    """Return how far every edge is from the targets, exactly; for grids of few sub-cells."""
    at = [ranks.at(edge) for edge in range(low, high + 1)]
    return np.array([max(least - rank, rank - most, Fraction(0)) for rank in at], dtype=object)
