"""The ledger file: durable, chained, never overspent."""

import copy
import os
import pickle
import sqlite3
import threading
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.kernel.neighbours import Neighbours
from dpselect.ledger import file, verification

EACH = dps.Guarantee(Fraction(1, 10), Neighbours.ADD_REMOVE)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a ledger may be made."""
    return tmp_path / "survey.ledger"


def filled(path: Path, spends: int = 3, **given) -> dps.Ledger:
    """A ledger of epsilon 1 with some spends."""
    ledger = dps.Ledger.open(path, **({"epsilon": 1, "dataset": "survey"} | given))
    for _ in range(spends):
        ledger.spend(EACH, mechanism="permute-and-flip", metadata={"table": "people"})
    return ledger


def tamper(path: Path, *statements: str) -> None:
    """Edit the file as somebody with SQLite could."""
    with sqlite3.connect(path) as connection:
        for trigger in ("kept_events", "fixed_events"):
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_spends_survive(path: Path) -> None:
    """Another opening sees the same totals and events."""
    filled(path)
    again = dps.Ledger.open(path, epsilon=1, dataset="survey")

    assert (Fraction(3, 10), 3) == (again.totals.epsilon, again.totals.spends)
    assert Fraction(7, 10) == again.remaining.epsilon
    assert {"table": "people"} == again.events[0].metadata
    assert again.totals == again.verify()


def test_select_and_top_k_spend_before_they_draw(path: Path) -> None:
    """One entry each; the peeled list as k releases; nothing beyond the cap, and nothing is drawn then."""
    ledger = filled(path, 0)
    scores = dps.Scores([9, 5, 1], sensitivity=1)
    flip = dps.mechanism("permute-and-flip")
    dps.select(scores, 0.25, mechanism=flip, ledger=ledger)
    dps.top_k(scores, 3, 0.6, mechanism=dps.mechanism("exponential"), ledger=ledger)

    assert [(1, Fraction(1, 4)), (3, Fraction(1, 5))] == [(e.count, e.epsilon) for e in ledger.events]
    assert [False, True] == [e.bounded_range for e in ledger.events]
    with pytest.raises(dps.BudgetError, match="left epsilon 0.15"):
        dps.select(scores, 0.2, mechanism=flip, ledger=ledger)
    assert 2 == ledger.totals.spends


@pytest.mark.parametrize("epsilon", [-1, 0, float("nan"), float("inf"), "1", True, None])
def test_bad_epsilons_spend_nothing(path: Path, epsilon) -> None:
    """Refused before the ledger is asked; and none makes a ledger."""
    ledger = filled(path, 0)
    with pytest.raises((ValueError, TypeError), match="epsilon must be"):
        dps.select(dps.Scores([1, 2], 1), epsilon, mechanism=dps.mechanism("exponential"), ledger=ledger)
    assert 0 == ledger.totals.spends
    with pytest.raises((ValueError, TypeError), match="epsilon must be"):
        dps.Ledger.open(path.with_name("other"), epsilon=epsilon)


def test_a_wrong_ledger_object_is_refused() -> None:
    """Anything that cannot spend."""
    with pytest.raises(TypeError, match="ledger must keep a budget"):
        dps.select(dps.Scores([1, 2], 1), 1, mechanism=dps.mechanism("exponential"), ledger="budget.db")


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"epsilon": 2}, "epsilon '1', not '2'"),
        ({"delta": 1e-6}, "delta '0'"),
        ({"dataset": "survey 2026"}, "dataset 'survey'"),
        ({"neighbours": "edge"}, "neighbours 'add-remove'"),
        ({"rule": "rho", "delta": 1e-6}, "rule 'sum'"),
    ],
)
def test_terms_never_change(path: Path, other, name: str) -> None:
    """Other totals, another relation, a renamed dataset."""
    filled(path)
    with pytest.raises(ValueError, match=name):
        dps.Ledger.open(path, **({"epsilon": 1, "dataset": "survey"} | other))


def test_a_newer_format_is_refused(path: Path) -> None:
    """An update is asked for."""
    filled(path)
    tamper(path, "UPDATE terms SET format = 3")
    with pytest.raises(ValueError, match="has format 3 and this dpselect reads 1 to 2: update it"):
        dps.Ledger.read(path)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE events SET body = replace(body, '1/10', '1/99') WHERE row = 2", "Row 2 of this ledger"),
        ("DELETE FROM events WHERE row = 2", "Row 2 of this ledger"),
        ("DELETE FROM events WHERE row = 3", "lost rows after row 2"),
        ("UPDATE totals SET rows = 2", "lost rows after row 3"),
        ("UPDATE terms SET body = replace(body, '\"1\"', '\"9\"')", "Row 1 of this ledger"),
    ],
)
def test_edits_are_found_with_their_row(path: Path, statement: str, message: str) -> None:
    """On opening, and by whoever holds the ledger open already."""
    ledger = filled(path)
    tamper(path, statement)

    with pytest.raises(ValueError, match=message):
        dps.Ledger.read(path)
    with pytest.raises(ValueError, match=r"edited|lost"):
        ledger.verify()


@pytest.mark.parametrize("edit", ["replace(body, '3/10', '1/10')", "replace(body, '3/10', '0')", "'{}'"])
def test_edited_totals_buy_nothing(path: Path, edit: str) -> None:
    """Sums that are not those of the rows stop the open ledger and the next opening, and nothing is spent."""
    ledger = filled(path)
    tamper(path, f"UPDATE totals SET body = {edit}")
    for use in (ledger.verify, lambda: ledger.spend(EACH, mechanism="x"), lambda: dps.Ledger.read(path)):
        with pytest.raises(ValueError, match="totals of this ledger were edited"):
            use()


def test_a_file_that_goes_back_in_time_is_refused(path: Path) -> None:
    """An older copy put in place of the file would hand budget back to whoever has it open."""
    ledger = filled(path, 1)
    older = path.read_bytes()
    ledger.spend(EACH, mechanism="x")
    path.write_bytes(older)
    with pytest.raises(ValueError, match="Row 2 of this ledger was edited or lost"):
        ledger.spend(EACH, mechanism="x")


def test_another_process_is_followed_row_by_row(path: Path) -> None:
    """What a second opening wrote is counted and checked by the first."""
    first, second = filled(path, 1), dps.Ledger.read(path)
    for _ in range(8):
        second.spend(EACH, mechanism="x")
    first.spend(EACH, mechanism="x")
    with pytest.raises(dps.BudgetError, match="left epsilon 0"):
        first.spend(EACH, mechanism="x")
    tamper(path, "UPDATE events SET body = replace(body, '1/10', '1/99') WHERE row = 10")
    with pytest.raises(ValueError, match="Row 10 of this ledger was edited"):
        second.spend(EACH, mechanism="x")


def test_an_emptied_file_is_no_new_budget(path: Path) -> None:
    """A ledger cut to nothing is refused, not made again."""
    filled(path)
    path.write_bytes(b"")
    os.utime(path, (0, 0))
    with pytest.raises(ValueError, match=r"is empty and no ledger: .* restore a backup"):
        dps.Ledger.open(path, epsilon=1, dataset="survey")
    with pytest.raises(ValueError, match="is a folder"):
        dps.Ledger.open(path.parent, epsilon=1)


def test_a_folder_that_cannot_be_written(path: Path, monkeypatch) -> None:
    """One sentence, and no ledger."""

    def refuse(**_):
        raise PermissionError

    monkeypatch.setattr(file.tempfile, "TemporaryDirectory", refuse)
    with pytest.raises(OSError, match="cannot be made: check that its folder"):
        dps.Ledger.open(path, epsilon=1)
    assert not path.exists()


def test_a_crash_while_it_is_made_leaves_no_ledger(path: Path, monkeypatch) -> None:
    """It can be made again."""
    monkeypatch.setattr(verification, "totals_text", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        dps.Ledger.open(path, epsilon=1)
    monkeypatch.undo()

    assert [] == list(path.parent.iterdir())
    assert 0 == filled(path, 0).totals.spends


@pytest.mark.parametrize("promise", [0.1, Fraction(1, 10), "0.1", None])
def test_only_guarantees_are_spent(path: Path, promise) -> None:
    """A number says neither whom it protects nor how it composes."""
    ledger = filled(path, 0)
    with pytest.raises(TypeError, match="Spend a guarantee"):
        ledger.spend(promise, mechanism="x")


def test_facts_are_recorded_and_open_no_other_budget(path: Path) -> None:
    """Another table, filter or sample of the same people is spent from what is left."""
    ledger, flip = filled(path, 0), dps.mechanism("permute-and-flip")
    scores = dps.Scores([3, 1], sensitivity=1)
    dps.select(scores, 0.75, mechanism=flip, ledger=ledger.with_metadata(table="people"))
    with pytest.raises(dps.BudgetError, match="left epsilon 0.25"):
        dps.select(scores, 0.75, mechanism=flip, ledger=ledger.with_metadata(table="people", sample="one in ten"))

    assert [{"table": "people"}] == [event.metadata for event in ledger.events]


def test_sums_of_thousands_of_digits_are_refused(path: Path) -> None:
    """In one sentence; the ledger goes on with other numbers."""
    ledger = filled(path, 0)
    tiny = [dps.Guarantee(Fraction(1, 10**299 + k), Neighbours.ADD_REMOVE) for k in (7, 9, 13, 33, 99, 103, 201, 301)]
    for promise in tiny[:7]:
        ledger.spend(promise, mechanism="x")
    with pytest.raises(ValueError, match="too many digits"):
        ledger.spend(tiny[7], mechanism="x")

    assert 7 == ledger.verify().spends
    assert 8 == ledger.spend(EACH, mechanism="x")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM events WHERE row = 3",
        "UPDATE totals SET tail = 'x'",
        "UPDATE terms SET body = replace(body, 's', 'z')",
    ],
)
def test_a_break_stops_the_next_spend(path: Path, statement: str) -> None:
    """Checked in the transaction of every write."""
    ledger = filled(path)
    tamper(path, statement)
    with pytest.raises(ValueError, match=r"edited or lost|lost rows|terms of this ledger were edited"):
        ledger.spend(EACH, mechanism="x")


def test_the_file_only_grows(path: Path) -> None:
    """SQLite itself refuses to change or drop rows."""
    filled(path)
    with sqlite3.connect(path) as connection:
        for statement in ("DELETE FROM events", "UPDATE events SET hash = ''"):
            with pytest.raises(sqlite3.IntegrityError, match="a ledger only grows"):
                connection.execute(statement)
    connection.close()


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
    with pytest.raises(FileNotFoundError, match="no ledger"):
        dps.Ledger.read(path)
    with pytest.raises(FileNotFoundError, match="no folder"):
        dps.Ledger.open(path / "deep" / "er", epsilon=1)
    with pytest.raises(ValueError, match="needs a delta"):
        dps.Ledger.open(path, epsilon=1, rule="rho")


@pytest.mark.parametrize(("pragma", "words"), [("query_only = 1", "readonly"), ("max_page_count = 1", "no room")])
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


def test_a_clock_that_goes_backwards_is_recorded_as_it_is(path: Path, monkeypatch) -> None:
    """Order is the order of rows."""
    ledger = filled(path, 1)
    monkeypatch.setattr("dpselect.ledger.events.datetime", type("Clock", (), {"now": staticmethod(early)}))
    ledger.spend(EACH, mechanism="x")

    assert "1999-01-01T00:00:00+00:00" == ledger.events[1].when
    assert 2 == dps.Ledger.read(path).verify().spends


def early(zone):
    """A clock of last century."""
    from datetime import datetime

    return datetime(1999, 1, 1, tzinfo=zone)


def test_ledgers_copy_and_pickle_as_their_path(path: Path) -> None:
    """For searches and process pools: every copy spends from the same file."""
    ledger = filled(path, 1)
    for twin in (copy.deepcopy(ledger), pickle.loads(pickle.dumps(ledger))):
        twin.spend(EACH, mechanism="x")

    assert 3 == ledger.totals.spends
    assert f"Ledger({str(path)!r}, dataset='survey')" == repr(ledger)


def test_a_backup_is_a_ledger(path: Path) -> None:
    """Verified, and never over another file."""
    ledger = filled(path)
    ledger.backup(path.with_name("copy"))

    assert ledger.events == dps.Ledger.read(path.with_name("copy")).events
    with pytest.raises(FileExistsError, match="exists already"):
        ledger.backup(path.with_name("copy"))


def test_threads_never_overspend(path: Path) -> None:
    """Eight threads want three tenths each of a budget of one."""
    ledger, refused = filled(path, 0), []

    def run() -> None:
        for _ in range(3):
            try:
                ledger.spend(EACH, mechanism="x")
            except dps.BudgetError:
                refused.append(1)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (Fraction(1), 14) == (ledger.verify().epsilon, len(refused))


def test_many_makers_leave_one_ledger(path: Path) -> None:
    """It is made beside its place and put there whole; whoever comes second takes the first one's."""
    made, begin = [], threading.Barrier(8)

    def make() -> None:
        begin.wait()
        ledger = dps.Ledger.open(path, epsilon=1, dataset="survey")
        ledger.spend(EACH, mechanism="x")
        made.append(ledger)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (8, Fraction(8, 10)) == (len(made), dps.Ledger.read(path).totals.epsilon)
    assert [path.name] == [each.name for each in path.parent.iterdir()]
