"""Records of what was spent: frozen facts, kept as text.

A vow: what a field means never changes. A new meaning gets a new field or a new ``kind``, a reader that does not know
a field or a kind refuses the ledger, and no event is ever rewritten. Format 2 added ``rho`` and format 3 ``laplace``,
which are written only where they say something: any other event reads as it did in format 1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import exact_delta, exact_epsilon, exact_rho

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
        bounded_range: whether each has bounded range, which has a smaller rho.
        idealised: whether draws used floating-point noise, which some did that earlier versions wrote.
        when: UTC, as the clock of the machine said; order is kept by the ledger, not by the clock.
        note: free text.
        metadata: where the data came from (file, table, filter, sample): recorded, never a budget of its own.
        rho: of each release, where its promise is concentrated: epsilon is what it states at delta.
        laplace: whether Laplace noise of scale 1 / epsilon dominates each, so that its rho is smaller.

    Raises:
        TypeError, ValueError: epsilon, delta, rho or count is none.

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
    metadata: Mapping[str, str] = field(default_factory=dict)
    rho: Fraction | None = None
    laplace: bool = False

    def __post_init__(self) -> None:
        # Exact numbers go through untouched: a long ledger is read in a second.
        if type(self.epsilon) is not Fraction or self.epsilon.numerator <= 0:
            object.__setattr__(self, "epsilon", exact_epsilon(self.epsilon))
        if type(self.delta) is not Fraction or not 0 <= self.delta.numerator < self.delta.denominator:
            object.__setattr__(self, "delta", exact_delta(self.delta))
        if self.rho is not None and (type(self.rho) is not Fraction or self.rho.numerator <= 0):
            object.__setattr__(self, "rho", exact_rho(self.rho))
        if type(self.count) is not int or self.count < 1:
            raise InputError("count must be an integer of at least 1: how many releases.")

    @classmethod
    def of(
        cls,
        guarantee: Guarantee,
        *,
        dataset: str,
        mechanism: str,
        count: int = 1,
        note: str = "",
        metadata: Mapping[str, str] | None = None,
    ) -> Event:
        """Return the event of ``count`` releases with this guarantee, now.

        Raises:
            TypeError: not a Guarantee.
            ValueError: count is not an integer of at least 1.
        """
        if not isinstance(guarantee, Guarantee):
            raise InputTypeError("Spend a guarantee: dpselect.Guarantee(epsilon, neighbours), or that of a release.")
        return cls(
            dataset,
            guarantee.neighbours.value,
            _writable(mechanism),
            guarantee.epsilon,
            guarantee.delta,
            count,
            guarantee.bounded_range,
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            note=_writable(note),
            metadata={_writable(name): _writable(value) for name, value in (metadata or {}).items()},
            rho=guarantee.stated_rho,
            laplace=guarantee.laplace,
        )

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of each release."""
        relation = Neighbours(self.neighbours)
        if self.rho is None:
            return Guarantee(self.epsilon, relation, self.delta, self.bounded_range, self.laplace)
        stated = Guarantee.from_rho(self.rho, self.delta, relation, epsilon=self.epsilon)
        return replace(stated, bounded_range=self.bounded_range, laplace=self.laplace)

    @property
    def has_rho(self) -> bool:
        """Return whether each release has a zero-concentrated cost: it is pure, or states one."""
        return self.rho is not None or not self.delta

    def as_text(self) -> str:
        """Return the event as one line of JSON with sorted keys."""
        content: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        content |= {"kind": _KIND, "epsilon": str(self.epsilon), "delta": str(self.delta)}
        content[_METADATA] = dict(content.pop("metadata"))
        for name in _LATER:
            if not content[name]:
                del content[name]
        if self.rho is not None:
            content["rho"] = str(self.rho)
        return json.dumps(content, sort_keys=True, ensure_ascii=False)

    def as_json(self) -> dict[str, Any]:
        """Return the event for programs that read JSON, its fields by their names here."""
        content: dict[str, Any] = json.loads(self.as_text())
        return content | {"metadata": content.pop(_METADATA)}

    @classmethod
    def from_text(cls, text: str) -> Event:
        """Return the event of a line: of a ledger, or as it was shown to programs.

        Raises:
            ValueError: no event, or one of a kind or with a field that this version does not know.
        """
        content = parse_event(text)
        try:
            numbers: dict[str, Any] = {
                name: _number(content[name]) for name in ("epsilon", "delta", "rho") if name in content
            }
            return cls(metadata=content.pop(_METADATA), **(content | numbers))
        except (ValueError, TypeError, ZeroDivisionError):
            raise InputError(_UNKNOWN_EVENT) from None


# What files have called the metadata from the first version on.
_METADATA = "facts"
_NAMES = {each.name for each in fields(Event)} - {"metadata"} | {_METADATA}
# What formats 2 and 3 added.
_LATER = {"rho": str, "laplace": bool}
_UNKNOWN_EVENT = "This event was not written by this version of dpselect: update it."
_number = lru_cache(maxsize=4096)(Fraction)


def _writable(text: Any) -> str:
    """Return text that any file can hold: names of files may hold bytes that are not characters."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")


def parse_event(text: str) -> dict[str, Any]:
    """Return the fields of an event of this version, unconverted.

    Raises:
        ValueError: no event, or one of a kind or with a field that this version does not know.
    """
    try:
        content: dict[str, Any] = json.loads(text)
        if _METADATA not in content and "metadata" in content:
            # As programs were shown it.
            content[_METADATA] = content.pop("metadata")
        later = {name: kind for name, kind in _LATER.items() if name in content}
        known = content.pop("kind") == _KIND and content.keys() == _NAMES - _LATER.keys() | later.keys()
        if known and all(isinstance(content[name], kind) for name, kind in later.items()):
            return content
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    raise InputError(_UNKNOWN_EVENT)
