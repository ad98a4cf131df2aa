"""Sensitivity of a formula at each distance, for one row or one person: derived, and admissible by construction.

delta(x, t, r) is the largest step of the formula over all moves and over all statistics that may be reached in t
steps. Regions of neighbours lie in each other and enclosures are isotone, so delta is admissible, in the numbers that
the machine returns.

Neighbours: those of the kinds of rows. Proof: ``derived_sensitivity.md``. Coq: ``proofs/Regions.v``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpselect.formulas.elementary import Logarithm, SquareRoot, XLogX
from dpselect.formulas.expression import (
    Expression,
    Linear,
    Parallel,
    Product,
    Quotient,
    Sum,
    ZeroBasedQuotient,
    statistic,
)
from dpselect.formulas.interval import Floats, Interval, sum_down, up
from dpselect.formulas.region import GroupSums, Region
from dpselect.formulas.rows import RowKinds
from dpselect.kernel.errors import DPSelectError

# Public cells of a denominator: by ones, then by a share.
_ONES, _SHARES, _GROWTH = 200, 400, 1.05


class FormulaError(DPSelectError, ValueError):
    """A formula has no value for some possible rows, or no sensitivity; the message is one sentence that says why."""


def delta(formula: Expression, rows: RowKinds, counts: GroupSums, distance: NDArray[np.int64]) -> Floats:
    """Return how far one neighbour moves the formula at each distance, before any ceiling.

    Args:
        formula: that :func:`require_value` allows.
        rows: kinds of rows.
        counts: the statistics of groups.
        distance: steps between neighbours, an array that broadcasts with them.
    """
    steps = rows.steps
    found = _one_move(formula, rows, counts, steps * distance)
    for more in range(1, steps):
        found = -sum_down(-found, -_one_move(formula, rows, counts, steps * distance + more))
    if rows.apart is not None:
        found = np.minimum(found, delta(formula, rows.apart, counts, distance))
    return np.asarray(found)


def _one_move(formula: Expression, rows: RowKinds, counts: GroupSums | None, distance: NDArray[np.int64]) -> Floats:
    return _largest_step(formula, Region(rows, counts, distance))


def _largest_step(formula: Expression, region: Region) -> Floats:
    """Return the largest step of all moves, in both directions, from anywhere in a region."""
    most: Floats = np.zeros(())
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        for move in range(len(region.rows.moves)):
            for backwards in (False, True):
                each = region.after_move(move, backwards=backwards)
                step = each.step(formula)
                if step is None:
                    continue
                # Whether there is such a row at all.
                for name in region.rows.names:
                    if each.step(statistic(name)) is not None:
                        each.before(statistic(name))
                most = np.maximum(most, np.where(each.empty, 0.0, step.magnitude()))
    return most


def reachable(formula: Expression, rows: RowKinds, counts: GroupSums, distance: NDArray[np.int64]) -> Interval:
    """Return between which numbers the formula lies for all statistics that may be reached in so many steps."""
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        found = Region(rows, counts, rows.steps * distance).before(formula)
    if rows.apart is not None:
        found = found.cut(reachable(formula, rows.apart, counts, distance))
    lo = np.where(np.isnan(found.lo), -np.inf, found.lo)
    return Interval(lo, np.where(np.isnan(found.hi), np.inf, found.hi))


def ceiling(formula: Expression, rows: RowKinds) -> float:
    """Return a public bound on every move of the formula, whatever the rows are; ``inf`` where none is found.

    The domain is cut into public cells of one denominator: largest over the cells, then smallest over denominators.
    """
    nowhere = np.zeros(1, dtype=np.int64)
    best = float(_largest_step(formula, Region(rows, None, nowhere)).max())
    for under in denominators(formula):
        facts = rows.facts(under)
        if facts.low is None or facts.low < 0 or facts.width == 0:
            continue
        ones, shares = np.arange(_ONES + 0.0), _ONES * _GROWTH ** np.arange(_SHARES)
        edges = (facts.constant + facts.width * np.concatenate((ones, shares))) / facts.scale
        cells = {under: Interval(np.concatenate(([-np.inf], edges[1:])), np.append(edges[1:], np.inf))}
        best = min(best, float(_largest_step(formula, Region(rows, None, nowhere, cells)).max()))
    best = float(up(np.asarray(best * rows.steps))) if rows.steps > 1 else best
    return best if rows.apart is None else min(best, ceiling(formula, rows.apart))


def denominators(formula: Expression) -> list[Linear]:
    """Return the sums of statistics by which a formula divides, each once."""
    found: dict[Linear, None] = {}
    if isinstance(formula, Quotient) and isinstance(formula.parts[1], Linear):
        found[formula.parts[1]] = None
    for part in formula.parts:
        found |= dict.fromkeys(denominators(part))
    return list(found)


def require_value(formula: Expression, rows: RowKinds) -> None:
    """Refuse a formula that has no value for some rows, or is the same for all.

    Raises:
        FormulaError: it may divide by 0, or take the root or logarithm of what has none.
    """
    moves = _moves_at_all(formula, rows)
    if moves:
        with np.errstate(invalid="ignore", over="ignore", under="ignore"):
            _require(formula, Region(rows, None, np.zeros((), dtype=np.int64)))
        # Such as min(count(), 0). A move from no rows is at most the ceiling, and found sooner.
        nothing = GroupSums({name: np.zeros(1, dtype=np.int64) for name in rows.names})
        first = delta(formula, rows, nothing, np.zeros(1, dtype=np.int64))
        moves = bool((first > 0).any()) or ceiling(formula, rows) > 0
    if not moves:
        raise FormulaError("This formula is the same whatever the rows are: name a statistic that changes it.")


def _moves_at_all(formula: Expression, rows: RowKinds) -> bool:
    if isinstance(formula, Linear):
        return rows.facts(formula).width > 0
    # Every sum is looked at, so that one without rows is refused.
    moving = [_moves_at_all(part, rows) for part in formula.parts]
    return any(moving)


def _require(formula: Expression, region: Region) -> None:
    for part in formula.parts:
        _require(part, region)
    has_zero = isinstance(formula, ZeroBasedQuotient) and _is_zero(formula, region)
    if isinstance(formula, Quotient) and not has_zero and not _positive(region, formula.parts[1]):
        raise FormulaError(
            f"{formula.parts[1]!r} may be 0, and divides: add a number to both, as in (sum(x) + 60) / (count() + 20), "
            "or give a minimum size of groups."
        )
    if isinstance(formula, Logarithm) and not _positive(region, formula.parts[0]):
        raise FormulaError(f"{formula.parts[0]!r} may be 0, which has no logarithm: add 1, or another number above 0.")
    if isinstance(formula, (SquareRoot, XLogX, Parallel)):
        for part in formula.parts:
            if not _lowest(region, part) >= 0:
                raise FormulaError(f"{part!r} may be below 0: take max({part!r}, 0).")


def _is_zero(formula: ZeroBasedQuotient, region: Region) -> bool:
    """Return whether both sums are 0 without rows, and what is divided is 0 wherever the divisor is."""
    over, under = formula.parts
    if not isinstance(over, Linear) or not isinstance(under, Linear) or over.constant or under.constant:
        return False
    ratios = region.rows.pair(over, under).ratios
    return ratios is not None and None not in ratios


def _positive(region: Region, part: Expression) -> bool:
    """Return whether a part is above 0 for all rows, though perhaps as near to it as there are many of them."""
    if isinstance(part, (Quotient, Product, Parallel, SquareRoot)):
        return all(_positive(region, each) for each in part.parts)
    # 1 + (-q) with q up to 1 is 0 for some rows: only parts that are all 0 or more leave a positive one above 0.
    apart = isinstance(part, Sum) and all(_lowest(region, each) >= 0 for each in part.parts)
    return (apart and any(_positive(region, each) for each in part.parts)) or _lowest(region, part) > 0


def _lowest(region: Region, part: Expression) -> float:
    return float(np.min(region.before(part).lo))
