"""Plant one mutant in a fresh interpreter, run what must notice it, and tell who did.

    python -m tests.mutants.planting [NAME ...]

prints a line per mutant whose name contains one of the words, all when none is passed.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType

import pytest

from tests.mutants.mutants import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
CAUGHT, SILENT, FAILED = 0, 10, 11


def planted(mutant: Mutant, source: str) -> str:
    """Return the source of the module with the change made.

    Raises:
        LookupError: there is no such function, or what is replaced is not in it exactly once.
    """
    scope: ast.AST = _parsed(source)
    for name in mutant.function.partition(":")[2].split("."):
        inner = [node for node in ast.iter_child_nodes(scope) if getattr(node, "name", None) == name]
        if len(inner) != 1:
            raise LookupError(f"{mutant.function} does not exist: tell tests/mutants/mutants.py where it went.")
        scope = inner[0]
    lines = source.splitlines(keepends=True)
    first, last = scope.lineno - 1, scope.end_lineno
    text = "".join(lines[first:last])
    if text.count(mutant.old) != 1:
        raise LookupError(f"{mutant.old!r} is in {mutant.function} {text.count(mutant.old)} times, not once.")
    return "".join(lines[:first]) + text.replace(mutant.old, mutant.new) + "".join(lines[last:])


@lru_cache(maxsize=1)
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


def source_of(mutant: Mutant) -> Path:
    """Return the file of the module that a mutant changes."""
    return Path(importlib.util.find_spec(mutant.function.partition(":")[0]).origin)


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles the changed source, whatever was compiled before."""

    def __init__(self, name: str, path: str, mutant: Mutant) -> None:
        super().__init__(name, path)
        self.mutant = mutant

    def get_code(self, _: str) -> CodeType:
        return compile(planted(self.mutant, Path(self.path).read_text(encoding="utf-8")), self.path, "exec")


class _Finder(importlib.machinery.PathFinder):
    """Finds the changed module, before anything else does."""

    mutant: Mutant

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        spec = super().find_spec(fullname, path, target)
        if spec is not None and fullname == cls.mutant.function.partition(":")[0]:
            spec.loader = _Loader(fullname, spec.origin, cls.mutant)
            return spec
        return None


class _Names:
    """Tells a change that names what is no longer there, which fails every test, from a fault that is noticed."""

    gone = False

    def pytest_exception_interact(self, call: pytest.CallInfo[object]) -> None:
        """Note a name that is not there; what nothing has is missing because of a fault."""
        error = call.excinfo.value
        self.gone |= isinstance(error, (ImportError, NameError))
        self.gone |= isinstance(error, AttributeError) and error.obj is not None


def noticed(mutant: Mutant, by: str) -> bool | None:
    """Return whether the claims (or the tests) notice, in an interpreter of their own; ``None`` when there are none.

    Raises:
        RuntimeError: they could not be run.
    """
    if not getattr(mutant, by):
        return None
    # Compiled loops are kept by the date of their file, which a planted change does not move: neither may what was
    # compiled before hide it, nor may it stay.
    with TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NUMBA_CACHE_DIR": compiled}
        run = subprocess.run(
            [sys.executable, "-m", "tests.mutants.planting", "--plant", json.dumps(asdict(mutant)), by],
            cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
    if run.returncode not in (CAUGHT, SILENT):
        raise RuntimeError(f"{mutant.name}, {by}: {run.stdout[-2000:]}{run.stderr[-2000:]}")
    return run.returncode == CAUGHT


def main(words: Sequence[str]) -> int:
    """Print who notices what; return how many mutants nobody notices."""
    missed = 0
    for mutant in MUTANTS:
        if words and not any(word in mutant.name for word in words):
            continue
        begun = time.monotonic()
        verdicts = {by: noticed(mutant, by) for by in ("claims", "tests")}
        missed += not mutant.harmless and not any(verdicts.values())
        said = ", ".join(
            f"{by}: {'-' if verdict is None else 'caught' if verdict else 'not caught'}"
            for by, verdict in verdicts.items()
        )
        print(f"{mutant.name:<70} {said:<36} {time.monotonic() - begun:5.1f} s", flush=True)
    return missed


def _plant(mutant: Mutant, by: str) -> int:
    """Plant it in this interpreter and run; return CAUGHT, SILENT or FAILED."""
    _Finder.mutant = mutant
    sys.meta_path.insert(0, _Finder)
    if by == "tests":
        # Warnings and slow tests as always; only failures of tests count as noticing.
        names = _Names()
        words = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *_Finder.mutant.tests]
        status = pytest.main(words, plugins=[names])
        verdicts = {pytest.ExitCode.OK: SILENT, pytest.ExitCode.TESTS_FAILED: CAUGHT}
        return FAILED if names.gone else verdicts.get(status, FAILED)
    from dpselect.audit import claims, report

    wanted = [
        claim for claim in claims.EVERY_CLAIM if f"{claim.name} on {report.subject(claim)}" in _Finder.mutant.claims
    ]
    if len(wanted) != len(_Finder.mutant.claims):
        return FAILED
    rows = []
    for row in report.run(wanted):
        rows.append(row)
        print(row.claim, row.verdict, row.detail)
    return CAUGHT if any(row.verdict == "BROKEN" for row in rows) else SILENT


if __name__ == "__main__":
    if sys.argv[1:2] == ["--plant"]:
        sys.exit(_plant(Mutant(**json.loads(sys.argv[2])), sys.argv[3]))
    sys.exit(main(sys.argv[1:]))
