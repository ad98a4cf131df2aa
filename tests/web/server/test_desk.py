"""What becomes of requests that something goes wrong with: each ends once, and nothing is paid twice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError

import dpselect as dps
from dpselect.ledger import LedgerRequests
from dpselect.ledger.requests import answer_hash
from dpselect.queries import query_of
from dpselect.web.server.account import Account
from dpselect.web.server.desk import ATTEMPTS, FAILED, LOST, Desk
from dpselect.web.server.house import House
from dpselect.web.server.refusal import Busy, Unknown
from dpselect.web.server.requests import DrawnAnswers
from dpselect.web.server.settings import read_settings
from tests.web.server.conftest import CONFIG, write

QUESTION = query_of('{"query": "histogram", "column": "age", "epsilon": "0.05"}')


def answered(desk: Desk, number: str):
    """Let a worker try, and return the request."""
    future = desk.begin(desk.house.requests.find(number))
    if future is not None:
        future.result()
    return desk.house.requests.find(number)


def spends(house: House) -> int:
    """Return how many rows the ledger has."""
    return house.datasets["survey"].account.ledger.totals.spends


def test_a_restored_backup_draws_nothing_again(settings) -> None:
    """The database is older than its ledger, which knows a later request: what it has forgotten may have been sent."""
    path = Path(settings.server.database)
    house = House.open(settings)
    house.people.add("ann", "analyst", "test")
    first = Desk(house).take("ann", "first", "survey", QUESTION).id
    house.close()
    shutil.copy(path, path.with_name("backup"))

    house = House.open(settings)
    desk = Desk(house)
    sent = answered(desk, first)
    later = answered(desk, desk.take("ann", "later", "survey", QUESTION).id)
    assert ("answered", "answered") == (sent.state, later.state)
    desk.stop()
    house.close()
    shutil.copy(path.with_name("backup"), path)

    house = House.open(settings)
    desk = Desk(house)
    desk.start()
    again = answered(desk, first)
    assert ("failed", sent.row) == (again.state, again.row)
    assert FAILED == json.loads(again.answer)["problem"]["detail"]
    assert 2 == spends(house)
    desk.stop()
    house.close()


def older(settings, seen: list[str]) -> tuple[str, str]:
    """Answer one request, put the database back to before that, and answer it again; return both ends.

    The request was paid for before, so the ledger knows nothing that the database has forgotten.
    """
    path = Path(settings.server.database)
    house = House.open(settings)
    house.people.add("ann", "analyst", "test")
    number = Desk(house).take("ann", "one", "survey", QUESTION).id
    house.close()
    for _ in range(2):
        if seen:
            shutil.copy(path.with_name("backup"), path)
        else:
            shutil.copy(path, path.with_name("backup"))
        house = House.open(settings)
        desk = Desk(house)
        desk.start()
        seen.append(answered(desk, number).answer)
        assert [] == house.lost()
        assert 1 == spends(house)
        desk.stop()
        house.close()
    return seen[0], seen[1]


def test_a_backup_that_is_older_by_one_answer_draws_nothing_again(settings) -> None:
    """The ledger keeps the hash of what was sent: the request has failed, and says why."""
    first, second = (json.loads(each) for each in older(settings, []))

    assert ("answered", "failed") == (first["state"], second["state"])
    assert {"status": 424, "detail": LOST} == second["problem"]


def test_drawing_again_is_caught(settings, monkeypatch) -> None:
    """The test above can fail: without the hash, one payment has two answers."""
    monkeypatch.setattr(LedgerRequests, "confirm", lambda *_: None)
    first, second = (json.loads(each) for each in older(settings, []))

    assert ("answered", "answered") == (first["state"], second["state"])
    assert first["answer"] != second["answer"]


def test_of_two_copies_of_a_database_one_answers(settings) -> None:
    """Both draw at once, under one payment: the first whose hash is kept is shown, and the other is not."""
    path = Path(settings.server.database)
    house = House.open(settings)
    house.people.add("ann", "analyst", "test")
    number = Desk(house).take("ann", "one", "survey", QUESTION).id
    house.close()
    copy = shutil.copy(path, path.with_name("copy.db"))
    server = settings.server.model_copy(update={"database": str(copy)})
    other = House.open(settings.model_copy(update={"server": server}))
    house = House.open(settings)
    desks, shown = [Desk(house), Desk(other)], {}
    keep = DrawnAnswers.keep

    def late(self: DrawnAnswers, request: str, answer: str) -> str:
        # Whoever comes first waits until the other one has drawn and shown its answer.
        if not shown:
            shown["other"] = None
            shown["other"] = answered(desks[1], number)
        return keep(self, request, answer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DrawnAnswers, "keep", late)
        shown["this"] = answered(desks[0], number)
    assert ("failed", "answered") == (shown["this"].state, shown["other"].state)
    assert LOST == json.loads(shown["this"].answer)["problem"]["detail"]
    assert (1, 1) == (spends(house), len(house.datasets["survey"].account.ledger.answers([number])))
    for desk in desks:
        desk.stop()
        desk.house.close()


def test_a_draw_that_nobody_has_seen_is_shown_once(house, monkeypatch) -> None:
    """It was stored when the ledger was away for a moment: the next attempt shows that draw, and no other one."""
    desk = Desk(house)
    number = desk.take("ann", "one", "survey", QUESTION).id

    def away(*_: object) -> None:
        raise OSError("away")

    with monkeypatch.context() as patch:
        patch.setattr(LedgerRequests, "confirm", away)
        assert ("running", None) == ((tried := answered(desk, number)).state, tried.answer)
    drawn = DrawnAnswers(house.database).read(number)
    assert {} == house.datasets["survey"].account.ledger.answers([number])
    house.requests.release()
    assert drawn == answered(desk, number).answer
    with house.database.reading() as statements:
        assert {"drawn": None} == statements.row("SELECT drawn FROM requests")
    desk.stop()


def test_a_failure_is_the_one_answer_too(house) -> None:
    """That rows could not be read is kept as an answer is: rows that come back draw nothing under its payment."""
    rows = Path(house.datasets["survey"].description.address)
    content = rows.read_bytes()
    rows.unlink()
    desk = Desk(house)
    number = desk.take("ann", "one", "survey", QUESTION).id
    failed = answered(desk, number)
    rows.write_bytes(content)

    assert "failed" == failed.state
    assert {number: answer_hash(failed.answer)} == house.datasets["survey"].account.ledger.answers([number])
    desk.stop()


@pytest.mark.parametrize("lost", ["all", "last"])
def test_a_ledger_that_has_forgotten_is_not_spent_from(settings, tmp_path, lost) -> None:
    """Gone, restored from a backup, or another server's: no row would pay for answers that the database has."""
    house = House.open(settings)
    house.people.add("ann", "analyst", "test")
    desk, ledger = Desk(house), tmp_path / "ledgers" / "survey.ledger"
    for key in ("first", "last"):
        shutil.copytree(ledger.parent, tmp_path / key)
        assert "answered" == answered(desk, desk.take("ann", key, "survey", QUESTION).id).state
    desk.stop()
    house.close()
    shutil.move(ledger.parent, tmp_path / "whole")
    if lost == "last":
        shutil.copytree(tmp_path / "last", ledger.parent)

    with pytest.raises(ValueError, match="survey: the ledger has no row of requests that this server has answered"):
        House.open(settings)
    shutil.rmtree(ledger.parent, ignore_errors=True)
    shutil.move(tmp_path / "whole", ledger.parent)
    house = House.open(settings)
    assert 2 == spends(house)
    house.close()


