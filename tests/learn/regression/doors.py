"""Fits of regressors in a session of a test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise
from dpselect.learn.domains import attributes
from dpselect.mechanisms.pmf import discrete_laplace
from dpselect.release.open_session import session_factory_of
from dpselect.views.targets import STEPS, Targets
from tests.losses import losses as every_loss

KNOWN = attributes(["a", "b"], {"a": [0, 1], "b": (0, 2)}, bins=2, missing=False)
# Codes of both attributes, and a step of the grid: what records may be here, from end to end.
KINDS = [(0, 0, 0), (0, 1, STEPS - 1), (1, 0, STEPS // 2), (1, 1, STEPS // 2 + 9000), (1, 1, 3), (0, 0, STEPS - 1)]
# Beyond all sums of small tables, where the log-ratio is largest.
FAR = (-(2**20), 2**20)


class Peaked(ScriptedNoise):
    """A replay that may release a histogram with a peak, which narrows the range, and sums of unlike signs."""

    def __init__(self, script=(), released=FAR) -> None:
        super().__init__(script, released)

    def noisy(self, counts, rate):
        """A histogram is flat or a peak in the middle half; sums are all high, or low and high."""
        if counts.ndim == 2:
            value = np.tile(self._released, (len(counts), 1)) if self._next(2) else np.full(counts.shape, FAR[1])
        elif counts.size < 16 or self._next(2) == 0:
            return super().noisy(counts, rate)
        else:
            value = np.zeros(counts.shape, dtype=np.int64)
            value[counts.size // 4 : 3 * counts.size // 4] = 10**9
        self.log_chance += float(discrete_laplace(value - counts, rate).sum())
        return value


def targets_of(kinds: tuple[int, ...]) -> Targets:
    """A table of these kinds of record."""
    rows = np.array([KINDS[kind] for kind in kinds], dtype=np.int64).reshape(-1, 3)
    return Targets([rows[:, 0], rows[:, 1]], rows[:, 2], (2, 2))


def fit(model, kinds: tuple[int, ...], epsilon: Fraction) -> Callable[[ScriptedNoise], Fraction]:
    """The whole fit on a table of these kinds of record, as a function of its outcomes; returns what is left."""
    plan = model._fit_plan(KNOWN, [], epsilon)

    def run(outcomes: ScriptedNoise) -> Fraction:
        with session_factory_of(lambda: outcomes)(dps.Guarantee(epsilon, "add-remove")) as draws:
            plan(targets_of(kinds), draws)
            return draws.remaining

    return run


def peaked(run: Callable[[ScriptedNoise], object]) -> Callable[[ScriptedNoise], object]:
    """The same run, in which a histogram may have a peak."""

    def peaked_run(outcomes: ScriptedNoise) -> object:
        inner = Peaked(outcomes.script)
        result = run(inner)
        outcomes.taken, outcomes.ways, outcomes.log_chance = inner.taken, inner.ways, inner.log_chance
        return result

    return peaked_run


def losses(model, epsilon: Fraction, tables, more) -> Iterator[float]:
    """The log-ratios over these tables, one more record of these kinds, and every transcript."""
    return every_loss(lambda kinds: peaked(fit(model, kinds, epsilon)), tables, more)
