"""The code that measures: what a function reaches in the modules of the experiments.

Results depend on it, and on nothing else there: sentences, printed values and how they are judged stand in the same
files and may change without losing hours of work. Found by names, so a little too much may count, never too little:
definitions are taken whole, and a module that is passed on as a whole counts whole.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

# The machinery, which does not change what is measured.
_NAMES = ("runs", "experiment", "journal", "verdicts", "allowed", "claims", "series")
_MACHINERY = frozenset(f"{__package__}.{name}" for name in _NAMES)
_STUDIES = __package__.rpartition(".")[0]
_Reached = tuple[str, str]


def reached(functions: Iterable[Callable[..., Any]]) -> list[str]:
    """Return the definitions that functions of modules reach, as text without comments, in order of their names."""
    starts = [(each.__module__, each.__name__) for each in functions]
    ours = {module for module, _ in starts}
    modules: dict[str, _Module] = {}
    sources: dict[_Reached, str] = {}
    waiting = list(starts)
    while waiting:
        place, name = waiting.pop()
        if (place, name) in sources or not (place in ours or _counts(place)):
            continue
        module = modules.setdefault(place, _Module(place))
        if name in module.defined:
            sources[place, name] = ast.unparse(module.defined[name])
            waiting += module.named(module.defined[name])
        elif name in module.imported:
            waiting.append(module.imported[name])
    return [f"{place}.{name}\n{text}" for (place, name), text in sorted(sources.items())]


def _counts(module: str) -> bool:
    return module.startswith(f"{_STUDIES}.") and module not in _MACHINERY


class _Module:
    """What a module defines at its top, and what it imports."""

    def __init__(self, name: str) -> None:
        self._name = name
        tree = ast.parse(inspect.getsource(import_module(name)))
        self.defined: dict[str, ast.stmt] = {}
        self.imported: dict[str, _Reached] = {}
        self.modules: dict[str, str] = {}
        for statement in tree.body:
            self.defined |= dict.fromkeys(_defines(statement), statement)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(_STUDIES):
                for each in node.names:
                    inner, here = f"{node.module}.{each.name}", each.asname or each.name
                    if find_spec(node.module).submodule_search_locations and find_spec(inner):  # type: ignore[union-attr]
                        self.modules[here] = inner
                    else:
                        self.imported[here] = (node.module, each.name)

    def named(self, statement: ast.stmt) -> Iterator[_Reached]:
        """Yield what a definition names, here or in other modules."""
        owners = set()
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.modules:
                owners.add(node.value)
                yield self.modules[node.value.id], node.attr
        for node in ast.walk(statement):
            if not isinstance(node, ast.Name) or node in owners:
                continue
            if node.id in self.modules:
                yield from ((self.modules[node.id], name) for name in _Module(self.modules[node.id]).defined)
            elif node.id in self.imported:
                yield self.imported[node.id]
            elif node.id in self.defined:
                yield self._name, node.id


def _defines(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
    else:
        for inner in ast.iter_child_nodes(statement):
            if isinstance(inner, ast.stmt):
                yield from _defines(inner)
