"""The curves of an additive model as SVG: how far each value of a column moves the score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpselect._display.markup import Mark, drawing, mark
from dpselect.learn.domains import Attribute
from dpselect.learn.pages.colours import colour_of

if TYPE_CHECKING:
    from markupsafe import Markup

Floats = NDArray[np.float64]
# Pixels: of a card, its margins, and a line of a category.
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM, _LINE = 340, 190, 58, 16, 10, 24, 22
# Room for names of categories, and how many are drawn.
_NAMES, _FITS, MOST_NAMED = 126, 15, 14


def drawn_curve(attribute: Attribute, curve: Floats, most: float) -> Markup:
    """Return the curve of one column.

    Args:
        curve: what each code contributes, shape (size,), or (size, classes).
        most: the largest size of a contribution of all columns: all curves share this scale.
    """
    heights = curve if curve.ndim > 1 else curve[:, None]
    most = max(most, 1e-3)
    return _steps(attribute, heights, most) if attribute.is_ordered else _rows(attribute, heights, most)


def _steps(attribute: Attribute, heights: Floats, most: float) -> Markup:
    """Return numbers as a line of steps, with missing values beside it."""
    edges = attribute.edges
    assert edges is not None
    known = attribute.size - attribute.missing
    right = _WIDTH - _RIGHT - (52 if attribute.missing else 0)

    def x_of(value: float) -> float:
        return _LEFT + float((value / 2 - edges[0] / 2) / (edges[-1] / 2 - edges[0] / 2)) * (right - _LEFT)

    def y_of(value: float) -> float:
        return _TOP + (1 - value / most) / 2 * (_HEIGHT - _TOP - _BOTTOM)

    marks = [*_scale(most, y_of, _WIDTH - _RIGHT)]
    for output, line in enumerate(heights.T):
        steps = [f"M{x_of(edges[0]):.1f} {y_of(line[0]):.1f}"]
        for code in range(known):
            if code and line[code] != line[code - 1]:
                steps.append(f"V{y_of(line[code]):.1f}")
            if code + 1 == known or line[code] != line[code + 1]:
                steps.append(f"H{x_of(edges[code + 1]):.1f}")
        colour = _colour(heights, output)
        marks.append(mark("path", d="".join(steps), fill="none", stroke=colour, stroke_width=2))
        if attribute.missing:
            middle = (right + _WIDTH - _RIGHT) / 2 + 8
            marks.append(mark("circle", cx=f"{middle:g}", cy=f"{y_of(line[-1]):.1f}", r=4, fill=colour))
    foot = _HEIGHT - 6
    marks.append(mark("text", f"{edges[0]:g}", x=_LEFT, y=foot))
    marks.append(mark("text", f"{edges[-1]:g}", x=right, y=foot, text_anchor="end"))
    if attribute.missing:
        marks.append(mark("text", "missing", x=_WIDTH, y=foot, text_anchor="end"))
    return _picture(attribute, _HEIGHT, marks)


def _scale(most: float, y_of: object, right: float) -> Iterator[Mark]:
    """Yield the lines at the ends of the scale and at zero."""
    assert callable(y_of)
    for value in (most, 0.0, -most):
        y = y_of(value)
        grey = "#999" if value == 0 else "#e4e4e4"
        yield mark("line", x1=_LEFT, x2=right, y1=f"{y:.1f}", y2=f"{y:.1f}", stroke=grey)
        yield mark("text", _signed_text(value), x=_LEFT - 6, y=f"{y + 4:.1f}", text_anchor="end")


def _rows(attribute: Attribute, heights: Floats, most: float) -> Markup:
    """Return categories as rows, those that move the score most first; beyond a screen the rest is counted."""
    names = [str(each) for each in attribute.categories or ()] + ["missing"] * attribute.missing
    order = np.argsort(-np.abs(heights).max(axis=1), kind="stable")[:MOST_NAMED]
    # In the order in which they were declared.
    shown: Sequence[int] = sorted(order.tolist())
    middle, half = (_NAMES + _WIDTH - _RIGHT) / 2, (_WIDTH - _RIGHT - _NAMES) / 2
    height = _TOP + _LINE * len(shown) + _BOTTOM + (_LINE if len(shown) < len(names) else 0)
    foot = _TOP + _LINE * len(shown)
    marks = []
    for value in (-most, 0.0, most):
        x = middle + half * value / most
        grey = "#999" if value == 0 else "#e4e4e4"
        marks.append(mark("line", x1=f"{x:g}", x2=f"{x:g}", y1=_TOP, y2=foot, stroke=grey))
        # The last one would be cut at the edge.
        end = {"x": _WIDTH, "text_anchor": "end"} if value == most else {"x": f"{x:g}", "text_anchor": "middle"}
        marks.append(mark("text", _signed_text(value), y=foot + 16, **end))
    for row, code in enumerate(shown):
        y = _TOP + _LINE * (row + 0.5)
        name = names[code] if len(names[code]) <= _FITS else names[code][: _FITS - 1] + "…"
        title = mark("title", names[code])
        marks.append(mark("text", title, name, x=_NAMES - 10, y=f"{y + 4:g}", text_anchor="end"))
        for output, value in enumerate(heights[code].tolist()):
            x, colour = middle + half * value / most, _colour(heights, output)
            if heights.shape[1] == 1:
                ends = {"x1": f"{middle:g}", "x2": f"{x:.1f}", "y1": f"{y:g}", "y2": f"{y:g}"}
                marks.append(mark("line", **ends, stroke=colour, stroke_width=3))
            marks.append(mark("circle", cx=f"{x:.1f}", cy=f"{y:g}", r=4, fill=colour))
    if len(shown) < len(names):
        marks.append(mark("text", f"and {len(names) - len(shown)} that move it less", x=4, y=height - 6))
    return _picture(attribute, height, marks)


def _picture(attribute: Attribute, height: float, marks: Sequence[Mark]) -> Markup:
    return drawing(*marks, viewBox=f"0 0 {_WIDTH} {height:g}", aria_label=f"curve of {attribute.name}")


def _colour(heights: Floats, output: int) -> str:
    """Return the colour of a line: that of its class, where there is one for each."""
    return colour_of(output) if heights.shape[1] > 1 else "#333"


def _signed_text(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:+,.0f}" if abs(value) < 1e5 else f"{value:+.0e}"
    return f"{value:+.2g}" if value else "0"
