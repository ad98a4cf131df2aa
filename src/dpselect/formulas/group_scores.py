"""Scores of groups by a formula: values that are rounded once, and their derived sensitivity.

Neighbours: those of the kinds of rows. Proof: ``derived_sensitivity.md``.
"""

from __future__ import annotations

import decimal
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.formulas import derived_sensitivity
from dpselect.formulas.expression import Expression, Linear, statistic
from dpselect.formulas.interval import Floats
from dpselect.formulas.region import GroupSums, Region
from dpselect.formulas.rows import RowKinds
from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.neighbours import Neighbours
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Sensitivity, profiles

# Enclosures as narrow as this share of their size are scores; others are computed in as many decimals as it takes.
_NARROW = 2.0**-46
_FIRST, _LAST = 60, 4000
_WIDEST = 2**61
_LARGEST = float(np.finfo(np.float64).max)


def scores(
    formula: Expression,
    counts: Mapping[str, ArrayLike],
    rows: RowKinds,
    *,
    candidates: Sequence[Any] | None = None,
    ceiling: float | None = None,
) -> Scores:
    """Return the formula of every group, with a sensitivity that is derived from it.

    Args:
        formula: over statistics, of which larger is better.
        counts: the statistics by their names, whole numbers of size 2^61 at most, shape (m,).
        rows: what one row may add to them, and what neighbours differ in.
        candidates: what the groups are called.
        ceiling: a public bound on every move that you have proved; the one that is found counts where it is less.

    Raises:
        FormulaError: the formula has no value for some rows, or is the same for all.
        TypeError, ValueError: counts that are not whole numbers, that no rows add up to, or of different shapes.

    >>> from dpselect.formulas import statistic
    >>> infected, patients = statistic("infected"), statistic("patients")
    >>> rows = RowKinds.of([{"patients": 1}, {"patients": 1, "infected": 1}])
    >>> made = scores((infected + 1) / (patients + 10), {"infected": [4, 0], "patients": [40, 12]}, rows)
    >>> made.values.round(3), made.sensitivity.at(0).round(3)
    (array([0.1  , 0.045]), array([0.018, 0.042]))
    """
    derived_sensitivity.require_value(formula, rows)
    held = require_counts(counts, rows)
    distinct, profile = distinct_groups(held)
    found = sensitivity(formula, distinct, rows, profile=profile, ceiling=ceiling)
    return Scores(
        values(formula, rows, distinct)[profile],
        found,
        candidates,
        relation(rows).value,
        kind="real",
    )


def sensitivity(
    formula: Expression,
    counts: GroupSums,
    rows: RowKinds,
    *,
    profile: NDArray[np.intp] | None = None,
    ceiling: float | None = None,
) -> Sensitivity:
    """Return the derived sensitivity of groups with these statistics."""
    most = min(derived_sensitivity.ceiling(formula, rows), np.inf if ceiling is None else ceiling)

    def some(distance: NDArray[np.int64], only: NDArray[np.intp] | None) -> Floats:
        used = counts if only is None else counts.at(only)
        found = derived_sensitivity.delta(formula, rows, used, distance[:, None])
        return np.broadcast_to(found, (distance.size, counts.size if only is None else only.size))

    return profiles(
        lambda distance: some(distance, None),
        profile=profile,
        ceiling=most if isfinite(most) else None,
        some=some,
    )


def relation(rows: RowKinds) -> Neighbours:
    """Return the relation of neighbours by its name."""
    if rows.apart is not None:
        return Neighbours.SUBSTITUTION
    return Neighbours.PERSON if rows.of_persons else Neighbours.ADD_REMOVE


