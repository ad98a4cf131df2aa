"""One way to randomness: nothing else in the package reaches for coins, or makes any."""

import ast
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.contracts.syntax import SOURCE, modules, nodes

ROOT = Path(__file__).parents[2]
HIDDEN = ("dpselect.kernel.bernoulli_exp", "dpselect.kernel.samplers")
# The auditor of the coins themselves releases nothing; rows of a synthetic table are drawn from what was released.
EXEMPT = {"audit/paths.py", "synthesis/synthetic_model.py"}
RULE = "Only the kernel and the session reach for coins"


def slips(every: Iterable[ast.AST]) -> list[str]:
    """What a module has no business with outside the kernel and the session: imports of coins, and making them."""
    found = []
    for node in every:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # An import by name.
            names = [node.value]
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            found += [f"{called}()"] if called == "SystemNoise" else []
        found += [name for name in names if any(f"{name}.".startswith(f"{hidden}.") for hidden in HIDDEN)]
    return found


def room(path: Path) -> str:
    """The folder of a module, below the package."""
    return path.relative_to(SOURCE).parts[0]


MODULES = [path for path in modules() if room(path) not in ("kernel", "release")]


def test_only_the_kernel_and_the_door_reach_for_coins() -> None:
    """Everything else opens a session, which counts what is drawn."""
    every = {path.relative_to(SOURCE).as_posix(): slips(nodes(path)) for path in MODULES}
    slipped = {name: found for name, found in every.items() if found}

    assert slipped.keys() == EXEMPT, slipped
    assert "SystemNoise()" not in slipped["audit/paths.py"], slipped


@pytest.mark.parametrize(
    "planted",
    [
        "from dpselect.kernel.bernoulli_exp import new_entropy",
        "from dpselect.kernel import bernoulli_exp",
        "import dpselect.kernel.bernoulli_exp as c",
        "def late():\n    from dpselect.kernel.samplers.laplace import laplace",
        "from dpselect.kernel import samplers",
        "__import__('dpselect.kernel.bernoulli_exp')",
        "from dpselect.release.system_noise import SystemNoise\nSystemNoise().noisy(counts, rate)",
        "from dpselect.release import system_noise\nCOINS = system_noise.SystemNoise(entropy)",
    ],
)
def test_a_slip_is_seen(planted: str) -> None:
    """Planted in a module that is otherwise in order."""
    source = (SOURCE / "histograms" / "identity.py").read_text(encoding="utf-8")

    assert [] == slips(ast.walk(ast.parse(source)))
    assert slips(ast.walk(ast.parse(f"{source}\n{planted}\n")))


def test_import_linter_watches_every_other_room() -> None:
    """The rule names all of them, and exempts the auditor of the coins alone."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (rule,) = [each for each in settings["tool"]["importlinter"]["contracts"] if each["name"] == RULE]
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")} - {"kernel", "release"}
    files = {path.stem for path in SOURCE.glob("[!_]*.py")}

    assert {"research", *(f"dpselect.{name}" for name in rooms | files)} == set(rule["source_modules"])
    assert set(HIDDEN) == set(rule["forbidden_modules"])
    assert {"dpselect.audit.paths"} == {each.split(" -> ")[0] for each in rule["ignore_imports"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "where", ["learn/private_trees.py", "histograms/identity.py", "../research/comparisons/trees.py"]
)
def test_import_linter_breaks_on_a_planted_import(where: str, tmp_path: Path) -> None:
    """In a copy of the package; without the import it keeps its rules."""
    pytest.importorskip("importlinter")
    for package in (SOURCE, ROOT / "research"):
        ignored = shutil.ignore_patterns("__pycache__", "results")
        shutil.copytree(package, tmp_path / package.name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    def linted() -> str:
        command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
        run = subprocess.run(
            [*command, "--no-cache"], cwd=tmp_path, env={"PYTHONPATH": "."}, capture_output=True, text=True
        )
        return run.stdout + run.stderr

    assert f"{RULE} KEPT" in linted()
    module = tmp_path / "dpselect" / where
    module.write_text(
        f"{module.read_text(encoding='utf-8')}\nfrom dpselect.kernel.bernoulli_exp import new_entropy\n", "utf-8"
    )
    assert f"{RULE} BROKEN" in linted()
