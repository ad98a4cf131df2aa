"""Edges of graphs in XML: an element for each node and each edge, and values of theirs that are declared before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dpselect.kernel.errors import InputError
from dpselect.sources.edge_texts import EdgeTexts, require_nodes
from dpselect.sources.urls import missing
from dpselect.sources.xml_tags import XmlTags, local, tags

_NODE, _EDGE = b"node", b"edge"


@dataclass(frozen=True)
class XmlForm:
    """Words of an XML form of graphs.

    Attributes:
        noun: what the form is called.
        root: the element of the whole file.
        direction: the attribute of a graph that says whether its edges are ``directed``.
        own_direction: the attribute by which a single edge says so.
        undirected: what that is for an edge without one direction.
        declaration: the element that declares a value of nodes or edges, by its ``id``.
        title: the attribute of a declaration that names the value.
        value: the element of a value.
        reference: the attributes of a value that may hold the id of its declaration.
        cell: the attribute of a value that holds it; empty where it is the text of the element.
        weight: what an edge weighs that does not say it.
    """

    noun: str
    root: bytes
    direction: str
    own_direction: str
    undirected: tuple[str, ...]
    declaration: bytes
    title: str
    value: bytes
    reference: tuple[str, ...]
    cell: str
    weight: str


class _Element(NamedTuple):
    """A node or an edge: what stands in its tag, and its label or weight.

    Of one that is not well formed the name is empty, and the value is how it is written.
    """

    name: bytes
    attributes: dict[str, str]
    value: str


@dataclass(frozen=True)
class _WantedValues:
    """Labels of nodes and weights of edges: what they are called, the ids of their declarations, and a default."""

    names: dict[bytes, str]
    ids: dict[bytes, set[str]]
    weight: str


def is_directed(path: Path, form: XmlForm) -> bool:
    """Return whether the graph says of itself, before its edges, that these are directed.

    Raises:
        ValueError: not a complete file of this form.
    """
    every = _tags(path, form)
    for found in every:
        end, name, attributes, *_ = found.groups()
        if name is not None and not end and local(name) == b"graph":
            return every.attributes(attributes).get(form.direction, "").lower() == "directed"
    raise _incomplete(path, form)


def read(path: Path, form: XmlForm, *, label: str | None, weight: str | None, directed: bool) -> EdgeTexts:
    """Return the edges of a file.

    Args:
        path: the file.
        form: its words.
        label: the value that names nodes; ``None`` for their ids.
        weight: the value that weighs edges; ``None`` for none.
        directed: an edge that says of itself that it has no one direction is left out.

    Raises:
        ValueError: not a complete file of this form.
    """
    edges = EdgeTexts(names=None if label is None else {})
    kinds = (_EDGE,) if label is None else (_NODE, _EDGE)
    for element in _elements(path, form, kinds, label, weight):
        attributes = element.attributes
        if element.name == _NODE:
            edges.call(attributes.get("id", ""), element.value)
        elif element.name != _EDGE:
            edges.drop(element.value)
        elif directed and attributes.get(form.own_direction, "").lower() in form.undirected:
            edges.drop(" ".join(attributes.get(end, "") for end in ("source", "target", form.own_direction)))
        else:
            edges.add(attributes.get("source", ""), attributes.get("target", ""), element.value)
    return edges


def nodes(path: Path, form: XmlForm, label: str | None) -> list[str]:
    """Return the ids of all nodes or what a value of theirs says, in their order, isolated ones included.

    Raises:
        FileNotFoundError: no such file.
        ValueError: not a complete file of this form, or one without nodes.
    """
    if not path.is_file():
        raise missing(path)
    return require_nodes(path, [each.value for each in _elements(path, form, (_NODE,), label or "id", None)])


def _elements(
    path: Path, form: XmlForm, kinds: tuple[bytes, ...], label: str | None, weight: str | None
) -> Iterator[_Element]:
    """Yield each node or edge with its label or its weight; one that does not end, ends where the next one begins."""
    graph = complete = False
    current: tuple[bytes, dict[str, str]] | None = None
    value, text_from = "", -1
    every = _tags(path, form)
    wanted = _wanted_values(every, form, label, weight)
    for found in every:
        end, written_name, written, empty, wrong = found.groups()
        name = local(written_name or wrong or b"")
        if name in kinds:
            if current is not None:
                yield _finish_element(current, value, wanted)
            current, value, text_from = None, "", -1
            if wrong is not None and name == _EDGE:
                yield _Element(b"", {}, found[0].decode(errors="replace"))
            elif wrong is None and not end:
                current = (name, every.attributes(written))
            if empty and current is not None:
                yield _finish_element(current, value, wanted)
                current = None
        elif name == form.value and wrong is None and current is not None and wanted.ids[current[0]]:
            if end:
                value = value or (every.text(text_from, found.start()) if text_from >= 0 else "")
                text_from = -1
                continue
            attributes = every.attributes(written)
            if not wanted.ids[current[0]].isdisjoint(attributes.get(each, "") for each in form.reference):
                value = value or attributes.get(form.cell, "")
                text_from = found.end()
        graph = graph or name == b"graph"
        complete = complete or (end == b"/" and name == form.root)
    if not graph or not complete:
        raise _incomplete(path, form)


def _finish_element(element: tuple[bytes, dict[str, str]], value: str, wanted: _WantedValues) -> _Element:
    name, attributes = element
    own = attributes.get(wanted.names.get(name, ""), "")
    return _Element(name, attributes, value or own or (wanted.weight if name == _EDGE else ""))


def _wanted_values(every: XmlTags, form: XmlForm, label: str | None, weight: str | None) -> _WantedValues:
    """Return what declarations before the first node and edge say of labels and weights."""
    names = {kind: name for kind, name in ((_NODE, label), (_EDGE, weight)) if name is not None}
    ids: dict[bytes, set[str]] = {_NODE: set(), _EDGE: set()}
    unsaid = form.weight if weight == "weight" else ""
    owner, declares, begin = "", False, 0
    for found in every:
        end, written_name, written, *_ = found.groups()
        name = local(written_name or b"")
        if name in (_NODE, _EDGE):
            break
        attributes = every.attributes(written or b"")
        if name == b"attributes":
            owner = attributes.get("class", "")
        elif name == form.declaration and not end:
            place = attributes.get("id", "")
            for kind, called in names.items():
                if place and owner in ("", kind.decode()) and called == attributes.get(form.title, place):
                    ids[kind].add(place)
            declares = place in ids[_EDGE] and owner != "node"
        elif name == b"default":
            unsaid = every.text(begin, found.start()) if end and declares else unsaid
            begin = found.end()
    return _WantedValues(names, ids, unsaid)


def _tags(path: Path, form: XmlForm) -> XmlTags:
    try:
        return tags(path)
    except LookupError:
        raise _incomplete(path, form) from None


def _incomplete(path: Path, form: XmlForm) -> ValueError:
    return InputError(f"{path.name} is not a complete {form.noun} file.")
