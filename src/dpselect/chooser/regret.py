"""Regret: what a pipeline loses, metafeatures paid, over what the best single option loses with all of epsilon.

Measured on groups of databases that the policy never saw: a database is left out together with all that is derived
from it. The mean over repetitions of an option's loss stands for its expectation; a pipeline's loss is the mean of
those over the options that it would choose under the noise of its metafeatures.

A ratio says little where the least loss is all but 0. So the added loss stands beside it: what a pipeline loses beyond
the least, in the units of the loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.chooser.policy import MEASURING_DRAWS, Policy, Recipe, ln_regret
from dpselect.chooser.traces import Traces

Floats = NDArray[np.float64]
# A least loss below this share of the largest makes a ratio that says nothing.
_VANISHING = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Regret:
    """Held-out regret of several policies, one row per database and epsilon.

    Attributes:
        rows: ``database``, ``group``, ``epsilon`` (the total), ``policies`` name to regret, ``added`` name to what is
            lost beyond the least loss, ``vanishing`` whether that least is all but 0, ``predicted`` and ``true`` loss
            of every option (of the first policy), ``outside`` the share of releases that fell back, ``right`` the share
            that took the best option.
        errors: standard deviation of held-out ln loss prediction of every option, relative to the others.
    """

    rows: tuple[dict[str, Any], ...]
    errors: dict[str, float]

    @property
    def policies(self) -> tuple[str, ...]:
        """Return the names."""
        return tuple(self.rows[0]["policies"]) if self.rows else ()

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Return the totals, increasing."""
        return tuple(sorted({row["epsilon"] for row in self.rows}))

    @property
    def vanishing(self) -> bool:
        """Return whether some least loss is all but 0, so that ratios say little."""
        return any(row["vanishing"] for row in self.rows)

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
        """Return the option of least mean regret over all epsilons, known only afterwards.

        Where a least loss is all but 0, ratios say nothing, and the least added loss decides.
        """
        return min(self._options(), key=lambda name: self._deciding(f"always {name}"))

    def better_fixed(self, policy: str) -> str | None:
        """Return the best fixed option if it did better than a policy, else ``None``."""
        best = self.best_fixed_of_all()
        return best if self._deciding(f"always {best}") < self._deciding(policy) * (1 - 1e-9) else None

    def _deciding(self, policy: str) -> float:
        return self.mean_added(policy) if self.vanishing else self.mean(policy)

    def _options(self) -> list[str]:
        return [name.removeprefix("always ") for name in self.policies if name.startswith("always ")]

    def __str__(self) -> str:
        width = max(len(name) for name in self.policies)
        head = " ".join(f"{epsilon:>8g}" for epsilon in self.epsilons)
        lines = [f"{'mean held-out regret at epsilon':<{width}} {head} {'all':>8} {'worst':>8} {'added':>9}"]
        for name in self.policies:
            cells = " ".join(f"{self.mean(name, epsilon):8.3f}" for epsilon in self.epsilons)
            ends = f"{self.mean(name):8.3f} {self.worst(name):8.3f} {self.mean_added(name):9.3g}"
            lines.append(f"{name:<{width}} {cells} {ends}")
        return "\n".join(lines)


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
    given: the others train.

    Raises:
        ValueError: fewer than two groups.
    """
    groups, values, means = traces.groups, traces.values(), traces.means(options)
    if len(set(groups.values())) < 2:
        raise ValueError("Regret is measured on databases left out: train on at least two groups.")
    rows: list[dict[str, Any]] = []
    misses: list[Floats] = []
    wanted = set(groups if measured is None else measured)
    for group in dict.fromkeys(groups[name] for name in groups if name in wanted):
        others = traces.where(traces.columns["group"] != group)
        policies = {name: Policy.learned(others, recipe, options) for name, recipe in recipes.items()}
        for database in (name for name, other in groups.items() if other == group and name in wanted):
            for total in totals:
                if (database, total) in means:
                    rows.append(_row(database, group, total, values[database], means, policies, options, draws, misses))
    gathered = np.concatenate(misses)
    return Regret(tuple(rows), dict(zip(options, np.sqrt((gathered**2).mean(axis=0)).tolist(), strict=True)))


def _row(
    database: str,
    group: str,
    total: float,
    values: dict[str, float],
    means: dict[tuple[str, float], Floats],
    policies: dict[str, Policy],
    options: Sequence[str],
    draws: int,
    misses: list[Floats],
) -> dict[str, Any]:
    whole = means[database, total]
    floor = 1e-9 * max(float(whole.max()), 1e-300)
    least = max(float(whole.min()), floor)
    row: dict[str, Any] = {"database": database, "group": group, "epsilon": total, "policies": {}, "added": {}}
    row["vanishing"] = bool(whole.min() < _VANISHING * whole.max())
    for name, policy in policies.items():
        left = float(remaining(total, policy.recipe))
        losses = means.get((database, left))
        if losses is None:
            raise ValueError(
                f"The traces lack epsilon {left:g}, which is what a share leaves of {total:g}: train again."
            )
        features, _ = policy.recipe.expected(values, left, draws)
        chosen, predicted, outside = policy.choose(features)
        row["policies"][name] = max(float(losses[chosen].mean()), floor) / least
        row["added"][name] = float(losses[chosen].mean() - whole.min())
        if "true" not in row:
            row["true"] = dict(zip(options, losses.tolist(), strict=True))
            guesses = np.exp(np.log(policy.losses(features, predicted)).mean(axis=0))
            row["predicted"] = dict(zip(options, guesses.tolist(), strict=True))
            row["outside"] = float(outside.any(axis=1).mean())
            row["right"] = float((losses[chosen] <= losses.min()).mean())
            true = ln_regret(losses)[0]
            off = np.clip(predicted, 0, np.log(20.0)) - np.minimum(true, np.log(20.0))
            misses.append(off - np.median(off, axis=1, keepdims=True))
    for name, loss in zip(options, whole.tolist(), strict=True):
        row["policies"][f"always {name}"] = max(loss, floor) / least
        row["added"][f"always {name}"] = float(loss - whole.min())
    return row


def remaining(total: float, recipe: Recipe) -> float:
    """Return what is left of a total after metafeatures, as traces write it."""
    from dpselect.kernel.numbers import exact_epsilon

    return float(exact_epsilon(total) * (1 - recipe.share))
