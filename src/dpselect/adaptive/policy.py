"""A policy that was learned from traces: released metafeatures and epsilon to an option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.adaptive.formula import Formula
from dpselect.adaptive.learner import Learner, learner_of
from dpselect.adaptive.metafeature import Metafeature, expected_releases
from dpselect.adaptive.option import Predict
from dpselect.adaptive.traces import Traces
from dpselect.kernel.errors import InputError

Floats = NDArray[np.float64]
# Releases that stand for the noise: in training, and where regret is measured.
TRAINING_DRAWS, MEASURING_DRAWS = 12, 40
# A least loss of at most this share of the largest is all but 0: ratios to it say nothing.
_VANISHING = 1e-6
# What is added to every loss then, as a share of the median of the losses that are not 0.
_ADDED_SHARE = 0.05


@dataclass(frozen=True, eq=False)
class Recipe:
    """Settings by which a policy is learned; all of them public.

    Attributes:
        metafeatures: what is measured.
        derived: further features, formulas over released metafeatures and ``epsilon`` (the option's).
        share: of epsilon for metafeatures.
        learner: a name, a scikit-learn regressor or a learner.
        predicts: programmers' predictions by option; each is one more feature.
        slack: how far outside the trained range is still inside, as a share of its width.
        seen_by: names of the features that learners see; ``None`` for all.
        added_loss: what is added to every loss before ratios are taken; ``None`` until the traces are known.
    """

    metafeatures: tuple[Metafeature, ...]
    derived: Mapping[str, Formula]
    share: Fraction
    learner: Any
    predicts: Mapping[str, Predict]
    slack: float
    seen_by: tuple[str, ...] | None = None
    added_loss: float | None = None

    def with_added_loss(self, means: Mapping[Any, Floats]) -> Recipe:
        """Return the recipe with its added loss, which follows from mean losses on public databases."""
        return self if self.added_loss is not None else replace(self, added_loss=usual_added_loss(means))

    @property
    def loss_offset(self) -> float:
        """Return the added loss, 0 until it is settled."""
        return self.added_loss or 0.0

    @property
    def places(self) -> list[int]:
        """Return the places of the features that learners see."""
        names = self.features
        return [place for place, name in enumerate(names) if self.seen_by is None or name in self.seen_by]

    @property
    def features(self) -> tuple[str, ...]:
        """Return the names of what learners see."""
        return (
            *(f"log {each.name}" if each.scale == "log" else each.name for each in self.metafeatures),
            "log epsilon",
            *self.derived,
            *(f"prediction of {name}" for name in self.predicts),
        )

    def feature_row(self, known: Mapping[str, float], epsilon: float) -> Floats:
        """Return the features of one release, for options that receive ``epsilon``."""
        facts = {**known, "epsilon": epsilon}
        row = [float(each.to_learner_scale(known[each.name])) for each in self.metafeatures]
        row.append(float(np.log(epsilon)))
        row += [float(formula(facts)) for formula in self.derived.values()]
        row += [float(np.log(max(predict(known, epsilon), 1e-12))) for predict in self.predicts.values()]
        # Noise may lead a formula out of its domain: what has no value is far out, on the side of zero.
        return np.asarray(np.clip(np.nan_to_num(np.array(row), nan=0.0), -1e12, 1e12))

    def expected_features(
        self, values: Mapping[str, float], epsilon: float, draws: int
    ) -> tuple[Floats, list[dict[str, float]]]:
        """Return features and releases as they may come out of a database, for options that receive ``epsilon``."""
        spent = Fraction(epsilon) * self.share / (1 - self.share)
        releases = expected_releases(self.metafeatures, values, spent, draws)
        return np.array([self.feature_row(known, epsilon) for known in releases]), releases


@dataclass(frozen=True, eq=False)
class Policy:
    """A learner fitted to traces, and where it may be trusted.

    Attributes:
        recipe: how it was learned.
        options: names, in the order of its columns.
        learner: fitted; ln regret of every option.
        level: ln of the least loss, learned when it is first asked for: choosing does not need it.
        low, high: the trained range of every feature.
        safest: the option of least worst regret in training.
    """

    recipe: Recipe
    options: tuple[str, ...]
    learner: Learner
    level: _LossLevel
    low: Floats
    high: Floats
    safest: int

    @classmethod
    def learn(cls, traces: Traces, recipe: Recipe, options: Sequence[str], draws: int = TRAINING_DRAWS) -> Policy:
        """Fit to every cell of the traces, under the noise that metafeatures will have there."""
        means, values, groups = traces.means(options), traces.values(), traces.groups
        if not means:
            raise InputError("The traces hold no database on which every option ran: train again.")
        recipe = recipe.with_added_loss(means)
        features, logs, levels, owners = [], [], [], []
        for (database, epsilon), losses in means.items():
            seen, _ = recipe.expected_features(values[database], epsilon, draws)
            features.append(seen)
            regret, level = ln_regret(losses, recipe.loss_offset)
            logs.append(np.tile(regret, (seen.shape[0], 1)))
            levels.append(np.full(seen.shape[0], level))
            owners += [groups[database]] * seen.shape[0]
        rows = np.concatenate(features)
        # A group counts once, however many databases were derived from it.
        many = dict(zip(*np.unique(owners, return_counts=True), strict=True))
        weights = np.array([1.0 / many[owner] for owner in owners])
        weights *= weights.size / weights.sum()
        worst = np.max([ln_regret(losses, recipe.loss_offset)[0] for losses in means.values()], axis=0)
        return cls(
            recipe,
            tuple(options),
            learner_of(recipe.learner).fit(rows[:, recipe.places], np.concatenate(logs), weights),
            _LossLevel(rows, np.concatenate(levels), weights),
            rows.min(axis=0),
            rows.max(axis=0),
            int(worst.argmin()),
        )

    def choose(self, features: Floats) -> tuple[NDArray[np.intp], Floats, NDArray[np.bool_]]:
        """Return the option of every row, its predicted ln regrets, and which features are outside (rows, features)."""
        predicted = self.learner.predict(features[:, self.recipe.places])
        outside = self.outside(features)
        return np.where(outside.any(axis=1), self.safest, predicted.argmin(axis=1)), predicted, outside

    def outside(self, features: Floats) -> NDArray[np.bool_]:
        """Return which features are outside the trained range by more than the slack; derived ones have no say."""
        many = len(self.recipe.metafeatures)
        slack = self.recipe.slack * (self.high - self.low) + 1e-9
        far = (features < self.low - slack) | (features > self.high + slack)
        far[:, many:] = False
        return np.asarray(far)

    def losses(self, features: Floats, predicted: Floats) -> Floats:
        """Return predicted losses, from predicted ln regrets: at least 1 for the best."""
        above = predicted - np.minimum(predicted.min(axis=1, keepdims=True), 0.0)
        return np.asarray(np.maximum(np.exp(self.level(features)[:, None] + above) - self.recipe.loss_offset, 0.0))


@dataclass(eq=False, repr=False)
class _LossLevel:
    """Predicts ln of the least loss."""

    features: Floats
    levels: Floats
    weights: Floats

    def __call__(self, features: Floats) -> Floats:
        if not hasattr(self, "_fitted"):
            from sklearn.ensemble import ExtraTreesRegressor

            forest = ExtraTreesRegressor(20, min_samples_leaf=2, random_state=0)
            self._fitted = forest.fit(self.features, self.levels, sample_weight=self.weights)
        return np.asarray(self._fitted.predict(features))


def ln_regret(losses: Floats, added: float) -> tuple[Floats, float]:
    """Return ln of (loss + added) over (least loss + added) for every option, and ln of the latter."""
    logs = np.log(losses + added)
    return logs - logs.min(), float(logs.min())


def usual_added_loss(means: Mapping[Any, Floats]) -> float:
    """Return 0, the ratio of the paper, unless a least loss is all but 0; a twentieth of the median positive loss then.

    Where no option ever loses anything every ratio is 1, whatever is added.

    >>> usual_added_loss({"a": np.array([1.0, 2.0])}), usual_added_loss({"a": np.array([0.0, 2.0])})
    (0.0, 0.1)
    """
    losses = np.array(list(means.values()))
    if not means or (losses.min(axis=1) > _VANISHING * losses.max(axis=1)).all():
        return 0.0
    positive = losses[losses > 0]
    return _ADDED_SHARE * float(np.median(positive)) if positive.size else 1.0
