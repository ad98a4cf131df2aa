"""The ledger, in a file and in PostgreSQL: durable, chained, never overspent."""

import copy
import pickle
import threading
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.kernel.neighbours import Neighbours
from dpselect.ledger import verification
from dpselect.ledger.transaction import Transaction
from tests.ledger.ledgers import EACH, filled, tamper


def test_spends_survive(address: str) -> None:
    """Another opening sees the same totals and events."""
    filled(address)
    again = dps.Ledger.open(address, epsilon=1, dataset="survey")

    assert (Fraction(3, 10), 3) == (again.totals.epsilon, again.totals.spends)
    assert Fraction(7, 10) == again.remaining.epsilon
    assert {"table": "people"} == again.events[0].metadata
    assert again.totals == again.verify()


def test_select_and_top_k_spend_before_they_draw(address: str) -> None:
    """One entry each; the peeled list as k releases; nothing beyond the cap, and nothing is drawn then."""
    ledger = filled(address, 0)
    scores = dps.Scores([9, 5, 1], sensitivity=1)
    flip = dps.mechanism("permute-and-flip")
    dps.select(scores, epsilon=0.25, mechanism=flip, ledger=ledger)
    dps.top_k(scores, 3, epsilon=0.6, mechanism=dps.mechanism("exponential"), ledger=ledger)

    assert [(1, Fraction(1, 4)), (3, Fraction(1, 5))] == [(e.count, e.epsilon) for e in ledger.events]
    assert [False, True] == [e.bounded_range for e in ledger.events]
    with pytest.raises(dps.BudgetError, match="left epsilon 0.15"):
        dps.select(scores, epsilon=0.2, mechanism=flip, ledger=ledger)
    assert 2 == ledger.totals.spends


@pytest.mark.parametrize("epsilon", [-1, 0, float("nan"), float("inf"), "1", True, None])
def test_bad_epsilons_spend_nothing(address: str, epsilon) -> None:
    """Refused before the ledger is asked; and none makes a ledger."""
    ledger = filled(address, 0)
    with pytest.raises((ValueError, TypeError), match="epsilon must be"):
        dps.select(dps.Scores([1, 2], 1), epsilon=epsilon, mechanism=dps.mechanism("exponential"), ledger=ledger)
    assert 0 == ledger.totals.spends
    with pytest.raises((ValueError, TypeError), match="epsilon must be"):
        dps.Ledger.open(f"{address}_other", epsilon=epsilon)


def test_a_wrong_ledger_object_is_refused() -> None:
    """Anything that cannot spend."""
    with pytest.raises(TypeError, match="ledger must keep a budget"):
        dps.select(dps.Scores([1, 2], 1), epsilon=1, mechanism=dps.mechanism("exponential"), ledger="budget.db")


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
def test_terms_never_change(address: str, other, name: str) -> None:
    """Other totals, another relation, a renamed dataset."""
    filled(address)
    with pytest.raises(ValueError, match=name):
        dps.Ledger.open(address, **({"epsilon": 1, "dataset": "survey"} | other))


def test_a_newer_format_is_refused(address: str) -> None:
    """An update is asked for."""
    filled(address)
    tamper(address, "UPDATE terms SET format = 5")
    with pytest.raises(ValueError, match="has format 5 and this dpselect reads 1 to 4: update it"):
        dps.Ledger.read(address)


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
def test_edits_are_found_with_their_row(address: str, statement: str, message: str) -> None:
    """On opening, and by whoever holds the ledger open already."""
    ledger = filled(address)
    tamper(address, statement)

    with pytest.raises(ValueError, match=message):
        dps.Ledger.read(address)
    with pytest.raises(ValueError, match=r"edited|lost"):
        ledger.verify()


@pytest.mark.parametrize("edit", ["replace(body, '3/10', '1/10')", "replace(body, '3/10', '0')", "'{}'"])
def test_edited_totals_buy_nothing(address: str, edit: str) -> None:
    """Sums that are not those of the rows stop the open ledger and the next opening, and nothing is spent."""
    ledger = filled(address)
    tamper(address, f"UPDATE totals SET body = {edit}")
    for use in (ledger.verify, lambda: ledger.spend(EACH, mechanism="x"), lambda: dps.Ledger.read(address)):
        with pytest.raises(ValueError, match="totals of this ledger were edited"):
            use()


