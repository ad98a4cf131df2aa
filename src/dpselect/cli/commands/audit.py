"""dpselect audit: check the library's own claims by brute force."""

from __future__ import annotations

import sys
from dataclasses import asdict

from dpselect.cli import paths
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import argument, option, seconds
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError


def run(request: Request) -> CommandAnswer:
    """Return the report; a page too when asked."""
    from dpselect.audit import report
    from dpselect.audit.page import page

    require_budget(request)
    claims = report.select_claims([*request.names])
    rows = []
    for row in report.run(claims, request.budget):
        rows.append(row)
        show_progress(f"{len(rows)}/{len(claims)} {row.claim:<40}")
    if request.html:
        request.html.put(page(rows).encode())
    status = 1 if any(row.verdict == "BROKEN" for row in rows) else 0
    facts = [{name: str(value) for name, value in asdict(row).items()} for row in rows]
    return CommandAnswer(report.text(rows), {"claims": facts}, status)


def require_budget(request: Request) -> None:
    """Refuse a time that has no length.

    Raises:
        ValueError: seconds <= 0.
    """
    if not request.budget > 0:
        raise InputError("--budget is a number of seconds > 0.")


def show_progress(line: str) -> None:
    """Write how far the audit is over the line before, on a terminal."""
    if sys.stderr.isatty():
        print(line, end="\r", file=sys.stderr, flush=True)


VERB = Command(
    run,
    (
        argument(
            "names",
            metavar="[NAME]...",
            words="utilities or mechanisms (default: all)",
            nargs=-1,
        ),
        option(
            "--budget",
            type=seconds,
            default=float("inf"),
            metavar="SECONDS",
            help="start no check after this many seconds",
        ),
        paths.output("--html", help="also write a page with pictures"),
    ),
    "dpselect audit permute-and-flip --budget 20",
    about="Protected: no table is read. Status 1 means that a claim is broken, 0 that every claim that ran holds.",
)
