"""The audit of the library by itself: a table, and one self-contained page with pictures."""

from __future__ import annotations

import html
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dpselect.audit import claims as known
from dpselect.audit.admissibility import judge, tabulate
from dpselect.audit.claims import EPSILONS, Claim, DrawClaim, MechanismClaim, UtilityClaim
from dpselect.audit.privacy_loss import privacy_loss
from dpselect.audit.unfinished import unfinished


@dataclass(frozen=True)
class Row:
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


def chosen(names: Sequence[str]) -> list[Claim]:
    """Return the claims whose name starts with one of these, all when none is given.

    Raises:
        ValueError: a name that fits no claim; the message lists the names.
    """
    every = known.EVERY_CLAIM
    for name in names:
        if not any(claim.name.startswith(name) for claim in every):
            names_of = sorted({claim.name.split(",")[0] for claim in every})
            raise ValueError(f"There is no claim {name!r}: pass {', '.join(names_of)}.")
    return [claim for claim in every if not names or any(claim.name.startswith(name) for name in names)]


def run(claims: Iterable[Claim], budget: float = float("inf")) -> Iterator[Row]:
    """Check claim after claim; those not begun when ``budget`` seconds are up are reported as not run."""
    start = time.monotonic()
    for claim in claims:
        if time.monotonic() - start > budget:
            yield Row(claim.name, subject(claim), 0, "not run")
            continue
        begun = time.process_time()
        row = _checked(claim)
        yield Row(**{**row.__dict__, "seconds": time.process_time() - begun})


def subject(claim: Claim) -> str:
    """Return what a claim is checked on, in a word or two."""
    if isinstance(claim, DrawClaim):
        return claim.subject
    return claim.name if isinstance(claim, UtilityClaim) else claim.problem.name


def text(rows: Sequence[Row]) -> str:
    """Return the report as a table."""
    lines = unfinished([row.claim for row in rows if row.verdict == "not run"], len(rows))
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


def page(rows: Sequence[Row]) -> str:
    """Return the report as one HTML file: bars of loss over epsilon, heat maps of tightness."""
    parts = [_HEAD, "<h1>Audit</h1>", f"<p>{_summary(rows)}</p>"]
    losses = [row for row in rows if row.losses]
    if losses:
        parts += ["<h2>Worst loss over epsilon</h2>", f"<p>{_LOSS_TEXT}</p>", _bars(losses)]
    tight = [row for row in rows if row.tightness]
    if tight:
        parts += ["<h2>Where each sensitivity is exact</h2>", f"<p>{_TIGHT_TEXT}</p>", _heat(tight)]
    parts += ["<h2>Every claim</h2>", _table(rows), "</body></html>"]
    return "\n".join(parts)


def _checked(claim: Claim) -> Row:
    if isinstance(claim, DrawClaim):
        cells, detail = claim.check()
        return Row(claim.name, claim.subject, cells, "BROKEN" if detail else "holds", detail=detail)
    return _utility(claim) if isinstance(claim, UtilityClaim) else _mechanism(claim)


def _utility(claim: UtilityClaim) -> Row:
    table = tabulate(claim.utility, claim.universe())
    verdict = judge(table)
    telling = max(1, table.reach) if table.reach is not None else len(table.at)
    tight = np.isclose(table.at, table.exact)[:telling].mean(axis=(1, 2))
    return Row(
        claim.name,
        table.universe.name,
        verdict.cells,
        "holds" if verdict.admissible else "BROKEN",
        tuple(tight.tolist()),
        worst_ratio=verdict.worst_ratio,
        detail=verdict.counterexample or f"at most {verdict.worst_ratio:.3g} times the exact value",
    )


def _mechanism(claim: MechanismClaim) -> Row:
    universe = claim.problem.universe()
    losses = [privacy_loss(claim.mechanism, claim.problem.utility, universe, epsilon) for epsilon in EPSILONS]
    worst = max(losses, key=lambda loss: loss.worst / float(loss.claim[0]))
    holds = all(loss.holds and not loss.stretch > 1 for loss in losses)
    return Row(
        claim.name,
        f"{claim.problem.name} on {universe.name}",
        3 * worst.pairs * len(claim.problem.utility(universe[0])),
        "holds" if holds else "BROKEN",
        losses=tuple(loss.worst / float(loss.claim[0]) for loss in losses),
        detail=worst.attained,
    )


def _summary(rows: Sequence[Row]) -> str:
    count = {verdict: sum(row.verdict == verdict for row in rows) for verdict in ("holds", "BROKEN", "not run")}
    cells = sum(row.cells for row in rows)
    return (
        f"{count['holds']} claims hold, {count['BROKEN']} are broken, {count['not run']} were not run; "
        f"{cells} comparisons."
    )


