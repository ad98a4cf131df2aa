"""Facts of a row of a ledger beside its cost: the command, its columns and, from a certificate, the answer.

A ledger holds no answer, because its rows are written before anything is drawn. A command that was asked for a
certificate recorded where it is, and the answer is read from there.
"""

from __future__ import annotations

from typing import Any

from dpselect.cli.release_text import escape_name
from dpselect.ledger.events import Event

# What a row says of the question, in this order.
_NAMES = ("command", "column", "target", "label", "value", "candidate", "score", "item", "metric")
# What else tells two releases apart, with what it is called.
_FURTHER = {"where": "where", "by": "by", "person": "person", "rows_per_person": "rows per person"}
# Notes of the library that say no more than the command beside them.
_SAID = {"percentile", "quantiles", "histogram"}


def asked_by(event: Event) -> str:
    """Return the command, its columns and which rows were asked about; "" where nothing was recorded."""
    named = " ".join(escape_name(event.metadata[name]) for name in _NAMES if name in event.metadata)
    further = (
        f"{words} {escape_name(event.metadata[name])}" for name, words in _FURTHER.items() if name in event.metadata
    )
    return ", ".join(filter(None, [named, *further]))


def note_of(event: Event) -> str:
    """Return the note of a row, unless it repeats the command."""
    return "" if "command" in event.metadata and event.note in _SAID else event.note


def answer_of(ledger: Any, row: int, event: Event) -> str | None:
    """Return the answer in the certificate of a row, or why there is none; ``None`` where none was asked for."""
    from dpselect.certificates.certificate import Certificate
    from dpselect.certificates.page import words

    path = event.metadata.get("certificate")
    if path is None:
        return None
    try:
        certificate = Certificate.read(path)
    except (OSError, ValueError, ImportError):
        return f"no whole certificate is at {escape_name(path)}"
    named = certificate.content["ledger"] or {"rows": []}
    if {"row": row, "hash": ledger.entry(row).hash} not in named["rows"]:
        return f"{escape_name(path)} is the certificate of another release"
    return escape_name(words(certificate.content["answer"]))
