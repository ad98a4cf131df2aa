"""Regret: what a pipeline loses, metafeatures paid, over what the best single option loses with all of epsilon.

Measured on groups of databases that the policy never saw: a database is left out together with all that is derived
from it. The mean over repetitions of an option's loss stands for its expectation; a pipeline's loss is the mean of
those over the options that it would choose under the noise of its metafeatures.

A ratio says nothing where the least loss is all but 0. There a public amount, the added loss, is added to both losses
before the ratio is taken (``Recipe.added_loss``); elsewhere it is 0, and the ratio is that of the paper. Beside the
ratio stands what a pipeline loses beyond the least, in the units of the loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.adaptive.policy import MEASURING_DRAWS, Policy, Recipe, ln_regret
from dpselect.adaptive.traces import Traces
from dpselect.kernel.errors import InputError

Floats = NDArray[np.float64]
# Parts in which groups are left out, at most: with fewer groups each is left out alone.
_PARTS = 10


@dataclass(frozen=True, eq=False, repr=False)
class Regret:
    """Held-out regret of several policies, one row per database and epsilon.

    Attributes:
        rows: ``database``, ``group``, ``epsilon`` (the total), ``policies`` name to regret, ``added`` name to what is
            lost beyond the least loss, ``predicted`` and ``true`` loss of every option (of the first policy),
            ``outside`` the share of releases that fell back, ``right`` the share that took the best option.
        errors: standard deviation of held-out ln loss prediction of every option, relative to the others.
        added_loss: added to both losses of a ratio; 0 where no least loss is all but 0.
    """

    rows: tuple[dict[str, Any], ...]
    errors: dict[str, float]
    added_loss: float = 0.0

    @property
    def policies(self) -> tuple[str, ...]:
        """Return the names."""
        return tuple(self.rows[0]["policies"]) if self.rows else ()

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Return the totals, increasing."""
        return tuple(sorted({row["epsilon"] for row in self.rows}))

    def mean(self, policy: str, epsilon: float | None = None) -> float:
        """Return the mean over groups (each the mean of its databases), at one epsilon or over all."""
        return self._mean("policies", policy, epsilon)

    def mean_added(self, policy: str, epsilon: float | None = None) -> float:
        """Return the same mean of what a policy loses beyond the least loss, in the units of the loss."""
        return self._mean("added", policy, epsilon)

    def _mean(self, kind: str, policy: str, epsilon: float | None) -> float:
        rows = [row for row in self.rows if epsilon is None or row["epsilon"] == epsilon]
        groups: dict[str, list[float]] = {}
        for row in rows:
            groups.setdefault(row["group"], []).append(row[kind][policy])
        return float(np.mean([np.mean(each) for each in groups.values()]))

    def worst(self, policy: str) -> float:
        """Return the largest over databases and epsilons."""
        return float(max(row["policies"][policy] for row in self.rows))

    def against_best_fixed(self, policy: str) -> dict[float, float]:
        """Return the regret of a policy over that of the best fixed option, epsilon by epsilon."""
        options = self._options()
        return {
            epsilon: self.mean(policy, epsilon) / self.mean(f"always {self.best_fixed(epsilon, options)}", epsilon)
            for epsilon in self.epsilons
        }

    def best_fixed(self, epsilon: float, options: Sequence[str]) -> str:
        """Return the option of least mean regret at one epsilon, known only afterwards."""
        return min(options, key=lambda name: self.mean(f"always {name}", epsilon))

    def best_fixed_of_all(self) -> str:
        """Return the option of least mean regret over all epsilons, known only afterwards."""
        return min(self._options(), key=lambda name: self.mean(f"always {name}"))

    def better_fixed(self, policy: str) -> str | None:
        """Return the best fixed option if it did better than a policy, else ``None``."""
        best = self.best_fixed_of_all()
        return best if self.mean(f"always {best}") < self.mean(policy) * (1 - 1e-9) else None

    def _options(self) -> list[str]:
        return [name.removeprefix("always ") for name in self.policies if name.startswith("always ")]

    def __str__(self) -> str:
        width = max(len(name) for name in self.policies)
        head = " ".join(f"{epsilon:>8g}" for epsilon in self.epsilons)
        lines = [f"{'mean held-out regret at epsilon':<{width}} {head} {'all':>8} {'worst':>8} {'added':>9}"]
        for name in self.policies:
            means = [*(self.mean(name, epsilon) for epsilon in self.epsilons), self.mean(name), self.worst(name)]
            cells = " ".join(f"{readable(each):>8}" for each in means)
            lines.append(f"{name:<{width}} {cells} {readable(self.mean_added(name)):>9}")
        if self.added_loss:
            lines.append(f"Ratios are of losses plus {readable(self.added_loss)}: some least loss is all but 0.")
        return "\n".join(lines)


def readable(number: float) -> str:
    """Return a number of at least 0 with four digits, and without an exponent from a ten-thousandth on.

    >>> [readable(each) for each in (1.23456, 23.6, 45678.9, 0.00001234, 0)]
    ['1.235', '23.6', '45,679', '1.2e-05', '0']
    """
    if number >= 1000:
        return f"{number:,.0f}"
    return f"{number:.4g}" if number >= 1e-4 or not number else f"{number:.1e}"


