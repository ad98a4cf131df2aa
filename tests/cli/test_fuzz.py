"""Command lines at random: no traceback, a status that is documented, nothing overwritten, nothing spent on refusal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from tests.cli import fuzz, inputs

SOURCE = Path(__file__).parents[2] / "src"
SECONDS = 60


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All inputs, sound and odd; a short wait for servers that are not there."""
    inputs.write(tmp_path)
    fuzz.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "1")
    return tmp_path


def spends() -> int:
    """Return how often the ledger was spent from."""
    return dps.Ledger.read("people.ledger").totals.spends


def checked(line: list[str], folder: Path, before: dict[str, str], run) -> int:
    """Run a line and check what must hold whatever it is; return its status."""
    paid = spends()
    status, out, err = run(line)
    after = inputs.state(folder)

    assert status in (0, 1, 2, 130), (line, status, err)
    assert "Traceback" not in out + err, line
    assert "Errno" not in err, (line, err)
    assert "codec can't" not in err, (line, err)
    assert not re.search(r"\b(?:pass|or|and) (?!max_leaves|nodes=3)[a-z_]+=", err), (line, err)
    assert "PW" not in out.replace("PWD", "") + err, (line, err)
    ours = [said for said in err.splitlines() if said.startswith("dpselect")]
    assert status in (0, 130) or 1 == len(ours), (line, err)
    spent = spends() - paid
    assert not (status == 2 and spent), (line, err)
    for name, content in before.items():
        if name != "people.ledger" or not spent:
            assert content == after.get(name), (line, name)
    for name in {*after} - {*before}:
        # What SQLite keeps beside a ledger goes when its last reader does.
        (folder / name).unlink(missing_ok=True)
    assert status != 2 or {*before} == {*after}, (line, {*after} - {*before})
    before["people.ledger"] = after["people.ledger"]
    return status


def inside(capsys: pytest.CaptureFixture[str]):
    """Return a runner in this process, with a limit of time."""

    def run(line: list[str]) -> tuple[int, str, str]:
        def late(*_: object) -> None:
            raise AssertionError(f"more than {SECONDS} seconds: {line}")

        capsys.readouterr()
        signal.signal(signal.SIGALRM, late)
        signal.alarm(SECONDS)
        try:
            status = main(line)
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            signal.alarm(0)
        return status, *capsys.readouterr()

    return run


def outside(line: list[str]) -> tuple[int, str, str]:
    """Run a line in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "dpselect", *line],
        capture_output=True,
        check=False,
        timeout=SECONDS,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def fuzzed(lines: list[list[str]], folder: Path, capsys) -> Counter[int]:
    """Run all lines, the shorter part of them as processes too; return how often each status came."""
    before, run = inputs.state(folder), inside(capsys)
    found: Counter[int] = Counter()
    for number, line in enumerate(lines):
        # --overwrite may replace what it names, which is the point of it.
        sound = [word for word in line if word != "--overwrite"]
        found[checked(sound, folder, before, run)] += 1
        if number % 30 == 0:
            checked(sound, folder, before, outside)
    return found


@pytest.mark.filterwarnings("ignore")
def test_sixty_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Some are answered, most are refused."""
    found = fuzzed(fuzz.lines(16, 60), folder, capsys)

    assert 60 == sum(found.values())
    assert {0, 2} <= {*found}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [1, 2])
def test_five_hundred_lines(seed: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each of two seeds."""
    found = fuzzed(fuzz.lines(seed, 500), folder, capsys)
    with capsys.disabled():
        print(f"\nseed {seed}: {dict(sorted(found.items()))}")

    assert 500 == sum(found.values())
    assert found[0] > 25
