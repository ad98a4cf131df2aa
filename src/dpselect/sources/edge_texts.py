"""Edges of files whose elements are read one by one, as text, and what the nodes of these files are called."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.entities import name2codepoint
from pathlib import Path

from dpselect.kernel.errors import InputError

_SIGNS = name2codepoint | {"apos": ord("'")}
_REFERENCE = re.compile(r"&(?:#[xX]([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([A-Za-z][A-Za-z0-9]*));")


# So many elements are kept of those that are not edges.
_MOST_SHOWN = 10


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

    def call(self, node: str, name: str) -> None:
        """Call a node by a name, where names were asked for and it has no other."""
        if self.names is not None and node:
            self.names.setdefault(node, name)

    def drop(self, text: str) -> None:
        """Leave out an element that is not an edge."""
        self.dropped += 1
        if len(self.unread) < _MOST_SHOWN:
            self.unread.append(text)

    def named_ends(self) -> tuple[list[str], list[str]]:
        """Return the ends of edges by the names of nodes where these were asked for; a node without one has none."""
        if self.names is None:
            return self.sources, self.targets
        called = self.names.get
        return [called(each, "") for each in self.sources], [called(each, "") for each in self.targets]


def require_nodes(path: Path, found: list[str]) -> list[str]:
    """Return the nodes that a file lists, or refuse one without nodes (``ValueError``)."""
    if not found:
        raise InputError(f"{path.name} lists no nodes: pass the public list of labels.")
    return found


def unescape(text: str) -> str:
    """Return a text whose references to signs, such as ``&amp;`` and ``&#233;``, are those signs.

    Nothing else is looked up, and what is not such a reference stays.

    >>> unescape("R&amp;D caf&#xe9; &other; &#xd800;")
    'R&D café &other; &#xd800;'
    """
    return _REFERENCE.sub(_sign, text) if "&" in text else text


def _sign(found: re.Match[str]) -> str:
    hexadecimal, decimal, name = found.groups()
    number = _SIGNS.get(name, -1) if name else int(decimal) if decimal else int(hexadecimal, 16)
    # Halves of surrogate pairs are not signs.
    return chr(number) if 0 < number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else found[0]
