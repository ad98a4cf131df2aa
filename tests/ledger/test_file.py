"""The file under a ledger: its place, its companions, its mode, its making."""

import os
import re
import shutil
import sqlite3
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.kernel.neighbours import Neighbours
from dpselect.ledger import Event, file
from dpselect.ledger.chain import ChainTail, totals_text
from dpselect.ledger.transaction import Transaction

EACH = dps.Guarantee(Fraction(1, 10), Neighbours.ADD_REMOVE)

posix = pytest.mark.skipif(os.name != "posix", reason="file modes of POSIX")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a ledger may be made."""
    return tmp_path / "survey.ledger"


def opened(path: Path, spends: int = 0) -> dps.Ledger:
    """A ledger of epsilon 1 with some spends."""
    ledger = dps.Ledger.open(path, epsilon=1, dataset="survey")
    for _ in range(spends):
        ledger.spend(EACH, mechanism="x")
    return ledger


def write_ahead(path: Path, spends: int) -> sqlite3.Connection:
    """Spend as versions did that kept the write-ahead log; the connection returned keeps the log from being merged."""
    terms = opened(path).terms
    connection = sqlite3.connect(path, isolation_level=None)
    assert ("wal",) == connection.execute("PRAGMA journal_mode = wal").fetchone()
    tail = ChainTail.start(terms)
    for _ in range(spends):
        event = Event.of(EACH, dataset="survey", mechanism="x")
        tail = tail.after(event, terms.admit(tail.totals, event))
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO events VALUES (?, ?, ?)", (tail.row, event.as_text(), tail.link))
        row = (tail.row, totals_text(tail.totals), tail.link)
        connection.execute("UPDATE totals SET rows = ?, body = ?, tail = ?", row)
        connection.execute("COMMIT")
    return connection


def copied(path: Path, *endings: str) -> Path:
    """A copy of the file and of the companions with these endings."""
    folder = path.parent / "copies"
    folder.mkdir()
    for ending in ("", *endings):
        shutil.copy(f"{path}{ending}", folder)
    return folder / path.name


def mode_of(path: Path) -> str:
    """How SQLite journals the file."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA journal_mode").fetchone()[0]
    finally:
        connection.close()


@pytest.mark.parametrize("spends", [0, 3])
def test_a_copy_without_its_write_ahead_log_is_refused(path: Path, spends: int) -> None:
    """It would verify as empty, and hand the whole budget out again."""
    viewer = write_ahead(path, spends)
    copy = copied(path)
    viewer.close()
    for use in (dps.Ledger.read, lambda file: dps.Ledger.open(file, epsilon=1, dataset="survey")):
        with pytest.raises(ValueError, match=r"survey\.ledger-wal .*is not beside it"):
            use(copy)
    # Being looked at does not make up a log.
    with pytest.raises(ValueError, match="is not beside it"):
        dps.Ledger.read(copy)


def test_a_log_that_another_program_has_just_begun_is_no_log(path: Path) -> None:
    """SQLite makes an empty one for whoever looks at the file."""
    write_ahead(path, 3).close()
    viewer = sqlite3.connect(path)
    viewer.execute("SELECT * FROM events").fetchall()
    assert 0 == Path(f"{path}-wal").stat().st_size
    with pytest.raises(ValueError, match="is not beside it"):
        dps.Ledger.read(path)
    viewer.close()


def test_an_older_ledger_with_its_log_is_taken_over_whole(path: Path) -> None:
    """Every row is there, the log is merged, and the main file alone is the ledger from then on."""
    viewer = write_ahead(path, 3)
    copy = copied(path, "-wal", "-shm")
    viewer.close()
    ledger = dps.Ledger.read(copy)

    assert 3 == ledger.verify().spends
    assert 4 == ledger.spend(EACH, mechanism="x")
    assert "delete" == mode_of(copy)
    assert [copy.name] == [each.name for each in copy.parent.iterdir()]


