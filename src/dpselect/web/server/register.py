"""What the rows of a ledger say of requests and analysts: read once, never kept anywhere else."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock

import dpselect as dps
from dpselect.ledger.accountant import Totals
from dpselect.ledger.events import Event

# What rows of a server say of themselves.
REQUEST, ANALYST = "request", "analyst"


class Register:
    """The rows of one ledger by request, and the sums by analyst. It follows the ledger and adds nothing of its own.

    Args:
        ledger: whose rows; others may write to it too.
    """

    def __init__(self, ledger: dps.Ledger) -> None:
        self._ledger, self._lock = ledger, Lock()
        self._read = 0
        self._rows: dict[str, list[tuple[int, Event]]] = {}
        self._sums: dict[str, Totals] = {}
        self._totals = Totals()

    def follow(self) -> Totals:
        """Read the rows that were added since; return what all rows add up to.

        Raises:
            ValueError, OSError: as :attr:`dpselect.Ledger.totals`.
        """
        with self._lock:
            totals = self._ledger.totals
            missing = totals.spends - self._read
            for event in self._ledger.latest(missing, totals.spends) if missing else ():
                self._read += 1
                self._add(self._read, event)
            self._totals = totals
            return totals

    def _add(self, row: int, event: Event) -> None:
        request, analyst = event.metadata.get(REQUEST), event.metadata.get(ANALYST)
        # A publication that shares the ledger has requests of its own, which no analyst asked.
        if request is not None and analyst is not None:
            # What is compared later needs no metadata.
            self._rows.setdefault(request, []).append((row, replace(event, metadata={})))
        if analyst is not None:
            self._sums[analyst] = self._sums.get(analyst, Totals()).after(event)

    def rows(self, request: str) -> list[tuple[int, Event]]:
        """Return the rows of a request that have been read, in order."""
        with self._lock:
            return [*self._rows.get(request, ())]

    def requests(self) -> set[str]:
        """Return the numbers of all requests that have rows."""
        with self._lock:
            return {*self._rows}

    def spent_by(self, analyst: str) -> Totals:
        """Return what the rows of an analyst that have been read add up to."""
        with self._lock:
            return self._sums.get(analyst, Totals())
