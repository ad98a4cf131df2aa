"""What a command spends from, with a mark that tells afterwards whether anything was paid."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpselect.kernel.guarantee import Guarantee
from dpselect.ledger import Ledger
from dpselect.ledger.store import Book, Citing
from dpselect.sources.locators import without_secrets


@dataclass(frozen=True, eq=False)
class Purse:
    """A ledger, or none; a release without one is paid for all the same, because it cannot be taken back.

    Attributes:
        given: the command line, whose ``paid`` becomes true with the first spend.
        book: the ledger with its facts, or ``None``.
    """

    given: argparse.Namespace
    book: Book | Citing | None

    def spend(self, guarantee: Guarantee, *, mechanism: str, count: int = 1, note: str = "") -> int:
        """Record the spend where there is a ledger; as :meth:`Ledger.spend`."""
        row = 0
        try:
            if self.book is not None:
                row = self.book.spend(guarantee, mechanism=mechanism, count=count, note=note)
        except KeyboardInterrupt:
            # It may have been written already.
            self.given.paid = True
            raise
        self.given.paid = True
        return row

    def about(self, **facts: Any) -> Purse:
        """Return the same budget with further facts; as :meth:`Ledger.about`."""
        return self if self.book is None else Purse(self.given, _cited(self.book, facts))

    def __deepcopy__(self, _: Any) -> Purse:
        """Stay one budget when an estimator that holds it is cloned."""
        return self


def purse_of(given: argparse.Namespace, **more: str) -> Purse:
    """Return the ledger named on the command line, verified; ``more`` is recorded with the spend."""
    if given.ledger is None:
        return Purse(given, None)
    facts = {"command": given.command}
    for name in ("file", "graph", "column"):
        value = getattr(given, name, None)
        if value is not None:
            facts[name] = without_secrets(str(value))
    return Purse(given, _cited(Ledger.read(given.ledger), facts | more))


def text(value: str) -> str:
    r"""Return text that can be kept: bytes of a name that are not UTF-8 are written as ``\udcff``."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def _cited(book: Any, facts: Mapping[str, Any]) -> Any:
    return book.about(**{name: text(str(value)) for name, value in facts.items()})
