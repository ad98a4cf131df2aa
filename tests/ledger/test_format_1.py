"""Ledgers written by version 0.1, in format 1: files/version_0_1.ledger and, by rho, files/version_0_1_rho.ledger."""

import json
import shutil
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.ledger import LedgerRequests, PlanPayment, RequestSpends, Spend, file

FILES = Path(__file__).parent / "files"
PURE = dps.Guarantee(Fraction(1, 100), "add-remove")
DELTA = Fraction(1, 10**6)


@pytest.fixture(params=["version_0_1", "version_0_1_rho"])
def path(request, tmp_path: Path) -> Path:
    """A copy that may be written to."""
    return Path(shutil.copyfile(FILES / f"{request.param}.ledger", tmp_path / "survey.ledger"))


@pytest.fixture
def by_sum(tmp_path: Path) -> Path:
    """A copy of the one that adds epsilons."""
    return Path(shutil.copyfile(FILES / "version_0_1.ledger", tmp_path / "sum.ledger"))


def content(path: Path) -> tuple[int, list[tuple[int, str, str]]]:
    """The format of a file and its rows, as they are written."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        ((number,),) = connection.execute("SELECT format FROM terms").fetchall()
        return number, connection.execute("SELECT row, body, hash FROM events ORDER BY row").fetchall()
    finally:
        connection.close()


def exact_rho(events) -> Fraction:
    """What these events cost at exact prices, without those that have none."""
    return sum((each.count * each.guarantee.rho for each in events if not each.delta), Fraction(0))


def test_what_version_0_1_wrote_is_read(by_sum: Path) -> None:
    """Terms, sums, and every event with its note and facts."""
    ledger = dps.Ledger.open(by_sum, epsilon=2, delta=1e-6, dataset="survey 2026")
    totals, events = ledger.totals, ledger.events

    assert ("sum", 5, 7) == (ledger.rule, totals.spends, totals.releases)
    assert (Fraction(49, 40), Fraction(1, 10**7), exact_rho(events)) == (totals.epsilon, totals.delta, totals.rho)
    assert 0.99 * 33 / 512 < totals.rho < Fraction(33, 512)
    assert (Fraction(31, 40), Fraction(9, 10**7)) == (ledger.remaining.epsilon, ledger.remaining.delta)
    assert [1, 2, 1, 2, 1] == [event.count for event in events]
    assert [False, True, False, False, True] == [event.bounded_range for event in events]
    assert ("a Gaussian mean, by hand: çay", Fraction(1, 10**7)) == (events[2].note, events[2].delta)
    assert {"filter": "age > 30", "table": "people"} == events[0].metadata
    assert events[3].idealised
    assert {None} == {event.rho for event in events}


def test_what_version_0_1_wrote_by_rho_is_read() -> None:
    """The same sums; what is left is not less than version 0.1 said."""
    ledger = dps.Ledger.read(FILES / "version_0_1_rho.ledger")

    assert ("rho", exact_rho(ledger.events)) == (ledger.rule, ledger.totals.rho)
    assert Fraction(0.98) * Fraction(29, 1600) < ledger.totals.rho < Fraction(29, 1600)
    assert Fraction(44898871211855041, 7205759403792793600) <= ledger.remaining.rho


def test_reading_changes_nothing(path: Path) -> None:
    """Not one byte: opening, reading, verifying, reports, and spends that are refused."""
    before = path.read_bytes()
    ledger = dps.Ledger.read(path)
    ledger.verify()
    assert len(ledger.events) == ledger.totals.spends
    with pytest.raises(dps.BudgetError):
        ledger.spend(dps.Guarantee(9, "add-remove"), mechanism="x")

    assert before == path.read_bytes()
    assert 1 == content(path)[0]


def test_the_first_spend_makes_it_format_3_and_keeps_every_row(path: Path) -> None:
    """Rows and hashes stay as they were written, and the chain goes on from the last of them."""
    _, before = content(path)
    ledger = dps.Ledger.read(path)
    ledger.spend(PURE, mechanism="x")
    number, after = content(path)

    assert (3, before) == (number, after[:-1])
    assert len(before) + 1 == dps.Ledger.read(path).verify().spends == ledger.verify().spends
    assert set(json.loads(before[0][1])) == set(json.loads(after[-1][1]))


def test_concentrated_releases_go_into_an_old_ledger(path: Path) -> None:
    """As the epsilon and delta that they state, or as their rho; and they come back as they went in."""
    before = dps.Ledger.read(path)
    old = before.totals
    promise = dps.Guarantee.from_rho(Fraction(1, 1000), DELTA / 10, "add-remove")
    before.spend(promise, mechanism="discrete Gaussian", count=2)
    after = dps.Ledger.read(path)

    assert (promise, 2) == (after.events[-1].guarantee, after.events[-1].count)
    added = [getattr(after.totals, name) - getattr(old, name) for name in ("epsilon", "delta", "rho")]
    assert [2 * promise.epsilon, 2 * promise.delta, 2 * promise.rho] == added


def test_what_has_no_rho_stays_out_of_an_old_ledger_by_rho(tmp_path: Path) -> None:
    """Nothing is spent, and the format stays."""
    path = Path(shutil.copyfile(FILES / "version_0_1_rho.ledger", tmp_path / "rho.ledger"))
    ledger = dps.Ledger.read(path)
    with pytest.raises(dps.BudgetError, match="has none: state the rho"):
        ledger.spend(dps.Guarantee(Fraction(1, 1000), "add-remove", DELTA / 1000), mechanism="x")

    assert (1, 3) == (content(path)[0], ledger.verify().spends)


def test_the_change_of_format_is_part_of_the_spend(by_sum: Path, monkeypatch) -> None:
    """A spend that ends half-way leaves format 1 and no row."""
    before = content(by_sum)
    ledger = dps.Ledger.read(by_sum)
    execute = file.RetryingConnection.execute

    def dying(connection, statement, *parameters):
        if statement == "COMMIT":
            raise KeyboardInterrupt
        return execute(connection, statement, *parameters)

    monkeypatch.setattr(file.RetryingConnection, "execute", dying)
    with pytest.raises(KeyboardInterrupt):
        ledger.spend(PURE, mechanism="x")
    monkeypatch.undo()

    assert before == content(by_sum)
    assert 5 == ledger.verify().spends


@pytest.mark.parametrize("rho", ["33/512", "1/1000"])
def test_sums_of_old_prices_are_compared_as_they_were_written(by_sum: Path, rho: str) -> None:
    """Not with exact prices, and an edited one is found."""
    with sqlite3.connect(by_sum) as connection:
        (body,) = connection.execute("SELECT body FROM totals").fetchone()
        connection.execute("UPDATE totals SET body = ?", (body.replace("33/512", rho),))
    connection.close()
    if rho == "33/512":
        assert 5 == dps.Ledger.read(by_sum).verify().spends
    else:
        with pytest.raises(ValueError, match="totals of this ledger were edited"):
            dps.Ledger.read(by_sum)


def test_whoever_has_it_open_sees_the_change(by_sum: Path) -> None:
    """Two programs of this version: one spends, the other goes on."""
    first, second = dps.Ledger.read(by_sum), dps.Ledger.read(by_sum)
    second.spend(PURE, mechanism="x")
    first.spend(PURE, mechanism="x")

    assert (3, 7) == (content(by_sum)[0], second.totals.spends)


def test_an_old_row_that_was_edited_is_still_found(path: Path) -> None:
    """Before the change of format and after it."""
    dps.Ledger.read(path).spend(PURE, mechanism="x")
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER fixed_events")
        connection.execute("UPDATE events SET body = replace(body, '\"count\": 1', '\"count\": 2') WHERE row = 1")
    connection.close()
    with pytest.raises(ValueError, match="Row 1 of this ledger was edited"):
        dps.Ledger.read(path)


def test_a_backup_of_an_old_ledger_keeps_its_format(path: Path) -> None:
    """It is a copy."""
    dps.Ledger.read(path).backup(path.with_name("copy"))

    assert content(path) == content(path.with_name("copy"))


def test_new_ledgers_have_the_last_format(tmp_path: Path) -> None:
    """From the beginning."""
    dps.Ledger.open(tmp_path / "new.ledger", epsilon=1)

    assert (4, []) == content(tmp_path / "new.ledger")


def test_the_first_request_makes_it_format_4(path: Path) -> None:
    """Answers get a table in the transaction that pays; rows and hashes stay."""
    _, before = content(path)
    ledger = dps.Ledger.read(path)
    assert {} == ledger.answers(["one"])
    large = RequestSpends("one", [Spend(dps.Guarantee(9, "add-remove"), "x")])
    with pytest.raises(dps.BudgetError):
        LedgerRequests(ledger).pay([large])
    assert (1, before) == content(path)

    LedgerRequests(ledger).pay([RequestSpends("one", [Spend(PURE, "x")])])
    number, after = content(path)
    assert (4, before) == (number, after[:-1])
    with ledger.transaction() as transaction:
        assert "a" == transaction.keep_answer("one", "a") == transaction.keep_answer("one", "b")
    assert {"one": "a"} == dps.Ledger.read(path).answers(["one", "two"])


def test_a_plan_goes_into_an_old_ledger_as_a_spend(tmp_path: Path) -> None:
    """One that adds epsilons and has a delta: its rows stay as they are, and the plan's row adds to them."""
    path = Path(shutil.copyfile(FILES / "version_0_1.ledger", tmp_path / "sum.ledger"))
    _, rows = content(path)
    ledger = dps.Ledger.read(path)
    before, delta = ledger.totals, ledger.remaining.delta / 2
    choice = Spend(dps.Guarantee(Fraction(1, 10**4), "add-remove", bounded_range=True), "exponential")
    due = [RequestSpends(f"r{number}", [choice]) for number in range(1000)]
    paid = LedgerRequests(ledger).pay(due, None, PlanPayment("p", delta))
    number, after = content(path)

    assert {len(rows) + 1} == {row for each in paid for row in each}
    assert (4, rows) == (number, after[: len(rows)])
    assert before.epsilon < ledger.totals.epsilon < before.epsilon + Fraction(1, 10)
    assert before.delta + delta == ledger.totals.delta
    assert ledger.totals == ledger.verify()
