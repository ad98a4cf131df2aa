"""The exact law of a release that truncates what persons have, summed over every script of its outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable

import numpy as np

from dpselect.audit.scripted_noise import ScriptedNoise
from dpselect.release.open_session import SessionFactory, session_factory_of


class Tossed(ScriptedNoise):
    """A script that also says which number everything of a person with too much draws: 0 or 1."""

    def uniform(self, bounds):
        """One choice for every number, each as likely."""
        self.log_chance -= bounds.size * math.log(2)
        return np.array([self._next(2) for _ in range(bounds.size)], dtype=np.int64)


def tossed_law(run: Callable[[SessionFactory], Hashable]) -> dict[Hashable, float]:
    """The chance of everything that ``run`` may release through the door it is handed."""
    chances: dict[Hashable, float] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        replay = Tossed(waiting.pop())
        released = run(session_factory_of(lambda replay=replay: replay))
        for at in range(len(replay.script), len(replay.taken)):
            waiting += [(*replay.taken[:at], other) for other in range(1, replay.ways[at])]
        chances[released] = chances.get(released, 0.0) + math.exp(replay.log_chance)
    assert math.isclose(1, sum(chances.values()))
    return chances
