"""A released tree as a picture: the root on the left, one row per leaf, and nothing on top of anything else.

Columns are as wide as the widest words of their nodes that split, measured by the renderer, and rows as high as a line.
Subtrees have rows of their own, so boxes of one column never touch, and right of a leaf its row is empty: its words may
go on over the columns there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dpselect.kernel.errors import InputError
from dpselect.learn.export import node_texts
from dpselect.learn.node_shares import plain_shares
from dpselect.learn.pages.colours import share_tints
from dpselect.learn.tree import Tree
from dpselect.sources.figures import new_figure, require_picture
from dpselect.sources.output import save_figure

# Points, as they are and at least; rows and gaps are in units of the first. A line of text is about 1.2 high, and its
# box is padded on both sides.
_FONT, _LEAST, _ROW, _GAP, _PAD = 8.0, 2.0, 2.7, 1.8, 0.35
_DPI = 72
# A longer picture has more pixels than matplotlib draws, at 150 a side.
_LONGEST = 400 * _DPI
_WORDS = 34


def tree_picture(model: Any, tree: Tree, path: str | Path | None, ax: Any = None, *, overwrite: bool = False) -> Any:
    """Draw a tree with matplotlib: splits, labels and released counts.

    Args:
        model, tree: what is drawn.
        path: where the picture is saved, if anywhere.
        overwrite: replace a file that is there already.
        ax: axes to draw into; text shrinks until it fits. Otherwise a figure grows until the tree fits.

    Raises:
        FileExistsError: the file exists, and ``overwrite`` was not asked for.
        ValueError: axes in which words would be smaller than 2 points, or a file of another kind.
        ImportError: matplotlib is not installed.
    """
    require_picture(path)
    figure = new_figure(dpi=_DPI) if ax is None else ax.get_figure()
    axes = figure.add_axes((0, 0, 1, 1)) if ax is None else ax
    rows = _rows(tree)
    texts = node_texts(model, tree)
    named = {node: _node_label(tree, node, *texts[node]) for node in rows}
    answers = {child: _answer(tree, node, child) for node in rows for child in _below(tree, node)}
    starts, width = _columns(tree, named, answers)
    height = tree.leaves.size * _ROW * _FONT
    if ax is None:
        scale = min(1.0, _LONGEST / max(width, height))
        figure.set_size_inches(width * scale / _DPI, height * scale / _DPI)
    else:
        box = axes.get_window_extent()
        scale = min(1.0, box.width * _DPI / figure.dpi / width, box.height * _DPI / figure.dpi / height)
        if scale * _FONT < _LEAST:
            least = f"{width * _LEAST / _FONT / _DPI:.1f} x {height * _LEAST / _FONT / _DPI:.1f}"
            raise InputError(f"This tree takes axes of at least {least} inches: pass larger ones, or leave ax= out.")
    axes.set_axis_off()
    # Points: whatever is wider or higher than the tree stays empty.
    axes.set(xlim=(0, width), ylim=(height, 0), autoscale_on=False)
    heights = {node: row * _ROW * _FONT for node, row in rows.items()}
    _draw(axes, tree, heights, starts, named, answers, _colours(model, tree), _FONT * scale)
    if path is not None:
        save_figure(figure, path, overwrite=overwrite)
    return figure


def _below(tree: Tree, node: int) -> list[int]:
    return tree.children(node).tolist() if tree.split[node] >= 0 else []


def _rows(tree: Tree) -> dict[int, float]:
    """Return the row of every node: leaves take the next one, other nodes the middle of their children."""
    rows: dict[int, float] = {}
    leaves = 0

    def lay(node: int) -> float:
        nonlocal leaves
        if below := _below(tree, node):
            rows[node] = float(np.mean([lay(child) for child in below]))
        else:
            rows[node] = leaves + 0.5
            leaves += 1
        return rows[node]

    lay(0)
    return rows


def _node_label(tree: Tree, node: int, label: str, figures: str) -> str:
    """Return what the box of a node says: its column, or its label and released figures."""
    return _short(str(tree.attributes[tree.split[node]].name)) if tree.split[node] >= 0 else _short(label) + figures


def _colours(model: Any, tree: Tree) -> dict[int, str]:
    """Return the colour of every leaf: by its share of the second of two classes, or of its label."""
    leaves = tree.leaves
    if not getattr(model, "_counted", False):
        return dict.fromkeys(leaves.tolist(), "white")
    return dict(zip(leaves.tolist(), share_tints(plain_shares(tree)[leaves]), strict=True))


def _answer(tree: Tree, node: int, child: int) -> str:
    """Return which records of a node go to a child."""
    return _short(tree.attributes[tree.split[node]].meaning(np.flatnonzero(tree.route[node] == child)))


def _columns(tree: Tree, named: dict[int, str], answers: dict[int, str]) -> tuple[dict[tuple[str, int], float], float]:
    """Return where every column of boxes and of answers starts, and the width of all, in points."""
    ruler, starts = _Ruler(), dict[tuple[str, int], float]()
    at, most = _GAP * _FONT, 0.0
    for depth in range(int(tree.depth.max()) + 1):
        here = [node for node in named if tree.depth[node] == depth]
        if depth:
            starts["answer", depth] = at
            at += max(ruler(answers[node]) for node in here) + 2 * _GAP * _FONT
        starts["box", depth] = at
        widths = {node: ruler(named[node]) + 2 * _GAP * _FONT for node in here}
        most = max(most, at + max(widths.values()))
        at += max((width for node, width in widths.items() if tree.split[node] >= 0), default=0.0)
    return starts, most


class _Ruler:
    """Return widths of words, in points, by the renderer of a new figure: the axes of a caller keep their canvas."""

    def __init__(self) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self._figure = Figure(dpi=_DPI)
        self._renderer = FigureCanvasAgg(self._figure).get_renderer()

    def __call__(self, words: str) -> float:
        from matplotlib.text import Text

        text = Text(0, 0, words, fontsize=_FONT, figure=self._figure, parse_math=False)
        return float(text.get_window_extent(self._renderer).width)


def _draw(
    axes: Any,
    tree: Tree,
    rows: dict[int, float],
    starts: dict[tuple[str, int], float],
    named: dict[int, str],
    answers: dict[int, str],
    colours: dict[int, str],
    font: float,
) -> None:
    """Put boxes, answers and lines into axes whose units are points of the full size."""
    common = {"fontsize": font, "va": "center", "ha": "left", "parse_math": False}
    width = font / _FONT
    for node, y in rows.items():
        depth = int(tree.depth[node])
        box = {"facecolor": colours.get(node, "0.93"), "edgecolor": "0.4", "boxstyle": f"round,pad={_PAD}"}
        axes.text(starts["box", depth], y, named[node], bbox=box | {"linewidth": 0.7 * width}, zorder=3, **common)
        for child in _below(tree, node):
            first, last = starts["answer", depth + 1], starts["box", depth + 1]
            bend = first - _GAP * _FONT / 2
            line = {"color": "0.7", "linewidth": width, "zorder": 1}
            axes.plot([starts["box", depth], bend, bend, last], [y, y, rows[child], rows[child]], **line)
            white = {"facecolor": "white", "edgecolor": "none", "pad": 0.5 * width}
            axes.text(first, rows[child], answers[child], color="0.25", bbox=white, zorder=2, **common)


def _short(words: str) -> str:
    return words if len(words) <= _WORDS else words[: _WORDS - 1] + "…"