def test_an_older_ledger_that_is_open_elsewhere_is_read_and_not_spent(path: Path, monkeypatch) -> None:
    """Its log cannot be merged then; nothing is missed, and the next one to open it takes it over."""
    monkeypatch.setattr(file, "_TAKE_OVER", 0.05)
    viewer = write_ahead(path, 3)
    viewer.execute("BEGIN")
    viewer.execute("SELECT * FROM events").fetchall()
    ledger = dps.Ledger.read(path)

    assert 3 == ledger.verify().spends
    with pytest.raises(OSError, match=r"open in another program.*nothing was spent"):
        ledger.spend(EACH, mechanism="x")
    viewer.close()
    # The viewer was the last to hold the log and has merged it: the open ledger knows the rows it must find.
    assert "wal" == mode_of(path)
    assert 3 == dps.Ledger.settle(path).totals.spends
    assert 4 == ledger.spend(EACH, mechanism="x")


def test_an_older_ledger_that_was_closed_is_settled_by_its_owner(path: Path) -> None:
    """Only its owner can know that nothing is missing; it is verified, and an ordinary ledger afterwards."""
    write_ahead(path, 3).close()
    with pytest.raises(ValueError, match="dpselect budget settle"):
        dps.Ledger.read(path)

    assert 3 == dps.Ledger.settle(path).totals.spends
    assert "delete" == mode_of(path)
    assert 4 == dps.Ledger.read(path).spend(EACH, mechanism="x")
    assert 4 == dps.Ledger.settle(path).totals.spends


def test_settling_on_the_command_line(path: Path, capsys) -> None:
    """One sentence before, one after."""
    write_ahead(path, 3).close()

    assert 2 == main(["budget", "show", str(path)])
    assert "run dpselect budget settle." in capsys.readouterr().err
    assert 0 == main(["budget", "settle", str(path)])
    assert f"{path}: 3 entries, unbroken, and its own whole from now on\n" == capsys.readouterr().out
    assert 0 == main(["budget", "verify", str(path)])


def test_a_backup_of_a_ledger_with_a_log_needs_none(path: Path, monkeypatch) -> None:
    """It holds every row itself."""
    monkeypatch.setattr(file, "_TAKE_OVER", 0.05)
    viewer = write_ahead(path, 3)
    dps.Ledger.read(path).backup(path.with_name("copy"))
    viewer.close()

    assert "delete" == mode_of(path.with_name("copy"))
    assert 3 == dps.Ledger.read(path.with_name("copy")).totals.spends


