"""The row of a ledger that belongs to a release: named by the curator, or the only one that has its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.format_exact import count_text
from dpselect.kernel.guarantee import Guarantee
from dpselect.ledger.entry import Entry
from dpselect.ledger.events import Event
from dpselect.ledger.in_memory import InMemoryLedger
from dpselect.ledger.ledger import Ledger


def ledger_row(ledger: Any, guarantee: Guarantee, row: int | None) -> dict[str, Any]:
    """Return what a certificate says of the ledger; a budget in memory has no hashes.

    Args:
        ledger: a Ledger or an InMemoryLedger.
        guarantee: of the release.
        row: its row; ``None`` for the only one that costs as much.

    Raises:
        TypeError: neither of them.
        ValueError: no row costs as much, several do and none is named, or the named one costs something else.
    """
    if not isinstance(ledger, Ledger | InMemoryLedger):
        raise InputTypeError("ledger must be a dpselect.Ledger, or what dpselect.budget gave.")
    entry = entry_of(ledger, _only(ledger, guarantee) if row is None else row)
    if not _costs(entry.event, guarantee):
        raise InputError(f"Row {entry.row} of this ledger has another cost than the release: name its own row.")
    return ledger_facts(ledger, [entry])


def ledger_facts(ledger: Ledger | InMemoryLedger, entries: list[Entry]) -> dict[str, Any]:
    """Return a ledger and some of its rows, as plain values."""
    name = ledger.name if isinstance(ledger, Ledger) else "in memory"
    rows = [{"row": each.row, "hash": each.hash or None} for each in entries]
    return {"name": name, "dataset": ledger.terms.dataset, "rows": rows}


def require_rows(ledger: Ledger, rows: Sequence[Mapping[str, Any]], promise: Mapping[str, Any]) -> None:
    """Check that a ledger has these rows, and that they cost together what a certificate promises.

    A certificate that was edited may name rows that exist: their hashes alone would not show that.

    Raises:
        ValueError: another row is in place of one, or none; a row stands twice; another cost or relation.
    """
    if len({each["row"] for each in rows}) != len(rows):
        raise InputError(f"This certificate names a row of {ledger.name} twice: it was edited.")
    for each in rows:
        if each["hash"] is None or ledger.entry(each["row"]).hash != each["hash"]:
            raise InputError(f"Row {each['row']} of {ledger.name} is not the one that this certificate names.")
    events = [ledger.entry(each["row"]).event for each in rows]
    paid = paid_by(events)
    stated = {name: None if promise[name] is None else Fraction(promise[name]) for name in paid}
    if paid != stated or {event.neighbours for event in events} != {promise["neighbours"]}:
        raise InputError(f"The rows of {ledger.name} cost something else than this certificate says.")


def paid_by(events: Sequence[Event]) -> dict[str, Fraction | None]:
    """Return what events cost together: epsilon, delta, and rho where each of them states one."""
    rhos = [None if event.rho is None else event.rho * event.count for event in events]
    return {
        "epsilon": sum((event.epsilon * event.count for event in events), Fraction(0)),
        "delta": sum((event.delta * event.count for event in events), Fraction(0)),
        "rho": None if None in rhos else sum((rho for rho in rhos if rho is not None), Fraction(0)),
    }


def entry_of(ledger: Ledger | InMemoryLedger, row: int) -> Entry:
    """Return a row of a ledger; a budget in memory has no hashes.

    Raises:
        ValueError: there is no such row.
    """
    if isinstance(ledger, Ledger):
        return ledger.entry(row)
    events = ledger.events
    if not 1 <= row <= len(events):
        raise InputError(f"This budget has {count_text(len(events), 'row')} and none with the number {row}.")
    return Entry(row, events[row - 1], "")


def _only(ledger: Ledger | InMemoryLedger, guarantee: Guarantee) -> int:
    rows = [row for row, event in enumerate(ledger.events, 1) if _costs(event, guarantee)]
    if not rows:
        raise InputError("No row of this ledger has the cost of this release: pass the ledger that it was paid from.")
    if len(rows) > 1:
        listed = ", ".join(map(str, rows[-3:]))
        raise InputError(f"{len(rows)} rows of this ledger cost as much as this release ({listed}): pass row=.")
    return rows[0]


def _costs(event: Event, guarantee: Guarantee) -> bool:
    """Return whether an event, whose draws are counted, adds up to the guarantee of a release."""
    rho = None if event.rho is None else event.rho * event.count
    return (event.neighbours, event.epsilon * event.count, event.delta * event.count, rho) == (
        guarantee.neighbours.value,
        guarantee.epsilon,
        guarantee.delta,
        guarantee.stated_rho,
    )
