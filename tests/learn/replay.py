"""Draws that follow a script, and know how likely that was: the exact law of whole transcripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import dpselect as dps
from dpselect.learn.draws import Draws, row_ticks
from dpselect.mechanisms.law import discrete_laplace as log_law

FLIP = dps.mechanism("permute-and-flip")
# Released counts, one far below and one far above all true ones: there the log-ratio is largest, both ways.
RELEASED = (-4, 9)


class Replay(Draws):
    """Follow ``script``; beyond its end take the first choice, and note how many there were."""

    def __init__(self, script: tuple[int, ...]) -> None:
        self.script, self.taken, self.ways, self.chance, self.public = script, [], [], 0.0, 0

    def _next(self, ways: int) -> int:
        at = len(self.taken)
        self.taken.append(self.script[at] if at < len(self.script) else 0)
        self.ways.append(ways)
        return self.taken[-1]

    def noisy(self, counts, epsilon):
        """All cells of a call get one released value: a record is in one of them."""
        value = RELEASED[self._next(len(RELEASED))]
        self.chance += float(log_law(value - counts, epsilon).sum())
        return np.full(counts.shape, value)

    def choose(self, scores, epsilon, mechanism):
        """Any candidate."""
        winner = self._next(len(scores))
        self.chance += float(mechanism.log_law(scores, epsilon)[winner])
        return winner

    def choose_rows(self, values, valid, sensitivity, epsilon):
        """In every row the candidate of one ordinal among the valid ones."""
        ticks, rate = row_ticks(values, sensitivity, epsilon)
        ordinal, winners = self._next(int(valid.sum(axis=1).max())), []
        for row, allowed in zip(ticks, valid, strict=True):
            places = np.flatnonzero(allowed)
            chosen = ordinal % places.size
            self.chance += float(FLIP.ticks_log_law(row[places], rate)[chosen])
            winners.append(places[chosen])
        return np.array(winners)

    def several(self, scores, many, epsilon, mechanism):
        """One winner after the other, from those that remain."""
        ticks, rate = mechanism.prepared(scores, epsilon / many)
        left, winners = list(range(ticks.size)), []
        for _ in range(many):
            chosen = self._next(len(left))
            self.chance += float(mechanism.ticks_log_law(ticks[left], rate)[chosen])
            winners.append(left.pop(chosen))
        return winners

    def below(self, bounds):
        """Public randomness, and coins that only their own record sees: fixed, but not all alike."""
        self.public += 1
        return np.minimum(bounds - 1, (self.public * 7 // 3) % np.maximum(bounds, 1))


def transcripts(run: Callable[[Draws], object], most: int = 4000) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every script and the logarithm of its probability; all of them, or an error."""
    waiting: list[tuple[int, ...]] = [()]
    seen = 0
    while waiting:
        replay = Replay(waiting.pop())
        run(replay)
        seen += 1
        assert seen <= most, "too many transcripts for a test"
        taken = tuple(replay.taken)
        for at in range(len(replay.script), len(taken)):
            waiting.extend((*taken[:at], other) for other in range(1, replay.ways[at]))
        yield taken, replay.chance


def chance_of(run: Callable[[Draws], object], script: tuple[int, ...]) -> float:
    """The logarithm of the probability of one script."""
    replay = Replay(script)
    run(replay)
    assert script == tuple(replay.taken), "the transcript of a neighbour asks other questions"
    return replay.chance
