"""The rounds: each asks for the noisy sums of one random tile, and adds a step to the scores of its parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.boosted.additive_model import AdditiveModel, TileNoise
from dpselect.learn.boosted.budget_shares import Shares
from dpselect.learn.boosted.column_summary import SurveySummary
from dpselect.learn.boosted.interactions import draw_interaction
from dpselect.learn.boosted.noise import SumNoise, of_gradients, of_hessians
from dpselect.learn.boosted.rule import RoundsPlan
from dpselect.views.gradient_sums import SCORE_UNIT, UNIT, Loss, ScorableTable

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# How wrong the survey's guess of a part's Hessian is taken to be, and how far below it the estimate may go.
_UNSURE, _LEAST = 0.6, 0.15
# Weights of columns: half evenly, half by what released sums said of tiles that a column was in.
_ADAPTED, _SLOWEST = 0.5, 0.15


@dataclass(frozen=True, eq=False)
class Step:
    """Facts on which steps depend besides the sums; all of them public or released.

    Attributes:
        records: about how many there are.
        curvature: about the Hessian of one, shape (outputs,).
        rate: how much of a step is taken; twice that is the longest.
        pull: the deviation of the gradients' noise over all rounds, times how strongly it draws steps to zero.
        deviation: of the noise of Hessians.
    """

    records: float
    curvature: Floats
    rate: float
    pull: float
    deviation: float

    def hessians(self, noisy: Floats, shares: Floats) -> Floats:
        """Return noisy Hessians, shape (parts, outputs), made better by the expected ones, with what pulls to zero."""
        expected = np.maximum(self.records * shares, 1.0)[:, None] * self.curvature
        one, other = 1 / (_UNSURE * expected) ** 2, 1 / (self.deviation**2 + 1e-12)
        mean = np.maximum((expected * one + noisy * other) / (one + other), _LEAST * expected)
        return np.asarray(mean + 1 + self.pull**2 / mean)

    def values(self, gradients: Floats, hessians: Floats) -> Integers:
        """Return what is added to scores, in their units, shape (parts, outputs)."""
        longest = 2 * self.rate
        steps = np.clip(-self.rate * gradients / hessians, -longest, longest)
        return np.rint(steps * SCORE_UNIT).astype(np.int64)

    def noise(self, deviation: float, hessians: Floats, shares: Floats) -> TileNoise:
        """Return what noise of this deviation in the gradients did to values, over parts of these shares."""
        expected = self.records * shares[:, None] * self.curvature
        released = np.minimum(self.rate * deviation / hessians, 2 * self.rate)
        sampled = np.minimum(self.rate * np.sqrt(expected) / hessians, 2 * self.rate)
        pace = float(shares @ np.minimum(self.rate * expected / hessians, 1.0).mean(axis=1))
        by_noise, by_sampling = (float(shares @ (each**2).sum(axis=1)) * SCORE_UNIT**2 for each in (released, sampled))
        return TileNoise(math.ceil(by_noise), math.ceil(by_sampling), round(pace * UNIT))


class ColumnWeights:
    """Weights of columns, which follow released sums.

    Args:
        live: which columns have more than one bin, shape (columns,).
        promise: how much each seems to tell at first, not negative.
    """

    def __init__(self, live: NDArray[np.bool_], promise: Floats) -> None:
        self._live = live.astype(np.float64)
        self._gain, self._seen = promise.astype(np.float64), np.zeros(promise.size, dtype=np.int64)

    def now(self) -> Floats:
        """Return the weight of every column; 0 for those that cannot be cut."""
        gain = np.maximum(self._gain, 0.0)
        if self._seen.any():
            gain[self._seen == 0] = gain[self._seen > 0].mean()
        gain *= self._live
        even = self._live / max(float(self._live.sum()), 1.0)
        return np.asarray(even if not gain.sum() > 0 else (1 - _ADAPTED) * even + _ADAPTED * gain / gain.sum())

    def note(self, columns: Sequence[int], gain: float) -> None:
        """Take the gain of a tile of these columns into their moving averages."""
        for column in columns:
            slow = max(_SLOWEST, 1 / (self._seen[column] + 1)) if self._seen[column] else 1.0
            self._gain[column] += slow * (gain - self._gain[column])
            self._seen[column] += 1


def signal_of(surveyed: SurveySummary, loss: Loss, noise: SumNoise, shares: Shares, rounds: int) -> float:
    """Return the sum of all Hessians, in deviations of the noise of gradients over so many rounds together."""
    return surveyed.records * float(surveyed.curvature.mean()) / _spread(loss, noise, shares, rounds)


def run_rounds(
    records: ScorableTable,
    draws: Any,
    surveyed: SurveySummary,
    plan: RoundsPlan,
    loss: Loss,
    noise: SumNoise,
    shares: Shares,
) -> AdditiveModel:
    """Return the model after all rounds. Whatever a round does depends on what was released before, and on coins."""
    of_gradient, of_hessian = shares.of_round(plan.rounds)
    moves, hessian_moves = of_gradients(loss), of_hessians(loss)
    deviation = noise.deviation(of_gradient, moves) / UNIT
    step = Step(
        surveyed.records,
        surveyed.curvature,
        plan.rate,
        plan.pull * _spread(loss, noise, shares, plan.rounds),
        noise.deviation(of_hessian, hessian_moves) / UNIT,
    )
    weights = ColumnWeights(np.array([each.size > 1 for each in surveyed.columns]), surveyed.promise)
    scored = records.with_scores(loss, surveyed.start)
    tiles, values, spreads = [], [], []
    for _ in range(plan.rounds):
        tile, held = draw_interaction(surveyed.columns, weights.now(), plan.shapes, draws.uniform)
        sums, curvatures = scored.sums(tile)
        gradients = noise.noisy(draws, sums, of_gradient, moves) / UNIT
        hessians = step.hessians(noise.noisy(draws, curvatures, of_hessian, hessian_moves) / UNIT, held)
        if loss.outputs > 1:
            # True gradients sum to 0 over the classes.
            gradients = gradients - gradients.mean(axis=1, keepdims=True)
        weights.note(tile.columns, float(((gradients**2 - deviation**2) / hessians).sum()))
        tiles.append(tile)
        values.append(step.values(gradients, hessians))
        spreads.append(step.noise(deviation, hessians, held))
        scored.add(tile, values[-1])
    return AdditiveModel(records.sizes, surveyed.start, tuple(tiles), tuple(values), surveyed.weights, tuple(spreads))


def _spread(loss: Loss, noise: SumNoise, shares: Shares, rounds: int) -> float:
    """Return the deviation of gradients' noise over the root of the rounds: that of one release of all of it."""
    return noise.deviation(shares.of_round(rounds)[0], of_gradients(loss)) / UNIT / float(np.sqrt(rounds))
