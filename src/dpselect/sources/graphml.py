"""Edges of GraphML files: the form that NetworkX, igraph, Gephi and yEd write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError, iterparse

from dpselect.sources.locators import missing

ENDING = ".graphml"


def is_directed(path: Path) -> bool:
    """Return whether the graph says of itself, before its edges, that these are directed.

    Raises:
        ValueError: not a complete GraphML file.
    """
    for event, element in _parsed(path):
        if event == "start" and _is(element, "graph"):
            return bool(element.get("edgedefault") == "directed")
    raise _incomplete(path)


def nodes(path: Path) -> list[str]:
    """Return the ids of all nodes, in their order, isolated ones included: whoever asks declares that they are public.

    Raises:
        FileNotFoundError: no such file.
        ValueError: not a complete GraphML file, or one without nodes.
    """
    if not path.is_file():
        raise missing(path)
    result = list[str]()
    graph: Any = None
    for event, element in _parsed(path):
        if event == "start":
            graph = element if graph is None and _is(element, "graph") else graph
            result += [(element.get("id") or "").strip()] if _is(element, "node") else []
        elif graph is not None and (_is(element, "edge") or _is(element, "node")):
            graph.clear()
    if not result:
        raise ValueError(f"{path.name} lists no nodes: pass the public list of labels.")
    return result


def listed(public: Any) -> Any:
    """Return the nodes of a GraphML file where its path is passed, and whatever else is passed as it is."""
    return nodes(public) if isinstance(public, Path) and public.name.lower().endswith(ENDING) else public


def edges(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the ids of both ends of every edge, as text; ends that are missing are empty.

    What a single edge says of its own direction, and all data of nodes and edges, are left out.

    Raises:
        ValueError: not a complete GraphML file.
    """
    graph: Any = None
    for event, element in _parsed(path):
        if event == "start":
            graph = element if graph is None and _is(element, "graph") else graph
        elif _is(element, "edge"):
            yield (element.get("source") or "").strip(), (element.get("target") or "").strip()
        # What was read is let go, so that memory does not follow the length of the file.
        if event == "end" and graph is not None and (_is(element, "edge") or _is(element, "node")):
            graph.clear()
    if graph is None:
        raise _incomplete(path)


def _is(element: Any, name: str) -> bool:
    return bool(element.tag.rpartition("}")[2] == name)


def _parsed(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        with path.open("rb") as file:
            yield from iterparse(file, events=("start", "end"))
    except (ParseError, UnicodeError, LookupError):
        raise _incomplete(path) from None


def _incomplete(path: Path) -> ValueError:
    return ValueError(f"{path.name} is not a complete GraphML file.")
