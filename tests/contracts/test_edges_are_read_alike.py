"""Contract: one line or element more changes no other edge and refuses nothing, whatever the form of the file.

Headings of a Pajek file (*Arcs, *Edges, *Matrix, ...) are its form and not records; any other line is tried.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.sources import edges, gml, xml_tags
from tests.contracts.hostile_edges import CELLS, FILES, HONEST, LINES, EdgeFile

pytest.importorskip("pyarrow")
Pairs = list[tuple[Any, Any, Any]]


def pairs(path: Path, kind: Any, label: str | None) -> Pairs | str:
    """The edges of a file in their order, with their weights; or what is refused."""
    try:
        source, target, _ = edges.read(path, kind=kind, label=label)
        found = [*zip(source.tolist(), target.tolist(), strict=True)]
        # Weights of a table are read as all tables are.
        if path.suffix in (".csv", ".tsv"):
            return [(*pair, "") for pair in found]
        rows = edges.read_weights(path, kind=kind, label=label)
    except ValueError as error:
        return str(error)
    weighted = [*zip(rows.source.tolist(), rows.target.tolist(), rows.weight.tolist(), strict=True)]
    assert found == [row[:2] for row in weighted]
    return weighted


def differ(one: Pairs | str, two: Pairs | str) -> bool:
    """Whether neighbours differ in more than one edge that is there more."""
    if isinstance(one, str) or isinstance(two, str):
        return True
    return two != one and not any(one == two[:at] + two[at + 1 :] for at in range(len(two)))


def faults(form: EdgeFile, folder: Path, *, everywhere: bool = False) -> list[str]:
    """What a hostile line or record changes, at one place each or at all."""
    honest = [form.record(edge).encode() for edge in HONEST]
    usual = ("1", "4", "7")
    edited = [(*usual[:place], cell, *usual[place + 1 :]) for cell in CELLS for place in range(3)]
    wrong = []
    few = 1 if everywhere else 4
    for kind, label, step in [(int, None, 1), (str, None, few), *([(str, "label", few)] if form.labels else [])]:
        base = pairs(form.write(folder, honest), kind, label)
        assert len(HONEST) == len(base), (base, "an honest file is read whole")
        for turn, hostile in enumerate([*LINES, *(form.record(edge).encode() for edge in edited)][::step]):
            for at in (1, 3, len(honest)) if everywhere else ((1, 3, len(honest))[turn % 3],):
                more = pairs(form.write(folder, [*honest[:at], hostile, *honest[at:]]), kind, label)
                if differ(base, more):
                    wrong.append(f"{hostile!r} at {at}: {more}")
    return wrong


@pytest.mark.parametrize("everywhere", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("form", FILES, ids=str)
def test_one_line_changes_no_other(form: EdgeFile, everywhere: bool, tmp_path: Path) -> None:
    """Every other edge is there, in its order, with its weight, and nothing is refused."""
    assert [] == faults(form, tmp_path, everywhere=everywhere)


@pytest.mark.parametrize("form", FILES, ids=str)
def test_graphs_of_neighbours_differ_in_one_edge(form: EdgeFile, tmp_path: Path) -> None:
    """Through the graphs: undirected, directed where the head does not refuse it, and weighted."""
    honest = [form.record(edge).encode() for edge in HONEST]
    nodes = [1, 2, 3, 4, 5]
    kinds: list[tuple[Any, dict[str, Any]]] = [
        (dps.Graph, {}),
        (dps.data.DirectedGraph, {}),
        # Weights of a table are read as all tables are.
        *([] if form.ending in (".csv", ".tsv") else [(dps.data.WeightedGraph, {"cap": 9})]),
    ]
    for kind, how in kinds:
        found: list[Any] = []
        for hostile in (None, *LINES[::5]):
            path = form.write(tmp_path, honest if hostile is None else [*honest[:2], hostile, *honest[2:]])
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                try:
                    graph = kind.read(path, nodes, **how)
                    values = next(
                        getattr(graph, each) for each in ("degrees", "followers", "units") if hasattr(graph, each)
                    )
                    found.append((values, [str(each.message) for each in heard]))
                except ValueError as error:
                    found.append(str(error))
        refused = [each for each in found if isinstance(each, str)]
        assert refused in ([], [found[0]] * len(found)), refused
        for values, heard in [] if refused else found:
            assert heard == found[0][1]
            moved = values - found[0][0]
            assert 2 >= sum(moved != 0), moved
            assert (moved >= 0).all()


@pytest.mark.parametrize(
    ("module", "name", "pattern", "ending"),
    [
        (gml, "_TOKEN", rb'^[ \t]*#[^\n]*|"[^"]*"?|\[|\]|[^\s\[\]"]+', ".gml"),
        (
            xml_tags,
            "_TAG",
            xml_tags._TAG.pattern.replace(rb"<!--[^-]*(?:-[^-]+)*-->", rb"<!--(?:[^-]|-(?!->))*-->"),
            ".graphml",
        ),
    ],
)
def test_the_contract_finds_what_runs_on(
    module: Any, name: str, pattern: bytes, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text in quotes that runs over lines, and a comment that runs over others: planted here."""
    monkeypatch.setattr(module, name, re.compile(pattern, re.MULTILINE))
    (form,) = (each for each in FILES if str(each) == ending)
    assert faults(form, tmp_path)