def require_counts(counts: Mapping[str, ArrayLike], rows: RowKinds) -> dict[str, NDArray[np.int64]]:
    """Return the statistics that rows add to, as arrays of one shape (m,).

    Raises:
        TypeError, ValueError: as :func:`scores`.
    """
    missing = [name for name in rows.names if name not in counts]
    if missing:
        raise InputError(f"Counts have no {missing[0]}, to which rows add: pass an array for each statistic.")
    held = {}
    for name in rows.names:
        array = np.asarray(counts[name])
        if array.ndim != 1 or not array.size or array.dtype.kind not in "iu":
            raise InputTypeError(f"{name} is a statistic of groups: pass whole numbers, shape (m,), m >= 1.")
        if (array > _WIDEST).any() or (array.astype(np.int64) < -_WIDEST).any():
            raise InputError(f"{name} is beyond 2^61: count in a larger unit.")
        held[name] = array.astype(np.int64)
        facts = rows.facts(statistic(name))
        if (facts.low is not None and (held[name] < facts.low).any()) or (
            facts.high is not None and (held[name] > facts.high).any()
        ):
            raise InputError(f"{name} has numbers that no rows add up to: check what rows add.")
    if len({each.size for each in held.values()}) > 1:
        raise InputError("The statistics are of different numbers of groups: make them equal.")
    return held


def distinct_groups(counts: Mapping[str, NDArray[np.int64]]) -> tuple[GroupSums, NDArray[np.intp]]:
    """Return the statistics of different groups, and which of them each group has."""
    table = np.stack([*counts.values()])
    order = np.lexsort(table)
    ordered = table[:, order]
    first = np.concatenate(([True], (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)))
    profile = np.empty(order.size, dtype=np.intp)
    profile[order] = np.cumsum(first) - 1
    return GroupSums(dict(zip(counts, ordered[:, first], strict=True))), profile


def values(formula: Expression, rows: RowKinds, counts: GroupSums) -> Floats:
    """Return the formula of every group, right to a relative 2^-45 and within its enclosure, shape (m,).

    Beyond the doubles it is the last of them: a refusal would say how large statistics are.
    """
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        found = Region(rows, counts, np.zeros(1, dtype=np.int64)).before(formula)
    lo = np.broadcast_to(np.where(np.isnan(found.lo), -np.inf, found.lo), counts.size)
    hi = np.broadcast_to(np.where(np.isnan(found.hi), np.inf, found.hi), counts.size)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        middle = np.array(lo + (hi - lo) / 2)
        narrow = hi - lo <= _NARROW * np.minimum(np.abs(lo), np.abs(hi))
    wide = ~(narrow & np.isfinite(middle))
    for place in np.flatnonzero(wide & ~((lo == 0) & (hi == 0))):
        middle[place] = exact_value(formula, {name: int(each[place]) for name, each in counts.arrays.items()})
    return np.asarray(np.minimum(np.maximum(np.clip(middle, -_LARGEST, _LARGEST), lo), hi))


def exact_value(formula: Expression, counts: Mapping[str, int]) -> float:
    """Return the formula of one group, rounded once: in more decimals until two of them agree; 0 where none is one.

    It never refuses, because that would depend on rows; what it returns is cut into what encloses the formula.
    """
    digits, earlier = _FIRST, _decimal(formula, counts, _FIRST)
    while digits < _LAST:
        digits *= 2
        found = _decimal(formula, counts, digits)
        # What cancels entirely stays at the size of its rounding, which shrinks with every round.
        finite = found.is_finite() and earlier.is_finite()
        if finite and (abs(found - earlier) <= abs(found) * Decimal(2) ** -60 or abs(found) < Decimal(10) ** -330):
            return float(found)
        earlier = found
    return 0.0 if earlier.is_nan() else float(earlier)


def _decimal(formula: Expression, counts: Mapping[str, int], digits: int) -> Decimal:
    with decimal.localcontext() as context:
        context.prec, context.Emax, context.Emin = digits, decimal.MAX_EMAX, decimal.MIN_EMIN
        # A part above 0 may be rounded to 0, or below it, with so many digits.
        context.clear_traps()
        return decimal_value(formula, counts)


def decimal_value(formula: Expression, counts: Mapping[str, int]) -> Decimal:
    """Return the formula of one group in the decimal arithmetic of the context."""
    if isinstance(formula, Linear):
        return formula.exact([Decimal(counts[name]) for name, _ in formula.weights])
    return formula.exact([decimal_value(part, counts) for part in formula.parts])
