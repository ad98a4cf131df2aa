"""dpselect certificate: write what a certificate holds in the form of a registry."""

from __future__ import annotations

import dpselect as dps
from dpselect.certificates.deployment_registry import registry_entry
from dpselect.cli import paths
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.request import Request


def run(request: Request) -> CommandAnswer:
    """Return where the entry is; a certificate that was changed has none."""
    entry = registry_entry(dps.Certificate.read(request.document).content)
    request.registry.put(entry.encode())
    name = str(request.registry)
    return CommandAnswer(f'registry entry: {name}; fill in what begins with "TO COMPLETE"', {"written_to": name})


VERB = Command(
    run,
    (
        paths.input("document", metavar="CERTIFICATE", help="a certificate (.json, .html)"),
        paths.output(
            "--registry",
            required=True,
            endings=(".yaml", ".yml", ".json"),
            help="write an entry for the public registry of deployments (registry.opendp.org)",
        ),
    ),
    "dpselect certificate certificate.json --registry entry.yaml",
    about="Protected: no table is read, and an entry holds nothing that the certificate does not hold. Fill in "
    "what a certificate does not know, such as the publisher.",
)
