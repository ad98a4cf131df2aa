"""What must be true after any load and any number of kills: budgets are exact, and each request has one answer."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import dpselect as dps
from research.comparisons.serving_office import PRICE, Office, Reply

# Statuses that end a request: answered, refused because the budget is used up.
_ENDS = (200, 403)


@dataclass(frozen=True)
class Asked:
    """One request of an analyst, by the key that the analyst chose, and one reply to it.

    Attributes:
        who: the analyst.
        key: the idempotency key.
        reply: a reply that is not "ask again".
    """

    who: str
    key: str
    reply: Reply


def require_exact(office: Office, final: Sequence[Asked], seen: Sequence[Asked]) -> Mapping[str, int]:
    """Check every reply that anybody saw against the ledger; return how many requests ended how.

    Args:
        office: which served them.
        final: the last reply to each request.
        seen: all replies that came before, in any order.

    Raises:
        AssertionError: something is not as it must be; the message says what.
    """
    ends = Counter(each.reply.status for each in final)
    if ends.keys() - {*_ENDS}:
        raise AssertionError(f"requests ended otherwise: {dict(ends)}")
    stands = {(each.who, each.key): each.reply for each in final}
    for each in seen:
        if each.reply != stands[each.who, each.key]:
            raise AssertionError(f"{each.key} of {each.who} was answered twice differently")
    events = dps.Ledger.read(office.ledger).events
    _require_rows(stands, events)
    _require_budgets(office, ends, events)
    return {"answered": ends[200], "refused": ends[403]}


def _require_rows(stands: Mapping[tuple[str, str], Reply], events: Sequence[Any]) -> None:
    """Each answer names the one row that paid for it, and each row has one answer."""
    rows = Counter(event.metadata["request"] for event in events)
    if set(rows.values()) - {1}:
        raise AssertionError("a request was paid for twice")
    bodies: dict[int, set[bytes]] = defaultdict(set)
    for (who, key), reply in stands.items():
        said = json.loads(reply.body)
        if reply.status != 200:
            if said["request"] in rows:
                raise AssertionError(f"{key} of {who} was refused and paid for")
            continue
        row = said["ledger_row"]
        if not 0 < row <= len(events) or events[row - 1].metadata["request"] != said["request"]:
            raise AssertionError(f"{key} of {who} was answered without a row of its own")
        if events[row - 1].metadata["analyst"] != who:
            raise AssertionError(f"{key} of {who} was paid for by another analyst")
        bodies[row].add(reply.body)
    if bodies.keys() != {*range(1, len(events) + 1)} or any(len(each) > 1 for each in bodies.values()):
        raise AssertionError("the answers and the rows of the ledger are not one to one")


def _require_budgets(office: Office, ends: Counter[int], events: Sequence[Any]) -> None:
    """What was paid is the price of the answers, and within what is released and shared; what fits is never refused."""
    sums: dict[str, Fraction] = defaultdict(Fraction)
    for event in events:
        sums[event.metadata["analyst"]] += event.epsilon * event.count
    whole = sum(sums.values(), Fraction(0))
    if whole != ends[200] * PRICE:
        raise AssertionError(f"{ends[200]} answers at {PRICE} each cost {whole}")
    if whole > office.allowance * PRICE or any(each > office.share * PRICE for each in sums.values()):
        raise AssertionError("more was spent than is released or shared")
    if ends[403] and not (
        whole == office.allowance * PRICE or all(sums[name] == office.share * PRICE for name in office.names)
    ):
        raise AssertionError("a request was refused although its price was left")
