"""Edges of files whose elements are read one by one, as text, and what the nodes of these files are called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.entities import name2codepoint
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.sources.csv_text import integer
from dpselect.sources.edge_ends import EdgeRows, Kind, is_edge

_SIGNS = name2codepoint | {"apos": ord("'")}
_REFERENCE = re.compile(r"&(?:#[xX]([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([A-Za-z][A-Za-z0-9]*));")


# So many elements are kept of those that are not edges.
_SHOWN = 10


@dataclass(repr=False, eq=False)
class EdgeTexts:
    """Ends and weights of edges as a file has them.

    Attributes:
        sources, targets: the ids of the ends of each edge; one that is missing is empty.
        weights: the weight of each edge, empty where it has none.
        dropped: how many other elements are not edges.
        unread: the first of these, as they are written; they are private.
        names: what the nodes are called, by their ids, where one name for each was asked for.
    """

    sources: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    weights: list[str] = field(default_factory=list)
    dropped: int = 0
    unread: list[str] = field(default_factory=list)
    names: dict[str, str] | None = None

    def add(self, source: str, target: str, weight: str) -> None:
        """Add an edge."""
        self.sources.append(source)
        self.targets.append(target)
        self.weights.append(weight)

    def drop(self, text: str) -> None:
        """Leave out an element that is not an edge."""
        self.dropped += 1
        if len(self.unread) < _SHOWN:
            self.unread.append(text)

    def rows(self, kind: Kind) -> EdgeRows:
        """Return the edges whose ends are of a kind, by the names of their nodes where these were asked for."""
        (source, fine), (target, good) = (_of_kind(ends, kind) for ends in self._named())
        both = fine & good
        weight = np.array(self.weights, np.object_)[both]
        return EdgeRows(source[both], target[both], self.dropped + int((~both).sum()), weight)

    def wrong(self, kind: Kind) -> Iterator[str]:
        """Yield the first elements that are not edges, as they are written; they are private."""
        yield from self.unread
        named = zip(*self._named(), strict=True)
        for pair, source, target in zip(named, self.sources, self.targets, strict=True):
            if not is_edge(pair, kind):
                yield f"{source} {target}"

    def _named(self) -> tuple[list[str], list[str]]:
        """Return the ends of edges by name; a node without one has none."""
        if self.names is None:
            return self.sources, self.targets
        called = self.names.get
        return [called(each, "") for each in self.sources], [called(each, "") for each in self.targets]


def _of_kind(ends: list[str], kind: Kind) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return ends as they are asked for, and which of them are."""
    if kind is str:
        return np.array(ends, np.object_), np.array([*map(bool, ends)], np.bool_)
    read = {each: integer(each) for each in {*ends}}
    numbers = [read[each] for each in ends]
    good = np.array([number is not None for number in numbers], np.bool_)
    return np.array([number or 0 for number in numbers], np.int64), good


def require_nodes(path: Path, found: list[str]) -> list[str]:
    """Return the nodes that a file lists, or refuse one without nodes (``ValueError``)."""
    if not found:
        raise ValueError(f"{path.name} lists no nodes: pass the public list of labels.")
    return found


def unescaped(text: str) -> str:
    """Return a text whose references to signs, such as ``&amp;`` and ``&#233;``, are those signs.

    Nothing else is looked up, and what is not such a reference stays.

    >>> unescaped("R&amp;D caf&#xe9; &other; &#xd800;")
    'R&D café &other; &#xd800;'
    """
    return _REFERENCE.sub(_sign, text) if "&" in text else text


def _sign(found: re.Match[str]) -> str:
    hexadecimal, decimal, name = found.groups()
    number = _SIGNS.get(name, -1) if name else int(decimal) if decimal else int(hexadecimal, 16)
    # Halves of surrogate pairs are not signs.
    return chr(number) if 0 < number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else found[0]