def test_a_request_that_stops_every_server_is_given_up(house) -> None:
    """Not paid, it is refused; paid, its price stays spent. Neither is tried without end."""
    desk, account = Desk(house), house.datasets["survey"].account
    unpaid, paid = (desk.take("ann", key, "survey", QUESTION).id for key in ("unpaid", "paid"))
    account.pay(paid, "ann", house.datasets["survey"].plan(QUESTION, 10**5).spends, {})
    for number in (unpaid, paid):
        for attempt in range(ATTEMPTS):
            assert house.requests.claim(number, str(attempt), 0.0) is not None

    assert ("refused", None) == ((ended := answered(desk, unpaid)).state, ended.row)
    assert ("failed", 1) == ((ended := answered(desk, paid)).state, ended.row)
    assert 1 == spends(house)
    desk.stop()


def test_what_could_not_be_paid_is_tried_again(house, monkeypatch) -> None:
    """A ledger that is away for a moment is no answer."""
    desk = Desk(house)
    number = desk.take("ann", "key", "survey", QUESTION).id
    pay = Account.pay

    def away(*_, **__):
        raise OSError("secret")

    monkeypatch.setattr(Account, "pay", away)
    assert ("running", None) == ((tried := answered(desk, number)).state, tried.answer)
    monkeypatch.setattr(Account, "pay", pay)
    # As when its lease has ended.
    house.requests.release()
    assert "answered" == answered(desk, number).state
    assert 1 == spends(house)
    desk.stop()


