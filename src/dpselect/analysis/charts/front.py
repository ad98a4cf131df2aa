"""Two objectives as axes: the Pareto front, and the exact chance of each candidate to be named."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.analysis.charts.chart_picture import Picture
from dpselect.analysis.charts.look import GREY, INK, WIDTH, chart_of, colour_of, marks, shown_as
from dpselect.analysis.charts.pmf_chart import PUBLIC, chance_text, short
from dpselect.analysis.metrics import on_front
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import default_mechanism, require_mechanism
from dpselect.scores.combine import aggregate, pareto
from dpselect.scores.objectives import exact_weights, list_objectives, one_list
from dpselect.scores.scores import Scores, require_scores

Floats = NDArray[np.float64]
# Points that are drawn, and of these the ones that may have a name beside them.
_DRAWN, _NAMED = 60, 12
_HEIGHT, _LETTER, _LINE = 330, 6.6, 15
# Share of an axis left free beside the outermost points.
_MARGIN = 0.09
# Area of a point that is never named, and of one that always is, in pixels.
_SMALL, _LARGE = 24, 1400


@one_list
def front_chart(
    objectives: Iterable[Scores],
    *,
    epsilon: Epsilon,
    scores: Scores | None = None,
    weights: Iterable[Any] | None = None,
    mechanism: str | Mechanism | None = None,
    names: Sequence[str] = ("first objective", "second objective"),
    width: float = WIDTH,
) -> Picture:
    """Draw candidates by two objectives, as large as their exact chance to be named; return a picture.

    A line of steps is the Pareto front: no candidate stands above and right of it. With weights a straight line takes
    its place: all points on it have the weighted sum of the best candidate. The chances are functions of the scores,
    so this is for public or made-up data, and the chart says so. Nothing is drawn at random and nothing is spent. Of
    more than 60 candidates, 60 are drawn: those on the front before others, and of these the likeliest.

    Args:
        objectives: a list of two scores of the same candidates, larger is better.
        epsilon: of one selection.
        scores: what is drawn from, where it is neither ``pareto(objectives)`` nor ``aggregate(objectives, weights)``.
        weights: one number each; ``None`` for the Pareto score.
        mechanism: a name or what :func:`dpselect.mechanism` returned; ``None`` means what :func:`dpselect.select`
            would draw with.
        names: what the two axes are called.
        width: of the chart in pixels.

    Raises:
        PrivacyError: the mechanism does not apply to these scores.
        ValueError, TypeError: not two objectives of the same candidates; as :func:`dpselect.multiobjective.pareto` and
            :func:`dpselect.multiobjective.aggregate`; an epsilon that is not positive and finite.

    >>> import dpselect as dps
    >>> found = dps.Scores({"A": 90, "B": 60, "C": 40}, sensitivity=1, kind="integer")
    >>> cleared = dps.Scores({"A": 10, "B": 80, "C": 70}, sensitivity=1, kind="integer")
    >>> chart = dps.plot.front_chart([found, cleared], epsilon=0.5, names=("found", "cleared"))
    >>> [(row["candidate"], row["front"]) for row in chart.to_dict()["layer"][1]["data"]["values"]]
    [('A', True), ('B', True), ('C', False)]
    """
    parts = list_objectives(objectives, "front_chart")
    if len(parts) != 2 or len(names) != 2:
        raise InputError("A chart has two axes: pass two objectives, and two names.")
    factors = None if weights is None else [float(weight) for weight in exact_weights(weights, 2)]
    combined = scores if scores is not None else pareto(parts) if weights is None else aggregate(parts, factors)
    value = exact_epsilon(epsilon)
    drawn = default_mechanism(require_scores(combined)) if mechanism is None else require_mechanism(mechanism)
    return front_points(parts, drawn.pmf(combined, value), drawn.name, float(value), factors, names, width)


def front_points(
    parts: Sequence[Scores],
    probabilities: Floats,
    mechanism: str,
    epsilon: float,
    weights: Sequence[float] | None,
    names: Sequence[str],
    width: float = WIDTH,
) -> Picture:
    """Draw chances that are known already, shape (m,); otherwise as :func:`front_chart`."""
    at = np.stack([part.values.astype(np.float64) for part in parts], axis=1)
    front = on_front(parts)
    shown = (
        np.lexsort((probabilities, front))[::-1][:_DRAWN]
        if probabilities.size > _DRAWN
        else np.arange(probabilities.size)
    )
    box = _box(at[np.union1d(shown, np.flatnonzero(front))])
    rows = _rows(parts[0].candidates, at, probabilities, front, shown, box, width)
    line = _staircase(at[front], box) if weights is None else _level_line(at, weights, box)
    axes = {"x": _axis(0, names[0], box, width), "y": _axis(1, names[1], box, width)}
    size = shown_as("chance:Q", scale={"domain": [0, 1], "range": [_SMALL, _LARGE]}, legend=None)
    stroke = {"condition": {"test": "datum.front", "value": INK}, "value": "#ffffff"}
    tip = [shown_as(each) for each in ("candidate:N", "first:Q", "second:Q", "chance:Q")]
    points = marks("circle", rows=rows, color=colour_of(mechanism), opacity=0.85, strokeWidth=1.5)
    aside = {"align": {"expr": "datum.aside > 0 ? 'left' : 'right'"}, "dx": {"expr": "datum.aside"}}
    layers = [
        _line(line, axes, stepped=weights is None),
        points(size=size, stroke=stroke, tooltip=tip, order=shown_as("chance:Q"), **axes),
        marks("text", rows=rows, dy=-11, color=INK, **aside)(text=shown_as("label:N"), **axes),
    ]
    return chart_of(
        layers,
        f"{mechanism}, epsilon {epsilon:g}",
        subtitle=f"{PUBLIC} {_caption(weights, probabilities.size)}",
        width=width,
        height=_HEIGHT,
    )


def _caption(weights: Sequence[float] | None, candidates: int) -> str:
    line = (
        "Line: the Pareto front; points on it have a dark edge. Larger points are likelier."
        if weights is None
        else "Dashed: the best weighted sum. Points of the front have a dark edge; larger ones are likelier."
    )
    return line + (f" {_DRAWN} of {candidates:,} candidates." if candidates > _DRAWN else "")


def _box(at: Floats) -> Floats:
    """Return the ends of both axes, shape (2, 2): low and high of each."""
    low, high = at.min(axis=0), at.max(axis=0)
    margin = np.where(high > low, (high - low) * _MARGIN, 1.0)
    return np.stack([low - margin, high + margin], axis=1)


def _axis(place: int, name: str, box: Floats, width: float) -> dict[str, Any]:
    scale = {"domain": box[place].tolist(), "nice": False, "zero": False}
    ticks = 6 if place else max(2, int(width / 90))
    return shown_as(("first:Q", "second:Q")[place], title=short(name), scale=scale, axis={"tickCount": ticks})


def _rows(
    candidates: Any,
    at: Floats,
    probabilities: Floats,
    front: NDArray[np.bool_],
    shown: NDArray[np.intp],
    box: Floats,
    width: float,
) -> list[dict[str, Any]]:
    """Return a row for each point that is drawn, with its name where there is room for it."""
    rows = []
    for place in shown.tolist():
        name, chance = short(candidates[place]), float(probabilities[place])
        radius = math.sqrt((_SMALL + (_LARGE - _SMALL) * chance) / math.pi)
        share = (at[place, 0] - box[0, 0]) / (box[0, 1] - box[0, 0])
        rows.append(
            {
                "candidate": name,
                "first": float(at[place, 0]),
                "second": float(at[place, 1]),
                "chance": chance,
                "front": bool(front[place]),
                "aside": (6 + radius) * (1 if share < 0.6 else -1),
                "label": f"{name} {chance_text(chance)}",
            }
        )
    kept = _with_room(rows, box, width)
    for number, row in enumerate(rows):
        row["label"] = row["label"] if number in kept else ""
    return rows


def _with_room(rows: Sequence[dict[str, Any]], box: Floats, width: float) -> set[int]:
    """Return the points that have their name beside them: the likeliest first, none on top of another."""
    kept: dict[int, tuple[float, float, float]] = {}
    scale = np.array([width, -_HEIGHT]) / (box[:, 1] - box[:, 0])
    for number in sorted(range(len(rows)), key=lambda each: -rows[each]["chance"]):
        row = rows[number]
        x, y = (np.array([row["first"], row["second"]]) - box[:, 0]) * scale
        length = _LETTER * len(row["label"])
        start = x + row["aside"] - (length if row["aside"] < 0 else 0)
        if len(kept) < _NAMED and all(
            abs(y - other) > _LINE or start > last or start + length < first for first, last, other in kept.values()
        ):
            kept[number] = (float(start), float(start + length), float(y))
    return set(kept)


def _staircase(front: Floats, box: Floats) -> list[dict[str, float]]:
    """Return the corners of the front from left to right: each point's height reaches to it from the one before."""
    points = np.unique(front, axis=0)
    corners = [(box[0, 0], points[0, 1]), *points.tolist(), (points[-1, 0], box[1, 0])]
    return [{"order": place, "first": float(x), "second": float(y)} for place, (x, y) in enumerate(corners)]


def _level_line(at: Floats, weights: Sequence[float], box: Floats) -> list[dict[str, float]]:
    """Return the two ends, within the axes, of the line on which the weighted sum is that of the best candidate."""
    one, two = weights
    best = float((at @ np.array(weights)).max())
    ends = [(x, (best - one * x) / two) for x in box[0]] if two else []
    ends += [((best - two * y) / one, y) for y in box[1]] if one else []
    slack = 1e-9 * (box[:, 1] - box[:, 0])
    inside = [end for end in ends if np.all(end >= box[:, 0] - slack) and np.all(end <= box[:, 1] + slack)]
    corners = [min(inside), max(inside)] if inside else []
    return [{"order": place, "first": float(x), "second": float(y)} for place, (x, y) in enumerate(corners)]


def _line(corners: list[dict[str, float]], axes: dict[str, Any], *, stepped: bool) -> dict[str, Any]:
    look: dict[str, Any] = {"interpolate": "step-before"} if stepped else {"strokeDash": [6, 4]}
    return marks("line", rows=corners, color=GREY, strokeWidth=1.5, **look)(order=shown_as("order:Q"), **axes)
