"""Outcomes that follow a script, and know how likely that was: the exact law of whole transcripts, by the code itself.

The second implementation of :class:`dpselect.release.noise_source.NoiseSource`: whatever draws in a session can be
run with every script in turn. The session still counts what is drawn, so an overdraft shows here as it would in a
release.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, islice, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.keep_probability import CERTAIN, probabilities_of
from dpselect.kernel.ranks import Ranks
from dpselect.kernel.run_count import RunCount
from dpselect.mechanisms.joint_top_k import JointQuestion, joint_log_pmf
from dpselect.mechanisms.ordered_pmf import gaps_log_density, list_log_pmf
from dpselect.mechanisms.pmf import discrete_gaussian
from dpselect.mechanisms.pmf import discrete_laplace as log_pmf
from dpselect.mechanisms.sampler import PERMUTE_AND_FLIP, Sampler
from dpselect.mechanisms.smooth.value_noise import ValueNoise

Integers = NDArray[np.int64]
Script = tuple[int, ...]
# Released counts, one far below and one far above all true ones of small tables: there the log-ratio is largest.
SCRIPTED_VALUES = (-4, 9)
# Heights above a raised bar: at it, and somewhere above.
HEIGHTS = (0, 3)
# Bars are raised by more than this over their rate with a chance of e^-300, which is left out.
_BEYOND, _MOST_RAISED = 300, 10**6


class ScriptedNoise:
    """Follow ``script``; beyond its end take the first choice, and note how many there were.

    Attributes:
        taken: the choices so far. ways: how many there were of each.
        log_chance: the natural logarithm of the probability of all of them.
        asked: whether anything was drawn.
    """

    def __init__(self, script: Script = (), released: tuple[int, ...] = SCRIPTED_VALUES) -> None:
        self.script, self._released = script, released
        self.taken, self.ways, self.log_chance, self.asked = list[int](), list[int](), 0.0, False
        self._public = 0

    def _next(self, ways: int) -> int:
        self.asked, at = True, len(self.taken)
        self.taken.append(self.script[at] if at < len(self.script) else 0)
        self.ways.append(ways)
        return self.taken[-1]

    def winners(self, sampler: Sampler, ticks: Integers, rate: Fraction, k: int) -> list[int]:
        """One winner after the other, from those that remain."""
        left, chosen = list(range(ticks.size)), list[int]()
        for _ in range(k):
            place = self._next(len(left))
            self.log_chance += float(sampler.tick_log_pmf(ticks[left], rate)[place])
            chosen.append(left.pop(place))
        return chosen

    def joint(self, asked: JointQuestion) -> list[int]:
        """One of the ordered lists."""
        place = self._next(math.perm(asked.ticks.size, asked.k))
        self.log_chance += float(joint_log_pmf(asked)[place])
        return list(next(islice(permutations(range(asked.ticks.size), asked.k), place, None)))

    def rank(self, ticks: Integers, rate: Fraction, k: int, gaps: bool) -> tuple[list[int], list[int]]:
        """One ordered list, and a gap below each of its winners: with gaps by the density that theirs are floors of."""
        left = list(range(ticks.size))
        winners = [left.pop(self._next(len(left))) for _ in range(k)]
        if not gaps:
            self.log_chance += list_log_pmf(ticks, rate, winners)
            return winners, []
        below = [max(self._released[self._next(len(self._released))], 0) for _ in winners]
        self.log_chance += gaps_log_density(ticks, rate, winners, below)
        return winners, below

    def rank_groups(
        self, sampler: Sampler, ticks: Integers, counts: Integers, rate: Fraction, k: int
    ) -> list[tuple[int, int]]:
        """One candidate after the other, as (group, ordinal in it)."""
        everyone = _everyone(counts)
        return [everyone[i] for i in self.winners(sampler, np.repeat(ticks, counts), rate, k)]

    def ordered_groups(
        self, ticks: Integers, counts: Integers, rate: Fraction, k: int, gaps: bool
    ) -> tuple[list[tuple[int, int]], list[int]]:
        """One ordered list of candidates as (group, ordinal in it), and a gap below each."""
        everyone = _everyone(counts)
        winners, below = self.rank(np.repeat(ticks, counts), rate, k, gaps)
        return [everyone[i] for i in winners], below

    def rows(self, ticks: Integers, valid: NDArray[np.bool_], rate: Fraction) -> Integers:
        """In every row the candidate of one ordinal among the valid ones."""
        ordinal, winners = self._next(int(valid.sum(axis=1).max())), list[int]()
        for row, allowed in zip(ticks, valid, strict=True):
            places = np.flatnonzero(allowed)
            chosen = ordinal % places.size
            self.log_chance += float(PERMUTE_AND_FLIP.tick_log_pmf(row[places], rate)[chosen])
            winners.append(int(places[chosen]))
        return np.array(winners, dtype=np.int64)

    def each(self, sampler: Sampler, ticks: Integers, rates: Sequence[Fraction], which: Integers) -> Integers:
        """One winner for every entry."""
        return np.array([self.winners(sampler, ticks[row], rates[row], 1)[0] for row in which.tolist()], dtype=np.int64)

    def noisy(self, counts: Integers, rate: Fraction) -> Integers:
        """All numbers of a call get one released value: a record moves few of them."""
        value = self._released[self._next(len(self._released))]
        self.log_chance += float(log_pmf(value - counts, rate).sum())
        return np.full(counts.shape, value, dtype=np.int64)

    def gaussian(self, values: Integers, variance: Fraction) -> Integers:
        """All numbers of a call get one released value, as counts do."""
        value = self._released[self._next(len(self._released))]
        self.log_chance += float(discrete_gaussian(value - values, variance).sum())
        return np.full(values.shape, value, dtype=np.int64)

    def noisy_number(self, centre: int, scale: Fraction, noise: ValueNoise) -> int:
        """One of the released values."""
        value = self._released[self._next(len(self._released))]
        self.log_chance += float(noise.log_cells(np.array([value]), centre, scale)[0])
        return value

    def raised_bar(self, rate: Fraction) -> ScriptedThreshold:
        """A bar whose secret is summed out."""
        return ScriptedThreshold(self, rate)

    def keys(self, persons: Integers, epsilon: Fraction, delta: Fraction) -> NDArray[np.bool_]:
        """Each name is kept or not; a name that cannot be kept, or must be, is not a choice."""
        mask = []
        for chance in probabilities_of(persons, epsilon, delta):
            mask.append(bool(self._next(2)) if 0 < chance < CERTAIN else chance == CERTAIN)
            self.log_chance += math.log((chance if mask[-1] else CERTAIN - chance) / CERTAIN)
        return np.array(mask, dtype=np.bool_)

    def partition(self, *_: object) -> Integers:
        """Refuse: the law of a partition is not a finite sum; its loss is bounded by what its costs move."""
        raise InputError(
            "A partition has too many outcomes for a script: use loss_of_transcript, which bounds its loss."
        )

    def edge(self, ranks: Ranks, low: int, high: int, least: Fraction, most: Fraction, rate: Fraction) -> int:
        """One edge between two: small grids, few sub-cells."""
        taken = self._next(high - low + 1)
        at = [ranks.at(edge) for edge in range(low, high + 1)]
        weights = [-float(max(least - rank, rank - most, Fraction(0)) * rate) for rank in at]
        self.log_chance += weights[taken] - float(np.logaddexp.reduce(weights))
        return low + taken

    def joint_edges(self, units: Integers, targets: Sequence[int], rate: Fraction) -> list[int]:
        """One list of edges: small grids, few sub-cells."""
        lists = np.array([*combinations_with_replacement(range(units.size), len(targets) - 1)])
        ends = np.column_stack((np.zeros(len(lists), dtype=np.int64), units[lists], np.full(len(lists), units[-1])))
        weights = np.logaddexp(-float(rate) * np.abs(np.diff(ends) - np.array(targets)), -40 * math.log(2)).sum(axis=1)
        taken = self._next(len(lists))
        self.log_chance += float(weights[taken] - np.logaddexp.reduce(weights))
        edges: list[int] = lists[taken].tolist()
        return edges

    def runs(self, law: RunCount) -> int:
        """One of the numbers up to the largest; what is released sums over it, and over the runs that lose."""
        chances = law.chances()
        place = self._next(chances.size)
        self.log_chance += float(np.log(chances[place]))
        return place + 1

    def uniform(self, bounds: Integers) -> Integers:
        """Public randomness: fixed, but not all alike."""
        self.asked, self._public = True, self._public + 1
        return np.asarray(np.minimum(bounds - 1, (self._public * 7 // 3) % np.maximum(bounds, 1)))


class ScriptedThreshold:
    """A raised bar whose answers follow the script, each as likely as it is given those before.

    Args:
        replay: what it is part of.
        rate: of the secret, which is known here by its law given the answers so far.
    """

    def __init__(self, replay: ScriptedNoise, rate: Fraction) -> None:
        self._replay, beyond = replay, math.ceil(_BEYOND / rate)
        if beyond > _MOST_RAISED:
            raise InputError("This bar may be raised very far: take a larger epsilon.")
        self._raised = np.arange(beyond + 1)
        self._log_law = float(rate) * -self._raised + math.log(-math.expm1(-rate))

    def margin(self, distance: int, rate: Fraction) -> int | None:
        """Below, or one of the released heights."""
        choice = self._replay._next(1 + len(HEIGHTS))
        height = HEIGHTS[choice - 1] if choice else None
        if abs(distance) > self._raised.size // 2:
            raise InputError("This number is farther from the threshold than the script knows: take a smaller one.")
        before, short = _log_sum(self._log_law), self._raised - distance
        with np.errstate(divide="ignore"):
            if height is None:
                self._log_law = self._log_law + np.log(-np.expm1(-float(rate) * np.maximum(short, 0)))
            else:
                possible = height + short >= 0
                reached = math.log(-math.expm1(-rate)) - float(rate) * (height + short)
                self._log_law = np.where(possible, self._log_law + reached, -np.inf)
        self._replay.log_chance += _log_sum(self._log_law) - before
        return height


def _everyone(counts: Integers) -> list[tuple[int, int]]:
    """Return every candidate of the groups as (group, ordinal in it)."""
    return [(group, ordinal) for group, many in enumerate(counts.tolist()) for ordinal in range(many)]


def _log_sum(logs: NDArray[Any]) -> float:
    most = float(logs.max())
    return most + math.log(float(np.exp(logs - most).sum()))


def transcripts(
    run: Callable[[ScriptedNoise], object], most: int = 4000, released: tuple[int, ...] = SCRIPTED_VALUES
) -> Iterator[tuple[Script, float]]:
    """Yield every script and the logarithm of its probability; all of them, or an error.

    Args:
        run: a release, as a function of its outcomes.
        most: how many scripts there may be.
        released: what counts may be released as.

    Raises:
        ValueError: there are more than ``most``.
    """
    waiting: list[Script] = [()]
    seen = 0
    while waiting:
        replay = ScriptedNoise(waiting.pop(), released)
        run(replay)
        seen += 1
        if seen > most:
            raise InputError(f"There are more than {most} transcripts: take a smaller database.")
        taken = tuple(replay.taken)
        for at in range(len(replay.script), len(taken)):
            waiting.extend((*taken[:at], other) for other in range(1, replay.ways[at]))
        yield taken, replay.log_chance


def log_chance_of(
    run: Callable[[ScriptedNoise], object], script: Script, released: tuple[int, ...] = SCRIPTED_VALUES
) -> float:
    """Return the logarithm of the probability of one script.

    Raises:
        ValueError: this run asks other questions than the one that the script comes from.
    """
    replay = ScriptedNoise(script, released)
    run(replay)
    if script != tuple(replay.taken):
        raise InputError("The transcript of a neighbour asks other questions.")
    return replay.log_chance
