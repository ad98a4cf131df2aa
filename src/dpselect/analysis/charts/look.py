"""The look of all charts: one colour and one shape for every mechanism, the same as in the other pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any

from dpselect._display.families import look
from dpselect.analysis.charts.chart_picture import Picture

# The width of a chart where none is given, in pixels; a page passes its own width.
WIDTH = 640
INK, GREY, PAPER = "#1a1a1a", "#5a5a5a", "#ffffff"
# Named by kind alone: the converter then measures each text with a font that it holds in memory, four times as quickly
# as with one from a file.
FONT = "system-ui, sans-serif"
# The widest usual font beside that one, and what a letter of it takes at 12 pixels.
_WIDER, _LETTER = 1.14, 6.9
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

# matplotlib's markers as shapes of Vega; those that it has not are paths within a square of side 2.
_SHAPES = {
    "o": "circle",
    "s": "square",
    "D": "diamond",
    "^": "triangle-up",
    "v": "triangle-down",
    "<": "triangle-left",
    ">": "triangle-right",
    "P": "cross",
    "X": "M-1,-0.6L-0.6,-1L0,-0.4L0.6,-1L1,-0.6L0.4,0L1,0.6L0.6,1L0,0.4L-0.6,1L-1,0.6L-0.4,0Z",
    "1": "M-0.15,-1L0.15,-1L0.15,0.1L1,0.6L0.85,0.9L0,0.4L-0.85,0.9L-1,0.6L-0.15,0.1Z",
    "2": "M-0.15,1L0.15,1L0.15,-0.1L1,-0.6L0.85,-0.9L0,-0.4L-0.85,-0.9L-1,-0.6L-0.15,-0.1Z",
    "*": "M0,-1L0.25,-0.3L1,-0.3L0.4,0.15L0.6,0.9L0,0.45L-0.6,0.9L-0.4,0.15L-1,-0.3L-0.25,-0.3Z",
}


# What the letters of a chart are called that say how a column is shown.
_TYPES = {"Q": "quantitative", "N": "nominal"}


def shown_as(column: str, **settings: Any) -> dict[str, Any]:
    """Return what shows a column of the data: its name and Q for quantities or N for names, and how.

    >>> shown_as("chance:Q", title="chance")
    {'field': 'chance', 'type': 'quantitative', 'title': 'chance'}
    """
    name, _, kind = column.partition(":")
    return {"field": name, "type": _TYPES[kind]} | settings


def marks(kind: str, /, *, rows: list[dict[str, Any]] | None = None, **look: Any) -> Callable[..., dict[str, Any]]:
    """Return a function from what is shown, by channel, to a layer of marks.

    Args:
        kind: of Vega-Lite, such as "bar".
        rows: the data of this layer; ``None`` takes those of the chart.
        look: of all its marks.

    >>> marks("bar", color="black")(x=shown_as("chance:Q"))
    {'mark': {'type': 'bar', 'color': 'black'}, 'encoding': {'x': {'field': 'chance', 'type': 'quantitative'}}}
    """
    data = {} if rows is None else {"data": {"values": rows}}
    return lambda **shown: {**data, "mark": {"type": kind, **look}, "encoding": shown}


def colour_of(mechanism: str) -> str:
    """Return the colour of a mechanism, by its published name.

    >>> colour_of("permute-and-flip")
    '#0b3c5d'
    """
    return look(mechanism).colour


def shape_of(mechanism: str) -> str:
    """Return the shape of a mechanism's points, by its published name.

    >>> shape_of("permute-and-flip"), shape_of("local-dampening")
    ('circle', 'diamond')
    """
    return _SHAPES.get(look(mechanism).marker, "circle")


def chart_of(
    layers: Sequence[dict[str, Any]],
    title: str,
    *,
    height: Any,
    rows: list[dict[str, Any]] | None = None,
    subtitle: str = "",
    width: float = WIDTH,
    named_rows: Sequence[str] = (),
) -> Picture:
    """Return layers with a title, a size, and the look that all charts share.

    Specifications are written as Vega-Lite has them: building them with Altair takes as long as drawing them, and
    a user who moves a slider waits for both.

    Args:
        layers: of marks, the lowest first.
        title: what it shows.
        height: in pixels, or ``{"step": pixels}`` for each row.
        rows: the data of layers that have none of their own.
        subtitle: what it holds for.
        width: of the whole chart with its axis, in pixels.
        named_rows: names that stand beside the upright axis, which has no line then.
    """
    # Vega breaks no lines: about 9 pixels are a letter of the title, which is bold, and 7 one below it.
    scale = letters(width) / 12
    lines, below = wrap(title, int(width / 8.8 / scale)), wrap(subtitle, int(width / 7.2 / scale))
    head = {"text": lines, "anchor": "start"} | ({"subtitle": below} if below else {})
    data = {} if rows is None else {"data": {"values": rows}}
    return Picture(
        {
            "$schema": SCHEMA,
            "config": _config(width, named_rows),
            **data,
            "title": head,
            "width": width,
            "height": height,
            "autosize": {"type": "fit-x", "contains": "padding"},
            "layer": [*layers],
        }
    )


def letters(width: float) -> int:
    """Return the size of the letters of a chart in pixels: larger on a narrow screen.

    >>> letters(640), letters(360)
    (12, 14)
    """
    return 12 if width >= 480 else 14


def _config(width: float, named_rows: Sequence[str]) -> dict[str, Any]:
    size = letters(width)
    # Of a narrow screen names take a third. Where a reader's font is wider than the one that is measured, they fit too.
    room = min(180, round(width / 3))
    names = round(room / _WIDER)
    config: dict[str, Any] = {
        "font": FONT,
        "background": PAPER,
        "view": {"stroke": None},
        "axis": {
            "labelColor": INK,
            "titleColor": INK,
            "labelFontSize": size,
            "titleFontSize": size,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "gridColor": "#e6e6e6",
            "labelLimit": names,
        },
        "title": {"color": INK, "subtitleColor": GREY, "fontSize": size + 2, "subtitleFontSize": size},
        "legend": {"labelColor": INK, "titleColor": INK, "labelFontSize": size, "labelLimit": 260, "columnPadding": 24},
        "text": {"fill": GREY, "fontSize": size},
    }
    if named_rows:
        extent = min(room, math.ceil(_LETTER * size / 12 * max(map(len, named_rows))))
        config["axisY"] = {"labelColor": INK, "ticks": False, "domain": False, "minExtent": extent}
    return config