def leave_out(
    traces: Traces,
    recipes: dict[str, Recipe],
    options: Sequence[str],
    totals: Sequence[float],
    draws: int = MEASURING_DRAWS,
    measured: Sequence[str] | None = None,
) -> Regret:
    """Return the held-out regret of policies learned by each recipe, and of every fixed option.

    The first recipe is the one whose predictions are reported; ``measured`` names the databases that count, all unless
    given: the others train. Up to ten groups are left out one by one, more of them in ten parts.

    Raises:
        ValueError: fewer than two groups.
    """
    groups, values, means = traces.groups, traces.values(), traces.means(options)
    if len(set(groups.values())) < 2:
        raise InputError("Regret is measured on databases left out: train on at least two groups.")
    recipes = {name: recipe.with_added_loss(means) for name, recipe in recipes.items()}
    added = next(iter(recipes.values())).loss_offset
    wanted = set(groups if measured is None else measured)
    counted = list(dict.fromkeys(groups[name] for name in groups if name in wanted))
    rows: list[dict[str, Any]] = []
    misses: list[Floats] = []
    for place in range(min(_PARTS, len(counted))):
        part = counted[place::_PARTS]
        others = traces.where(~np.isin(traces.columns["group"], part))
        policies = {name: Policy.learn(others, recipe, options) for name, recipe in recipes.items()}
        cells = [
            (database, total)
            for database, group in groups.items()
            for total in totals
            if group in part and database in wanted and (database, total) in means
        ]
        if cells:
            found, missed = _left_out(cells, values, means, policies, options, draws, added)
            rows += [{"group": groups[row["database"]], **row} for row in found]
            misses += missed
    gathered = np.concatenate(misses)
    errors = dict(zip(options, np.sqrt((gathered**2).mean(axis=0)).tolist(), strict=True))
    return Regret(tuple(rows), errors, added)


def _left_out(
    cells: Sequence[tuple[str, float]],
    values: dict[str, dict[str, float]],
    means: dict[tuple[str, float], Floats],
    policies: dict[str, Policy],
    options: Sequence[str],
    draws: int,
    added: float,
) -> tuple[list[dict[str, Any]], list[Floats]]:
    """Return a row for every cell (database, total), and how far the first policy's predictions were off."""
    misses: list[Floats] = []
    rows: list[dict[str, Any]] = [
        {"database": database, "epsilon": total, "policies": {}, "added": {}} for database, total in cells
    ]
    for name, policy in policies.items():
        lefts = [float(remaining(total, policy.recipe)) for _, total in cells]
        missing = [left for (database, _), left in zip(cells, lefts, strict=True) if (database, left) not in means]
        if missing:
            raise InputError(
                f"The traces lack epsilon {missing[0]:g}, which is what a share leaves of a total: train again."
            )
        seen = [
            policy.recipe.expected_features(values[database], left, draws)[0]
            for (database, _), left in zip(cells, lefts, strict=True)
        ]
        ends = np.cumsum([each.shape[0] for each in seen])[:-1]
        features = np.concatenate(seen)
        chosen, predicted, outside = policy.choose(features)
        first = "true" not in rows[0]
        guesses = np.split(np.log(policy.losses(features, predicted) + added), ends) if first else []
        each_cell = zip(rows, np.split(chosen, ends), np.split(predicted, ends), np.split(outside, ends), strict=True)
        for place, (row, taken, ln_ratios, far) in enumerate(each_cell):
            losses = means[row["database"], lefts[place]]
            _record(row, name, float(losses[taken].mean()), means, added)
            if first:
                guess = np.maximum(np.exp(guesses[place].mean(axis=0)) - added, 0.0)
                row["true"] = dict(zip(options, losses.tolist(), strict=True))
                row["predicted"] = dict(zip(options, guess.tolist(), strict=True))
                row["outside"] = float(far.any(axis=1).mean())
                row["right"] = float((losses[taken] <= losses.min()).mean())
                true = ln_regret(losses, added)[0]
                off = np.clip(ln_ratios, 0, np.log(20.0)) - np.minimum(true, np.log(20.0))
                misses.append(off - np.median(off, axis=1, keepdims=True))
    for row in rows:
        for option, loss in zip(options, means[row["database"], row["epsilon"]].tolist(), strict=True):
            _record(row, f"always {option}", loss, means, added)
    return rows, misses


def _record(row: dict[str, Any], policy: str, loss: float, means: dict[Any, Floats], added: float) -> None:
    least = float(means[row["database"], row["epsilon"]].min())
    row["policies"][policy] = (loss + added) / (least + added)
    row["added"][policy] = loss - least


def remaining(total: float, recipe: Recipe) -> float:
    """Return what is left of a total after metafeatures, as traces write it."""
    from dpselect.kernel.numbers import exact_epsilon

    return float(exact_epsilon(total) * (1 - recipe.share))
