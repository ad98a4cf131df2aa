"""Errors of several mechanisms, and how often each is right, against epsilon: one line for each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from dpselect.analysis.charts.chart_picture import Picture
from dpselect.analysis.charts.look import INK, WIDTH, chart_of, colour_of, marks, shape_of, shown_as
from dpselect.analysis.charts.pmf_chart import PUBLIC
from dpselect.analysis.compare import ComparisonRow
from dpselect.kernel.errors import InputError

# Decades below the largest error that have a place of their own; what is less lies between them and 0.
_DECADES = 6
# Of a family the second line is dashed, and so on, so that lines differ in grey too.
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2])
_HEIGHT = 260


def error_chart(rows: Sequence[ComparisonRow], *, epsilon: float | None = None, width: float = WIDTH) -> Picture:
    """Draw the expected error of mechanisms against epsilon; return a picture that notebooks show.

    The errors are those of the rows: in the unit of the candidates where they have one, otherwise in the score. Both
    axes are logarithmic, and that of the error has a place for 0 where errors vanish. The errors follow from the
    scores, so this is for public or made-up data, and the chart says so.

    Args:
        rows: of ``dpselect.accuracy.compare.row``; a mechanism that does not apply has no line.
        epsilon: where a thin line stands.
        width: of the chart in pixels.

    Raises:
        ValueError: no mechanism applies, or rows of different units.

    >>> import dpselect as dps
    >>> ages = dps.utilities.median([21, 34, 35, 40, 71], lower=0, upper=100)
    >>> row = dps.accuracy.compare.row(ages, "permute-and-flip", [1, 4], unit="years")
    >>> [round(point["figure"], 1) for point in dps.plot.error_chart([row]).to_dict()["data"]["values"]]
    [19.0, 1.5]
    """
    shown = _applicable_rows(rows)
    units = {row.unit for row in shown}
    if len(units) > 1:
        raise InputError("Errors in different units have no axis in common: draw a chart for each.")
    unit = units.pop()
    points = _points(shown, [row.distance if row.unit else row.error for row in shown])
    said = f"expected error, in {unit}" if unit else "expected error in the score"
    values = [point["figure"] for point in points]
    return _error_chart(shown, points, (said, f"Error against epsilon: {said}"), _scale(values), epsilon, width)


def chance_chart(rows: Sequence[ComparisonRow], *, epsilon: float | None = None, width: float = WIDTH) -> Picture:
    """Draw the probability of naming a best candidate against epsilon; otherwise as :func:`error_chart`.

    >>> import dpselect as dps
    >>> votes = dps.utilities.counts([60, 40, 5])
    >>> chart = dps.plot.chance_chart([dps.accuracy.compare.row(votes, "exponential", [0.1, 1])])
    >>> [round(point["figure"], 2) for point in chart.to_dict()["data"]["values"]]
    [0.88, 1.0]
    """
    shown = _applicable_rows(rows)
    scaled = {"scale": {"domain": [0, 1]}, "axis": {"tickCount": 6}}
    said = "probability of a best candidate"
    return _error_chart(
        shown,
        _points(shown, [row.best for row in shown]),
        (said, f"{said.capitalize()} against epsilon"),
        scaled,
        epsilon,
        width,
    )


def _applicable_rows(rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    shown = [row for row in rows if not row.why]
    if not shown:
        raise InputError("No mechanism applies to these scores, so there is nothing to draw: take others.")
    return shown


def _points(rows: Sequence[ComparisonRow], figures: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    return [
        {"mechanism": row.name, "epsilon": float(epsilon), "figure": float(figure)}
        for row, values in zip(rows, figures, strict=True)
        for epsilon, figure in zip(row.epsilons, values, strict=True)
    ]


def _scale(values: Sequence[float]) -> dict[str, Any]:
    """Return a log scale for values, with a place for 0 where some of them are next to nothing."""
    most, least = max(values), min(values)
    if most <= 0:
        return {"scale": {"domain": [0, 1]}, "axis": {"values": [0, 1]}}
    top = math.ceil(math.log10(most) - 1e-9)
    floor = 10.0 ** (top - _DECADES)
    if least >= floor:
        bottom = math.floor(math.log10(least) + 1e-9)
        if top - bottom > 1:
            ticks = [10.0**power for power in range(bottom, top + 1)]
            return {"scale": {"type": "log", "nice": False}, "axis": {"values": ticks, "format": "~g"}}
        return {"scale": {"type": "log", "nice": True}, "axis": {"tickCount": 5, "format": "~g"}}
    ticks = [0.0, *(10.0**power for power in range(top - _DECADES, top + 1))]
    scale = {"type": "symlog", "constant": floor, "domain": [0, 1.2 * most], "nice": False}
    return {"scale": scale, "axis": {"values": ticks, "format": "~g"}}


def _error_chart(
    rows: Sequence[ComparisonRow],
    points: list[dict[str, Any]],
    words: tuple[str, str],
    scaled: dict[str, Any],
    epsilon: float | None,
    width: float,
) -> Picture:
    """Return the chart: words are those beside the axis and above."""
    names = [row.name for row in rows]
    drawn: Counter[str] = Counter()
    dashes = []
    for name in names:
        dashes.append(_DASHES[drawn[colour_of(name)] % len(_DASHES)])
        drawn[colour_of(name)] += 1
    # One legend for all three, in as many columns as there is room for.
    legend = {"orient": "bottom", "columns": max(1, int(width / 230)), "title": None, "symbolStrokeWidth": 2}
    colour, shape, dash = (
        shown_as("mechanism:N", legend=legend, scale={"domain": names, "range": [*looks]})
        for looks in (map(colour_of, names), map(shape_of, names), dashes)
    )
    ticks = {"tickCount": max(3, int(width / 90)), "format": "~g", "grid": False}
    base = {
        "x": shown_as("epsilon:Q", title="epsilon", scale={"type": "log", "nice": False}, axis=ticks),
        "y": shown_as("figure:Q", title=words[0], **scaled),
        "tooltip": [shown_as("mechanism:N"), shown_as("epsilon:Q"), shown_as("figure:Q")],
    }
    layers = [
        marks("line", strokeWidth=2)(color=colour, strokeDash=dash, **base),
        marks("point", size=50, filled=True, opacity=1)(color=colour, shape=shape, **base),
    ]
    if epsilon is not None:
        here = marks("rule", rows=[{"epsilon": float(epsilon)}], color=INK, strokeWidth=1)
        layers.append(here(x=shown_as("epsilon:Q", title="epsilon")))
    return chart_of(layers, words[1], rows=points, height=_HEIGHT, subtitle=PUBLIC, width=width)
