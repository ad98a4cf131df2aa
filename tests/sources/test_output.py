"""A file is written whole or not at all, and what is there already stays."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.sources.output import ROOM, Output, belongs_to_database


def full(*_: object) -> None:
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_the_name_is_taken_at_the_end(tmp_path: Path) -> None:
    """Until then there is a file beside it, whose room is held; afterwards there is none."""
    with Output(tmp_path / "a.json") as file:
        (beside,) = tmp_path.iterdir()
        assert ROOM == beside.stat().st_size
        assert ".json" == beside.suffix
        file.put(b"{}")
    assert [tmp_path / "a.json"] == list(tmp_path.iterdir())
    assert b"{}" == (tmp_path / "a.json").read_bytes()


def test_an_output_that_is_not_written_leaves_nothing(tmp_path: Path) -> None:
    """Whatever ended it."""
    with pytest.raises(KeyboardInterrupt), Output(tmp_path / "a.json"):
        raise KeyboardInterrupt
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_full_disk_leaves_the_old_file_as_it_was(overwrite: bool, tmp_path: Path, monkeypatch) -> None:
    """Before anything is written, or while it is."""
    path = tmp_path / "a.json"
    if overwrite:
        path.write_text("old")
    with Output(path, overwrite) as file:
        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(OSError, match=r"The disk of .*a.json is full: free some space"):
            file.put(b"new")
    with pytest.raises(OSError, match="The disk of .* is full"), Output(path, overwrite):
        pass
    monkeypatch.undo()

    assert (["a.json"] if overwrite else []) == [each.name for each in tmp_path.iterdir()]
    assert not overwrite or "old" == path.read_text()


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_not_replaced(links: bool, tmp_path: Path, monkeypatch) -> None:
    """On a disk with hard links and on one without."""
    if not links:
        monkeypatch.setattr("os.link", lambda *_: (_ for _ in ()).throw(OSError(errno.EPERM, "no links")))
    with Output(tmp_path / "free") as file:
        file.put(b"here")
    assert b"here" == (tmp_path / "free").read_bytes()
    with Output(tmp_path / "a") as file:
        (tmp_path / "a").write_text("of somebody else")
        with pytest.raises(FileExistsError, match="stays as it is"):
            file.put(b"mine")
    assert "of somebody else" == (tmp_path / "a").read_text()
    assert {"a", "free"} == {each.name for each in tmp_path.iterdir()}


def test_no_ledger_is_replaced_whatever_is_asked_for(tmp_path: Path) -> None:
    """Under any name, also one that appears meanwhile; nor does a file take the name of its journal."""
    dps.Ledger.open(tmp_path / "holiday.jpg", epsilon=1)
    content = (tmp_path / "holiday.jpg").read_bytes()
    for name in ("holiday.jpg", "holiday.jpg-wal", "holiday.jpg-journal", "holiday.jpg-shm"):
        assert belongs_to_database(tmp_path / name)
        with pytest.raises(FileExistsError, match="never overwritten"), Output(tmp_path / name, overwrite=True):
            pass
    with Output(tmp_path / "new", overwrite=True) as file:
        (tmp_path / "new").write_bytes(content)
        with pytest.raises(FileExistsError, match="never overwritten"):
            file.put(b"model")
    assert content == (tmp_path / "new").read_bytes() == (tmp_path / "holiday.jpg").read_bytes()


def test_what_is_protected_is_refused(tmp_path: Path) -> None:
    """A protected file, a pipe, a folder, a loop of links, no name."""
    (tmp_path / "protected").write_text("x")
    (tmp_path / "protected").chmod(0o444)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for name, words in (
        ("protected", "protected"),
        ("pipe", "a device or a pipe"),
        (".", "is a folder"),
        ("loop", "cannot be written"),
    ):
        with pytest.raises(OSError, match=words) as refusal, Output(tmp_path / name, overwrite=True):
            pass
        assert "Errno" not in str(refusal.value)
    for name in ("", "a\0b"):
        with pytest.raises(ValueError, match="empty or holds a NUL"):
            Output(name)


def test_a_raw_error_becomes_a_sentence(tmp_path: Path, monkeypatch) -> None:
    """What to do instead of a number."""
    for number, words in (
        (errno.EROFS, "protected"),
        (errno.EIO, "name another file"),
        (errno.EDQUOT, "The disk of .* is full"),
    ):

        def fails(*_: object, number: int = number) -> int:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr("os.open", fails)
        with pytest.raises(OSError, match=words), Output(tmp_path / "a"):
            pass
