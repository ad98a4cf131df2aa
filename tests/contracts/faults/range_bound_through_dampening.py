"""A monotone utility keeps range bound 1 through shifted dampening: it does not, and up to twice epsilon is lost."""

import numpy as np

from dpselect import Scores, mechanism
from dpselect.mechanisms import UnitScores
from dpselect.mechanisms.base import UnitMechanism
from tests.contracts.faults.toys import chain, exact, loss, rows

DETECTOR = "loss"
UNIVERSE = chain(5)
VALUES = np.array([(3, 0), (4, 2), (4, 2), (6, 2), (8, 2)], dtype=float)
EXACT = exact(UNIVERSE, VALUES)
HONEST = mechanism("shifted-local-dampening")


def scores(x: int) -> Scores:
    """Scores that rise along the chain."""
    return Scores(VALUES[x], rows(EXACT[:, x], ceiling=2.0, reach=5), range_bound=1)


def halved(given: Scores) -> UnitScores:
    """The same ticks with the span of range bound 1."""
    unit = HONEST.effective(given)
    return UnitScores(unit.ticks, unit.per_unit, unit.per_unit + 2, 1)


def detect() -> str:
    """Range bound 1 kept."""
    return loss(lambda x: UnitMechanism("faulty", "", halved, HONEST.sampler).pmf(scores(x), 1), UNIVERSE, 1)


def repaired() -> str:
    """Range bound 2, as shipped."""
    return loss(lambda x: HONEST.pmf(scores(x), 1), UNIVERSE, 1)
