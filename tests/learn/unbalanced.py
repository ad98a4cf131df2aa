"""Made-up tables in which one class is rare and two columns are independent of the target."""

from __future__ import annotations

from typing import Any

import numpy as np

Table = tuple[dict[str, Any], np.ndarray, dict[str, Any]]
# Independent of the target in both tables.
NOISE = ("region", "member")


def old_graduates(rng: np.random.Generator, n: int = 20_000) -> Table:
    """Say yes with 30 per cent, all others with 2: a table, its labels and its domains."""
    domains = {"age": (18, 90), "degree": ["no", "yes"], "region": list("abcde"), "member": ["no", "yes"]}
    table = {"age": rng.integers(18, 90, n)}
    table |= {name: rng.choice(each, n) for name, each in domains.items() if name != "age"}
    chance = np.where((table["age"] > 70) & (table["degree"] == "yes"), 0.30, 0.02)
    return table, np.where(rng.random(n) < chance, "yes", "no"), domains


def six_columns(rng: np.random.Generator, n: int = 9_000) -> Table:
    """Four columns whose odds multiply, and about 6 per cent yes; two columns say nothing."""
    domains: dict[str, Any] = {"age": (18, 90), "hours": (0, 60), "sex": ["f", "m"], "edu": ["low", "mid", "high"]}
    domains |= {"region": list("abcdefgh"), "member": ["no", "yes"]}
    table = {name: rng.integers(*each, n) if name in ("age", "hours") else rng.choice(each, n)
             for name, each in domains.items()}  # fmt: skip
    odds = 0.035 * (table["age"] - 50) + 0.03 * (table["hours"] - 20) - 4.5
    odds += np.log(2.5) * (table["sex"] == "m") + np.log(3.3) * (table["edu"] == "high")
    return table, np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no"), domains
