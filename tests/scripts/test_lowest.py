"""Constraints for pip: the lowest versions that pyproject.toml admits."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    """What the script prints, by package."""
    command = [sys.executable, str(ROOT / "scripts" / "lowest")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return dict(line.split("==") for line in lines)


def test_every_package_has_the_version_of_its_lower_bound(printed) -> None:
    """Of the package, its extras and its tests; one that several extras ask for has the highest of their bounds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [each for name, group in extras.items() if name not in ("docs", "lint") for each in group]
    for requirement in (*project["dependencies"], *wanted):
        if bound := re.search(r">=([\d.]+)", requirement):
            name = re.split(r"[\[>=<]", requirement)[0]
            assert [*map(int, bound[1].split("."))] <= [*map(int, printed[name].split("."))]
            assert any(f">={printed[name]}" in each for each in (*project["dependencies"], *wanted) if name in each)


def test_linters_and_the_site_are_left_out(printed) -> None:
    """They run with their newest versions alone; dpselect itself has no bound."""
    assert not {"ruff", "sphinx", "dpselect"} & printed.keys()
