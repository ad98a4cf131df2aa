"""Mechanisms, priors and minimum sizes for the best group by a formula, judged by the score that is wanted.

    python -m research.comparisons.formula_settings

Eight made-up worlds of thirty groups of 20 to 5000 rows: the mean of stars, and a rate of about .1. Exact laws by
``dps.accuracy.recommend_formula``: how likely the best group by the wanted prior of 20 rows is named, and how far
behind it who is named is on average.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import dpselect as dps

GROUPS = [f"group {place}" for place in range(30)]
WORLDS, SIZES = 8, (20, 50, 200)
Table = dict[str, Any]


def _sizes(rng: np.random.Generator) -> Any:
    return rng.permutation(np.clip(5000 / np.arange(1, len(GROUPS) + 1) ** 1.4, 20, None).astype(int))


def stars(seed: int) -> Table:
    """Return ratings from 1 to 5, about 3.5 on average."""
    rng = np.random.default_rng(seed)
    sizes, means = _sizes(rng), rng.normal(3.5, 0.4, len(GROUPS))
    drawn = [np.clip(np.rint(rng.normal(mean, 1, size)), 1, 5) for mean, size in zip(means, sizes, strict=True)]
    return {"group": np.repeat(GROUPS, sizes), "cell": np.concatenate(drawn).astype(int)}


def infections(seed: int) -> Table:
    """Return who was infected, about a tenth."""
    rng = np.random.default_rng(100 + seed)
    sizes, rates = _sizes(rng), rng.beta(4, 36, len(GROUPS))
    drawn = [rng.random(size) < rate for rate, size in zip(rates, sizes, strict=True)]
    return {"group": np.repeat(GROUPS, sizes), "cell": np.where(np.concatenate(drawn), "yes", "no")}


ASKED: dict[str, tuple[Callable[[int], Table], str, str, Any, str]] = {
    "mean of stars": (stars, "avg(cell)", "3.5", {"lower": 1, "upper": 5}, "highest"),
    "highest rate": (infections, "rate(cell = 'yes')", "0.1", ["yes", "no"], "highest"),
    "lowest rate": (infections, "rate(cell = 'yes')", "0.1", ["yes", "no"], "lowest"),
}


def main() -> None:
    """Print both figures of every setting and mechanism, and what is advised in how many worlds."""
    for name, (table, score, value, domain, order) in ASKED.items():
        for epsilon in (0.1, 1):
            advised, figures = Counter[str](), dict[tuple[str, str], list[tuple[float, float]]]()
            for seed in range(WORLDS):
                advice = dps.accuracy.recommend_formula(
                    table(seed),
                    epsilon=epsilon,
                    by="group",
                    groups=GROUPS,
                    score=score,
                    columns={"cell": domain},
                    prior=f"20:{value}",
                    others=[*(f"{rows}:{value}" for rows in (1, 5, 50, 100)), *SIZES],
                    order=order,
                    data="example",
                )
                advised[f"{advice.mechanism} with {advice.small_groups}"] += 1
                for row in advice.table:
                    figures.setdefault((row.small_groups, row.mechanism), []).append((row.chance, row.shortfall))
            print(f"\n{name}, epsilon {epsilon:g}: advised", ", ".join(f"{each} ({n})" for each, n in advised.items()))
            for (weight, mechanism), found in sorted(figures.items(), key=lambda each: np.mean(each[1], axis=0)[1]):
                chance, shortfall = np.mean(found, axis=0)
                print(f"{weight:<10}{mechanism:<24}{chance:8.3f}{shortfall:10.4f}")


if __name__ == "__main__":
    main()
