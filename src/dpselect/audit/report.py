"""The audit of the library by itself: claims, checked one by one, and a table of them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dpselect.audit import claims as known
from dpselect.audit.admissibility import judge, tabulate
from dpselect.audit.claims import EPSILONS, Claim, DrawClaim, MechanismClaim, UtilityClaim
from dpselect.audit.privacy_loss import privacy_loss
from dpselect.kernel.errors import InputError

# So many are named: the table has them all.
_SHOWN = 5


@dataclass(frozen=True)
class ReportRow:
    """One line of the report.

    Attributes:
        claim: what was checked. universe: where. cells: how many numbers were compared.
        verdict: "holds", "BROKEN" or "not run" (the time was up).
        tightness: share of cells where a sensitivity is exact, by distance; empty for mechanisms.
        losses: worst loss over epsilon, by epsilon; empty for utilities.
        detail: the counterexample, or where the worst case is attained.
        seconds: how long it took.
    """

    claim: str
    universe: str
    cells: int
    verdict: str
    tightness: tuple[float, ...] = ()
    worst_ratio: float = float("nan")
    losses: tuple[float, ...] = ()
    detail: str = ""
    seconds: float = 0.0


def select_claims(names: Sequence[str]) -> list[Claim]:
    """Return the claims whose name starts with one of these, all when none is given.

    Raises:
        ValueError: a name that fits no claim; the message lists the names.
    """
    every = known.EVERY_CLAIM
    for name in names:
        if not any(claim.name.startswith(name) for claim in every):
            names_of = sorted({claim.name.split(",")[0] for claim in every})
            raise InputError(f"The claim {name!r} does not exist: pass {', '.join(names_of)}.")
    return [claim for claim in every if not names or any(claim.name.startswith(name) for name in names)]


def run(claims: Iterable[Claim], budget: float = float("inf")) -> Iterator[ReportRow]:
    """Check claim after claim; those not begun when ``budget`` seconds are up are reported as not run."""
    start = time.monotonic()
    for claim in claims:
        if time.monotonic() - start > budget:
            yield ReportRow(claim.name, subject(claim), 0, "not run")
            continue
        begun = time.process_time()
        row = _check_claim(claim)
        yield ReportRow(**{**row.__dict__, "seconds": time.process_time() - begun})


def subject(claim: Claim) -> str:
    """Return what a claim is checked on, in a word or two."""
    if isinstance(claim, DrawClaim):
        return claim.subject
    return claim.name if isinstance(claim, UtilityClaim) else claim.problem.name


def text(rows: Sequence[ReportRow]) -> str:
    """Return the report as a table."""
    lines = incomplete_line([row.claim for row in rows if row.verdict == "not run"], len(rows))
    lines += [
        f"{'claim':<30} {'universe':<44} {'cells':>8} {'verdict':>8} {'exact':>7} {'worst loss / epsilon':>21} {'s':>6}"
    ]
    for row in rows:
        exact = f"{np.mean(row.tightness):.1%}" if row.tightness else ""
        losses = " ".join(f"{loss:.3f}" for loss in row.losses)
        lines.append(
            f"{row.claim:<30} {row.universe[:44]:<44} {row.cells:>8} {row.verdict:>8} {exact:>7} {losses:>21} "
            f"{row.seconds:>6.1f}"
        )
        if row.verdict == "BROKEN":
            lines.append(f"    {row.detail}")
    at = ", ".join(map(str, EPSILONS))
    lines.append(f"Losses are at epsilon {at}; 1.000 is all that was promised, but for what a delta covers.")
    return "\n".join(lines)


def _check_claim(claim: Claim) -> ReportRow:
    if isinstance(claim, DrawClaim):
        cells, detail = claim.check()
        return ReportRow(claim.name, claim.subject, cells, "BROKEN" if detail else "holds", detail=detail)
    return _utility(claim) if isinstance(claim, UtilityClaim) else _mechanism(claim)


def _utility(claim: UtilityClaim) -> ReportRow:
    table = tabulate(claim.utility, claim.universe())
    verdict = judge(table)
    telling = max(1, table.reach) if table.reach is not None else len(table.at)
    tight = np.isclose(table.at, table.exact)[:telling].mean(axis=(1, 2))
    return ReportRow(
        claim.name,
        table.universe.name,
        verdict.cells,
        "holds" if verdict.admissible else "BROKEN",
        tuple(tight.tolist()),
        worst_ratio=verdict.worst_ratio,
        detail=verdict.counterexample or f"at most {verdict.worst_ratio:.3g} times the exact value",
    )


def _mechanism(claim: MechanismClaim) -> ReportRow:
    universe = claim.problem.universe()
    losses = [privacy_loss(claim.mechanism, claim.problem.utility, universe, epsilon=epsilon) for epsilon in EPSILONS]
    worst = max(losses, key=lambda loss: loss.worst / float(loss.claim[0]))
    holds = all(loss.holds and not loss.stretch > 1 for loss in losses)
    return ReportRow(
        claim.name,
        f"{claim.problem.name} on {universe.name}",
        3 * worst.pairs * len(claim.problem.utility(universe[0])),
        "holds" if holds else "BROKEN",
        losses=tuple(loss.worst / float(loss.claim[0]) for loss in losses),
        detail=worst.attained,
    )


def incomplete_line(names: Sequence[str], total: int) -> list[str]:
    """Return a line about the claims that were not run, or no line where all were.

    >>> incomplete_line(["median", "median", "degree"], 5)
    ['3 of 5 claims were not run, as the time was up: median, degree.']
    >>> incomplete_line([f"claim {number}" for number in range(40)], 90)[0]
    '40 of 90 claims were not run, as the time was up: claim 0, claim 1, claim 2, claim 3, claim 4 and 35 others.'
    >>> incomplete_line([], 5)
    []
    """
    if not names:
        return []
    each = [*dict.fromkeys(names)]
    more = f" and {len(each) - _SHOWN} others" if len(each) > _SHOWN else ""
    return [f"{len(names)} of {total} claims were not run, as the time was up: {', '.join(each[:_SHOWN])}{more}."]