def test_another_process_is_followed_row_by_row(address: str) -> None:
    """What a second opening wrote is counted and checked by the first."""
    first, second = filled(address, 1), dps.Ledger.read(address)
    for _ in range(8):
        second.spend(EACH, mechanism="x")
    first.spend(EACH, mechanism="x")
    with pytest.raises(dps.BudgetError, match="left epsilon 0"):
        first.spend(EACH, mechanism="x")
    tamper(address, "UPDATE events SET body = replace(body, '1/10', '1/99') WHERE row = 10")
    with pytest.raises(ValueError, match="Row 10 of this ledger was edited"):
        second.spend(EACH, mechanism="x")


def test_a_crash_while_it_is_made_leaves_no_ledger(address: str, monkeypatch) -> None:
    """It can be made again."""
    with monkeypatch.context() as patch:
        patch.setattr(verification, "totals_text", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            dps.Ledger.open(address, epsilon=1)

    with pytest.raises(FileNotFoundError, match="does not exist"):
        dps.Ledger.read(address)
    assert 0 == filled(address, 0).totals.spends


@pytest.mark.parametrize("promise", [0.1, Fraction(1, 10), "0.1", None])
def test_only_guarantees_are_spent(address: str, promise) -> None:
    """A number says neither whom it protects nor how it composes."""
    ledger = filled(address, 0)
    with pytest.raises(TypeError, match="Spend a guarantee"):
        ledger.spend(promise, mechanism="x")


def test_facts_are_recorded_and_open_no_other_budget(address: str) -> None:
    """Another table, filter or sample of the same people is spent from what is left."""
    ledger, flip = filled(address, 0), dps.mechanism("permute-and-flip")
    scores = dps.Scores([3, 1], sensitivity=1)
    dps.select(scores, epsilon=0.75, mechanism=flip, ledger=ledger.with_metadata(table="people"))
    with pytest.raises(dps.BudgetError, match="left epsilon 0.25"):
        dps.select(
            scores, epsilon=0.75, mechanism=flip, ledger=ledger.with_metadata(table="people", sample="one in ten")
        )

    assert [{"table": "people"}] == [event.metadata for event in ledger.events]


def test_sums_of_thousands_of_digits_are_refused(address: str) -> None:
    """In one sentence; the ledger goes on with other numbers."""
    ledger = filled(address, 0)
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
def test_a_break_stops_the_next_spend(address: str, statement: str) -> None:
    """Checked in the transaction of every write."""
    ledger = filled(address)
    tamper(address, statement)
    with pytest.raises(ValueError, match=r"edited or lost|lost rows|terms of this ledger were edited"):
        ledger.spend(EACH, mechanism="x")


def test_a_clock_that_goes_backwards_is_recorded_as_it_is(address: str, monkeypatch) -> None:
    """Order is the order of rows."""
    ledger = filled(address, 1)
    monkeypatch.setattr("dpselect.ledger.events.datetime", type("Clock", (), {"now": staticmethod(early)}))
    ledger.spend(EACH, mechanism="x")

    assert "1999-01-01T00:00:00+00:00" == ledger.events[1].when
    assert 2 == dps.Ledger.read(address).verify().spends


def early(zone):
    """A clock of last century."""
    from datetime import datetime

    return datetime(1999, 1, 1, tzinfo=zone)


def test_ledgers_copy_and_pickle_as_their_address(address: str) -> None:
    """For searches and process pools: every copy spends from the same one."""
    ledger = filled(address, 1)
    for twin in (copy.deepcopy(ledger), pickle.loads(pickle.dumps(ledger))):
        twin.spend(EACH, mechanism="x")

    assert 3 == ledger.totals.spends
    assert f"Ledger({address!r}, dataset='survey')" == repr(ledger)


def test_a_backup_is_a_ledger(address: str, tmp_path: Path) -> None:
    """Verified, and never over another file."""
    ledger = filled(address)
    ledger.backup(tmp_path / "copy")

    assert ledger.events == dps.Ledger.read(tmp_path / "copy").events
    with pytest.raises(FileExistsError, match="exists already"):
        ledger.backup(tmp_path / "copy")


def test_threads_never_overspend(address: str) -> None:
    """Eight threads want three tenths each of a budget of one."""
    ledger, refused = filled(address, 0), []

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


def test_many_makers_leave_one_ledger(address: str) -> None:
    """It is made beside its place and put there whole; whoever comes second takes the first one's."""
    made, begin = [], threading.Barrier(8)

    def make() -> None:
        begin.wait()
        ledger = dps.Ledger.open(address, epsilon=1, dataset="survey")
        ledger.spend(EACH, mechanism="x")
        made.append(ledger)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (8, Fraction(8, 10)) == (len(made), dps.Ledger.read(address).totals.epsilon)


def test_a_backup_has_the_same_chain(address: str, tmp_path: Path) -> None:
    """Row by row and hash by hash, so that a certificate is as good with either; and the budget goes on from there."""
    ledger = filled(address)
    ledger.backup(tmp_path / "copy")
    twin = dps.Ledger.read(tmp_path / "copy")

    assert [ledger.entry(row) for row in (1, 2, 3)] == [twin.entry(row) for row in (1, 2, 3)]
    assert (ledger.terms, ledger.verify(), ledger.remaining) == (twin.terms, twin.verify(), twin.remaining)
    assert 4 == twin.spend(EACH, mechanism="x")


def test_a_damaged_ledger_gives_no_backup(address: str, tmp_path: Path) -> None:
    """Of a row that was edited while it was open; nothing is left of the copy."""
    ledger = filled(address)
    tamper(address, "UPDATE events SET body = replace(body, '1/10', '1/11') WHERE row = 1")
    with pytest.raises(ValueError, match="Row 1 of this ledger was edited"):
        ledger.backup(tmp_path / "copy")

    assert not (tmp_path / "copy").exists()


def test_a_ledger_that_goes_back_in_time_is_refused(address: str) -> None:
    """Older rows and sums, which fit together, would hand budget back to whoever has it open."""
    ledger = filled(address, 1)
    with ledger._reading() as before:
        ((rows, tail, body),) = before.sums()
    ledger.spend(EACH, mechanism="x")
    tamper(
        address,
        "DELETE FROM events WHERE row = 2",
        f"UPDATE totals SET rows = {rows}, tail = '{tail}', body = '{body}'",
    )
    assert 1 == dps.Ledger.read(address).totals.spends
    with pytest.raises(ValueError, match="Row 2 of this ledger was edited or lost"):
        ledger.spend(EACH, mechanism="x")


@pytest.mark.parametrize("moment", ["row", "sums"])
def test_a_spend_that_breaks_off_leaves_nothing(address: str, moment: str, monkeypatch) -> None:
    """Between its row and its sums, or before the commit: neither is there, and the next one takes the row."""
    ledger = filled(address, 1)
    append = Transaction.append

    def breaking(transaction: Transaction, *content: object) -> None:
        if moment == "sums":
            append(transaction, *content)
        else:
            transaction.insert([content[0]])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "append", breaking)
        with pytest.raises(KeyboardInterrupt):
            ledger.spend(EACH, mechanism="x")

    assert 1 == ledger.verify().spends
    assert 2 == ledger.spend(EACH, mechanism="x")


def test_terms_and_metadata_of_any_text_come_back(address: str) -> None:
    """Quotes, percent signs, question marks, other scripts, and bytes that are no characters."""
    hostile = "'; DROP TABLE events; -- %s %(x)s ? {0} çay 茶 \0 \udcff"
    ledger = filled(address, 0, dataset="don't ? %s \" 茶")
    ledger.with_metadata(**{hostile: hostile}).spend(EACH, mechanism="x", note=hostile)
    again = dps.Ledger.read(address)
    written = hostile.replace("\udcff", "\\udcff")

    assert "don't ? %s \" 茶" == again.terms.dataset
    assert (written, {written: written}) == (again.events[0].note, again.events[0].metadata)
