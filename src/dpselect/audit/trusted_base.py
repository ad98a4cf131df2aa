"""The trusted base of one release: every definition of kernel and release that it can reach, and how long that is.

Functions and classes are found through imports, methods by their names alone, whatever the object: a little too much
may count, never too little. Type annotations, which do nothing, do not count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dpselect.mechanisms import MECHANISMS, mechanism
from dpselect.mechanisms.sampler import EXPONENTIAL, PERMUTE_AND_FLIP

SOURCE = Path(__file__).parents[1]
# Where a release begins, whose answers it takes, and the integers that mechanisms make for it.
_START = (
    "release/select.py:top_k",
    "release/system_noise.py:SystemNoise.winners",
    "kernel/units.py:floor_ticks",
    "kernel/units.py:exact_ticks",
    "kernel/units.py:UnitScores",
)
# What releases candidates in an engine.
_IN_ENGINES = {
    "release/select.py:_release_grouped",
    "release/session.py:Session.ordered_groups",
    "release/system_noise.py:SystemNoise.ordered_groups",
}
# What draws joint lists, a release of its own.
_JOINT = {
    "release/select.py:_release_joint",
    "release/session.py:Session.joint",
    "release/system_noise.py:SystemNoise.joint",
}
# What draws by a rho, a release of its own, and what its prices are, which a ledger also notes of a pure one.
BY_RHO = ("release/concentrated_session.py", "kernel/prices.py", "kernel/rho_conversion.py")
# Declares what answers, and runs nothing.
_NOISE_SOURCE_FILE = "release/noise_source.py"
# One of these draws, or, with heavy tails, the last.
_SAMPLERS = {
    "exponential": "kernel/samplers/exponential.py:exponential",
    "permute-and-flip": "kernel/samplers/permute_and_flip.py:permute_and_flip",
    "noisy max, Laplace": "kernel/samplers/laplace.py:laplace",
    "permute-and-flip, clipped": "kernel/samplers/clipped_flip.py:clipped_flip",
    "noisy max, Laplace, clipped": "kernel/samplers/laplace.py:laplace",
}
# What draws lists in one pass, where permute-and-flip draws from unit scores.
_ONE_SHOT = {"release/session.py:Session.rank", "release/system_noise.py:SystemNoise.rank"}
# What draws lists of the exponential sampler.
_RACE = "kernel/samplers/gumbel_keys.py:gumbel_keys"
_HEAVY_TAILS = "kernel/samplers/heavy_tails.py:heavy_tails"


@dataclass(frozen=True)
class Definition:
    """A function, a method, or a class without its methods.

    Attributes:
        place: file below the package, and dotted name within it.
        lines: how many, with docstring and decorators.
        reached: places of functions and classes that it names, and ``.name`` of whatever attributes it asks for.
    """

    place: str
    lines: int
    reached: frozenset[str]


def trusted_definitions(name: str) -> list[Definition]:
    """Return the definitions that a selection by this mechanism must trust, in the order of files and names."""
    sampler = mechanism(name).sampler
    own = _HEAVY_TAILS if sampler.tails is not None else _SAMPLERS[sampler.name]
    others = {*_SAMPLERS.values(), _HEAVY_TAILS, *_IN_ENGINES, *_JOINT} - {own}
    if sampler.name != PERMUTE_AND_FLIP.name:
        others |= _ONE_SHOT
    if sampler.name != EXPONENTIAL.name:
        others.add(_RACE)
    known: dict[str, list[Definition]] = {}
    for each in definitions():
        if each.place not in others and not each.place.startswith((_NOISE_SOURCE_FILE, *BY_RHO)):
            known.setdefault(each.place, []).append(each)
            if "." in (dotted := each.place.partition(":")[2]):
                known.setdefault(f".{dotted.partition('.')[2]}", []).append(each)
    found: dict[str, Definition] = {}
    waiting = [*_START, own]
    while waiting:
        for each in known.get(waiting.pop(), ()):
            if each.place not in found:
                found[each.place] = each
                waiting += each.reached
    return [found[place] for place in sorted(found)]


def table() -> str:
    """Return, for every mechanism, how many definitions and lines one selection must trust, as Markdown."""
    lines = ["| mechanism | definitions | lines |", "|---|---|---|"]
    for name in MECHANISMS:
        found = trusted_definitions(name)
        lines.append(f"| `{name}` | {len(found)} | {sum(each.lines for each in found)} |")
    return "\n".join(lines)


@cache
def definitions() -> tuple[Definition, ...]:
    """Return every definition of kernel and release."""
    files = [*(SOURCE / "kernel").rglob("*.py"), *(SOURCE / "release").glob("*.py")]
    return tuple(each for file in sorted(files) for each in _of(file))


def _of(file: Path) -> Iterator[Definition]:
    source = file.read_text(encoding="utf-8")
    tree, text = ast.parse(source), source.splitlines()
    here = file.relative_to(SOURCE).as_posix()
    seen = _imports(tree)
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            seen[node.name] = f"{here}:{node.name}"
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            # A constant, a table or an object made by a call: code that names it reaches what it names.
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            for name in names:
                seen[name] = f"{here}:{name}"
                # The table of samplers names all of them, and a release uses one.
                reached = (
                    frozenset() if name in ("_DRAWS", "_CLIPPED", "_GROUPED") else _definitions_used(node, seen, ())
                )
                yield Definition(f"{here}:{name}", lines if name == names[0] else 0, reached)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield Definition(f"{here}:{node.name}", _length(node), _definitions_used(node, seen, ()))
        elif isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            # Code that makes an object runs what Python itself calls.
            called = {f"{here}:{node.name}.{each.name}" for each in methods if each.name.startswith("__")}
            # Blank lines before methods that a release does not run are not code.
            blank = sum(_blank_lines_before(method, text) for method in methods)
            lines = _length(node) - blank - sum(_length(method) for method in methods)
            yield Definition(f"{here}:{node.name}", lines, _definitions_used(node, seen, methods) | called)
            for method in methods:
                yield Definition(
                    f"{here}:{node.name}.{method.name}", _length(method), _definitions_used(method, seen, ())
                )


def _imports(tree: ast.Module) -> dict[str, str]:
    """Return, for every name that is imported from the package, the place of its definition; modules end in ``:``."""
    seen = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dpselect."):
            parts = "/".join((node.module or "").split(".")[1:])
            for each in node.names:
                module = (SOURCE / parts / f"{each.name}.py").exists()
                place = f"{parts}/{each.name}.py:" if module else f"{parts}.py:{each.name}"
                seen[each.asname or each.name] = place
    return seen


def _definitions_used(
    node: ast.AST, seen: dict[str, str], without: list[ast.FunctionDef] | tuple[()]
) -> frozenset[str]:
    left = {id(inner) for method in without for inner in ast.walk(method)}
    for each in ast.walk(node):
        for annotation in (getattr(each, "annotation", None), getattr(each, "returns", None)):
            if annotation is not None:
                left |= {id(inner) for inner in ast.walk(annotation)}
    reached = set()
    for each in ast.walk(node):
        if id(each) in left:
            continue
        if isinstance(each, ast.Name) and each.id in seen:
            reached.add(seen[each.id])
        elif isinstance(each, ast.Attribute):
            owner = seen.get(each.value.id, "") if isinstance(each.value, ast.Name) else ""
            reached.add(f"{owner}{each.attr}" if owner.endswith(":") else f".{each.attr}")
    return frozenset(reached)


def _first(node: ast.FunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _length(node: ast.FunctionDef | ast.ClassDef) -> int:
    return (node.end_lineno or node.lineno) - _first(node) + 1


def _blank_lines_before(node: ast.FunctionDef, text: list[str]) -> int:
    before = _first(node) - 2
    while not text[before].strip():
        before -= 1
    return _first(node) - 2 - before
