"""Local sensitivity against distance: how far one neighbour could move each score, so many steps from here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.analysis.charts.chart_picture import Picture
from dpselect.analysis.charts.look import INK, WIDTH, chart_of, marks, shown_as
from dpselect.analysis.charts.pmf_chart import short
from dpselect.analysis.dampened_scores import SHOWN, best_places
from dpselect.scores.scores import Scores, require_scores
from dpselect.scores.sensitivity import Sensitivity, smooth

# Told apart by those who see few colours too (Okabe and Ito 2008); and by dashes.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a4fa3", "#5a5a5a")
_DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3])
# Points of a curve, distances where nothing grows or nothing ends, and candidates that a line names.
_POINTS, _LEAST, _ENDLESS, _NAMED = 25, 10, 40, 3
# Sensitivities of graph metrics are bounds, so "exact" would say too much.
_SAYS = "What one neighbour could change at most. For public or made-up data only."


def sensitivity_chart(
    scores: Scores, *, beta: float | None = None, shown: int = SHOWN, width: float = WIDTH
) -> Picture:
    """Draw how far one neighbour could move each score, t steps away; return a picture.

    A line per candidate, the best few, from here (t = 0) to where all of them have reached the global sensitivity;
    candidates with the same line share it. Sensitivities are functions of the data, so this is for public or made-up
    data, and the chart says so.

    Args:
        scores: of a public or made-up database.
        beta: mark the beta-smooth bound of all candidates.
        shown: how many candidates, the best ones.
        width: of the chart in pixels.

    Raises:
        PrivacyError: only a smooth bound is known.
        ValueError: beta is not positive, or no global sensitivity is known for it.

    >>> import dpselect as dps
    >>> spread = dps.sensitivity.element(lambda t: [12 + t, 8 + t], ceiling=20, reach=20)
    >>> chart = dps.plot.sensitivity_chart(dps.Scores({"tea": 66, "coffee": 28}, spread))
    >>> [row["sensitivity"] for row in chart.to_dict()["data"]["values"] if row["distance"] == 0]
    [12.0, 8.0]
    """
    places = best_places(require_scores(scores), shown)
    known = scores.sensitivity
    smoothed = None if beta is None else float(smooth(known, beta))
    distances = _distances(known, places)
    curves = np.ascontiguousarray(known.at(distances)[:, places])
    lines = _lines(curves, [short(scores.candidates[int(place)]) for place in places])
    layers = [_distance_lines([name for name, _ in lines], width), *_levels(known, smoothed, beta)]
    rows = [
        {"candidate": name, "distance": int(t), "sensitivity": float(value)}
        for name, curve in lines
        for t, value in zip(distances, curve, strict=True)
    ]
    return chart_of(layers, "Local sensitivity, step by step", rows=rows, height=290, subtitle=_SAYS, width=width)


def _distance_lines(names: list[str], width: float) -> dict[str, Any]:
    """Return the lines, told apart by colours and dashes."""
    colour = shown_as(
        "candidate:N",
        sort=names,
        scale={"domain": names, "range": [*_COLOURS[: len(names)]]},
        legend={"title": None, "orient": "bottom", "columns": max(1, int(width / 170)), "symbolType": "stroke"},
    )
    dashes = [_DASHES[each % len(_DASHES)] for each in range(len(names))]
    dash = shown_as("candidate:N", scale={"domain": names, "range": dashes}, legend=None)
    axis = {"tickCount": int(width / 90), "tickMinStep": 1}
    x = shown_as("distance:Q", title="steps away from this database", axis=axis, scale={"nice": False})
    y = shown_as("sensitivity:Q", title="what one neighbour could change", scale={"zero": True})
    return marks("line", strokeWidth=2.2)(x=x, y=y, color=colour, strokeDash=dash)


def _levels(known: Sensitivity, smoothed: float | None, beta: float | None) -> list[Any]:
    """Return the worst case and the smooth bound as lines across, each with its name."""
    levels = [(known.ceiling, f"worst case {known.ceiling:.4g}")] if math.isfinite(known.ceiling) else []
    if smoothed is not None:
        levels.append((smoothed, f"smooth bound {smoothed:.4g} (beta {beta:g})"))
    if not levels:
        return []
    rows = [{"sensitivity": value, "label": label, "above": not place} for place, (value, label) in enumerate(levels)]
    y, side = shown_as("sensitivity:Q"), {"expr": "datum.above ? 'bottom' : 'top'"}
    names = marks("text", rows=rows, align="right", baseline=side, color=INK)
    return [
        marks("rule", rows=rows, color=INK, strokeDash=[4, 4], strokeWidth=1.2)(y=y),
        names(y=y, x={"value": "width"}, text=shown_as("label:N")),
    ]


def _lines(curves: NDArray[np.float64], names: list[str]) -> list[tuple[str, NDArray[np.float64]]]:
    """Return curves with the names of those who share them."""
    shared: dict[bytes, list[int]] = {}
    for place in range(len(names)):
        shared.setdefault(curves[:, place].tobytes(), []).append(place)
    lines: list[tuple[str, NDArray[np.float64]]] = []
    for number, places in enumerate(shared.values()):
        named = ", ".join(names[place] for place in places[:_NAMED])
        more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
        # Two candidates may be cut to the same name: lines are kept apart all the same.
        twice = named + more in (name for name, _ in lines)
        lines.append((f"{named}{more}{f' ({number + 1})' if twice else ''}", curves[:, places[0]]))
    return lines


def _distances(known: Sensitivity, places: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return at most 26 distances, from 0 to where the lines end."""
    end = max(_LEAST, last_distance(known, places))
    even: NDArray[np.int64] = np.unique(np.round(np.linspace(0, end, _POINTS)).astype(np.int64))
    # A jump at the end is seen as one.
    return np.union1d(even, [end - 1])


def last_distance(known: Sensitivity, places: NDArray[np.intp]) -> int:
    """Return the distance at which all of these candidates have reached the global sensitivity; 40 where none is known.

    >>> from dpselect.scores.sensitivity import local
    >>> last_distance(local(lambda t: 3 + t, ceiling=9).over(2), np.array([0, 1]))
    6
    """
    if math.isinf(known.ceiling):
        return _ENDLESS

    def reached(t: int) -> bool:
        return bool((known.at(t)[places] >= known.ceiling).all())

    high = 1
    while high < known.horizon and not reached(high):
        high *= 2
    high = min(high, known.horizon)
    low = 0
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low
