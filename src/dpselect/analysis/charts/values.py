"""Exact chances of a grid of numbers: where an answer falls, against the value in its own unit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.analysis.charts.chart_picture import Picture
from dpselect.analysis.charts.look import INK, WIDTH, chart_of, colour_of, marks, shown_as
from dpselect.analysis.charts.pmf_chart import PUBLIC
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import default_mechanism, require_mechanism
from dpselect.scores.scores import Scores, require_scores

Floats = NDArray[np.float64]
# Bars that are drawn at most: each holds as many neighbouring values as are needed.
BARS = 60
_HEIGHT = 240


def value_chart(
    scores: Scores,
    *,
    epsilon: Epsilon,
    mechanism: str | Mechanism | None = None,
    neighbour: Scores | None = None,
    unit: str = "value",
    between: tuple[float, float] | None = None,
    width: float = WIDTH,
) -> Picture:
    """Draw the exact chance of each value of a grid as bars in order of the values; return a picture.

    The chances are functions of the scores, so this is for public or made-up data, and the chart says so. Nothing is
    drawn at random and nothing is spent. A rule marks the value with the best score. Of more than 60 values several
    share a bar.

    Args:
        scores: of a public or made-up database, whose candidates are numbers in increasing order, as
            ``dpselect.utilities.percentile`` returns them.
        epsilon: of one selection.
        mechanism: a name or what :func:`dpselect.mechanism` returned; ``None`` means what :func:`dpselect.select`
            would draw with.
        neighbour: the scores of the same values on a neighbouring database: a line of steps shows their chances.
        unit: what the values are called.
        between: the lowest and the highest value that are drawn; ``None`` draws all.
        width: of the chart in pixels.

    Raises:
        PrivacyError: the mechanism does not apply to these scores.
        ValueError: candidates that are not increasing numbers, a neighbour with others, no value between two that are
            drawn, no such mechanism, or an epsilon that is not positive and finite.

    >>> import dpselect as dps
    >>> ages = dps.utilities.percentile([20, 30, 30, 40], 50, grid=[10, 20, 30, 40])
    >>> bars = dps.plot.value_chart(ages, epsilon=2).to_dict()["layer"][0]["data"]["values"]
    >>> [(bar["from"], bar["to"], round(bar["chance"], 3)) for bar in bars]
    [(5.0, 15.0, 0.003), (15.0, 25.0, 0.024), (25.0, 35.0, 0.907), (35.0, 45.0, 0.066)]
    """
    values = numbers_of(scores)
    if neighbour is not None and not np.array_equal(values, numbers_of(neighbour)):
        raise InputError("A neighbour has the same public grid: pass scores of those values.")
    drawn = default_mechanism(scores) if mechanism is None else require_mechanism(mechanism)
    value = exact_epsilon(epsilon)
    here = drawn.pmf(scores, value)
    there = None if neighbour is None else drawn.pmf(neighbour, value)
    return value_bars(scores, here, there, drawn.name, float(value), unit, between, width)


def numbers_of(scores: Scores) -> Floats:
    """Return the candidates as numbers, shape (m,).

    Raises:
        ValueError: they are not numbers in increasing order.
    """
    try:
        values = np.asarray(require_scores(scores).candidates, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array([])
    if values.size != len(scores) or not np.isfinite(values).all() or not (np.diff(values) > 0).all():
        raise InputError("A chart of values needs a grid: candidates that are numbers, in increasing order.")
    return values


def value_bars(
    scores: Scores,
    here: Floats,
    there: Floats | None,
    name: str,
    epsilon: float,
    unit: str = "value",
    between: tuple[float, float] | None = None,
    width: float = WIDTH,
) -> Picture:
    """Draw chances that are known already, each of shape (m,); otherwise as :func:`value_chart`."""
    values = numbers_of(scores)
    rows = _rows(values, here, there, between)
    ends = [rows[0]["from"], rows[-1]["to"]]
    most = max(max(row["chance"], row.get("neighbour", 0)) for row in rows)
    axis = {"tickCount": max(2, int(width / 90)), "format": ",.6~g"}
    x = shown_as("from:Q", title=unit, axis=axis, scale={"domain": ends, "nice": False, "zero": False})
    y = shown_as(
        "chance:Q",
        title="chance" if rows[0]["values"] == 1 else f"chance of {rows[0]['values']:,} values together",
        axis={"tickCount": 5},
        scale={"domain": [0, max(1.15 * most, 1e-9)], "nice": False},
    )
    bars = marks("rect", rows=rows, color=colour_of(name), stroke="#ffffff", strokeWidth=0.5)
    tip = [shown_as("from:Q"), shown_as("to:Q"), shown_as("chance:Q")]
    layers = [bars(x=x, x2={"field": "to"}, y=y, y2={"datum": 0}, tooltip=tip)]
    if there is not None:
        # One line of steps over all bars; its last step ends where the last bar does.
        steps = [{"from": row["from"], "chance": row["neighbour"]} for row in rows]
        steps.append({"from": ends[1], "chance": rows[-1]["neighbour"]})
        for colour, thick in (("#ffffff", 3), (INK, 1.3)):
            line = marks("line", rows=steps, interpolate="step-after", color=colour, strokeWidth=thick)
            layers.append(line(x=x, y=y))
    layers += _best(float(values[int(scores.values.argmax())]), x, ends)
    said = " Line: the same on the neighbour." if there is not None else ""
    title, subtitle = f"{name}, epsilon {epsilon:g}", f"{PUBLIC}{said}"
    return chart_of(layers, title, height=_HEIGHT, subtitle=subtitle, width=width)


def _best(best: float, x: dict[str, Any], ends: list[float]) -> list[dict[str, Any]]:
    """Return the rule at the value with the best score, and its words; nothing where it is not drawn."""
    if not ends[0] <= best <= ends[1]:
        return []
    left = best < sum(ends) / 2
    rows = [{"from": best, "words": f"best: {best:,.6g}"}]
    text = marks("text", rows=rows, align="left" if left else "right", dx=5 if left else -5, color=INK)
    return [
        marks("rule", rows=rows, color=INK, strokeDash=[5, 3], strokeWidth=1.3)(x=x),
        text(x=x, y={"value": 8}, text=shown_as("words:N")),
    ]


def _rows(
    values: Floats, here: Floats, there: Floats | None, between: tuple[float, float] | None
) -> list[dict[str, Any]]:
    """Return a row for each bar: what it spans, half way to the values beside it, and the chances in it."""
    low, high = 0, values.size
    if between is not None:
        low, high = int(np.searchsorted(values, between[0])), int(np.searchsorted(values, between[1], side="right"))
    if not low < high:
        raise InputError("between is the lowest and the highest value that are drawn: pass two of the grid.")
    each = math.ceil((high - low) / BARS)
    if values.size == 1:
        borders = np.array([values[0] - 0.5, values[0] + 0.5])
    else:
        middles = (values[1:] + values[:-1]) / 2
        borders = np.concatenate([[2 * values[0] - middles[0]], middles, [2 * values[-1] - middles[-1]]])
    starts = np.arange(low, high, each)
    stops = np.append(starts[1:], high)
    pmfs = {"chance": here} if there is None else {"chance": here, "neighbour": there}
    sums = {name: np.add.reduceat(probabilities[:high], starts).tolist() for name, probabilities in pmfs.items()}
    return [
        {
            "from": float(borders[start]),
            "to": float(borders[stop]),
            "values": each,
            **{name: chances[number] for name, chances in sums.items()},
        }
        for number, (start, stop) in enumerate(zip(starts, stops, strict=True))
    ]
