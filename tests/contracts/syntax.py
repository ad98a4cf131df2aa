"""Syntax trees of the library, of which each is parsed and walked once in a process, whichever contract asks for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "dpselect"


@cache
def modules(folder: Path = SOURCE) -> tuple[Path, ...]:
    """Return the files of code in a folder, sorted."""
    return tuple(sorted(folder.rglob("*.py")))


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a file."""
    return tuple(ast.walk(parsed(path)))


def inner(node: ast.AST) -> list[ast.AST]:
    """Return the statements right within another, and what holds statements there: handlers and cases."""
    return [each for name in ("body", "orelse", "finalbody", "handlers", "cases") for each in getattr(node, name, ())]


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements within another, at any depth. There is none within an expression."""
    waiting = [node]
    while waiting:
        found = inner(waiting.pop())
        waiting += found
        yield from found
