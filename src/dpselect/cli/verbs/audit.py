"""dpselect audit: check the library's own claims by brute force, or those of another library."""

from __future__ import annotations

import sys
from dataclasses import asdict

from dpselect.cli import paths
from dpselect.cli.options import argument, one_of, option, seconds
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer, Verb

LIBRARIES = ("opendp", "diffprivlib")


def run(request: Request) -> Answer:
    """Return the report; a page too when asked."""
    from dpselect.audit import report
    from dpselect.audit.page import page

    if not request.budget > 0:
        raise ValueError("--budget is a number of seconds > 0.")
    if request.of:
        return _of_another(request)
    claims = report.chosen([*request.names])
    rows = []
    for row in report.run(claims, request.budget):
        rows.append(row)
        _progress(f"{len(rows)}/{len(claims)} {row.claim:<40}")
    if request.html:
        request.html.put(page(rows).encode())
    status = 1 if any(row.verdict == "BROKEN" for row in rows) else 0
    facts = [{name: str(value) for name, value in asdict(row).items()} for row in rows]
    return Answer(report.text(rows), {"claims": facts}, status)


def _of_another(request: Request) -> Answer:
    """Return what is found of an installed release of another library."""
    from dpselect.audit import others
    from dpselect.audit.others.finding import text

    if request.html:
        raise ValueError("--html shows the claims of dpselect: leave it out, or leave out --of.")
    peer = others.installed(request.of)
    findings = []
    for finding in others.of(request.of, request.names, budget=request.budget):
        findings.append(finding)
        _progress(f"{len(findings)} {finding.function:<40}")
    facts = {"findings": [asdict(finding) for finding in findings], "not_tested": list(peer.not_tested)}
    status = 1 if any(finding.verdict == "BROKEN" for finding in findings) else 0
    return Answer(text(peer, findings), facts, status)


def _progress(line: str) -> None:
    if sys.stderr.isatty():
        print(line, end="\r", file=sys.stderr, flush=True)


VERB = Verb(
    run,
    (
        argument(
            "names",
            metavar="[NAME]...",
            words="utilities or mechanisms, or functions with --of; all when none is named",
            nargs=-1,
        ),
        option(
            "--of",
            type=one_of(LIBRARIES),
            metavar="LIBRARY",
            help="audit the installed release of another library: opendp or diffprivlib",
        ),
        option(
            "--budget",
            type=seconds,
            default=float("inf"),
            metavar="SECONDS",
            help="begin no further check after this long",
        ),
        paths.output("--html", help="also write a page with pictures"),
    ),
    "dpselect audit permute-and-flip --budget 20",
    about="Protected: no table is read. Status 1 says that a claim is broken, 0 that none is of those that were run.",
)
