"""Moments and spans of time, told apart alike whichever library made them.

A container may hold the same moment as NumPy's, as pandas' or as Python's, and rows of pandas decide which.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np

# How many attoseconds are in a unit.
_SECOND = 10**18
_UNITS = {
    "W": 604800 * _SECOND,
    "D": 86400 * _SECOND,
    "h": 3600 * _SECOND,
    "m": 60 * _SECOND,
    **{unit: 1000**power for power, unit in enumerate(("as", "fs", "ps", "ns", "us", "ms", "s"))},
}


def told_apart(cell: Any) -> Any:
    """Return what tells a moment or a span from others, ``None`` for NaT; any other cell as it is.

    >>> told_apart(np.datetime64("2020-01-01", "ns")) == told_apart(datetime(2020, 1, 1))
    True
    """
    if isinstance(cell, (datetime, timedelta)) and getattr(cell, "tzinfo", None) is None:
        # Those of pandas have nanoseconds.
        plain = np.datetime64 if isinstance(cell, datetime) else np.timedelta64
        cell = cell.asm8 if hasattr(cell, "asm8") else plain(cell)
    if not isinstance(cell, (np.datetime64, np.timedelta64)):
        return cell
    if np.isnat(cell):
        return None
    kind = type(cell)
    if kind is np.datetime64 and np.datetime_data(cell.dtype)[0] in "YM":
        cell = cell.astype("M8[D]")
    unit, count = np.datetime_data(cell.dtype)
    size = int(cell.astype(np.int64)) * count
    return (kind, size * _UNITS[unit]) if unit in _UNITS else (kind, unit, size)
