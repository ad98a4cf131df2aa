"""dpselect verify: check that a certificate is whole, and that a ledger has its row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dpselect as dps
from dpselect.certificates.certificate import CertificateError
from dpselect.cli import paths
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.release_text import escape_name
from dpselect.cli.request import Request


def run(request: Request) -> CommandAnswer:
    """Return what the certificate says once it is checked."""
    try:
        certificate = dps.Certificate.read(request.document)
    except CertificateError as error:
        return CommandAnswer(str(error), {"whole": False, "why": str(error)}, 1)
    content = certificate.content
    facts: dict[str, Any] = {"whole": True, "sha256": certificate.sha256, "certificate": content}
    lines = [
        f"{request.document}: whole; SHA-256 {certificate.sha256}",
        f"{escape_name(content['question'] or 'no question')} {_promise(content['guarantee'])}, {content['date']}",
    ]
    if request.ledger is not None:
        try:
            certificate.require_row(dps.Ledger.read(request.ledger))
        except ValueError as error:
            return CommandAnswer("\n".join([*lines, str(error)]), facts | {"in_ledger": False, "why": str(error)}, 1)
        rows = ", ".join(str(each["row"]) for each in content["ledger"]["rows"])
        lines.append(f"{request.ledger}: has row {rows}, with the same hash and cost")
        facts["in_ledger"] = True
    return CommandAnswer("\n".join(lines), facts)


def _promise(guarantee: Mapping[str, Any]) -> str:
    """Return the numbers of a promise, a rho and a delta where there are, and what it protects."""
    numbers = [f"epsilon {guarantee['epsilon']}"]
    numbers += [f"rho {guarantee['rho']}"] if guarantee.get("rho") is not None else []
    numbers += [f"delta {guarantee['delta']}"] if guarantee.get("delta", "0") != "0" else []
    return ", ".join([*numbers, guarantee["protects"]])


VERB = Command(
    run,
    (
        paths.input("document", metavar="CERTIFICATE", help="a certificate (.json, .html)"),
        paths.ledger("--ledger", help="also check that this ledger has the row that the certificate names"),
    ),
    "dpselect verify certificate.json --ledger people.ledger",
    about="Protected: no table is read, and a certificate holds nothing that was not released. The checksum shows "
    "that a certificate is whole. It is not a signature: an editor can compute a new one, so compare it with the "
    "ledger, or with a copy of your own.",
)
