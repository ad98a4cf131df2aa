"""How all charts look: one colour and one shape for every mechanism, the same as in the other pictures."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from dpselect.analysis.charts.picture import Picture
from dpselect.kernel.extras import not_installed
from dpselect.kernel.families import FAMILIES, family

# What a chart is wide where nobody says otherwise, in pixels; a page passes its own width.
WIDTH = 640
INK, GREY, PAPER = "#1a1a1a", "#5a5a5a", "#ffffff"
FONT = "system-ui, 'DejaVu Sans', Arial, sans-serif"

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


def altair() -> Any:
    """Return the library that makes the charts.

    Raises:
        ImportError: it is not installed.
    """
    try:
        import altair
    except ImportError:
        raise not_installed("Charts need Altair", "web") from None
    return altair


def colour_of(mechanism: str) -> str:
    """Return the colour of a mechanism, by its published name.

    >>> colour_of("permute-and-flip")
    '#0b3c5d'
    """
    return FAMILIES[family(mechanism)].colour


def shape_of(mechanism: str) -> str:
    """Return the shape of a mechanism's points, by its published name.

    >>> shape_of("permute-and-flip"), shape_of("local-dampening")
    ('circle', 'diamond')
    """
    return _SHAPES.get(FAMILIES[family(mechanism)].marker, "circle")


def finished(
    chart: Any, title: str, *, subtitle: str = "", width: float = WIDTH, height: Any = None, named_rows: bool = False
) -> Picture:
    """Return a chart with a title, a size, and the look that all of them share.

    Args:
        chart: of Altair.
        title: what it shows.
        subtitle: what it holds for.
        width: of the whole chart with its axis, in pixels.
        height: in pixels, or a step for each row as Altair has it; ``None`` leaves it.
        named_rows: the upright axis has names and no line.
    """
    sizes = {"width": width} if height is None else {"width": width, "height": height}
    # Vega breaks no lines: about 9 pixels are a letter of the title, which is bold, and 7 one below it.
    lines, below = wrap(title, int(width / 8.8)), wrap(subtitle, int(width / 7.2))
    head = altair().TitleParams(lines, subtitle=below or altair().Undefined, anchor="start")
    # Of a narrow screen names take a third.
    names = min(180, round(width / 3))
    axis = {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
    kit = altair()
    # Set at once: each method that configures copies the whole chart, which takes longer than the laws.
    look = {
        "view": kit.ViewConfig(stroke=None),
        "axis": kit.AxisConfig(**axis, gridColor="#e6e6e6", labelLimit=names),
        "title": kit.TitleConfig(color=INK, subtitleColor=GREY, fontSize=14, subtitleFontSize=12),
        "legend": kit.LegendConfig(labelColor=INK, titleColor=INK, labelFontSize=12, labelLimit=260),
        "text": kit.MarkConfig(fill=GREY),
    }
    if named_rows:
        look["axisY"] = kit.AxisConfig(labelColor=INK, ticks=False, domain=False)
    settings = kit.Config(font=FONT, background=PAPER, **look)
    fitted = kit.AutoSizeParams(type="fit-x", contains="padding")
    return Picture(chart.properties(**sizes, title=head, autosize=fitted, config=settings))
