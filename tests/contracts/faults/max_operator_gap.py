"""`000` Lemma 6.4: the winner by max operator stays for as many steps as it leads by. One too many."""

from functools import partial

import numpy as np

from dpselect import Scores, audit
from dpselect.audit.claims import _split
from dpselect.utilities import max_operator, max_operator_winner
from tests.contracts.faults.toys import admissibility, steps

DETECTOR = "admissibility"
UNIVERSE = audit.multisets(range(12), 3)


def by_the_gap(counts: dict[str, np.ndarray]) -> Scores:
    """T* is the lead over the second, whichever comes first."""
    ranked = np.sort(max_operator(counts).values)
    return Scores(max_operator_winner(counts).values, steps(int(ranked[-1] - ranked[-2])))


def detect() -> str:
    """The printed window."""
    return admissibility(partial(_split, by_the_gap), UNIVERSE)


def repaired() -> str:
    """One step less behind a rival that comes first."""
    return admissibility(partial(_split, max_operator_winner), UNIVERSE)