_LOSS_TEXT = (
    "Each bar is the exact worst log-ratio of any outcome between any two neighbours, divided by epsilon. The line "
    "at 1 is what was promised: a bar that crosses it would be a broken guarantee."
)
_TIGHT_TEXT = (
    "Each cell is the share of (database, candidate) where the bound equals the exact element sensitivity, by "
    "distance: dark is exact everywhere."
)
_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>dpselect audit</title><style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; }
table { border-collapse: collapse; font-size: 14px; } td, th { padding: .25rem .6rem; text-align: left; }
tr:nth-child(even) { background: #f4f4f4; } td.n { text-align: right; font-variant-numeric: tabular-nums; }
.broken { color: #b00020; font-weight: 700; } svg text { font: 12px system-ui, sans-serif; fill: #1b1b1b; }
</style></head><body>"""
# One shade an epsilon, apart in grey-scale print too.
_SHADES = ("#9ecae1", "#4292c6", "#08306b")


def _bars(rows: Sequence[Row]) -> str:
    names = sorted({row.claim for row in rows}, key=[row.claim for row in rows].index)
    left, width, step = 250, 480, 46
    height = step * len(names) + 60
    parts = [f'<svg viewBox="0 0 {left + width + 40} {height}" role="img" aria-label="worst loss over epsilon">']
    for i, name in enumerate(names):
        parts.append(f'<text x="{left - 8}" y="{i * step + 30}" text-anchor="end">{html.escape(name)}</text>')
        for j, shade in enumerate(_SHADES):
            worst = max(row.losses[j] for row in rows if row.claim == name)
            parts.append(
                f'<rect x="{left}" y="{i * step + 10 + 11 * j}" width="{width * min(worst, 1.05):.1f}" height="9" '
                f'fill="{shade}"><title>{html.escape(name)}, epsilon {EPSILONS[j]}: {worst:.4f}</title></rect>'
            )
    base = step * len(names) + 14
    parts.append(
        f'<line x1="{left + width}" y1="0" x2="{left + width}" y2="{base}" stroke="#b00020" stroke-width="2"/>'
    )
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<text x="{left + width * tick}" y="{base + 14}" text-anchor="middle">{tick:g}</text>')
    for j, shade in enumerate(_SHADES):
        x = left + 110 * j
        parts.append(f'<rect x="{x}" y="{base + 24}" width="12" height="12" fill="{shade}"/>')
        parts.append(f'<text x="{x + 18}" y="{base + 34}">epsilon {EPSILONS[j]}</text>')
    return "\n".join([*parts, "</svg>"])


def _heat(rows: Sequence[Row]) -> str:
    left, cell = 250, 44
    most = max(len(row.tightness) for row in rows)
    parts = [
        f'<svg viewBox="0 0 {left + cell * most + 20} {cell * len(rows) + 50}" role="img" '
        'aria-label="share of cells where the bound is exact">'
    ]
    for i, row in enumerate(rows):
        y = i * cell
        parts.append(f'<text x="{left - 8}" y="{y + 26}" text-anchor="end">{html.escape(row.claim)}</text>')
        for t, share in enumerate(row.tightness):
            grey = round(245 - 200 * share)
            ink = "#fff" if share > 0.5 else "#000"
            parts.append(
                f'<rect x="{left + t * cell}" y="{y}" width="{cell - 3}" height="{cell - 3}" '
                f'fill="rgb({grey},{grey},{grey})"/>'
                f'<text x="{left + t * cell + cell / 2 - 2}" y="{y + 26}" text-anchor="middle" style="fill:{ink}">'
                f"{share:.2f}</text>"
            )
    y = len(rows) * cell + 16
    for t in range(most):
        parts.append(f'<text x="{left + t * cell + cell / 2 - 2}" y="{y}" text-anchor="middle">{t}</text>')
    parts.append(f'<text x="{left}" y="{y + 20}">distance t</text>')
    return "\n".join([*parts, "</svg>"])


def _table(rows: Sequence[Row]) -> str:
    lines = ["<table><tr><th>claim</th><th>universe</th><th>cells</th><th>verdict</th><th>detail</th></tr>"]
    for row in rows:
        mark = ' class="broken"' if row.verdict == "BROKEN" else ""
        lines.append(
            f"<tr><td>{html.escape(row.claim)}</td><td>{html.escape(row.universe)}</td><td class='n'>{row.cells}</td>"
            f"<td{mark}>{row.verdict}</td><td>{html.escape(row.detail)}</td></tr>"
        )
    return "\n".join([*lines, "</table>"])
