"""Programs of tests that one process forks behave as subprocesses do."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

from tests.web.server.forked import Forked


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that prints how long a variable is, and waits for a signal."""
    path = tmp_path / "program.py"
    path.write_text("import os, signal\nprint(len(os.environ.get('LARGE', '')), flush=True)\nsignal.pause()\n")
    return path


def test_to_wait_for_no_time_is_to_ask(program: Path) -> None:
    """Whether it has ended; afterwards it has."""
    forked = Forked(program, [], 2)
    forked.stdout.readline()
    with pytest.raises(subprocess.TimeoutExpired):
        forked.wait(0)
    assert forked.poll() is None
    forked.kill()
    assert -signal.SIGKILL == forked.wait(60) == forked.wait(0) == forked.poll()
    forked.stdout.close()


def test_an_environment_may_be_large(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Larger than a message of a socket."""
    monkeypatch.setenv("LARGE", "x" * 2**22)
    forked = Forked(program, [], 2)
    assert 2**22 == int(forked.stdout.readline())
    forked.kill()
    forked.wait(60)
    forked.stdout.close()
