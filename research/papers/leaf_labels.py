"""Labels of many leaves, drawn from the exact law of a mechanism, and what one of them costs."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.mechanisms.base import Mechanism

Counts = NDArray[np.int64]

PF, DESCRIBED, SOUND = "PF", "SNM-T, as described", "SNM-T, sound"
COUNTS = "permute-and-flip on the counts"
# Leads at which laws are computed: all small ones, then by a third more.
KNOTS = tuple(dict.fromkeys(round(x) for x in (0, 1, 2, 3, 4, *(4 * 1.33**i for i in range(1, 35)))))
_CLASSES, _RECORDS = 3, 8


def _mechanism(series: str) -> Mechanism:
    if series == DESCRIBED:
        return dps.mechanism("smooth-noisy-max", calibration="chaves-2024", unsound="reproduction")
    return dps.mechanism("smooth-noisy-max" if series == SOUND else "permute-and-flip")


def drawn(counts: Counts, series: str, epsilon: float, rng: np.random.Generator) -> Counts:
    """Return a label for every leaf, by the law of a mechanism; ``counts`` has shape (leaves, classes)."""
    if series == COUNTS:
        # Exponential noise and the largest wins: the law of permute-and-flip, of range bound 1 for counts.
        return np.asarray((counts * epsilon + rng.exponential(size=counts.shape)).argmax(axis=1))
    leaves, classes = counts.shape
    winner = counts.argmax(axis=1)
    lead = counts[np.arange(leaves), winner][:, None] - counts - (np.arange(classes) < winner[:, None])
    lead[np.arange(leaves), winner] = np.iinfo(np.int64).max
    safe = lead.min(axis=1)
    # A smooth function of the lead, exact at the knots: as straight lines of its log odds between them.
    knots = np.array([knot for knot in KNOTS if knot <= 2 * safe.max() + 2])
    odds = np.array([_log_odds(series, epsilon, classes, int(knot)) for knot in knots])
    sure = 1 / (1 + np.exp(-np.interp(safe, knots, odds)))
    other = (winner + rng.integers(1, classes, leaves)) % classes
    return np.asarray(np.where(rng.random(leaves) < sure, winner, other))


@cache
def _log_odds(series: str, epsilon: float, classes: int, safe: int) -> float:
    """Return the log odds that a leaf whose winner leads by ``safe`` steps is labelled by it, from the exact law."""
    # The 0/1 score of a winner that cannot change within ``safe`` steps.
    leading = np.zeros(classes, dtype=np.int64)
    leading[0] = safe
    law = _mechanism(series).pmf(dps.utilities.majority(leading), epsilon)
    return float(np.clip(np.log(law[0]) - np.log(max(1 - law[0], 1e-300)), -700, 700))


def loss(series: str, epsilon: float) -> float:
    """Return the exact loss of labelling one leaf, over all leaves of at most eight records of three classes."""
    utility = dps.utilities.counts if series == COUNTS else dps.utilities.majority
    leaves = dps.audit.tables((_CLASSES,), _RECORDS)
    return dps.audit.privacy_loss(_mechanism(series), utility, leaves, epsilon=epsilon).worst
