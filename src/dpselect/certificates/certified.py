"""What every release has beside its answer: a certificate, and a small table in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpselect._display.html_table import table
from dpselect.certificates.rows_that_count import protects
from dpselect.kernel.guarantee import Guarantee
from dpselect.mechanisms.error_bound import ErrorBound, NoBound

if TYPE_CHECKING:
    from dpselect.certificates.certificate import Certificate


class Certified(ABC):
    """A release that a certificate can be made of."""

    @abstractmethod
    def _certified(self) -> tuple[Any, Guarantee, str]:
        """Return what was released, the promise, and the mechanism."""

    def certificate(
        self,
        *,
        question: str = "",
        public: Mapping[str, Any] | None = None,
        repeat: str = "",
        ledger: Any = None,
        row: int | None = None,
        file_hash: str | Path | None = None,
    ) -> Certificate:
        """Return the certificate of this release; ``.save(path)`` writes it as JSON or HTML.

        Args:
            question, public, repeat, ledger, row, file_hash: as :func:`dpselect.certificate`.

        Raises:
            TypeError, ValueError: as there.
        """
        from dpselect.certificates.composed import certificate

        return certificate(
            self, question=question, public=public, repeat=repeat, ledger=ledger, row=row, file_hash=file_hash
        )


class Shown(Certified):
    """A release that notebooks show as a table: its answer, mechanism and promise, which may all be published."""

    error_bound: ErrorBound = NoBound()

    @property
    def rows_per_person(self) -> int | None:
        """Return how many rows of each person count, the first ones; ``None`` where all do."""
        return self.error_bound.rows_per_person

    @property
    def _protects(self) -> str | None:
        """Return who is protected, in words, where the guarantee alone does not say it."""
        return None if self.rows_per_person is None else protects(self.rows_per_person)

    def _repr_html_(self) -> str:
        answer, guarantee, mechanism = self._certified()
        promise = dict(guarantee.in_words())
        if self._protects is not None:
            promise["protected"] = self._protects
        rows = [*answer.items(), ("accuracy", self.error_bound.describe()), ("mechanism", mechanism), *promise.items()]
        return table(type(self).__name__, rows)
