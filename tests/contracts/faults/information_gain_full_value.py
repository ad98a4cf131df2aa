"""`001` Algorithm 5: no record is added to a value that holds the whole table (a < tau). Under-estimates there."""

import math

import numpy as np

from dpselect import Scores, audit
from tests.contracts.faults.toys import admissibility, rows

DETECTOR = "admissibility"
UNIVERSE = audit.tables((2, 2), 4)


def phi(x: int) -> float:
    """(x + 1) log2(x + 1) - x log2 x."""
    return (x + 1) * math.log2(x + 1) - (x * math.log2(x) if x else 0.0)


def gain(table: np.ndarray) -> float:
    """Sum of t_jc log2(t_jc / t_j)."""
    totals = table.sum(axis=1)
    return float(sum(c * math.log2(c / totals[j]) for j, row in enumerate(table.tolist()) for c in row if c))


def change(a: int, b: int) -> float:
    """The larger change by one record more or less in a cell of b among a."""
    return max(phi(a) - phi(b), phi(a - 1) - phi(b - 1) if b else 0.0)


def sensitivity(table: np.ndarray, most: float) -> np.ndarray:
    """Algorithm 5 for t = 0 .. 6; ``most`` stands for tau in its test."""
    totals = table.sum(axis=1)
    reached = {(int(totals[j]), int(table[j, c])) for j in range(2) for c in range(2)}
    values = []
    for _ in range(7):
        values.append(max(change(a, b) for a, b in reached))
        reached |= {(a - 1, b - 1) for a, b in reached if b > 0} | {(a + 1, b) for a, b in reached if a < most}
    return np.array(values)[:, None]


def scores(table: np.ndarray, most: float) -> Scores:
    """The single attribute's score."""
    return Scores([gain(table)], rows(sensitivity(table, most)))


def detect() -> str:
    """tau is the size of the private table."""
    return admissibility(lambda table: scores(table, int(table.sum())), UNIVERSE)


def repaired() -> str:
    """A record can always be added."""
    return admissibility(lambda table: scores(table, math.inf), UNIVERSE)
