"""A utility on every graph of a universe: its bound and the exact sensitivity, and the verdict on scaled bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpselect import audit
from dpselect.audit.admissibility import UtilityTable, judge, tabulate

__all__ = ["UtilityTable", "admissible", "tabulate", "tightness"]


def admissible(table: UtilityTable, scale: float = 1.0) -> bool:
    """Whether the bound, times ``scale``, is admissible."""
    return judge(replace(table, at=table.at * scale)).admissible


def tightness(table: UtilityTable) -> tuple[float, float, list[float]]:
    """The share of exact cells and the worst ratio below the reach, and the share at each distance there."""
    verdict: audit.Admissibility = judge(table)
    below = max(1, table.reach or 0)
    shares = np.isclose(table.at, table.exact)[:below].mean(axis=(1, 2))
    return round(verdict.tight, 3), round(verdict.worst_ratio, 3), shares.round(3).tolist()
