"""The public defaults: how the budget is shared, and what follows from the noisy size and balance of a table.

Nothing here was tuned to a private table: the rule reads public figures, and released ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dpselect.views.gradient_sums import UNIT, Loss

# Below this many records times epsilon a tile has one column.
ADDITIVE_BELOW = 5000
_FEW, _SOME = 1000, 10_000
_MOST_COLUMNS, _MOST_GROUPS, MOST_PARTS = 6, 16, 64


@dataclass(frozen=True)
class Rule:
    """The public numbers behind a fit.

    Attributes:
        counts, survey: shares of the budget; the rounds have the rest.
        rounds: how many there are for n epsilon below 1,000, below 10,000, and above.
        per_part: how much signal, in deviations of its noise, goes to each part of a tile.
        curvature: what the noise of Hessians weighs, beside that of gradients.
        worth: what a unit of signal counts as.
        pull: how strongly noise draws steps to zero, at least.
        columns: beyond so many each tells less: parts get more signal, and steps are drawn to zero more, in proportion.
    """

    counts: Fraction
    survey: Fraction
    rounds: tuple[int, int, int]
    per_part: float
    curvature: float
    worth: float = 1.0
    pull: float = 4.0
    columns: float = math.inf


BY_RHO_RULE = Rule(Fraction(6, 100), Fraction(6, 100), (50, 100, 200), 6.0, 0.4, columns=8)
PURE = Rule(Fraction(6, 100), Fraction(10, 100), (10, 20, 40), 8.0, 0.15)


@dataclass(frozen=True)
class RoundsPlan:
    """The plan of the rounds.

    Attributes:
        rounds: how many.
        shapes: of tiles, each as likely: how many columns, and how many groups of each.
        rate: how much of a Newton step is taken.
        pull: how strongly steps are drawn to zero by the noise of gradients.
    """

    rounds: int
    shapes: tuple[tuple[int, int], ...]
    rate: float
    pull: float


def rounds_for(rule: Rule, rounds: int | None, mass: float) -> int:
    """Return how many rounds: as asked, or by the records times epsilon."""
    few, some, many = rule.rounds
    return rounds if rounds is not None else few if mass < _FEW else some if mass < _SOME else many


def plan_rounds(rule: Rule, rounds: int, signal: float, columns: int, *, additive: bool) -> RoundsPlan:
    """Return the plan.

    Args:
        rule, rounds: as above.
        signal: the sum of all Hessians, in deviations of the noise of one release of all gradients.
        columns: how many there are.
        additive: whether a tile has one column.

    >>> plan = plan_rounds(BY_RHO_RULE, 200, 600.0, 8, additive=False)
    >>> plan.shapes, round(plan.rate, 3), plan.pull
    (((1, 16), (2, 8), (3, 4), (4, 2), (5, 2), (6, 2)), 0.068, 4.0)
    """
    signal = max(signal * rule.worth, 1e-9)
    wide = max(1.0, columns / rule.columns)
    parts = min(max(signal / (rule.per_part * wide), 2.0), float(MOST_PARTS))
    time = min(max(4 * math.log2(1 + signal / parts), 0.5), 40.0)
    shapes = []
    for many in range(1, 2 if additive else _MOST_COLUMNS + 1):
        groups = int(parts ** (1 / many) + 1e-6)
        if groups >= 2:
            shapes.append((many, min(groups, _MOST_GROUPS)))
    return RoundsPlan(rounds, tuple(shapes), min(time / rounds, 1.0), rule.pull * max(1.0, 12 / signal) * wide)


def hessian_share(rule: Rule, loss: Loss, *, squared: bool) -> Fraction:
    """Return the share of Hessians in what a round costs, from the sizes of both: exact, to three digits.

    >>> hessian_share(BY_RHO_RULE, Loss.binary(), squared=True)
    Fraction(1, 8)
    """
    if squared:
        weight = rule.curvature * math.sqrt(loss.hessian_squared / loss.gradient_squared)
    else:
        weight = math.sqrt(rule.curvature * float(loss.hessian_bound.total / loss.gradient_bound.total))
    return Fraction(round(1000 * weight / (1 + weight)), 1000)


def loss_of_classes(classes: int, *, squared: bool) -> Loss:
    """Return the loss of so many classes: clips are .7 and 1 (of the l2 norm), or .5 and 1 (of the l1 norm)."""
    if classes <= 2:
        return Loss.binary() if squared else Loss.binary(UNIT // 2)
    return Loss.several(classes, 2 if squared else 1)


def is_additive(interactions: bool | None, mass: float) -> bool:
    """Return whether a tile has one column: as asked, or while the records times epsilon are few."""
    return not interactions if interactions is not None else mass < ADDITIVE_BELOW
