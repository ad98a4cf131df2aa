"""A ledger whose spends record where the data came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dpselect.kernel.guarantee import Guarantee


class Book(Protocol):
    """A ledger or a session: it records metadata with a spend."""

    @property
    def rule(self) -> str:
        """Return what is added up."""
        ...

    def spend(
        self,
        guarantee: Guarantee,
        *,
        mechanism: str,
        count: int = 1,
        note: str = "",
        metadata: Mapping[str, str] | None = None,
    ) -> int:
        """Record ``count`` releases and their metadata."""
        ...


@dataclass(frozen=True)
class WithMetadata:
    """A ledger and the metadata that its spends record. Get one from :meth:`Ledger.with_metadata`."""

    ledger: Book
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rule(self) -> str:
        """Return what is added up; as :attr:`Ledger.rule`."""
        return self.ledger.rule

    def spend(self, guarantee: Guarantee, *, mechanism: str, count: int = 1, note: str = "") -> int:
        """Record the spend with its metadata; as :meth:`Ledger.spend`."""
        return self.ledger.spend(guarantee, mechanism=mechanism, count=count, note=note, metadata=self.metadata)

    def with_metadata(self, **metadata: Any) -> WithMetadata:
        """Return this ledger with further metadata; as :meth:`Ledger.with_metadata`."""
        return WithMetadata(self.ledger, {**self.metadata, **metadata})
