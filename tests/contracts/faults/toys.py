"""Pieces that several toy faults are made of; nothing here comes from the shipped utilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpselect import Scores, audit, sensitivity

Detector = Callable[[], str]


def admissibility(utility: Callable[[Any], Scores], universe: audit.Universe) -> str:
    """Return the counterexample to A1, A2, ceiling or reach; "" when there is none."""
    return audit.admissible(utility, universe).counterexample


def loss(law: Callable[[Any], Any], universe: audit.Universe, epsilon: float) -> str:
    """Return where the exact loss exceeds epsilon; "" when it does not."""
    found = audit.privacy_loss_of_pmf(law, universe, epsilon=epsilon)
    return "" if found.holds else str(found)


def steps(threshold: int) -> sensitivity.Sensitivity:
    """A sensitivity that is 0 below a distance and 1 from there on."""
    return sensitivity.local(lambda t: float(t >= threshold), ceiling=1.0)


def chain(count: int) -> audit.Universe:
    """Databases in a row."""
    place = np.arange(count)
    return audit.metric_space(np.abs(place[:, None] - place))


def rows(table: np.ndarray, ceiling: float | None = None, reach: int | None = None) -> sensitivity.Sensitivity:
    """A sensitivity from a table (distances, candidates); the last row goes on for ever."""
    return sensitivity.element(lambda t: table[min(t, len(table) - 1)], ceiling=ceiling, reach=reach)


def counts_of(records: np.ndarray, kinds: int) -> np.ndarray:
    """How many records of each kind."""
    return np.array([int((records == kind).sum()) for kind in range(kinds)])


def exact(universe: audit.Universe, values: np.ndarray) -> np.ndarray:
    """Exact element sensitivity (distances, databases, candidates)."""
    from dpselect.audit.admissibility import exact_sensitivity

    return exact_sensitivity(universe, values)
