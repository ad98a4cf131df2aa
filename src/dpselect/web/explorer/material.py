"""What the pages are about: a public table or graph that was named on the command line, or made-up examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Material:
    """Public data.

    Attributes:
        name: what the pages call it.
        columns: of a table, as text, shape (n,) each; empty where none was given.
        graph: a graph, where one was given.
        words: how a command names it.
    """

    name: str = "made-up examples"
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    graph: Any = None
    words: str = ""


EXAMPLES = Material()
