"""A receipt: the record of a server for a release that it paid for and drew."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dpselect.certificates.certificate import Certificate
from dpselect.kernel.errors import InputTypeError


@dataclass(frozen=True)
class Receipt:
    """The record of a release that a server paid for and drew.

    Attributes:
        request: its number at the server.
        ledger_row: the first row of the dataset's ledger that paid for it.
        key: what it was asked with; the same key gives the same answer and is paid for once. ``None`` where it was
            asked for by its number.
        certificate: of the server, which was compared with its checksum.
    """

    request: str
    ledger_row: int
    key: str | None
    certificate: Certificate = field(repr=False)

    def certify(self, **stated: Any) -> Certificate:
        """Return the certificate; it states what the server has said and nothing else (``TypeError``)."""
        if stated:
            raise InputTypeError("The server made this certificate: call .certificate() without arguments.")
        return self.certificate
