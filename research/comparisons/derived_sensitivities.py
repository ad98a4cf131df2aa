"""Derived sensitivities of the scores of papers beside those that were worked out by hand, and beside the exact ones.

    python -m research.comparisons.derived_sensitivities

Random tables with cells of about 10 and about 100. Ratios of the derived sensitivity to that of the library at some
distances, and to the exact local sensitivity of all tables that so many rows reach: the median and the largest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.formulas import Expression, RowKinds, clip, parallel, scores, sqrt, statistic, xlogx
from dpselect.formulas.expression import ZeroBasedQuotient

Floats = NDArray[np.float64]
Tables = NDArray[np.int64]
A, B, C, D = (statistic(name) for name in "abcd")
CELLS = {many: RowKinds.of([{name: 1} for name in "abcd"[:many]]) for many in (2, 3, 4)}
# What a family transmits of both alleles; studies are of a public number of families.
FAMILIES = RowKinds.of([{"a": i, "b": j} for i in range(3) for j in range(3 - i) if i + j], substitution=True)
DISTANCES = (0, 1, 5, 20)
# Tables that are reached are listed up to this distance.
LISTED = 5
MANY, N_FAMILIES = 40, 400


@dataclass(frozen=True)
class Score:
    """A score of a table.

    Attributes:
        name: of the score.
        formula, rows: as the library derives from.
        by_hand: the hand-made sensitivity, shape (distances, tables); ``None`` where the library has none.
        value: the score of tables, shape (.., cells).
        bits: by how much the derived one is divided.
    """

    name: str
    formula: Expression
    rows: RowKinds
    by_hand: Callable[[Tables], Floats] | None
    value: Callable[[Tables], Floats] | None
    bits: float = 1.0


def _chi_square(a: Expression, b: Expression, c: Expression, d: Expression) -> Expression:
    a, b, c, d = (each + Fraction(1, 2) for each in (a, b, c, d))
    apart = a * d - b * c
    return (a + b + c + d) * apart * apart / ((a + b) * (c + d) * (a + c) * (b + d))


def _one_by_one(made: Callable[[Tables], dps.Scores]) -> Callable[[Tables], Floats]:
    """Return the hand-made sensitivity of each table by itself."""

    def by_hand(tables: Tables) -> Floats:
        each = [np.asarray(made(table).sensitivity.at(DISTANCES)).reshape(len(DISTANCES), -1) for table in tables]
        return np.concatenate(each, axis=1)

    return by_hand


_gain = _one_by_one(lambda table: dps.utilities.information_gain({0: table.reshape(2, 2)}, max_records=10**6))
_gini = _one_by_one(lambda table: dps.utilities.gini({0: table.reshape(2, 2)}))
# The library takes one number of positives for all classifiers.
_rate = _one_by_one(lambda table: dps.utilities.true_positive_rate(table[:1], int(table.sum())))


def _tdt(tables: Tables) -> Floats:
    return dps.utilities.tdt(tables[:, 0], tables[:, 1], families=N_FAMILIES).sensitivity.at(DISTANCES)


def _entropy(x: Tables) -> Floats:
    each = np.asarray(x, dtype=np.float64)
    return each * np.log2(np.maximum(each, 1))


def _of_shares(x: Tables) -> Floats:
    a, b, c, d = np.moveaxis(np.asarray(x, dtype=np.float64), -1, 0)
    return ((a + 1) / (a + b + 2)) / ((c + 1) / (c + d + 2))


def _numbers(formula: Expression, rows: RowKinds) -> Callable[[Tables], Floats]:
    def value(x: Tables) -> Floats:
        flat = x.reshape(-1, x.shape[-1])
        counts = {name: flat[:, place] for place, name in enumerate(rows.names)}
        return dps.formulas.scores(formula, counts, rows).values.reshape(x.shape[:-1])

    return value


SCORES = (
    Score(
        "information gain, 2 x 2",
        xlogx(A) + xlogx(B) + xlogx(C) + xlogx(D) - xlogx(A + B) - xlogx(C + D),
        CELLS[4],
        _gain,
        lambda x: _entropy(x).sum(axis=-1) - _entropy(x[..., 0] + x[..., 1]) - _entropy(x[..., 2] + x[..., 3]),
        math.log(2),
    ),
    Score("Gini, 2 x 2", -(2 * parallel(A, B) + 2 * parallel(C, D)), CELLS[4], _gini, None),
    Score("TDT", A + B - 4 * parallel(A, B), FAMILIES, _tdt, None),
    Score("TPR, TNR", ZeroBasedQuotient(A, A + B), CELLS[2], _rate, None),
    Score("chi-square, 2 x 2", _chi_square(A, B, C, D), CELLS[4], None, None),
    Score("F1, prior 1", 2 * A / (2 * A + B + C + 1), CELLS[3], None, None),
    Score(
        "lift of a rule (a: both, b: one side, c: the other)",
        (A + 1) * (A + B + C + D + 1) / ((A + B + 1) * (A + C + 1)),
        CELLS[4],
        None,
        None,
    ),
    Score("relative risk", ((A + 1) / (A + B + 2)) / ((C + 1) / (C + D + 2)), CELLS[4], None, _of_shares),
    Score(
        "Wilson's lower bound",
        clip((A + 2 - 2 * sqrt(parallel(A, B) + 1)) / (A + B + 4), 0, 1),
        CELLS[2],
        None,
        None,
    ),
)


def exact(score: Score, tables: Tables, distance: int) -> Floats:
    """Return the largest move by one row of any table that so many rows reach, shape (tables,)."""
    value = score.value or _numbers(score.formula, score.rows)
    width = tables.shape[1]
    steps = np.array([each for each in product(range(-distance, distance + 1), repeat=width)
                      if sum(map(abs, each)) <= distance])  # fmt: skip
    reached = tables[:, None, :] + steps
    here, found = value(np.maximum(reached, 0)), np.zeros(reached.shape[:2])
    there = (reached >= 0).all(axis=-1)
    for place in range(width):
        for way in (-1, 1):
            other = reached.copy()
            other[..., place] += way
            both = there & (other >= 0).all(axis=-1)
            found = np.maximum(found, np.where(both, np.abs(value(np.maximum(other, 0)) - here), 0.0))
    return np.asarray(found.max(axis=1))


def ratios(score: Score, size: int) -> tuple[Floats | None, Floats | None, float]:
    """Return the ratios to the hand-made and to the exact sensitivities, by distance, and the derived ceiling."""
    rng = np.random.default_rng(size)
    tables = np.rint(rng.uniform(0.4, 1.6, (MANY, len(score.rows.names))) * size).astype(np.int64)
    counts = {name: tables[:, place] for place, name in enumerate(score.rows.names)}
    made = scores(score.formula, counts, score.rows).sensitivity
    derived = np.asarray(made.at(DISTANCES)) / score.bits
    hand = None if score.by_hand is None else derived / score.by_hand(tables)
    near = [place for place, each in enumerate(DISTANCES) if each <= LISTED]
    truth = None
    if score.rows is not FAMILIES and score.name != "TPR, TNR":
        truth = np.stack([derived[place] / exact(score, tables, DISTANCES[place]) for place in near])
    return hand, truth, made.ceiling / score.bits


def shown(found: Floats | None, distances: Sequence[int]) -> str:
    """Return the median and the largest of each distance."""
    if found is None:
        return " " * 13 * len(distances)
    return "".join(f" {np.median(each):5.2f} ({each.max():4.2f})"[:13].ljust(13) for each in found)


def main() -> None:
    """Print the table."""
    print("derived / hand-made at t = 0, 1, 5, 20; derived / exact at t = 0, 1, 5: median (largest)\n")
    for score in SCORES:
        for size in (10, 100):
            hand, truth, most = ratios(score, size)
            print(f"{score.name[:24]:<24} cells {size:>3} |{shown(hand, DISTANCES)} |{shown(truth, DISTANCES[:3])} "
                  f"| ceiling {most:.4g}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
