"""A ledger that is looked at stays as it is, to the byte, and so does its folder."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

import dpselect as dps
from dpselect.ledger import file, read_only
from dpselect.ledger.read_only import looked_at

KILLED = """
import os, sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None)
file.execute("PRAGMA cache_size = 1")
file.execute("BEGIN")
file.execute("CREATE TABLE half (a)")
file.executemany("INSERT INTO half VALUES (?)", [("x" * 3000,)] * 200)
os._exit(1)
"""


@pytest.fixture
def ledger(tmp_path: Path) -> dps.Ledger:
    """One with a spend, alone in its folder."""
    (tmp_path / "kept").mkdir()
    made = dps.Ledger.open(tmp_path / "kept" / "people.ledger", epsilon=2, dataset="people")
    made.spend(dps.Guarantee(Fraction(1, 2), dps.mechanisms.Neighbours.ADD_REMOVE), mechanism="counts")
    return made


def state(folder: Path) -> dict[str, tuple[str, int]]:
    """Return the bytes of every file, as their hash, and when each and the folder were last changed."""
    files = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}
    return {name: (text, (folder / name).stat().st_mtime_ns) for name, text in files.items()} | {
        ".": ("", folder.stat().st_mtime_ns)
    }


def test_it_says_what_a_ledger_says_and_changes_nothing(ledger) -> None:
    """Also what others have spent since; neither a byte nor a time nor a name in the folder changes."""
    before = state(ledger.path.parent)
    looked = looked_at(ledger.path)

    assert (ledger.terms, ledger.totals, ledger.events) == (looked.terms, looked.totals, looked.events)
    assert before == state(ledger.path.parent)
    ledger.spend(dps.Guarantee(1, dps.mechanisms.Neighbours.ADD_REMOVE), mechanism="counts")
    assert Fraction(1, 2) == looked.remaining.epsilon


def test_it_cannot_be_spent_from(ledger) -> None:
    """A spend is refused, and nothing is recorded."""
    before = state(ledger.path.parent)

    with pytest.raises(OSError, match="reading alone; nothing was spent"):
        looked_at(ledger.path).spend(dps.Guarantee(1, dps.mechanisms.Neighbours.ADD_REMOVE), mechanism="counts")
    assert before == state(ledger.path.parent)


@pytest.mark.parametrize("kept", [("", "-wal", "-shm"), ("", "-wal"), ("",)])
def test_a_write_ahead_log_is_neither_merged_nor_made(ledger, tmp_path, monkeypatch, kept) -> None:
    """A ledger that has one is refused, whether the log is there or not, and both stay as they are."""
    monkeypatch.setattr(read_only, "_PATIENCE", 0.05)
    other = tmp_path / "other"
    other.mkdir()
    writer = sqlite3.connect(ledger.path)
    writer.execute("PRAGMA journal_mode = wal")
    writer.execute("CREATE TABLE late (a)")
    writer.commit()
    for end in kept:
        shutil.copy(f"{ledger.path}{end}", f"{other}/people.ledger{end}")
    writer.close()
    before = state(other)

    with pytest.raises(ValueError, match="people.ledger has a write-ahead log.*dpselect budget show"):
        looked_at(other / "people.ledger")
    assert before == state(other)


def test_what_a_killed_program_left_is_not_taken_back(ledger, monkeypatch) -> None:
    """Its journal stays for whoever opens the ledger to use it."""
    monkeypatch.setattr(read_only, "_PATIENCE", 0.05)
    subprocess.run([sys.executable, "-c", KILLED, str(ledger.path)], check=False)
    before = state(ledger.path.parent)

    assert "people.ledger-journal" in before
    with pytest.raises(ValueError, match="people.ledger has a journal beside it.*dpselect budget show"):
        looked_at(ledger.path)
    assert before == state(ledger.path.parent)
    assert Fraction(3, 2) == dps.Ledger.read(ledger.path).remaining.epsilon
    assert Fraction(3, 2) == looked_at(ledger.path).remaining.epsilon


def test_nobody_waits_long_for_a_ledger_in_use(ledger, monkeypatch) -> None:
    """Another program that holds it alone is waited for as long as a page has patience, by a clock that sleep moves."""
    looked = looked_at(ledger.path)
    holder = sqlite3.connect(ledger.path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    passed = [0.0]
    clock = SimpleNamespace(monotonic=lambda: passed[0], sleep=lambda seconds: passed.append(passed.pop() + seconds))
    with monkeypatch.context() as patch:
        for module in (read_only, file):
            patch.setattr(module, "time", clock)
        with pytest.raises((OSError, ValueError)):
            _ = looked.totals
    assert read_only._PATIENCE <= passed[0] < read_only._PATIENCE + 0.1
    holder.close()
    assert Fraction(3, 2) == looked.remaining.epsilon


@pytest.mark.parametrize(
    "content, said", [(None, "ledger none does not exist"), (b"", "is empty"), (b"x" * 300, "not a ledger")]
)
def test_what_is_no_ledger_is_refused(tmp_path, monkeypatch, content, said) -> None:
    """A missing file, an empty one and one of another kind."""
    monkeypatch.setattr("dpselect.ledger.file._MAKING", 0.01)
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("none").write_bytes(content)

    with pytest.raises((OSError, ValueError), match=said):
        looked_at("none")
