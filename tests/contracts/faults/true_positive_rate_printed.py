"""`003` section 6.2.3: the printed sensitivity of TPR is 0 at TP = P = 2, and one missed positive moves it by 1/3."""

import numpy as np

from dpselect import Scores, audit
from tests.contracts.faults.toys import admissibility, rows

DETECTOR = "admissibility"
UNIVERSE = audit.multisets(["hit", "miss"], 6)


def rate(records: np.ndarray) -> tuple[float, int, int]:
    """TPR, TP and P of one fixed tree; 0 without positives."""
    hits, positives = int((records == "hit").sum()), len(records)
    return hits / positives if positives else 0.0, hits, positives


def printed(records: np.ndarray) -> Scores:
    """The formula with P' and TP', made to rise with t."""
    value, hits, positives = rate(records)
    table = []
    for t in range(8):
        p = max(positives - t, 2)
        tp = max(hits - max(t - (positives - hits), 0), 2)
        table.append([((p - tp) if t <= positives - hits else tp) / (p * (p - 1))])
    return Scores([value], rows(np.maximum.accumulate(np.maximum(table, 0))))


def corrected(records: np.ndarray) -> Scores:
    """1 / max(P - t, 1)."""
    value, _, positives = rate(records)
    return Scores([value], rows(1 / np.maximum(positives - np.arange(8)[:, None], 1)))


def detect() -> str:
    """The printed sensitivity."""
    return admissibility(printed, UNIVERSE)


def repaired() -> str:
    """The corrected sensitivity."""
    return admissibility(corrected, UNIVERSE)
