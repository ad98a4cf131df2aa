"""Results of training: a policy, the runs it was learned from, and how it did on databases left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.adaptive.choice import HeldOut, MeasuredFact, PredictedLoss
from dpselect.adaptive.metafeature import Metafeature, paid_count
from dpselect.adaptive.policy import Policy
from dpselect.adaptive.regret import Regret
from dpselect.adaptive.traces import Traces

_FOUR_IN_FIVE = 1.2816


@dataclass(frozen=True, eq=False)
class TrainingResult:
    """Results of training, all of them from public databases.

    Attributes:
        policy: learned from all of them.
        traces: every run.
        epsilons: the totals trained for, increasing.
        regret: held-out; ``None`` with a single group.
        always: the best fixed option, where it did better than the learned choice on databases left out; it is then
            taken always. ``None`` where choosing pays.
    """

    policy: Policy
    traces: Traces
    epsilons: tuple[float, ...]
    regret: Regret | None
    always: str | None = None

    def beyond(self, total: Fraction) -> bool:
        """Return whether a total is outside what was trained for."""
        low, high = self.epsilons[0], self.epsilons[-1]
        return not low * (1 - 1e-9) <= float(total) <= high * (1 + 1e-9)

    def fixed_option(self, total: Fraction) -> tuple[str, str] | None:
        """Return the option that is taken without measuring anything, and why; ``None`` where facts decide."""
        if self.beyond(total):
            low, high = self.epsilons[0], self.epsilons[-1]
            return self.policy.options[self.policy.safest], (
                f"Epsilon is outside the trained grid, {low:g} to {high:g}: nothing was measured, and the safest "
                "option is taken, the one of least worst regret in training."
            )
        if self.always is None:
            return None
        return self.always, f"Choosing did worse than always {self.always}, so that is taken, and nothing was measured."

    def held_out(self) -> HeldOut | None:
        """Return how choosing did on databases left out, beside the best fixed option."""
        if self.regret is None:
            return None
        fixed = self.always or self.regret.best_fixed_of_all()
        always = f"always {fixed}"
        return HeldOut(
            self.regret.mean("learned"),
            self.regret.mean_added("learned"),
            fixed,
            self.regret.mean(always),
            self.regret.mean_added(always),
            self.regret.added_loss,
        )

    def measured_facts(
        self, metafeatures: Sequence[Metafeature], known: Mapping[str, float], spent: Fraction
    ) -> tuple[MeasuredFact, ...]:
        """Return released metafeatures beside their cost, their noise and the range of training."""
        table, each_paid = self.traces.values().values(), spent / max(paid_count(metafeatures), 1)
        return tuple(
            MeasuredFact(
                each.name,
                known[each.name],
                Fraction(0) if each.public else each_paid,
                each.deviation(each_paid),
                min(values[each.name] for values in table),
                max(values[each.name] for values in table),
            )
            for each in metafeatures
        )

    def predicted_losses(self, features: Any, predicted: Any) -> dict[str, PredictedLoss]:
        """Return what every option is predicted to lose, and how sure that is."""
        losses = self.policy.losses(features, predicted)[0]
        added = self.policy.recipe.loss_offset
        ratios = (losses + added) / (losses.min() + added)
        result = {}
        for name, loss, ratio in zip(self.policy.options, losses.tolist(), ratios.tolist(), strict=True):
            spread = float("inf")
            if self.regret is not None:
                spread = float(np.exp(_FOUR_IN_FIVE * self.regret.errors[name]))
            result[name] = PredictedLoss(loss, ratio, ratio / spread, ratio * spread)
        return result
