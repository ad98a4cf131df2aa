"""Sizes of the library: ``python -m tests.contracts.size`` prints them and ``--write`` lowers the limits in size.toml.

A limit may only fall. Lines of code are lines that hold code: no comment, no docstring, no blank line.
"""

from __future__ import annotations

import ast
import builtins
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from tests.contracts.syntax import SOURCE, modules, nodes, parsed, statements

LIMITS = Path(__file__).with_name("size.toml")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_PLACED = (ast.expr, ast.stmt, ast.arg, ast.alias, ast.keyword, ast.excepthandler)
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(nodes: Iterable[ast.AST]) -> int:
    """Return how many lines hold code, by all nodes of a file.

    >>> source = '# A comment.\\ndef f():\\n    \"\"\"Text.\"\"\"\\n\\n    return (1,\\n            2)'
    >>> code_lines(ast.walk(ast.parse(source)))
    3
    """
    text, code = set[int](), set[int]()
    for node in nodes:
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            text.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        if isinstance(node, _PLACED):
            code.add(node.lineno)
            code.add(node.end_lineno or node.lineno)
    return len(code - text)


@cache
def rooms() -> dict[str, int]:
    """Return the lines of code of each part of the library; files at the top are ``top``."""
    lines = Counter[str]()
    for path in modules():
        parts = path.relative_to(SOURCE).parts
        lines[parts[0] if len(parts) > 1 else "top"] += code_lines(nodes(path))
    return dict(sorted(lines.items()))


@cache
def classes() -> tuple[ast.ClassDef, ...]:
    """Return every class that a module of the library defines."""
    every = (node for path in modules() for node in statements(parsed(path)))
    return tuple(node for node in every if isinstance(node, ast.ClassDef))


def repeated_class_names() -> list[str]:
    """Return the names that more than one class has."""
    return sorted(name for name, count in Counter(node.name for node in classes()).items() if count > 1)


def exceptions() -> set[str]:
    """Return the names of classes that are exceptions, by their bases."""
    bases = {node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases} for node in classes()}
    found = {
        name for name, each in vars(builtins).items() if isinstance(each, type) and issubclass(each, BaseException)
    }
    while more := {name for name, named in bases.items() if named & found} - found:
        found |= more
    return found


def false_errors() -> list[str]:
    """Return the classes that are named as an error and are not exceptions."""
    raised = exceptions()
    return sorted({node.name for node in classes() if node.name.endswith("Error")} - raised)


def accountants() -> list[str]:
    """Return the classes with a method ``spend``."""
    return sorted(
        node.name
        for node in classes()
        if any(isinstance(each, _FUNCTION) and each.name == "spend" for each in node.body)
    )


def inner_imports() -> int:
    """Return how many import statements stand inside functions."""
    return sum(
        isinstance(inner, (ast.Import, ast.ImportFrom))
        for path in modules()
        for node in statements(parsed(path))
        if isinstance(node, _FUNCTION)
        for inner in statements(node)
    )


def installed() -> int:
    """Return how many bytes the files of the package have, before any is compiled."""
    files = (path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sum(path.stat().st_size for path in files)


def public_names() -> int:
    """Return how many names ``dpselect.__all__`` has."""
    import dpselect

    return len(dpselect.__all__)


def sizes() -> dict[str, int]:
    """Return every number that has a limit."""
    counted = {
        "bytes": installed(),
        "modules": len(modules()),
        "public names": public_names(),
        "class names used twice": len(repeated_class_names()),
        "classes named Error that are not exceptions": len(false_errors()),
        "classes with spend": len(accountants()),
        "imports inside functions": inner_imports(),
        "lines": sum(rooms().values()),
    }
    return counted | {f"lines of {room}": lines for room, lines in rooms().items()}


def limits() -> dict[str, int]:
    """Return what no number may exceed."""
    return dict(tomllib.loads(LIMITS.read_text(encoding="utf-8")))


def written(numbers: Mapping[str, int]) -> str:
    """Return the file of limits."""
    lines = [f'"{name}" = {number}' for name, number in numbers.items()]
    return "\n".join(["# Limits that may only fall: python -m tests.contracts.size --write", *lines, ""])


if __name__ == "__main__":
    now, before = sizes(), limits() if LIMITS.exists() else {}
    if "--write" in sys.argv:
        LIMITS.write_text(written({name: min(number, before.get(name, number)) for name, number in now.items()}))
    for name, number in now.items():
        print(f"{number:>9}  {before.get(name, '-'):>9}  {name}")
