"""The inputs of commands, made once, and a folder to run them in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli import inputs


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The inputs, made once."""
    folder = tmp_path_factory.mktemp("inputs")
    inputs.write(folder)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh copy of the inputs, which is where the command runs."""
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path
