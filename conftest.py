"""How many processes a run takes, which part of the tests it runs, and where examples in docstrings are found."""

from __future__ import annotations

import ast
import doctest
import gc
import inspect
import os
import signal
from collections.abc import Generator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any
from zlib import crc32

import pytest
from _pytest.doctest import DoctestModule

_usual = doctest.DocTestFinder._from_module

# Thousands of tests make objects that live as long as the run: the collector of garbage need not look every 700.
gc.set_threshold(100_000, 50, 100)
# A worker has a core: threads of linear algebra would take those of the others.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    """A part of the tests, for runs that share them out."""
    parser.addoption(
        "--part", type=_part, metavar="K/N", help="run the K-th of N parts of the tests; a test's name decides its part"
    )


def pytest_configure() -> None:
    """Heed interrupts, also in a job in the background, which begins with them ignored; children inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """A run takes all cores; one file, or tests of one, run in this process, which is up at once."""
    files = {name.partition("::")[0] for name in config.args}
    return 0 if len(files) == 1 and Path(*files).is_file() else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in modules that have some."""
    collectors = yield
    if any(isinstance(each, DoctestModule) for each in collectors) and b">>>" not in file_path.read_bytes():
        return [each for each in collectors if not isinstance(each, DoctestModule)]
    return collectors


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Examples of pages about measurements train and draw for seconds: they are slow tests."""
    if item.nodeid.startswith("docs/measured/"):
        item.add_marker(pytest.mark.slow)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of other parts."""
    if part := config.getoption("--part"):
        chosen = [crc32(item.nodeid.encode()) % part[1] == part[0] - 1 for item in items]
        config.hook.pytest_deselected(items=[item for item, here in zip(items, chosen, strict=True) if not here])
        items[:] = [item for item, here in zip(items, chosen, strict=True) if here]


def _part(text: str) -> tuple[int, int]:
    """Return K and N of "K/N".

    Raises:
        ValueError: not 1 <= K <= N.
    """
    part, parts = (int(each) for each in text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError(text)
    return part, parts


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
