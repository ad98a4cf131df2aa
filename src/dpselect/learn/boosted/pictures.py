"""The curves of an additive model as a picture: what each value of a column adds to the log-odds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect._optional import not_installed
from dpselect.kernel.errors import InputError
from dpselect.learn.domains import Attribute
from dpselect.learn.pages.colours import colour_of
from dpselect.sources.figures import new_figure, require_picture
from dpselect.sources.output import save_figure

Floats = NDArray[np.float64]
_SHOWN, _WIDE, _LABELS = 12, 3, 8


def curves_picture(
    model: Any,
    path: str | Path | None,
    columns: Sequence[Any] | None,
    ax: Any = None,
    *,
    overwrite: bool = False,
) -> Any:
    """Draw curves with matplotlib, the most important column first.

    Args:
        model: a fitted additive model.
        path: where to save the picture, or ``None``.
        columns: names of columns, or ``None`` for the most important ones.
        ax: where to draw, if one column is named.
        overwrite: replace a file that is there already.

    Raises:
        FileExistsError: the file exists, and ``overwrite`` was not asked for.
        ValueError: the model has interactions; no such column; several columns for one place.
        ImportError: matplotlib is not installed.
    """
    require_picture(path)
    curves = model.curves_
    try:
        from matplotlib.patches import Patch
    except ImportError:
        raise not_installed("Pictures need matplotlib", "plot") from None
    places = _places(model, columns)
    if ax is not None:
        if len(places) != 1:
            raise InputError("ax has room for one curve: name one column, columns=[name].")
        figure, every = ax.figure, [ax]
    else:
        wide = min(_WIDE, len(places))
        high = math.ceil(len(places) / wide)
        figure = new_figure(figsize=(4.2 * wide, 2.9 * high), layout="constrained")
        every = figure.subplots(high, wide, squeeze=False).ravel().tolist()
    low = min(float(curves[place].min()) for place in places)
    top = max(float(curves[place].max()) for place in places)
    margin = max(0.06 * (top - low), 0.05)
    for axes, place in zip(every, places, strict=False):
        _draw(axes, model.attributes_[place], curves[place])
        # One scale for all, so that what is flat looks flat.
        axes.set_ylim(low - margin, top + margin)
        axes.set_title(str(model.attributes_[place].name), fontsize=10)
        axes.tick_params(labelsize=8)
    for axes in every[len(places) :]:
        axes.set_axis_off()
    if curves[places[0]].ndim > 1:
        names = [_short(str(each)) for each in model.classes_]
        marks = [Patch(color=colour_of(place), label=name) for place, name in enumerate(names)]
        every[0].legend(handles=marks, fontsize=7, title="score of", title_fontsize=7)
    if ax is None:
        of = "scores" if curves[places[0]].ndim > 1 else _measure(model)
        figure.supylabel(f"added to the {of}", fontsize=9)
    if path is not None:
        save_figure(figure, path, overwrite=overwrite)
    return figure


def _measure(model: Any) -> str:
    """Return in words what scores measure."""
    classes = getattr(model, "classes_", None)
    return "prediction" if classes is None else f"log-odds of {classes[1]}"


def _places(model: Any, columns: Sequence[Any] | None) -> list[int]:
    """Return the positions of the columns to draw."""
    names = [each.name for each in model.attributes_]
    if columns is None:
        order: list[int] = np.argsort(-model.feature_importances_, kind="stable")[:_SHOWN].tolist()
        return order
    lacking = [name for name in columns if name not in names]
    if lacking or not columns:
        raise InputError(f"columns must name columns of the model, such as {names[0]!r}.")
    return [names.index(name) for name in columns]


def _draw(axes: Any, attribute: Attribute, curve: Floats) -> None:
    heights = curve if curve.ndim > 1 else curve[:, None]
    axes.axhline(0, color="0.8", linewidth=0.8, zorder=0)
    known = attribute.size - attribute.missing
    colours = [colour_of(place) for place in range(heights.shape[1])]
    if attribute.edges is not None:
        for output, colour in zip(heights.T, colours, strict=True):
            axes.stairs(output[:known], attribute.edges, color=colour, baseline=None, linewidth=1.5)
        if attribute.missing:
            _beside(axes, attribute.edges, heights[-1], colours)
        return
    names = [str(each) for each in attribute.categories or ()] + ["missing"] * attribute.missing
    positions = np.arange(len(names))
    thick = 0.8 / heights.shape[1]
    for place, (output, colour) in enumerate(zip(heights.T, colours, strict=True)):
        axes.bar(positions - 0.4 + thick * (place + 0.5), output, thick, color=colour)
    # More names than fit stand at every few bars.
    step = math.ceil(len(names) / _LABELS)
    axes.set_xticks(positions[::step], [_short(name) for name in names[::step]], rotation=30, ha="right")


def _beside(axes: Any, edges: Floats, heights: Floats, colours: Sequence[str]) -> None:
    """Draw what missing values add, to the right of the numbers."""
    width = float(edges[-1] - edges[0])
    for height, colour in zip(heights, colours, strict=True):
        axes.plot([edges[-1] + 0.08 * width], [height], marker="D", markersize=5, color=colour, linestyle="none")
    axes.annotate("missing", (edges[-1] + 0.08 * width, heights[0]), xytext=(0, 7), textcoords="offset points",
                  ha="center", fontsize=7)  # fmt: skip
    axes.set_xlim(edges[0] - 0.03 * width, edges[-1] + 0.2 * width)


def _short(name: str) -> str:
    return name if len(name) <= 14 else name[:13] + "…"
