"""A boosted regression, planned: what it asks, in which order, and at which price.

Of the budget 1 % asks for the number of records, 5 % for a histogram of the target over public cells, which says where
targets lie, 6 % for the sums of the target in each code of every column, and the rest goes to the rounds. Scores are
measured in spreads of the target, and residuals are clipped to one spread. Proof: ``boosting.md``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.kernel.bound import Bound, SquaredBound
from dpselect.learn.boosted.additive_model import AdditiveModel
from dpselect.learn.boosted.boosting_plan import BoostingPlan
from dpselect.learn.boosted.budget_shares import Shares
from dpselect.learn.boosted.column_summary import SurveyRelease, of_classes
from dpselect.learn.boosted.column_summary import SurveySummary as Start
from dpselect.learn.boosted.noise import ONE_CELL, Moves, SumNoise
from dpselect.learn.boosted.rounds import run_rounds, signal_of
from dpselect.learn.boosted.rule import BY_RHO_RULE, PURE, Rule, is_additive, plan_rounds, rounds_for
from dpselect.learn.domains import Attribute
from dpselect.learn.regression.target_summary import TargetSummary, cells_for, summarize_targets
from dpselect.utilities.splits import Integers
from dpselect.views.gradient_sums import SCORE_UNIT, UNIT, WIDEST, Loss
from dpselect.views.targets import STEPS, Targets

# Chosen on made-up tables and two small ones; docs/measured/regression.md names them.
BY_RHO = replace(BY_RHO_RULE, worth=0.25, pull=8.0, columns=math.inf)
BY_EPSILON = replace(PURE, worth=0.25, pull=8.0)
_SIZE = Fraction(1, 100)
HESSIANS = Fraction(12, 100)


@dataclass(frozen=True, eq=False)
class RegressionFit:
    """A fitted sum of tiles, and what its scores stand for: all of it released.

    Attributes:
        model: scores in units of 2^-10 of a unit.
        low, width: the part of the grid of the target that scores cover.
        grid: how many units of scores that part is; its middle is score 0.
    """

    model: AdditiveModel
    low: int
    width: int
    grid: int

    @property
    def worth(self) -> float:
        """Return which share of the declared range a unit of scores is."""
        return self.width / self.grid / STEPS

    @property
    def middle(self) -> float:
        """Return which share of the declared range score 0 stands for."""
        return (self.low + 0.5) / STEPS + self.grid // 2 * self.worth


@dataclass(frozen=True)
class BoostedRegressionPlan:
    """Size, target, columns, rounds. Every field is public.

    Attributes:
        attributes: the columns.
        noise, rule: how a budget becomes noise, and the defaults that go with it.
        share: what one record may cost in all.
        epsilon: of one record; it decides how many rounds there are, never what they cost.
        rounds, interactions: as asked, or ``None`` for the rule.
    """

    attributes: Sequence[Attribute]
    noise: SumNoise
    rule: Rule
    share: Fraction
    epsilon: float
    rounds: int | None
    interactions: bool | None

    @property
    def shares(self) -> Shares:
        """Return what each release costs; ``counts`` pays for the size and the histogram of the target."""
        return Shares(self.share, self.share * self.rule.counts, self.share * self.rule.survey, HESSIANS)

    def __call__(self, records: Targets, draws: Any) -> RegressionFit:
        """Fit the model."""
        size, target = self._target(records, draws)
        start = self._columns(records, size, target, draws)
        grid = grid_of(target)
        loss = Loss.half_squares(-(grid // 2), 1, max(int(target.spread * grid), 1) * (UNIT // SCORE_UNIT))
        mass = start.records * self.epsilon
        rounds = rounds_for(self.rule, self.rounds, mass)
        signal = signal_of(start, loss, self.noise, self.shares, rounds)
        additive, columns = is_additive(self.interactions, mass), len(self.attributes)
        plan = plan_rounds(self.rule, rounds, signal, columns, additive=additive)
        scored = records.on_grid(target.low, target.high, grid)
        start = replace(start, start=np.array([round(target.centre * grid) - grid // 2], dtype=np.int64))
        model = run_rounds(scored, draws, start, plan, loss, self.noise, self.shares)
        return RegressionFit(model, target.low, target.width, grid)

    def rehearse(self, _: Fraction) -> None:
        """Refuse what cannot work out, by public facts alone.

        Raises:
            ValueError: noise would not fit an integer; a model could outgrow memory.
        """
        BoostingPlan(
            self.attributes,
            Loss.half_squares(0, 1, UNIT),
            self.noise,
            self.rule,
            self.shares,
            self.epsilon,
            of_classes,
            self.rounds,
            self.interactions,
            2,
        ).rehearse(self.share)
        self.noise.require(self.share * _SIZE, ONE_CELL)
        self.noise.require(self.shares.counts - self.share * _SIZE, ONE_CELL)
        self.noise.require(self.shares.survey, one_pair_of_each(len(self.attributes), STEPS))

    def _target(self, records: Targets, draws: Any) -> tuple[int, TargetSummary]:
        """Return the noisy number of records, and where targets lie."""
        price = self.share * _SIZE
        size = int(self.noise.noisy(draws, np.array([records.rows], dtype=np.int64), price, ONE_CELL)[0])
        price = self.shares.counts - price
        deviation = self.noise.deviation(price, ONE_CELL)
        histogram = self.noise.noisy(draws, records.histogram(cells_for(size, deviation)), price, ONE_CELL)
        return size, summarize_targets(histogram, size, deviation)

    def _columns(self, records: Targets, size: int, target: TargetSummary, draws: Any) -> Start:
        """Return bins and orders of columns, as for two classes to which a record belongs in shares."""
        tables = [each[0] for each in records.within(target.low, target.high).level(1)]
        moves = one_pair_of_each(len(tables), target.width)
        noisy = self.noise.noisy(draws, np.concatenate([each.ravel() for each in tables]), self.shares.survey, moves)
        parts = np.split(noisy / target.width, np.cumsum([each.size for each in tables])[:-1])
        counts = size * np.array([1 - target.centre, target.centre])
        released = SurveyRelease(
            counts,
            [part.reshape(each.shape) for part, each in zip(parts, tables, strict=True)],
            self.noise.deviation(self.share * _SIZE, ONE_CELL),
            self.noise.deviation(self.shares.survey, moves) / target.width,
        )
        return replace(of_classes(released, self.attributes), curvature=np.ones(1))


def one_pair_of_each(columns: int, width: int) -> Moves:
    """Return how far one record moves the sums of (width - number, number) in each code of so many columns."""
    return Moves(Bound(width).times(columns), SquaredBound(width**2 * columns))


def grid_of(target: TargetSummary) -> int:
    """Return how many units of scores cover the range, so that a spread is about one; as many as scores hold at most.

    >>> [grid_of(TargetSummary(0, 65536, 0.5, spread)) for spread in (0.05, 0.2, 0.35)]
    [12288, 5120, 2925]
    """
    return min(int(SCORE_UNIT / target.spread), 2 * WIDEST)


def values_of(model: RegressionFit, scores: Integers) -> Any:
    """Return scores as shares of the declared range, cut to the range that scores cover, shape of the scores."""
    half = model.grid // 2
    inside = np.clip(scores, -half, model.grid - half)
    return inside * model.worth + model.middle
