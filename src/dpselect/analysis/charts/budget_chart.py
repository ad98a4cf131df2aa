"""A budget as bars: what each release takes, one after the other, up to what may be spent in all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dpselect.analysis.charts.chart_picture import Picture
from dpselect.analysis.charts.look import GREY, INK, WIDTH, chart_of, colour_of, marks, shown_as
from dpselect.kernel.errors import InputError

# What is spent already, what a plan takes, what does not fit, and what is left.
SPENT, TAKEN, REFUSED, LEFT = "spent before", "fits", "does not fit", "left"
_COLOURS = {SPENT: "#8a8a8a", TAKEN: colour_of("permute-and-flip"), REFUSED: "#b3261e", LEFT: "#cfe3d4"}


def budget_chart(
    releases: Sequence[tuple[str, float]],
    budget: float,
    *,
    spent: float = 0,
    refused: Sequence[int] = (),
    unit: str = "epsilon",
    width: float = WIDTH,
) -> Picture:
    """Draw what each release takes of a budget, one below the other; return a picture that notebooks show.

    A bar begins where the one above it ended, and a line shows the whole budget: a bar beyond it does not fit. The
    last bar is what is left.

    Args:
        releases: a name and an amount each, in their order.
        budget: what may be spent in all.
        spent: what was spent before.
        refused: the positions of releases that are refused: they take nothing.
        unit: of the amounts: ``"epsilon"`` or ``"rho"``.
        width: of the chart in pixels.

    Raises:
        ValueError: no release, or an amount that is negative or not finite.

    >>> chart = budget_chart([("the median", 0.25), ("8 counts", 0.5), ("a tree", 0.5)], 1, refused=[2])
    >>> [(row["name"], row["fate"], row["begin"], row["end"]) for row in chart.to_dict()["data"]["values"]][1:]
    [('2. 8 counts', 'fits', 0.25, 0.75), ('3. a tree', 'does not fit', 0.75, 1.25), ('left', 'left', 0.75, 1)]
    """
    amounts = [budget, spent, *(amount for _, amount in releases)]
    if not releases or not all(math.isfinite(amount) and amount >= 0 for amount in amounts):
        raise InputError("A plan has releases, and amounts are numbers from 0 on: pass a name and an amount for each.")
    rows = _rows(releases, budget, spent, {*refused})
    below = f"Dashed: the whole budget, {unit} {budget:.4g}. Each bar begins where the one above it ended."
    layers, title = _layers(rows, budget, unit, width), f"What each release takes, in {unit}"
    return chart_of(
        layers,
        title,
        rows=rows,
        height={"step": 24},
        subtitle=below,
        width=width,
        named_rows=[row["name"] for row in rows],
    )


def _layers(rows: list[dict[str, Any]], budget: float, unit: str, width: float) -> list[Any]:
    """Return bars with their amounts, and the line of the whole budget."""
    most = 1.12 * max(row["end"] for row in [*rows, {"end": budget}])
    fates = [fate for fate in _COLOURS if any(row["fate"] == fate for row in rows)]
    colours = {"domain": fates, "range": [_COLOURS[fate] for fate in fates]}
    base = {
        "y": shown_as("name:N", sort=[row["name"] for row in rows], title=None),
        "tooltip": [shown_as("name:N"), shown_as("amount:Q"), shown_as("fate:N")],
    }
    axis, scale = {"tickCount": int(width / 90)}, {"domain": [0, most or 1], "nice": False}
    x = shown_as("begin:Q", title=unit, axis=axis, scale=scale)
    colour = shown_as("fate:N", scale=colours, legend={"title": None, "orient": "top", "columns": 2})
    bars, figures = (
        marks("bar", stroke=GREY, strokeWidth=0.5),
        marks("text", align="left", dx=5, color=INK),
    )
    line = marks("rule", rows=[{"budget": budget}], color=INK, strokeDash=[5, 3], strokeWidth=1.5)
    return [
        bars(x=x, x2={"field": "end"}, color=colour, **base),
        figures(x=shown_as("end:Q"), text=shown_as("written:N"), **base),
        line(x=shown_as("budget:Q")),
    ]


def _rows(
    releases: Sequence[tuple[str, float]], budget: float, spent: float, refused: set[int]
) -> list[dict[str, Any]]:
    """Return a row for each bar."""
    at, rows = float(spent), list[dict[str, Any]]()
    if spent:
        rows.append(_row(SPENT, SPENT, 0.0, at))
    for place, (name, amount) in enumerate(releases):
        fate = REFUSED if place in refused else TAKEN
        rows.append(_row(f"{place + 1}. {name}", fate, at, at + amount))
        at += 0 if place in refused else amount
    return [*rows, _row(LEFT, LEFT, at, budget)] if at < budget else rows


def _row(name: str, fate: str, begin: float, end: float) -> dict[str, Any]:
    amount = end - begin
    return {"name": name, "fate": fate, "begin": begin, "end": end, "amount": amount, "written": f"{amount:.3g}"}
