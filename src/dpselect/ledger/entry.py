"""One row of a ledger, with its hash."""

from __future__ import annotations

from dataclasses import dataclass

from dpselect.ledger.events import Event


@dataclass(frozen=True)
class Entry:
    """One row of a ledger.

    Attributes:
        row: its number, from 1.
        event: what was spent.
        hash: of the row and, through the row before, of all rows up to it.
    """

    row: int
    event: Event
    hash: str
