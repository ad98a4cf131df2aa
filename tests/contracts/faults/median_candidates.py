"""`001` Algorithm 2: six databases at distance t stand for all of them. They do not: x = (0, 0, 1), r = 0, t = 1."""

import numpy as np

from dpselect import Scores, audit
from tests.contracts.faults.toys import admissibility, exact, rows

DETECTOR = "admissibility"
TOP = 4
UNIVERSE = audit.vectors(3, range(TOP + 1))


def utility(x: np.ndarray) -> np.ndarray:
    """Minus the distance of every record from the median."""
    return -np.abs(x - np.sort(x)[1])


VALUES = np.array([utility(x) for x in UNIVERSE])
EXACT = exact(UNIVERSE, VALUES.astype(float))
PLACE = {tuple(x.tolist()): i for i, x in enumerate(UNIVERSE)}


def moved(x: tuple, i: int, to: int) -> tuple:
    """x with record i at another value."""
    return (*x[:i], to, *x[i + 1 :])


def median_moved(x: tuple, to: int) -> tuple:
    """x with its median element at another value."""
    return moved(x, int(np.argsort(x, kind="stable")[1]), to)


def candidates(x: tuple, t: int, r: int) -> list[tuple]:
    """Algorithm 2, line by line."""
    if t == 0:
        return [x]
    if t == 1:
        up, down = moved(x, r, TOP), moved(x, r, 0)
        return [up, up, down, down, median_moved(x, TOP), median_moved(x, 0)]
    return [median_moved(y, to) for y, to in zip(candidates(x, t - 1, r), (0, TOP) * 3, strict=True)]


def published(x: np.ndarray) -> Scores:
    """The largest value at distance 0 among the candidates, made to rise with t."""
    key = tuple(x.tolist())
    table = np.array([[max(EXACT[0, PLACE[y], r] for y in candidates(key, t, r)) for r in range(3)] for t in range(4)])
    return Scores(utility(x), rows(np.maximum.accumulate(table), ceiling=TOP))


def detect() -> str:
    """The published algorithm."""
    return admissibility(published, UNIVERSE)


def repaired() -> str:
    """The exact sensitivity."""
    return admissibility(lambda x: Scores(utility(x), rows(EXACT[:, PLACE[tuple(x.tolist())]], ceiling=TOP)), UNIVERSE)
