"""The traces that ship with dpselect: every built-in option on made-up public data, so that choosing works at once.

``python -m research.comparisons.shipped_traces`` makes them.
"""

from __future__ import annotations

from pathlib import Path

from dpselect.adaptive.traces import Traces
from dpselect.kernel.errors import InputError

KINDS = ("histograms", "trees")
# What the command line says where it uses them.
SHIPPED_TRACES_NOTE = "The traces are those that ship with dpselect: its own options on made-up data."


def shipped_traces(kind: str) -> Traces:
    """Return runs of every option of ``dpselect.adaptive.histogram_options`` or ``trees`` on made-up data, to learn
    from.

    Each row is a mean over repetitions. They hold the usual share of 0.05, and 0; a choice with another share needs
    traces of its own.

    Args:
        kind: ``"histograms"`` or ``"trees"``.

    Raises:
        ValueError: another kind.

    >>> shipped_traces("trees").options
    ('A1', 'A2', 'A3', 'A4', 'A5', 'default')
    """
    return Traces.read(path_of(kind))


def path_of(kind: str) -> Path:
    """Return the file of one kind.

    Raises:
        ValueError: another kind.
    """
    if kind not in KINDS:
        raise InputError(f"Traces ship for {' and '.join(KINDS)}, not for {kind!r}.")
    return Path(__file__).parent / "data" / f"{kind}.parquet"