@pytest.mark.parametrize("name", ["visits", "nothing", "../visits", "visits\x00"])
def test_what_is_not_there_takes_as_many_steps(house, name) -> None:
    """The database is asked the same of a dataset of others and of one that is not there: no clock tells them apart."""
    desk, asked = Desk(house), []
    event.listen(house.database._engine, "before_cursor_execute", lambda *args: asked.append(args[2]))

    with pytest.raises(Unknown) as refused:
        desk.take("ann", "key", name, QUESTION)
    assert ["SELECT epsilon FROM shares WHERE dataset = ? AND analyst = ?"] == asked
    assert "There is no such dataset, or none for you." == str(refused.value)
    desk.stop()


def test_settings_that_came_too_late_are_told(settings, tmp_path) -> None:
    """A share that is written into the file after the first start gives nothing, and is said."""
    house = House.open(settings)
    assert [] == house.outdated()
    house.close()
    config = CONFIG.replace("shares = {ann = 6, bob = 8}", "shares = {ann = 7, eve = 1}")

    house = House.open(read_settings(write(tmp_path, config)))
    ann, eve = house.outdated()
    assert ann.startswith("datasets.survey: the share of ann is 7 in the settings,")
    assert "and it is 6 now" in ann
    assert "share of eve is 1 in the settings, which count at the first start alone, and there is none now" in eve
    assert not house.standings.has_share("survey", "eve")
    house.close()


def test_requests_that_wait_are_limited(house) -> None:
    """Of each analyst; a key that is known is not another request."""
    desk = Desk(house)
    for place in range(20):
        desk.take("ann", str(place), "survey", QUESTION)

    with pytest.raises(Busy):
        desk.take("ann", "more", "survey", QUESTION)
    desk.take("ann", "0", "survey", QUESTION)
    desk.take("bob", "more", "survey", QUESTION)
    desk.stop()


def test_a_ledger_that_is_away_after_the_draw_is_no_failure(house, monkeypatch) -> None:
    """What was drawn was seen by nobody: it is drawn again under the same payment, once the ledger is there."""
    desk = Desk(house)
    number = desk.take("ann", "key", "survey", QUESTION).id

    def away(*_):
        raise OSError("secret")

    with monkeypatch.context() as patch:
        patch.setattr(dps.Ledger, "entry", away)
        assert ("running", None) == ((tried := answered(desk, number)).state, tried.answer)
    assert 1 == spends(house)
    house.requests.release()
    assert ("answered", 1) == ((ended := answered(desk, number)).state, ended.row)
    assert 1 == spends(house)
    desk.stop()


def test_an_answer_that_cannot_be_stored_is_told_to_nobody(house, caplog) -> None:
    """A full disk is no reason to print it: it will be drawn again, and two draws must not stand in any log."""
    desk = Desk(house)
    number = desk.take("ann", "key", "survey", QUESTION).id
    with house.database.writing() as statements:
        statements.run(
            "CREATE TRIGGER full_disk BEFORE UPDATE ON requests WHEN NEW.answer IS NOT NULL "
            "BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    future = desk.begin(house.requests.find(number))
    assert future is not None
    # An exception that nobody fetches is printed with all that it says.
    assert future.exception() is None
    assert future.result() is None
    assert "IntegrityError" in caplog.text
    assert number in caplog.text
    assert "answer" not in caplog.text.replace("answered", "")
    with pytest.raises(IntegrityError) as refused:
        house.requests.keep(number, "answered", "canary", 1)
    assert "canary" not in str(refused.value)
    with house.database.writing() as statements:
        statements.run("DROP TRIGGER full_disk")
    house.requests.release()
    assert ("answered", 1) == ((ended := answered(desk, number)).state, ended.row)
    assert 1 == spends(house)
    desk.stop()
