"""A ledger in a file: what is there in its place, and a disk that is full or may not be written."""

import os
import sqlite3
import tempfile
import threading
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.ledger import file, verification
from tests.ledger.ledgers import EACH, filled


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a ledger may be made."""
    return tmp_path / "survey.ledger"


def test_a_file_that_goes_back_in_time_is_refused(path: Path) -> None:
    """An older copy put in place of the file would hand budget back to whoever has it open."""
    ledger = filled(path, 1)
    older = path.read_bytes()
    ledger.spend(EACH, mechanism="x")
    path.write_bytes(older)
    with pytest.raises(ValueError, match="Row 2 of this ledger was edited or lost"):
        ledger.spend(EACH, mechanism="x")


def test_an_emptied_file_is_no_new_budget(path: Path) -> None:
    """A ledger cut to nothing is refused, not made again."""
    filled(path)
    path.write_bytes(b"")
    os.utime(path, (0, 0))
    with pytest.raises(ValueError, match=r"is empty, so it is not a ledger: .* restore a backup"):
        dps.Ledger.open(path, epsilon=1, dataset="survey")
    with pytest.raises(ValueError, match="is a folder"):
        dps.Ledger.open(path.parent, epsilon=1)


def test_a_folder_that_cannot_be_written(path: Path, monkeypatch) -> None:
    """One sentence, and no ledger."""

    def refuse(**_):
        raise PermissionError

    monkeypatch.setattr(tempfile, "TemporaryDirectory", refuse)
    with pytest.raises(OSError, match="cannot be made: check that its folder"):
        dps.Ledger.open(path, epsilon=1)
    assert not path.exists()


def test_a_truncated_file_is_refused(path: Path) -> None:
    """Half a file is not a ledger."""
    filled(path, 9)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises((ValueError, OSError), match=r"not a ledger|damaged|cannot be used"):
        dps.Ledger.read(path)


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be read as one" * 50])
def test_other_files_are_refused(path: Path, content: bytes) -> None:
    """Text, and a database of something else."""
    path.write_bytes(content)
    with pytest.raises(ValueError, match="not a ledger"):
        dps.Ledger.open(path, epsilon=1)
    other = path.with_name("other.db")
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE people (name)")
    connection.close()
    with pytest.raises(ValueError, match="not a ledger"):
        dps.Ledger.open(other, epsilon=1)


def test_missing_files_and_folders(path: Path) -> None:
    """Read never makes a ledger."""
    with pytest.raises(FileNotFoundError, match="does not exist"):
        dps.Ledger.read(path)
    with pytest.raises(FileNotFoundError, match="does not exist: make it first"):
        dps.Ledger.open(path / "deep" / "er", epsilon=1)
    with pytest.raises(ValueError, match="needs a delta"):
        dps.Ledger.open(path, epsilon=1, rule="rho")


@pytest.mark.parametrize(("pragma", "words"), [("query_only = 1", "readonly"), ("max_page_count = 1", "is full")])
def test_a_read_only_file_or_a_full_disk_spends_nothing(path: Path, pragma: str, words: str, monkeypatch) -> None:
    """Simulated inside SQLite; the spend is refused and the totals stand."""
    ledger = filled(path)
    connect = sqlite3.connect

    def crippled(*args, **kwargs):
        connection = connect(*args, **kwargs)
        connection.execute(f"PRAGMA {pragma}")
        return connection

    monkeypatch.setattr(file.sqlite3, "connect", crippled)
    with pytest.raises(OSError, match=f"{words}.*nothing was spent"):
        ledger.spend(EACH, mechanism="x", note="y" * 50_000)
    monkeypatch.undo()

    assert 3 == ledger.verify().spends


def test_the_file_only_grows(path: Path) -> None:
    """SQLite itself refuses to change or drop rows."""
    filled(path)
    with sqlite3.connect(path) as connection:
        for statement in ("DELETE FROM events", "UPDATE events SET hash = ''"):
            with pytest.raises(sqlite3.IntegrityError, match="a ledger only grows"):
                connection.execute(statement)
    connection.close()


def test_many_makers_leave_one_file(path: Path) -> None:
    """What the others made beside it is gone."""
    begin = threading.Barrier(4)

    def make() -> None:
        begin.wait()
        filled(path, 1)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [path.name] == [each.name for each in path.parent.iterdir()]
    assert 4 == dps.Ledger.read(path).verify().spends


def test_a_failure_while_it_is_made_leaves_no_file(path: Path, monkeypatch) -> None:
    """Neither under its name nor beside it."""
    monkeypatch.setattr(verification, "totals_text", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        dps.Ledger.open(path, epsilon=1)

    assert [] == list(path.parent.iterdir())
