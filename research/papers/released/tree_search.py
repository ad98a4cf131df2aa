"""The evolutionary search of Farias et al. 2024 as a simulation: what it finds on public data, and releases nothing.

Every selection of the search spends epsilon / rounds, and each of its k trees epsilon / (rounds k).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from research.papers.released.evolution import Evolution, Sizes
from research.papers.released.multi_objective_draw import FloatDraw
from research.papers.released.recall_masks import Masks

Floats = NDArray[np.float64]
# Takes rates, shape (trees, 2), and how many trees are kept: returns their positions.
Choice = Callable[[Floats, int], list[int]]


class Units(Protocol):
    """Scores in units of what one record moves."""

    def units(self, rates: Floats, positives: int, negatives: int) -> Floats:
        """Return the score of every tree."""
        ...


def search(masks: Masks, sizes: Sizes, choice: Choice, rng: np.random.Generator) -> Floats:
    """Return the rates of the trees that a search ends with, shape (output, 2)."""
    evolution = Evolution(masks, sizes, rng)
    trees = evolution.first()
    for _ in range(sizes.rounds - 1):
        trees = evolution.grown([trees[place] for place in choice(masks.rates(trees), sizes.selected)])
    rates = masks.rates(trees)
    return np.asarray(rates[choice(rates, sizes.output)])


def drawn(
    units: Units, epsilon: float, masks: Masks, sizes: Sizes, rng: np.random.Generator, *, unsound: str | None = None
) -> Choice:
    """Return the choice by scores and epsilon in all; with ``unsound="reproduction"`` by the draw of the program."""

    def choice(rates: Floats, k: int) -> list[int]:
        exponents = units.units(rates, masks.positives, masks.negatives) * (epsilon / (sizes.rounds * k) / 2)
        if unsound is not None:
            return FloatDraw(k, unsound=unsound).drawn(exponents, rng)
        return [int(place) for place in np.argsort(exponents + rng.gumbel(size=exponents.size))[-k:]]

    return choice


def best(score: Callable[[Floats], Floats]) -> Choice:
    """Return the choice without noise: the largest scores, of equal ones the last."""
    return lambda rates, k: [int(place) for place in np.argsort(score(rates), kind="stable")[-k:]]
