"""Fragments become CHANGELOG.md, and only a release deletes them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the script with three fragments and a changelog of one version."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "changelog", tmp_path / "scripts" / "changelog")
    folder = tmp_path / "changes.d"
    folder.mkdir()
    (folder / "17.fix.bernoulli_exp.md").write_text("Coins land\non one side.\n")
    (folder / "9.fix.md").write_text("Nine is mended.\n")
    (folder / "18.feature.door.md").write_text("There is a door.\n")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n## 0.1.0 (2026-11-01)\n\n### New\n\n- The first. (#1)\n")
    return tmp_path


def run(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the script of that copy."""
    command = [sys.executable, str(tree / "scripts" / "changelog"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_fragments_are_assembled_by_kind_and_issue_and_stay(tree: Path) -> None:
    """New things first, numbers as numbers, and twice is as once."""
    for _ in range(2):
        assert 0 == run(tree).returncode

    assert (
        "# Changes\n\n## 0.2.0 (not released yet)\n\n### New\n\n- There is a door. (#18)\n\n### Fixed\n\n"
        "- Nine is mended. (#9)\n- Coins land on one side. (#17)\n\n"
        "## 0.1.0 (2026-11-01)\n\n### New\n\n- The first. (#1)\n"
    ) == (tree / "CHANGELOG.md").read_text()
    assert 3 == len(list((tree / "changes.d").iterdir()))


def test_a_release_takes_the_fragments(tree: Path) -> None:
    """Its part has the version in place of what was not released; earlier parts stay."""
    run(tree)
    assert 0 == run(tree, "--release", "0.2.0").returncode
    text = (tree / "CHANGELOG.md").read_text()

    assert 1 == text.count("\n## 0.2.0 (20")
    assert "not released" not in text
    assert text.index("There is a door.") < text.index("## 0.1.0")
    assert 1 == text.count("There is a door.")
    assert [] == list((tree / "changes.d").iterdir())


def test_text_written_by_hand_stays_above_the_fragments(tree: Path) -> None:
    """Through two runs and a release, which removes the mark; fragments follow it."""
    first = "# Changes\n\n## 0.2.0 (not released yet)\n\nThe first version.\n\n<!-- changes.d -->\n"
    (tree / "CHANGELOG.md").write_text(first)
    for _ in range(2):
        assert 0 == run(tree).returncode
    text = (tree / "CHANGELOG.md").read_text()

    assert text.startswith(f"{first}\n### New\n\n- There is a door. (#18)\n")
    assert 1 == text.count("Nine is mended.")
    assert 0 == run(tree, "--release", "0.2.0").returncode
    text = (tree / "CHANGELOG.md").read_text()
    assert re.search(r"^## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\nThe first version\.\n\n### New\n", text, re.MULTILINE)
    assert "changes.d" not in text


def test_a_release_needs_no_fragment_where_its_text_is_written(tree: Path) -> None:
    """One of both is enough, and without either there is nothing to release."""
    shutil.rmtree(tree / "changes.d")
    assert 2 == run(tree, "--release", "0.2.0").returncode
    (tree / "CHANGELOG.md").write_text("# Changes\n\n## 0.2.0 (not released yet)\n\nAll of it.\n\n<!-- changes.d -->\n")

    assert 0 == run(tree, "--release", "0.2.0").returncode
    assert (tree / "CHANGELOG.md").read_text().endswith("\n\nAll of it.\n")


@pytest.mark.parametrize("version", ["0.1.0", "next", ""])
def test_a_version_that_cannot_be_is_refused(tree: Path, version: str) -> None:
    """One sentence; nothing is written or deleted."""
    before = (tree / "CHANGELOG.md").read_text()
    refused = run(tree, "--release", version)

    assert (2, 1) == (refused.returncode, refused.stderr.count("\n"))
    assert before == (tree / "CHANGELOG.md").read_text()
    assert 3 == len(list((tree / "changes.d").iterdir()))


@pytest.mark.parametrize("name", ["17.bug.md", "fix.md", "notes.txt"])
def test_a_fragment_of_another_name_is_refused(tree: Path, name: str) -> None:
    """The sentence says how to name it."""
    (tree / "changes.d" / name).write_text("Words.")
    refused = run(tree)

    assert 2 == refused.returncode
    assert f"Name {name} as ISSUE.KIND.TOPIC.md, with KIND one of feature, change, removal, fix." in refused.stderr


def test_our_own_fragments_can_be_assembled(tree: Path) -> None:
    """Each of them, by its name; there may be none."""
    shutil.rmtree(tree / "changes.d")
    (tree / "changes.d").mkdir()
    for file in (ROOT / "changes.d").glob("[0-9]*.md"):
        shutil.copy(file, tree / "changes.d")
    assembled = run(tree)

    assert "" == assembled.stderr
    text = (tree / "CHANGELOG.md").read_text().partition("\n## 0.1.0")[0]
    assert len(list((ROOT / "changes.d").glob("[0-9]*.md"))) == text.count("\n- ")
