"""dpselect audit: check the library's own claims by brute force."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from dpselect.cli import paths


def add(verbs: Any) -> None:
    """Add the command."""
    audit = verbs.add_parser("audit", help="check the library's own claims by brute force on tiny universes")
    audit.add_argument("names", nargs="*", metavar="NAME", help="utilities or mechanisms; all when none is named")
    audit.add_argument(
        "--budget", type=float, default=float("inf"), metavar="SECONDS", help="begin no further check after this long"
    )
    paths.add_output(audit, "--html", metavar="FILE", help="also write a page with pictures")
    audit.set_defaults(run=run)


def run(given: argparse.Namespace) -> str:
    """Return the report as text; a page too when asked."""
    from dpselect.audit import report

    if not given.budget > 0:
        raise ValueError("--budget is a number of seconds > 0.")
    claims = report.chosen(given.names)
    rows = []
    for row in report.run(claims, given.budget):
        rows.append(row)
        if sys.stderr.isatty():
            print(f"{len(rows)}/{len(claims)} {row.claim:<40}", end="\r", file=sys.stderr, flush=True)
    if given.html:
        given.html.put(report.page(rows).encode())
    given.status = 1 if any(row.verdict == "BROKEN" for row in rows) else 0
    return report.text(rows)
