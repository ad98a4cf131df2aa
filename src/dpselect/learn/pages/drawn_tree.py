"""A released tree as SVG, its root at the left: as tall as it has leaves, so that it is read like a list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpselect._display.markup import Mark, drawing, mark
from dpselect.learn.export import node_texts
from dpselect.learn.node_shares import plain_shares
from dpselect.learn.pages.colours import colour_of
from dpselect.learn.tree import Tree

if TYPE_CHECKING:
    from markupsafe import Markup

# Pixels: of a level, of a line, around everything, of a bar of class shares, and of a letter.
_LEVEL, _LINE, _EDGE, _BAR, _LETTER = 182, 36, 16, 56, 6.9
# Letters of a condition that fit above its line.
_FITS = 21
MOST_LEAVES = 1_000


@dataclass(frozen=True)
class _Place:
    """The place where a node is drawn."""

    x: float
    y: float


def drawn_tree(model: Any, tree: Tree) -> Markup:
    """Return a drawing of released splits, labels and noisy class shares.

    Args:
        model: whose classes name the labels.
        tree: of at most ``MOST_LEAVES`` leaves.
    """
    places, texts = _laid_out(tree), node_texts(model, tree)
    marks, widest = list[Mark](), 0.0
    for node, place in places.items():
        if tree.split[node] < 0:
            drawn, width = _leaf(model, tree, node, place, texts[node])
            marks += drawn
            widest = max(widest, place.x + width)
            continue
        marks.append(mark("circle", cx=f"{place.x:g}", cy=f"{place.y:g}", r=4, fill="#555"))
        name = str(tree.attributes[tree.split[node]].name)
        for child in tree.children(node).tolist():
            words = tree.words(node, child)
            marks += _edge(place, places[child], words, _fit_condition(words, name))
    height = max(place.y for place in places.values()) + _EDGE + _LINE / 2
    width = int(widest + _EDGE)
    size = {"viewBox": f"0 0 {width} {height:g}", "width": width, "height": f"{height:g}"}
    return drawing(*marks, **size, aria_label=f"a tree of {tree.leaves.size} leaves")


def _laid_out(tree: Tree) -> dict[int, _Place]:
    """Return a place for every node that is reached: leaves below each other, others in the middle of theirs."""
    order, waiting = list[int](), [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if tree.split[node] >= 0:
            waiting.extend(reversed(tree.children(node).tolist()))
    heights: dict[int, float] = {}
    lines = 0
    for node in order:
        if tree.split[node] < 0:
            heights[node] = _EDGE + _LINE * (lines + 0.5)
            lines += 1
    for node in reversed(order):
        if tree.split[node] >= 0:
            heights[node] = float(np.mean([heights[child] for child in tree.children(node).tolist()]))
    return {node: _Place(_EDGE + _LEVEL * int(tree.depth[node]), heights[node]) for node in order}


def _fit_condition(words: str, name: str) -> str:
    """Return a condition that fits: of a long one the name is cut first, because the value tells branches apart."""
    value = words[len(name) :]
    if len(words) > _FITS and len(value) <= _FITS - 6:
        return f"{name[: _FITS - len(value) - 1].rstrip()}…{value}"
    return words if len(words) <= _FITS else words[: _FITS - 1] + "…"


def _edge(parent: _Place, child: _Place, words: str, shown: str) -> Iterator[Mark]:
    """Yield the line to a child with its condition above it; a cut one is whole where the pointer rests on it."""
    bend = parent.x + 16
    path = f"M{parent.x + 4:g} {parent.y:g}H{bend:g}V{child.y:g}H{child.x - 4:g}"
    yield mark("path", d=path, fill="none", stroke="#aaa")
    yield mark("text", mark("title", words), shown, x=f"{bend + 5:g}", y=f"{child.y - 5:g}")


def _leaf(model: Any, tree: Tree, node: int, place: _Place, text: tuple[str, str]) -> tuple[list[Mark], float]:
    """Return the label of a leaf with its noisy shares, and how wide they are."""
    label, figures = text
    marks, x = list[Mark](), place.x
    if figures and hasattr(model, "classes_"):
        for code, share in enumerate(plain_shares(tree)[node].tolist()):
            size = {"x": f"{x:.1f}", "y": f"{place.y - 6:g}", "width": f"{_BAR * share:.1f}", "height": 12}
            marks.append(mark("rect", **size, fill=colour_of(code)))
            x += _BAR * share
        x = place.x + _BAR + 8
    parts = [mark("tspan", label, **{"class": "label"})]
    parts += [mark("tspan", f" {figures.strip()}", **{"class": "quiet"})] if figures else []
    marks.append(mark("text", *parts, x=f"{x:g}", y=f"{place.y + 5:g}"))
    return marks, x - place.x + _LETTER * (len(label) + len(figures) + 2)
