"""The rounds: each asks for the noisy sums of one random tile, and adds a step to the scores of its parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpselect.learn.boosted.additive_model import AdditiveModel
from dpselect.learn.boosted.budget_shares import Shares
from dpselect.learn.boosted.column_summary import SurveySummary
from dpselect.learn.boosted.interactions import draw_interaction
from dpselect.learn.boosted.noise import SumNoise, of_gradients, of_hessians
from dpselect.learn.boosted.rule import RoundsPlan
from dpselect.learn.boosted.step import Step
from dpselect.learn.boosted.weights import ColumnWeights
from dpselect.views.gradient_sums import UNIT, Loss, ScorableTable


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
    scored = records.scored(loss, surveyed.start)
    tiles, values = [], []
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
        scored.add(tile, values[-1])
    return AdditiveModel(records.sizes, surveyed.start, tuple(tiles), tuple(values), surveyed.weights)


def _spread(loss: Loss, noise: SumNoise, shares: Shares, rounds: int) -> float:
    """Return the deviation of gradients' noise over the root of the rounds: that of one release of all of it."""
    return noise.deviation(shares.of_round(rounds)[0], of_gradients(loss)) / UNIT / float(np.sqrt(rounds))
