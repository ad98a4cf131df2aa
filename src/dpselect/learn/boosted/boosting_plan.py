"""A fit of a boosted model, planned: what it will ask, at which prices, before anything is read or paid for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from dpselect.kernel.errors import Advice, InputError
from dpselect.learn.boosted.additive_model import AdditiveModel
from dpselect.learn.boosted.budget_shares import Shares
from dpselect.learn.boosted.column_summary import SurveyRelease, SurveySummary, release_survey
from dpselect.learn.boosted.noise import ONE_CELL, SumNoise, of_gradients, of_hessians, one_cell_of_each
from dpselect.learn.boosted.rounds import run_rounds, signal_of
from dpselect.learn.boosted.rule import MOST_PARTS, Rule, is_additive, plan_rounds, rounds_for
from dpselect.learn.domains import Attribute
from dpselect.learn.size_limits import MOST_BYTES
from dpselect.views.gradient_sums import Loss, ScorableTable

MOST_ROUNDS = 10_000
# Of a code: in a tile of each round, and in tables of counts; and of a part of a tile, for each score.
_TILE_BYTES, _CELL_BYTES, _VALUE_BYTES = 8, 64, 16


@dataclass(frozen=True)
class BoostingPlan:
    """Survey, plan, rounds. Every field is public.

    Attributes:
        attributes: the columns.
        loss: what scores are fitted to.
        noise, rule: how a budget becomes noise, and the defaults that go with it.
        shares: what each release costs.
        epsilon: of one record; it decides how many rounds there are, never what they cost.
        understand: post-processing of the first two releases.
        rounds, interactions: as asked, or ``None`` for the rule.
        classes: how many cells a code has in the survey.
    """

    attributes: Sequence[Attribute]
    loss: Loss
    noise: SumNoise
    rule: Rule
    shares: Shares
    epsilon: float
    understand: Callable[[SurveyRelease, Sequence[Attribute]], SurveySummary]
    rounds: int | None
    interactions: bool | None
    classes: int

    def __call__(self, records: ScorableTable, draws: Any) -> AdditiveModel:
        """Fit the model."""
        surveyed = self.understand(release_survey(records, draws, self.noise, self.shares), self.attributes)
        mass = surveyed.records * self.epsilon
        rounds = rounds_for(self.rule, self.rounds, mass)
        signal = signal_of(surveyed, self.loss, self.noise, self.shares, rounds)
        additive, columns = is_additive(self.interactions, mass), len(self.attributes)
        plan = plan_rounds(self.rule, rounds, signal, columns, additive=additive)
        return run_rounds(records, draws, surveyed, plan, self.loss, self.noise, self.shares)

    def rehearse(self, _: Fraction) -> None:
        """Refuse what cannot work out, by public facts alone.

        Raises:
            ValueError: noise would not fit an integer; a model could outgrow memory.
        """
        most = self.rounds or max(self.rule.rounds)
        codes = sum(each.size for each in self.attributes)
        parts = min(MOST_PARTS, prod(each.size for each in self.attributes))
        tiles = most * (codes * _TILE_BYTES + parts * self.loss.outputs * _VALUE_BYTES)
        if tiles + codes * _CELL_BYTES * self.classes > MOST_BYTES:
            raise InputError(
                Advice(
                    "The {codes} codes of these columns need more than {size} GiB in {most} rounds: lower {bins} or "
                    "rounds, or declare coarser domains or fewer classes.",
                    codes=codes,
                    size=MOST_BYTES // 2**30,
                    most=most,
                )
            )
        self.noise.require(self.shares.counts, ONE_CELL)
        self.noise.require(self.shares.survey, one_cell_of_each(len(self.attributes)))
        gradients, hessians = self.shares.of_round(most)
        self.noise.require(gradients, of_gradients(self.loss))
        self.noise.require(hessians, of_hessians(self.loss))
