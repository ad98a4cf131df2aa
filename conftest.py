"""How many processes a run takes, and where examples in docstrings are found."""

from __future__ import annotations

import ast
import doctest
import inspect
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import pytest

_usual = doctest.DocTestFinder._from_module


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """A whole run takes all cores; chosen files run in this process, which is up at once, unless -n says otherwise."""
    return None if config.args_source is pytest.Config.ArgsSource.TESTPATHS else 0


def _from_module(self: doctest.DocTestFinder, module: ModuleType | None, found: Any) -> bool:
    """Find the examples of public names in the files that define them, though ``__module__`` is ``dpselect``."""
    if module is None or not isinstance(found, (type, FunctionType)) or found.__module__ != "dpselect":
        return bool(_usual(self, module, found))
    return found.__name__ in _defined(module)


@cache
def _defined(module: ModuleType) -> frozenset[str]:
    tree = ast.parse(inspect.getsource(module))
    named = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assigned = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return frozenset(named | {target.id for target in assigned if isinstance(target, ast.Name)})


doctest.DocTestFinder._from_module = _from_module
