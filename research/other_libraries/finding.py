"""What an audit of another library says of one claim, and how it is printed."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpselect.audit.report import incomplete_line

_WIDTH = 112


@dataclass(frozen=True)
class Outcome:
    """What one check computed.

    Attributes:
        claim: what the library promises, as its own privacy map or parameter says it.
        computed: what was computed, with the smallest universe where a claim breaks.
        kept: whether the claim is kept in all that was computed.
    """

    claim: str
    computed: str
    kept: bool


@dataclass(frozen=True)
class Check:
    """A claim of a library, before it is checked.

    Attributes:
        function: as the library names it.
        setting: the arguments and the relation that matter.
        run: computes the outcome.
    """

    function: str
    setting: str
    run: Callable[[], Outcome]


@dataclass(frozen=True)
class Library:
    """An installed release and what is audited of it.

    Attributes:
        name, version: of the installed release.
        checks: one per claim.
        not_tested: what no check covers, in sentences.
    """

    name: str
    version: str
    checks: Sequence[Check]
    not_tested: Sequence[str]


@dataclass(frozen=True)
class Finding:
    """One line of the audit of another library.

    Attributes:
        library, version: the installed release.
        function, setting: what was called, and how.
        claim: what the library promises; empty where the check did not run.
        computed: the exact loss, or the sampler's test, or both.
        verdict: "kept", "BROKEN" or "not run".
    """

    library: str
    version: str
    function: str
    setting: str
    claim: str
    computed: str
    verdict: str


def text(peer: Library, findings: Sequence[Finding]) -> str:
    """Return the findings as a table for a terminal."""
    counts = {verdict: sum(f.verdict == verdict for f in findings) for verdict in ("kept", "BROKEN", "not run")}
    lines = [
        f"{peer.name} {peer.version}: {counts['kept']} claims kept, {counts['BROKEN']} broken, "
        f"{counts['not run']} not run.",
        *incomplete_line([finding.function for finding in findings if finding.verdict == "not run"], len(findings)),
        "",
    ]
    for finding in findings:
        lines.append(f"{finding.verdict:<8} {finding.function}: {finding.setting}")
        computed = f"claims {finding.claim}; {finding.computed}" if finding.claim else ""
        lines += textwrap.wrap(computed, _WIDTH, initial_indent=" " * 9, subsequent_indent=" " * 9)
    lines += ["", "Not tested:"]
    for sentence in peer.not_tested:
        lines += textwrap.wrap(sentence, _WIDTH, initial_indent="- ", subsequent_indent="  ")
    return "\n".join(lines)
