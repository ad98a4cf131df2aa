"""What was spent: frozen facts, kept as text.

A vow: what a field means never changes. A new meaning gets a new field or a new ``kind``, a reader that does not know
a field or a kind refuses the ledger, and no event is ever rewritten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from dpselect.core.guarantee import Guarantee
from dpselect.core.neighbours import Neighbours

_KIND = "spend"


@dataclass(frozen=True)
class Event:
    """``count`` releases about one dataset, each with the same guarantee.

    Attributes:
        dataset: the name the curator gave the data: the identity of the budget.
        neighbours: what one step between databases is.
        mechanism: what drew.
        epsilon: of each release, exact.
        delta: of each release, exact.
        count: how many releases.
        bounded_range: whether each has bounded range, so that rho is epsilon^2 / 8.
        idealised: whether draws used floating-point noise.
        when: UTC, as the clock of the machine said; order is kept by the ledger, not by the clock.
        note: free text.
        facts: where the data came from (file, table, filter, sample): recorded, never a budget of its own.

    >>> one = Event("survey", "add-remove", "permute-and-flip", Fraction(1, 10), when="2026-01-01T00:00:00+00:00")
    >>> Event.from_text(one.as_text()) == one
    True
    """

    dataset: str
    neighbours: str
    mechanism: str
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    count: int = 1
    bounded_range: bool = False
    idealised: bool = False
    when: str = ""
    note: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        guarantee: Guarantee,
        *,
        dataset: str,
        mechanism: str,
        count: int = 1,
        note: str = "",
        facts: Mapping[str, str] | None = None,
    ) -> Event:
        """Return the event of ``count`` releases with this guarantee, now.

        Raises:
            ValueError: count is not an integer of at least 1.
        """
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ValueError("count must be an integer of at least 1: how many releases.")
        return cls(
            dataset,
            guarantee.neighbours.value,
            mechanism,
            guarantee.epsilon,
            guarantee.delta,
            count,
            guarantee.bounded_range,
            guarantee.idealised,
            datetime.now(UTC).isoformat(timespec="seconds"),
            note,
            {str(name): str(value) for name, value in (facts or {}).items()},
        )

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of each release."""
        return Guarantee(self.epsilon, Neighbours(self.neighbours), self.delta, self.bounded_range, self.idealised)

    def as_text(self) -> str:
        """Return the event as one line of JSON with sorted keys."""
        content: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        content |= {"kind": _KIND, "epsilon": str(self.epsilon), "delta": str(self.delta), "facts": dict(self.facts)}
        return json.dumps(content, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> Event:
        """Return the event of a line.

        Raises:
            ValueError: no event, or one of a kind or with a field that this version does not know.
        """
        try:
            content = json.loads(text)
            if content.pop("kind") != _KIND or set(content) != {each.name for each in fields(cls)}:
                raise ValueError
            content |= {"epsilon": Fraction(content["epsilon"]), "delta": Fraction(content["delta"])}
            return cls(**content)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError("This event was not written by this version of dpselect: update it.") from None
