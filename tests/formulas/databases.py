"""Every small database of a few kinds of rows, and the two conditions of admissibility, without any tolerance."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext

import numpy as np

from dpselect.formulas.derived_sensitivity import delta, reachable
from dpselect.formulas.expression import Expression
from dpselect.formulas.group_scores import decimal_value
from dpselect.formulas.region import GroupSums
from dpselect.formulas.rows import Box, RowKinds

Sums = tuple[int, ...]
# Decimals of so many digits are right to far less than this share of themselves.
_DIGITS, _SHARE = 120, Decimal(10) ** -90


def corners(boxes: Sequence[Box]) -> list[Sums]:
    """What rows add: every whole number of small ranges."""
    return [each for box in boxes for each in itertools.product(*(range(low, high + 1) for low, high in box))]


def tables(rows: RowKinds, most: int) -> list[Sums]:
    """The statistics of every database of at most so many rows."""
    found = {(0,) * len(rows.names)}
    for _ in range(most):
        found |= {moved(each, row) for each in found for row in corners(rows.kinds)}
    return sorted(found)


def moved(table: Sums, row: Sums, sign: int = 1) -> Sums:
    """Statistics after a row came or went."""
    return tuple(a + sign * b for a, b in zip(table, row, strict=True))


def neighbours(rows: RowKinds, known: set[Sums]) -> Iterator[tuple[Sums, Sums]]:
    """Pairs of tables that are neighbours, each once."""
    moves = {each for each in corners(rows.moves) if any(each)}
    several = {(0,) * len(rows.names)}
    for _ in range(rows.steps):
        several |= {moved(each, row) for each in several for row in moves}
    for table in sorted(known):
        for move in sorted(several):
            other = moved(table, move)
            if any(move) and other in known:
                yield table, other


def columns(rows: RowKinds, found: Sequence[Sums]) -> GroupSums:
    """Statistics of databases as a table of groups."""
    array = np.array(found, dtype=np.int64)
    return GroupSums({name: array[:, place] for place, name in enumerate(rows.names)})


def decimals(formula: Expression, rows: RowKinds, found: Sequence[Sums]) -> list[Decimal]:
    """The formula of every table, to many digits."""
    with localcontext() as context:
        context.prec = _DIGITS
        return [decimal_value(formula, dict(zip(rows.names, each, strict=True))) for each in found]


def broken(formula: Expression, rows: RowKinds, found: Sequence[Sums], distances: Sequence[int]) -> list[str]:
    """What is wrong with the derived sensitivity and with the reach on these tables; nothing if they are right."""
    with localcontext() as context:
        context.prec = _DIGITS
        return [*_wrong(formula, rows, found, distances)]


def _wrong(formula: Expression, rows: RowKinds, found: Sequence[Sums], distances: Sequence[int]) -> list[str]:
    counts, place = columns(rows, found), {table: index for index, table in enumerate(found)}
    exact, t = decimals(formula, rows, found), np.array(distances, dtype=np.int64)[:, None]
    near, far = delta(formula, rows, counts, t), delta(formula, rows, counts, t + 1)
    here, there = reachable(formula, rows, counts, t), reachable(formula, rows, counts, t + 1)
    shape = (t.size, len(found))
    near, far, low, high, lower, higher = (
        np.broadcast_to(each, shape) for each in (near, far, here.lo, here.hi, there.lo, there.hi)
    )
    wrong = []
    if (far < near).any():
        wrong.append("delta falls with the distance")
    for table, value in zip(found, exact, strict=True):
        at = place[table]
        slack = abs(value) * _SHARE
        if not Decimal(float(low[0, at])) - slack <= value <= Decimal(float(high[0, at])) + slack:
            wrong.append(f"{table} is not in its own reach")
    for one, other in neighbours(rows, set(found)):
        x, y = place[one], place[other]
        gap, slack = abs(exact[x] - exact[y]), (abs(exact[x]) + abs(exact[y])) * _SHARE
        if distances[0] == 0 and gap > Decimal(float(min(near[0, x], near[0, y]))) + slack:
            wrong.append(f"A1: {one} and {other} are {gap} apart, delta is {near[0, x]} and {near[0, y]}")
        for here_at, there_at in ((x, y), (y, x)):
            if (near[:, here_at] > far[:, there_at]).any():
                wrong.append(f"A2: {found[here_at]} and {found[there_at]}")
            if (lower[:, there_at] > low[:, here_at]).any() or (higher[:, there_at] < high[:, here_at]).any():
                wrong.append(f"reach: {found[here_at]} and {found[there_at]}")
    return wrong
