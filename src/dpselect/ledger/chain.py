"""The chain of a ledger: every row hashed with the one before, and the sums that its rows add up to.

The chain finds damage and careless edits. Whoever can rewrite the whole file can rewrite the chain too: keep a backup
elsewhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from dpselect.kernel.errors import InputError
from dpselect.ledger.composition import Terms, Totals, fold
from dpselect.ledger.events import Event, parse_event

RESTORE = "restore a backup, and count everything released since then as spent."


@dataclass(frozen=True)
class ChainTail:
    """The place up to which a ledger was read and found unbroken.

    Attributes:
        row: the last row; 0 when there is none.
        link: its hash.
        totals: the sums of all rows up to it, from the rows themselves.
        textbook: the rho of these rows as formats 1 and 2 wrote it: epsilon^2 / 8 with bounded range, else / 2.
    """

    row: int
    link: str
    totals: Totals
    textbook: Fraction = Fraction(0)

    @classmethod
    def start(cls, terms: Terms) -> ChainTail:
        """Return the tail of a ledger without rows: its hash stands for the terms."""
        return cls(0, link("dpselect ledger", terms_text(terms)), Totals())

    def follow(self, rows: Iterable[tuple[int, str, str]]) -> ChainTail:
        """Return the tail after further rows (row, body, hash), in order.

        Raises:
            ValueError: a row was edited or lost, or was written by a newer version.
        """
        row, tail = self.row, self.link
        kinds: dict[tuple[str, str, bool, str | None, bool], list[int]] = {}
        for number, body, hashed in rows:
            row, tail = row + 1, link(tail, body)
            if (number, hashed) != (row, tail):
                raise InputError(f"Row {row} of this ledger was edited or lost: {RESTORE}")
            facts = parse_event(body)
            kind = (
                facts["epsilon"],
                facts["delta"],
                facts["bounded_range"],
                facts.get("rho"),
                facts.get("laplace", False),
            )
            sums = kinds.setdefault(kind, [0, 0])
            sums[0] += 1
            # A count below 1 must not hide behind the others of its kind: the event itself refuses it.
            sums[1] += facts["count"] if facts["count"] == 1 else Event.from_text(body).count
        each_kind = [
            replace(
                Event("", "add-remove", "", Fraction(epsilon), Fraction(delta), count, bounded, laplace=laplace),
                rho=None if rho is None else Fraction(rho),
            )
            for (epsilon, delta, bounded, rho, laplace), (_, count) in kinds.items()
        ]
        spends = self.totals.spends + sum(number for number, _ in kinds.values())
        textbook = sum((_textbook(event) for event in each_kind), self.textbook)
        return ChainTail(row, tail, replace(self.totals + fold(each_kind), spends=spends), textbook)

    def after(self, event: Event, totals: Totals) -> ChainTail:
        """Return the tail with one more event."""
        return ChainTail(self.row + 1, link(self.link, event.as_text()), totals, self.textbook + _textbook(event))


def _textbook(event: Event) -> Fraction:
    if event.rho is not None or event.delta:
        return event.count * (event.rho or Fraction(0))
    return event.count * event.epsilon**2 / (8 if event.bounded_range else 2)


def link(tail: str, body: str) -> str:
    """Return the hash of a row after one with the hash ``tail``."""
    return hashlib.sha256(f"{tail}\n{body}".encode()).hexdigest()


def terms_text(terms: Terms) -> str:
    """Return terms as JSON."""
    content = {name: str(getattr(terms, name)) for name in ("epsilon", "delta", "neighbours", "dataset", "rule")}
    return json.dumps(content, sort_keys=True, ensure_ascii=False)


def terms_of(text: str) -> Terms:
    """Return the terms of their text.

    Raises:
        ValueError: it is none.
    """
    try:
        content = json.loads(text)
        return Terms(**(content | {name: Fraction(content[name]) for name in ("epsilon", "delta")}))
    except (ValueError, TypeError, KeyError):
        raise InputError(f"The terms of this ledger were edited: {RESTORE}") from None


def totals_text(totals: Totals) -> str:
    """Return totals as JSON.

    Raises:
        ValueError: the exact sums have thousands of digits.
    """
    try:
        content = {name: str(getattr(totals, name)) for name in ("epsilon", "delta", "rho")}
    except ValueError:
        raise InputError(
            "The exact sum has too many digits to be written down: use an epsilon with fewer. Nothing was spent."
        ) from None
    return json.dumps(content | {"spends": totals.spends, "releases": totals.releases}, sort_keys=True)
