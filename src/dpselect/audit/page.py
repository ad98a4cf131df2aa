"""The audit as one self-contained page: bars of loss over epsilon, and heat maps of where a sensitivity is exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpselect._display.markup import drawing, mark, render
from dpselect.audit.claims import EPSILONS
from dpselect.audit.report import ReportRow

if TYPE_CHECKING:
    from markupsafe import Markup

# One shade per epsilon, apart in grey-scale print too.
_SHADES = ("#9ecae1", "#4292c6", "#08306b")


def page(rows: Sequence[ReportRow]) -> str:
    """Return the report as one HTML file."""
    losses, tight = [row for row in rows if row.losses], [row for row in rows if row.tightness]
    return str(
        render(
            __package__,
            "audit.html",
            rows=rows,
            count={verdict: sum(row.verdict == verdict for row in rows) for verdict in ("holds", "BROKEN", "not run")},
            cells=sum(row.cells for row in rows),
            bars=_bars(losses) if losses else None,
            heat=_heat(tight) if tight else None,
        )
    )


def _bars(rows: Sequence[ReportRow]) -> Markup:
    names = [*dict.fromkeys(row.claim for row in rows)]
    left, width, step = 250, 480, 46
    base = step * len(names) + 14
    marks = []
    for i, name in enumerate(names):
        marks.append(mark("text", name, x=left - 8, y=i * step + 30, text_anchor="end"))
        for j, shade in enumerate(_SHADES):
            worst = max(row.losses[j] for row in rows if row.claim == name)
            title = mark("title", f"{name}, epsilon {EPSILONS[j]}: {worst:.4f}")
            bar = {"x": left, "y": i * step + 10 + 11 * j, "width": f"{width * min(worst, 1.05):.1f}", "height": 9}
            marks.append(mark("rect", title, **bar, fill=shade))
    marks.append(mark("line", x1=left + width, y1=0, x2=left + width, y2=base, stroke="#b00020", stroke_width=2))
    for tick in (0, 0.25, 0.5, 0.75, 1):
        marks.append(mark("text", f"{tick:g}", x=left + width * tick, y=base + 14, text_anchor="middle"))
    for j, shade in enumerate(_SHADES):
        x = left + 110 * j
        marks.append(mark("rect", x=x, y=base + 24, width=12, height=12, fill=shade))
        marks.append(mark("text", f"epsilon {EPSILONS[j]}", x=x + 18, y=base + 34))
    size = f"0 0 {left + width + 40} {base + 46}"
    return drawing(*marks, viewBox=size, aria_label="worst loss over epsilon")


def _heat(rows: Sequence[ReportRow]) -> Markup:
    left, cell = 250, 44
    most = max(len(row.tightness) for row in rows)
    marks = []
    for i, row in enumerate(rows):
        y = i * cell
        marks.append(mark("text", row.claim, x=left - 8, y=y + 26, text_anchor="end"))
        for t, share in enumerate(row.tightness):
            grey = round(245 - 200 * share)
            ink = "#fff" if share > 0.5 else "#000"
            x, side = left + t * cell, cell - 3
            marks.append(mark("rect", x=x, y=y, width=side, height=side, fill=f"rgb({grey},{grey},{grey})"))
            middle = x + cell / 2 - 2
            marks.append(mark("text", f"{share:.2f}", x=middle, y=y + 26, text_anchor="middle", style=f"fill:{ink}"))
    y = len(rows) * cell + 16
    for t in range(most):
        marks.append(mark("text", f"{t}", x=left + t * cell + cell / 2 - 2, y=y, text_anchor="middle"))
    marks.append(mark("text", "distance t", x=left, y=y + 20))
    size = f"0 0 {left + cell * most + 20} {cell * len(rows) + 50}"
    return drawing(*marks, viewBox=size, aria_label="share of cells where the bound is exact")
