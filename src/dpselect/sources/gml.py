"""Edges in GML files: ``edge [ source 0 target 1 ]``, read element by element.

A text in quotes ends on its own line, so that one that is never closed spoils its own element alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dpselect.kernel.errors import InputError
from dpselect.sources.edge_texts import EdgeTexts, require_nodes, unescape

ENDINGS = (".gml",)
_TOKEN = re.compile(rb'^[ \t]*#[^\n]*|"[^"\n]*"?|\[|\]|[^\s\[\]"]+', re.MULTILINE)
_ELEMENTS = (b"node", b"edge")
# A name, and the values inside of it by their keys.
_Element = tuple[bytes, dict[bytes, bytes]]


def is_directed(path: Path) -> bool:
    """Return whether the graph says of itself, before its nodes and edges, that these are directed.

    Raises:
        ValueError: not a GML file.
    """
    return next(_elements(path, (b"directed",)))[1].get(b"directed") == b"1"


def read(path: Path, *, label: str | None, weight: str | None) -> EdgeTexts:
    """Return the edges of a file.

    Args:
        path: the file.
        label: the key that names nodes, such as ``label``; ``None`` for their ids.
        weight: the key of weights, such as ``value``; ``None`` for none.

    Raises:
        ValueError: not a GML file.
    """
    edges = EdgeTexts(names=None if label is None else {})
    naming, weighing = (None if each is None else each.encode() for each in (label, weight))
    wanted = (b"id", b"source", b"target", *(each for each in (naming, weighing) if each is not None))
    for name, values in _elements(path, wanted):
        if name == b"edge":
            edges.add(
                _text(values.get(b"source")),
                _text(values.get(b"target")),
                "" if weighing is None else _text(values.get(weighing)),
            )
        elif name == b"node" and naming is not None:
            edges.call(_text(values.get(b"id")), _text(values.get(naming)))
    return edges


def nodes(path: Path, label: str | None) -> list[str]:
    """Return the ids of all nodes, or what a key of theirs says.

    Raises:
        ValueError: not a GML file, or one without nodes.
    """
    key = (label or "id").encode()
    found = [_text(values.get(key)) for name, values in _elements(path, (key,)) if name == b"node"]
    return require_nodes(path, found)


def _text(value: bytes | None) -> str:
    """Return a value without its quotes and the blanks around it."""
    return "" if value is None else unescape(value.decode(errors="replace").strip('"')).strip()


def _elements(path: Path, wanted: tuple[bytes, ...]) -> Iterator[_Element]:
    """Yield the graph itself, and then each node and edge, with the wanted values directly inside of it.

    On a line of its own an element begins wherever it is named, so that one that does not end takes no other along.
    """
    current: _Element | None = None
    begun, depth, key = False, 0, b""
    # The token before this one, and where the one before that ended.
    before: re.Match[bytes] | None = None
    end = 0
    for found in _TOKEN.finditer(path.read_bytes()):
        token = found[0]
        if token == b"[":
            if before is not None and _begins(before, end, current, begun=begun):
                if current is not None:
                    yield current
                begun, current, depth = True, (before[0], {}), 1
            else:
                depth += 1
            key = b""
        elif token == b"]":
            depth -= 1
            if not depth and current is not None:
                yield current
                current = None
            key = b""
        elif token.lstrip(b" \t").startswith(b"#"):
            continue
        elif not key:
            key = token
        else:
            if depth == 1 and current is not None and key in wanted:
                current[1].setdefault(key, token)
            key = b""
        before, end = found, 0 if before is None else before.end()
    if not begun:
        raise InputError(f"{path.name} is not a GML file, which begins with graph [.")
    if current is not None:
        yield current


def _begins(name: re.Match[bytes], end: int, current: _Element | None, *, begun: bool) -> bool:
    """Return whether a bracket behind a name begins the graph, or a node or an edge of it.

    Inside of another, which then did not end, one begins on a line of its own alone.
    """
    if not begun:
        return name[0] == b"graph"
    if name[0] not in _ELEMENTS:
        return False
    return current is None or current[0] == b"graph" or name.string.find(b"\n", end, name.start()) >= 0
