"""dpselect audit, with ``--of``: the claims of another library, held against its own draws."""

from __future__ import annotations

from dataclasses import asdict, replace

from dpselect.cli.command import CommandAnswer
from dpselect.cli.commands import audit
from dpselect.cli.options import one_of, option
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError
from research import other_libraries
from research.other_libraries.finding import text


def run(request: Request) -> CommandAnswer:
    """Return what is found of an installed release of another library, or of dpselect where none is named."""
    if not request.of:
        return audit.run(request)
    audit.require_budget(request)
    if request.html:
        raise InputError("--html shows the claims of dpselect: leave it out, or leave out --of.")
    peer = other_libraries.installed(request.of)
    findings = []
    for finding in other_libraries.of(request.of, request.names, budget=request.budget):
        findings.append(finding)
        audit.show_progress(f"{len(findings)} {finding.function:<40}")
    facts = {"findings": [asdict(finding) for finding in findings], "not_tested": list(peer.not_tested)}
    status = 1 if any(finding.verdict == "BROKEN" for finding in findings) else 0
    return CommandAnswer(text(peer, findings), facts, status)


VERB = replace(
    audit.VERB,
    run=run,
    options=(
        *audit.VERB.options,
        option(
            "--of",
            type=one_of(other_libraries.LIBRARIES),
            metavar="LIBRARY",
            help="audit the installed release of another library: opendp, diffprivlib or dp-accounting",
        ),
    ),
)