def test_only_ledgers_are_settled(path: Path) -> None:
    """Another database stays as it is."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("CREATE TABLE people (name)")
    connection.close()
    with pytest.raises(ValueError, match="not a ledger"):
        dps.Ledger.settle(path)

    assert "wal" == mode_of(path)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        dps.Ledger.settle(path.with_name("none"))


def test_a_relative_path_means_one_file(path: Path, monkeypatch) -> None:
    """Another working folder, which holds a copy of the same name, gets no spend."""
    elsewhere = path.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(path.parent)
    ledgers = [opened(Path(path.name)), dps.Ledger.read(path.name)]
    shutil.copy(path, elsewhere)
    monkeypatch.chdir(elsewhere)
    for ledger in ledgers:
        ledger.spend(EACH, mechanism="x")

    assert (2, 0) == (dps.Ledger.read(path).totals.spends, dps.Ledger.read(path.name).totals.spends)


@posix
def test_a_link_that_points_elsewhere_later_changes_nothing(path: Path) -> None:
    """A ledger is the file that its path led to when it was opened."""
    other, link = path.with_name("other"), path.with_name("link")
    opened(path)
    shutil.copy(path, other)
    link.symlink_to(path)
    ledger = dps.Ledger.read(link)
    link.unlink()
    link.symlink_to(other)
    ledger.spend(EACH, mechanism="x")

    assert (1, 0) == (dps.Ledger.read(path).totals.spends, dps.Ledger.read(other).totals.spends)


@posix
def test_another_file_in_its_place_is_refused(path: Path) -> None:
    """Even a true copy: what was spent would be in one and not in the other."""
    ledger = opened(path, 1)
    copy = copied(path)
    path.rename(path.with_name("archive"))
    copy.rename(path)
    for use in (lambda: ledger.spend(EACH, mechanism="x"), ledger.verify, lambda: ledger.events):
        with pytest.raises(ValueError, match="Another ledger is now in the place of this one"):
            use()

    assert 2 == dps.Ledger.read(path).spend(EACH, mechanism="x")


@posix
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277])
def test_a_ledger_is_for_its_owner(path: Path, umask: int) -> None:
    """Notes and file names tell things; whatever the umask, the ledger, its journal and a backup are its owner's."""
    before = os.umask(umask)
    try:
        ledger = opened(path, 1)
        ledger.backup(path.with_name("copy"))
        modes = {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
        journal = journal_mode(path)
    finally:
        os.umask(before)

    assert ({0o600}, 0o600) == (modes, journal)


@posix
def test_the_mode_that_its_owner_gave_stays(path: Path) -> None:
    """So that a group may share it: the file keeps the mode, and every journal has it too."""
    ledger = opened(path)
    path.chmod(0o660)
    ledger.spend(EACH, mechanism="x")
    dps.Ledger.read(path).spend(EACH, mechanism="x")

    assert (0o660, 0o660) == (stat.S_IMODE(path.stat().st_mode), journal_mode(path))


def journal_mode(path: Path) -> int:
    """The mode of the journal of a write in progress."""
    with file.open_file(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE totals SET rows = rows + 1")
        return stat.S_IMODE(Path(f"{path}-journal").stat().st_mode)


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_maker_never_overwrites_the_ledger_of_another(path: Path, links: bool, monkeypatch) -> None:
    """At every line of the making another maker comes and spends: each spend that went through is in the file."""
    if not links:
        monkeypatch.setattr(file.os, "link", refused)
    # In the transaction of the first maker, the other one would wait for it in vain.
    monkeypatch.setattr(file, "_WAIT", 0.01)
    monkeypatch.setattr(file, "_MAKING", 0.0)
    moment, reached = 0, True
    while reached:
        each = path.with_name(f"{moment}.ledger")
        spent: list[int] = []
        refusals: list[str] = []

        def other(each: Path = each, spent: list[int] = spent, refusals: list[str] = refusals) -> None:
            try:
                spent.append(opened(each).spend(EACH, mechanism="other"))
            except (ValueError, OSError) as error:
                refusals.append(str(error))

        reached = interrupted(lambda each=each: opened(each), moment, other)
        spent.append(dps.Ledger.read(each).spend(EACH, mechanism="first"))

        assert all("does not exist" in words or "not a ledger" in words or "locked" in words for words in refusals)
        assert [*range(1, len(spent) + 1)] == spent
        assert len(spent) == dps.Ledger.read(each).verify().spends
        moment += 1
    assert moment > 10


MAKING = ("place_file", "_filled_in_place", "_reserve")


def refused(*_: object) -> None:
    """A disk without hard links."""
    raise OSError


def interrupted(work: Callable[[], object], moment: int, other: Callable[[], None]) -> bool:
    """Do some work, and something else before line number ``moment`` of its making; say whether it came so far."""
    lines = 0

    def line(_: object, event: str, __: object) -> object:
        nonlocal lines
        if event == "line":
            if lines == moment:
                sys.settrace(None)
                try:
                    other()
                finally:
                    sys.settrace(call)
            lines += 1
        return line

    def call(frame: object, _: str, __: object) -> object:
        code = frame.f_code  # type: ignore[attr-defined]
        return line if code.co_filename == file.__file__ and code.co_name in MAKING else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines > moment


def test_a_folder_that_may_not_be_entered(path: Path, monkeypatch) -> None:
    """One sentence, whoever asks."""

    def closed(_: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    ledger = opened(path)
    monkeypatch.setattr(Path, "exists", closed)
    for use in (opened, dps.Ledger.read, dps.Ledger.settle, ledger.backup):
        with pytest.raises(OSError, match=r"^The file .* cannot be looked for: check the path and its permissions\.$"):
            use(path)


def test_a_disk_without_links(path: Path, monkeypatch) -> None:
    """The name is reserved, and the ledger is written into the file that has it."""
    monkeypatch.setattr(file.os, "link", refused)

    assert 3 == opened(path, 3).totals.spends
    assert [path.name] == [each.name for each in path.parent.iterdir()]


def test_a_full_disk_without_links_leaves_no_ledger(path: Path, monkeypatch) -> None:
    """It can be made again."""
    write = Transaction.fill

    def full(empty: Transaction, *content: object) -> None:
        if Path(empty.execute("PRAGMA database_list").fetchone()[2]) == path:
            raise sqlite3.OperationalError("database or disk is full")
        write(empty, *content)

    monkeypatch.setattr(file.os, "link", refused)
    monkeypatch.setattr(Transaction, "fill", full)
    with pytest.raises(OSError, match="The disk of .* is full: free some space, or name a file elsewhere"):
        opened(path)
    monkeypatch.undo()

    assert [] == list(path.parent.iterdir())
    assert 1 == opened(path, 1).totals.spends


def test_a_full_disk_is_said_of_the_file_that_was_named(path: Path, monkeypatch) -> None:
    """Whether a ledger is made, spent from or copied; nothing is left, and no name of ours is shown."""
    ledger = opened(path, 1)
    new = path.with_name("new.ledger")
    kept = sorted(path.parent.iterdir())
    connect = sqlite3.connect

    def small(*args: object, **kwargs: object) -> sqlite3.Connection:
        connection = connect(*args, **kwargs)
        connection.execute("PRAGMA max_page_count = 1")
        return connection

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    elsewhere = f"The disk of {new} is full: free some space, or name a file elsewhere."
    with monkeypatch.context() as patch:
        patch.setattr(file.sqlite3, "connect", small)
        with pytest.raises(OSError, match=f"^{re.escape(elsewhere)}$"):
            opened(new)
    monkeypatch.setattr(Transaction, "fill", full)
    with pytest.raises(OSError, match=f"^{re.escape(elsewhere)}$"):
        ledger.backup(new)
    monkeypatch.setattr(tempfile, "TemporaryDirectory", lambda **_: (_ for _ in ()).throw(OSError(28, "raw")))
    with pytest.raises(OSError, match=f"^{re.escape(elsewhere)}$"):
        ledger.backup(new)
    with pytest.raises(OSError, match="free some space; nothing was spent"), file.bare(path):
        full()

    assert kept == sorted(path.parent.iterdir())


def test_a_waiting_writer_gets_its_turn(path: Path) -> None:
    """Whoever finds the file taken asks again within milliseconds, and never gives up a moment too early."""
    ledger = opened(path)
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN EXCLUSIVE")
    waits: list[float] = []
    monotonic, sleep = time.monotonic, time.sleep

    def asleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 50:
            holder.execute("COMMIT")
        sleep(0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file.time, "sleep", asleep)
        assert 1 == ledger.spend(EACH, mechanism="x")
    holder.close()

    assert len(waits) == 50
    assert max(waits) <= 0.005
    assert monotonic is time.monotonic


def test_a_file_that_stays_taken_is_refused(path: Path, monkeypatch) -> None:
    """After the longest wait, in one sentence, and nothing is spent."""
    ledger = opened(path)
    monkeypatch.setattr(file, "_WAIT", 0.05)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(OSError, match=r"locked.*nothing was spent"):
        ledger.spend(EACH, mechanism="x")
    holder.close()

    assert 0 == ledger.totals.spends


def test_a_commit_waits_for_readers(path: Path) -> None:
    """A reader of a long ledger delays a spend and never breaks it."""
    ledger = opened(path)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM events").fetchall()
    waits = []

    def asleep(_: float) -> None:
        waits.append(1)
        if len(waits) == 3:
            reader.execute("COMMIT")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file.time, "sleep", asleep)
        assert 1 == ledger.spend(EACH, mechanism="x")
    reader.close()

    assert (3, 1) == (len(waits), ledger.verify().spends)


def test_a_spend_is_synced_before_it_returns(path: Path) -> None:
    """The file, its journal and, with EXTRA, the folder; and past the cache of the drive on macOS."""
    opened(path)
    with file.open_file(path) as connection:
        assert (3,) == connection.execute("PRAGMA synchronous").fetchone()
        assert (1,) == connection.execute("PRAGMA fullfsync").fetchone()
        assert ("delete",) == connection.execute("PRAGMA journal_mode").fetchone()
