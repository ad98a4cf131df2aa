"""Information gain capped at phi(|T| - 1), |T| the private size of the table; the shipped sensitivity otherwise."""

from functools import partial

import numpy as np

from dpselect import Scores, audit
from dpselect.utilities import information_gain
from tests.contracts.faults.toys import admissibility

DETECTOR = "admissibility"
MOST = 4
UNIVERSE = audit.tables((2, 2), MOST)


def scores(table: np.ndarray, most: int) -> Scores:
    """The single attribute's score."""
    return information_gain({"attribute": table}, max_records=most)


def detect() -> str:
    """The private number of records; two on an empty table, so that there is a cap."""
    return admissibility(lambda table: scores(table, max(2, int(table.sum()))), UNIVERSE)


def repaired() -> str:
    """The public bound on it."""
    return admissibility(partial(scores, most=MOST), UNIVERSE)
