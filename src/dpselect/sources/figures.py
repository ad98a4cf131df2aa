"""The beginning of pictures: with a figure of their own, and a file that must be a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpselect._optional import not_installed
from dpselect.kernel.errors import InputError

# An axis shows so many powers of ten below its largest value; what is less lies between the last one and 0.
_DECADES = 4
_ENDINGS = (".png", ".svg", ".pdf")


def new_figure(**looks: Any) -> Any:
    """Return a figure of matplotlib, made without pyplot, that notebooks show.

    Args:
        **looks: what ``matplotlib.figure.Figure`` takes, such as ``figsize=`` and ``layout=``.

    Raises:
        ImportError: matplotlib is not installed.
    """
    try:
        from dpselect.sources.notebook_figure import NotebookFigure
    except ImportError:
        raise not_installed("Pictures need matplotlib", "plot") from None
    return NotebookFigure(**looks)


def require_picture(path: str | Path | None) -> None:
    """Refuse a file that is not a picture (``ValueError``).

    >>> require_picture("law.svg")
    """
    if path is not None and Path(path).suffix.lower() not in _ENDINGS:
        raise InputError(f"{Path(path).name} is not a picture: pass a file that ends in .png, .svg or .pdf.")


def with_zero(axes: Any, values: Sequence[float]) -> None:
    """Give the y axis a log scale with plain numbers and, where some values are next to nothing, a place for 0.

    Args:
        axes: of matplotlib.
        values: what is drawn there, none of them negative.
    """
    most = max(values, default=0.0)
    if most <= 0:
        return
    top = math.ceil(math.log10(most))
    floor = 10.0 ** (top - _DECADES)
    if min(values) >= floor:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,g}")
        if most < 10 * min(values):
            axes.yaxis.set_minor_formatter("{x:,g}")
        return
    axes.set_yscale("symlog", linthresh=floor, linscale=0.6)
    axes.set_ylim(0, 1.5 * most)
    ticks = [0.0, *(10.0**power for power in range(top - _DECADES, top + 1))]
    axes.set_yticks(ticks, [f"{tick:,g}" for tick in ticks])
