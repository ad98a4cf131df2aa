"""No module of a room imports itself through others: whoever reads one begins at the bottom."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import networkx as nx
import pytest

from tests.contracts.syntax import SOURCE, inner, modules, parsed


def imports(name: str, module: ast.Module) -> Iterator[str]:
    """What a module imports, at its top or inside a function; what only names types is no import."""
    waiting: list[ast.AST] = [module]
    package = name.removesuffix(".__init__") if name.endswith(".__init__") else name.rpartition(".")[0]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            place = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{place}.{alias.name}" for alias in node.names)
        waiting += inner(node)


def circles(modules: Mapping[str, ast.Module]) -> list[list[str]]:
    """The modules, by name and syntax, that are in circles: each circle with all that it runs through."""
    graph = nx.DiGraph()
    known = {name.removesuffix(".__init__"): name for name in modules}
    for name, module in modules.items():
        for imported in imports(name, module):
            # "a.b" is a module, or a name in the module "a".
            found = known.get(imported) or known.get(imported.rpartition(".")[0])
            if found is not None and found != name:
                graph.add_edge(name, found)
    return sorted(sorted(each) for each in nx.strongly_connected_components(graph) if len(each) > 1)


def modules_of(room: Path) -> dict[str, ast.Module]:
    """The modules of a folder and those below it."""
    return {".".join(path.relative_to(SOURCE.parent).with_suffix("").parts): parsed(path) for path in modules(room)}


ROOMS = {path.name: path for path in sorted(SOURCE.iterdir()) if (path / "__init__.py").exists()}


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_has_a_circle(room: str) -> None:
    """Also through imports inside functions, which hide one and cut none."""
    found = circles(modules_of(ROOMS[room]))

    assert [] == found, f"Import downwards only, or move what both need: {found}"


@pytest.mark.parametrize(
    ("below", "above"),
    [
        ("from dpselect.a.above import f", "from dpselect.a.below import g"),
        ("def g():\n    from dpselect.a import above", "import dpselect.a.below"),
        ("from .above import f", "from . import below"),
    ],
)
def test_a_circle_is_found(below: str, above: str) -> None:
    """At the top, inside a function, and by relative names."""
    planted = {"dpselect.a.__init__": "", "dpselect.a.below": below, "dpselect.a.above": above}
    found = circles({name: ast.parse(source) for name, source in planted.items()})

    assert [["dpselect.a.above", "dpselect.a.below"]] == found


def test_types_alone_make_no_circle() -> None:
    """What is imported for a reader of types does not run."""
    lazy = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from dpselect.a.above import f"
    planted = {"dpselect.a.below": lazy, "dpselect.a.above": "from dpselect.a.below import g"}

    assert [] == circles({name: ast.parse(source) for name, source in planted.items()})
