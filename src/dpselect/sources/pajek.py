"""Edges in Pajek files (.net): lines below headings that begin with a star; nodes are numbers from 1, with labels.

Below ``*Arcs`` and ``*Edges`` a line is an edge, and below ``*Arcslist`` and ``*Edgeslist`` a node with all of its
neighbours. Each line is read by itself; a heading is the form of the file, and not a record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dpselect.kernel.errors import InputError
from dpselect.sources import edge_lines
from dpselect.sources.edge_texts import EdgeTexts, require_nodes, unescape

ENDINGS = (".net",)
LABEL = "label"
_HEADING = re.compile(r"\*[ \t]*([a-z]*)", re.IGNORECASE)
# NetworkX writes a backslash before a quote; Pajek has no such sign, so a label may end with one.
_NODE = re.compile(r"""([^ \t"]+)[ \t]+(?:"((?:[^"\\]|\\.)*)"(?=[ \t]|$)|"([^"]*)"|([^ \t]+))""")
_ESCAPE = re.compile(r'\\([\\"])')
# What these lines mean: edges, or lists of neighbours; with directions or without.
_PAIRS, _LISTS = ("arcs", "edges"), ("arcslist", "edgeslist")
_READ = ("network", "vertices", *_PAIRS, *_LISTS)
_HEADINGS = (*_READ, "matrix", "partition", "vector", "permutation", "cluster")
_BLANKS = re.compile(r"[ \t]+")


def read(path: Path, *, label: str | None, directed: bool) -> EdgeTexts:
    """Return the edges of a file.

    Args:
        path: the file.
        label: ``LABEL`` where nodes are called by their labels, and ``None`` where they are by their numbers.
        directed: only arcs are edges; an edge without direction is left out.

    Raises:
        ValueError: not a Pajek file, or one whose edges are below another heading, such as ``*Matrix``.
    """
    edges = EdgeTexts(names=None if label is None else {})
    for heading, line in _lines(path):
        if heading == "vertices":
            node = _NODE.match(line)
            if node is not None:
                edges.call(node[1], _label(node))
        elif directed and heading in ("edges", "edgeslist"):
            edges.drop(line)
        elif heading in _PAIRS and (found := edge_lines.edge(line)) is not None:
            source, target, weight = found
            # The weight of a line that names none is 1.
            edges.add(source, target, weight or "1")
        elif heading in _LISTS:
            first, *others = _BLANKS.split(line)
            for other in others:
                edges.add(first, other, "1")
        elif heading != "network":
            edges.drop(line)
    return edges


def nodes(path: Path, label: str | None) -> list[str]:
    """Return the numbers or labels of all nodes that have a line.

    Raises:
        ValueError: not a Pajek file, or one without such lines.
    """
    found = (_NODE.match(line) for heading, line in _lines(path) if heading == "vertices")
    return require_nodes(path, [node[1] if label is None else _label(node) for node in found if node is not None])


def _label(node: re.Match[str]) -> str:
    escaped = _ESCAPE.sub(r"\1", node[2] or "")
    return unescape(escaped or node[3] or node[4] or "").strip()


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield every line that is neither blank nor a comment, behind the heading that it is below."""
    heading = ""
    with edge_lines.open_text(path) as lines:
        for line in lines:
            text = line.strip(" \t\n")
            if not text or text.startswith("%"):
                continue
            found = _HEADING.match(text) if text[0] == "*" else None
            name = "" if found is None else found[1].lower()
            if not heading and name not in _HEADINGS:
                break
            # Behind the first edges, any other line that begins with a star is a line below the heading before it.
            if found is not None and heading in ("vertices", "network") and name not in _READ:
                raise InputError(
                    f"The edges of {path.name} are below a heading that is not read: save them as *Arcs or *Edges, or "
                    "as .csv."
                )
            if name in _HEADINGS:
                heading = name
            else:
                yield heading, text
    if not heading:
        raise InputError(f"{path.name} is not a Pajek file, which begins with *Vertices.")
