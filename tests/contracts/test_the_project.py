"""What somebody who adopts the project looks for: a licence, one version, pages that survive where they are shown."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps

ROOT = Path(__file__).parents[2]
RELATIVE = re.compile(r"\]\((?!https?:)|<(?:img|a)\b|^\[[^\]]+\]: (?!https?:)", re.MULTILINE)

AT_THE_ROOT = {
    ".ci", ".gitattributes", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CITATION.cff",
    "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md", "changes.d", "conftest.py", "data",
    "docs", "proofs", "pyproject.toml", "research", "scripts", "src", "tests",
}  # fmt: skip


@pytest.fixture(scope="module")
def pyproject() -> dict[str, Any]:
    """The settings of the package."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_licence_is_there_and_in_the_metadata(pyproject) -> None:
    """One file, its short name, and who holds the copyright."""
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")

    assert text.startswith("MIT License\n\nCopyright (c) 2026 The dpselect authors\n")
    assert ("MIT", ["LICENSE"]) == (pyproject["project"]["license"], pyproject["project"]["license-files"])
    assert [{"name": "The dpselect authors"}] == pyproject["project"]["authors"]


def test_the_root_holds_only_what_belongs_there() -> None:
    """A file that some test or command left behind is not committed; tests write into temporary folders."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a clone")

    assert {path.partition("/")[0] for path in listed.stdout.split("\0") if path} == AT_THE_ROOT


def test_there_is_one_version(pyproject) -> None:
    """The package, its metadata, the citation and the first part of the changelog agree."""
    version = pyproject["project"]["version"]
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    changes = re.search(r"^## (\S+) \(", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert [version] * 3 == [dps.__version__, cited[1], changes[1]]


def test_the_readme_of_a_package_index_has_no_relative_link(pyproject) -> None:
    """The settings of the build take them out of README.md, which has them for readers of the repository."""
    hook = pyproject["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = "".join((ROOT / fragment["path"]).read_text(encoding="utf-8") for fragment in hook["fragments"])
    text += "![Two *nodes*](docs/pictures/smooth.svg) [words](docs/glossary.md) [code](https://example.org)"
    for substitution in hook["substitutions"]:
        text = re.sub(substitution["pattern"], substitution["replacement"], text)

    assert [] == RELATIVE.findall(text)
    assert text.endswith("(Picture: Two *nodes*) words (`docs/glossary.md`) [code](https://example.org)")


@pytest.mark.parametrize("name", ["LICENSE", "SECURITY.md", "CODE_OF_CONDUCT.md", "CITATION.cff", "CHANGELOG.md"])
def test_pages_for_adopters_invent_no_address(name: str, pyproject) -> None:
    """Neither a web page nor a mailbox; and each of them is in the source distribution."""
    text = (ROOT / name).read_text(encoding="utf-8")

    assert not re.search(r"https?://|www\.|[\w.]+@[\w-]+\.\w+", text)
    assert name in pyproject["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]


def test_pythons_are_said_to_work_where_they_are_tested(pyproject) -> None:
    """The newest that may be installed is not claimed, and the limits name it."""
    low, end = map(int, re.findall(r"3\.(\d+)", pyproject["project"]["requires-python"]))
    claimed = [
        int(each[1]) for line in pyproject["project"]["classifiers"] if (each := re.search(r":: 3\.(\d+)", line))
    ]
    untested = [minor for minor in range(low, end) if minor not in claimed]

    assert [11, 12, 13] == claimed
    assert [14] == untested
    assert "**Python 3.14 is untested**" in (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")


def test_the_quick_tests_touch_every_part() -> None:
    """Each line of .ci/quick is there, and each part of the library that has a folder of tests is among them."""
    lines = (ROOT / ".ci" / "quick").read_text(encoding="utf-8").splitlines()
    rooms = {path.parent.name for path in (ROOT / "src" / "dpselect").glob("*/__init__.py")}
    parts = {name for name in rooms if (ROOT / "tests" / name).is_dir()}

    assert [] == [line for line in lines if not (ROOT / line).exists()]
    assert set() == parts - {line.split("/")[1] for line in lines if line.startswith("tests/")}
