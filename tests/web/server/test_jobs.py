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
from dpselect.web.server.dataset_budget import DatasetBudget
from dpselect.web.server.errors import NotFoundError, TooManyRequestsError
from dpselect.web.server.jobs import ANSWER_LOST, ATTEMPTS, REQUEST_FAILED, JobQueue
from dpselect.web.server.requests import DrawnAnswers
from dpselect.web.server.settings import read_settings
from dpselect.web.server.state import ServerState
from tests.web.server.conftest import CONFIG, write

QUESTION = query_of('{"query": "histogram", "column": "age", "epsilon": "0.05"}')


def answered(jobs: JobQueue, number: str):
    """Let a worker try, and return the request."""
    future = jobs.start_job(jobs.server_state.requests.find(number))
    if future is not None:
        future.result()
    return jobs.server_state.requests.find(number)


def spends(server_state: ServerState) -> int:
    """Return how many rows the ledger has."""
    return server_state.datasets["survey"].account.ledger.totals.spends


def test_a_restored_backup_draws_nothing_again(settings) -> None:
    """The database is older than its ledger, which knows a later request: what it has forgotten may have been sent."""
    path = Path(settings.server.database)
    server_state = ServerState.open(settings)
    server_state.people.add("ann", "analyst", "test")
    first = JobQueue(server_state).submit("ann", "first", "survey", QUESTION).id
    server_state.close()
    shutil.copy(path, path.with_name("backup"))

    server_state = ServerState.open(settings)
    jobs = JobQueue(server_state)
    sent = answered(jobs, first)
    later = answered(jobs, jobs.submit("ann", "later", "survey", QUESTION).id)
    assert ("answered", "answered") == (sent.state, later.state)
    jobs.stop()
    server_state.close()
    shutil.copy(path.with_name("backup"), path)

    server_state = ServerState.open(settings)
    jobs = JobQueue(server_state)
    jobs.start()
    again = answered(jobs, first)
    assert ("failed", sent.row) == (again.state, again.row)
    assert REQUEST_FAILED == json.loads(again.answer)["problem"]["detail"]
    assert 2 == spends(server_state)
    jobs.stop()
    server_state.close()


def older(settings, seen: list[str]) -> tuple[str, str]:
    """Answer one request, put the database back to before that, and answer it again; return both ends.

    The request was paid for before, so the ledger knows nothing that the database has forgotten.
    """
    path = Path(settings.server.database)
    server_state = ServerState.open(settings)
    server_state.people.add("ann", "analyst", "test")
    number = JobQueue(server_state).submit("ann", "one", "survey", QUESTION).id
    server_state.close()
    for _ in range(2):
        if seen:
            shutil.copy(path.with_name("backup"), path)
        else:
            shutil.copy(path, path.with_name("backup"))
        server_state = ServerState.open(settings)
        jobs = JobQueue(server_state)
        jobs.start()
        seen.append(answered(jobs, number).answer)
        assert [] == server_state.lost_requests()
        assert 1 == spends(server_state)
        jobs.stop()
        server_state.close()
    return seen[0], seen[1]


def test_a_backup_that_is_older_by_one_answer_draws_nothing_again(settings) -> None:
    """The ledger keeps the hash of what was sent: the request has failed, and says why."""
    first, second = (json.loads(each) for each in older(settings, []))

    assert ("answered", "failed") == (first["state"], second["state"])
    assert {"status": 424, "detail": ANSWER_LOST} == second["problem"]


def test_drawing_again_is_caught(settings, monkeypatch) -> None:
    """The test above can fail: without the hash, one payment has two answers."""
    monkeypatch.setattr(LedgerRequests, "confirm", lambda *_: None)
    first, second = (json.loads(each) for each in older(settings, []))

    assert ("answered", "answered") == (first["state"], second["state"])
    assert first["answer"] != second["answer"]


def test_of_two_copies_of_a_database_one_answers(settings) -> None:
    """Both draw at once, under one payment: the first whose hash is kept is shown, and the other is not."""
    path = Path(settings.server.database)
    server_state = ServerState.open(settings)
    server_state.people.add("ann", "analyst", "test")
    number = JobQueue(server_state).submit("ann", "one", "survey", QUESTION).id
    server_state.close()
    copy = shutil.copy(path, path.with_name("copy.db"))
    server = settings.server.model_copy(update={"database": str(copy)})
    other = ServerState.open(settings.model_copy(update={"server": server}))
    server_state = ServerState.open(settings)
    desks, shown = [JobQueue(server_state), JobQueue(other)], {}
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
    assert ANSWER_LOST == json.loads(shown["this"].answer)["problem"]["detail"]
    assert (1, 1) == (spends(server_state), len(server_state.datasets["survey"].account.ledger.answers([number])))
    for jobs in desks:
        jobs.stop()
        jobs.server_state.close()


def test_a_draw_that_nobody_has_seen_is_shown_once(server_state, monkeypatch) -> None:
    """It was stored when the ledger was away for a moment: the next attempt shows that draw, and no other one."""
    jobs = JobQueue(server_state)
    number = jobs.submit("ann", "one", "survey", QUESTION).id

    def away(*_: object) -> None:
        raise OSError("away")

    with monkeypatch.context() as patch:
        patch.setattr(LedgerRequests, "confirm", away)
        assert ("running", None) == ((tried := answered(jobs, number)).state, tried.answer)
    drawn = DrawnAnswers(server_state.database).read(number)
    assert {} == server_state.datasets["survey"].account.ledger.answers([number])
    server_state.requests.release()
    assert drawn == answered(jobs, number).answer
    with server_state.database.reading() as statements:
        assert {"drawn": None} == statements.row("SELECT drawn FROM requests")
    jobs.stop()


def test_a_failure_is_the_one_answer_too(server_state) -> None:
    """That rows could not be read is kept as an answer is: rows that come back draw nothing under its payment."""
    rows = Path(server_state.datasets["survey"].description.address)
    content = rows.read_bytes()
    rows.unlink()
    jobs = JobQueue(server_state)
    number = jobs.submit("ann", "one", "survey", QUESTION).id
    failed = answered(jobs, number)
    rows.write_bytes(content)

    assert "failed" == failed.state
    assert {number: answer_hash(failed.answer)} == server_state.datasets["survey"].account.ledger.answers([number])
    jobs.stop()


@pytest.mark.parametrize("lost", ["all", "last"])
def test_a_ledger_that_has_forgotten_is_not_spent_from(settings, tmp_path, lost) -> None:
    """Gone, restored from a backup, or another server's: no row would pay for answers that the database has."""
    server_state = ServerState.open(settings)
    server_state.people.add("ann", "analyst", "test")
    jobs, ledger = JobQueue(server_state), tmp_path / "ledgers" / "survey.ledger"
    for key in ("first", "last"):
        shutil.copytree(ledger.parent, tmp_path / key)
        assert "answered" == answered(jobs, jobs.submit("ann", key, "survey", QUESTION).id).state
    jobs.stop()
    server_state.close()
    shutil.move(ledger.parent, tmp_path / "whole")
    if lost == "last":
        shutil.copytree(tmp_path / "last", ledger.parent)

    with pytest.raises(ValueError, match="survey: the ledger has no row of requests that this server has answered"):
        ServerState.open(settings)
    shutil.rmtree(ledger.parent, ignore_errors=True)
    shutil.move(tmp_path / "whole", ledger.parent)
    server_state = ServerState.open(settings)
    assert 2 == spends(server_state)
    server_state.close()


def test_a_request_that_stops_every_server_is_given_up(server_state) -> None:
    """Not paid, it is refused; paid, its price stays spent. Neither is tried without end."""
    jobs, account = JobQueue(server_state), server_state.datasets["survey"].account
    unpaid, paid = (jobs.submit("ann", key, "survey", QUESTION).id for key in ("unpaid", "paid"))
    account.pay(paid, "ann", server_state.datasets["survey"].plan(QUESTION, 10**5).spends, {})
    for number in (unpaid, paid):
        for attempt in range(ATTEMPTS):
            assert server_state.requests.claim(number, str(attempt), 0.0) is not None

    assert ("refused", None) == ((ended := answered(jobs, unpaid)).state, ended.row)
    assert ("failed", 1) == ((ended := answered(jobs, paid)).state, ended.row)
    assert 1 == spends(server_state)
    jobs.stop()


def test_what_could_not_be_paid_is_tried_again(server_state, monkeypatch) -> None:
    """A ledger that is away for a moment is no answer."""
    jobs = JobQueue(server_state)
    number = jobs.submit("ann", "key", "survey", QUESTION).id
    pay = DatasetBudget.pay

    def away(*_, **__):
        raise OSError("secret")

    monkeypatch.setattr(DatasetBudget, "pay", away)
    assert ("running", None) == ((tried := answered(jobs, number)).state, tried.answer)
    monkeypatch.setattr(DatasetBudget, "pay", pay)
    # As when its lease has ended.
    server_state.requests.release()
    assert "answered" == answered(jobs, number).state
    assert 1 == spends(server_state)
    jobs.stop()


@pytest.mark.parametrize("name", ["visits", "nothing", "../visits", "visits\x00"])
def test_what_is_not_there_takes_as_many_steps(server_state, name) -> None:
    """The database is asked the same of a dataset of others and of one that is not there: no clock tells them apart."""
    jobs, asked = JobQueue(server_state), []
    event.listen(server_state.database._engine, "before_cursor_execute", lambda *args: asked.append(args[2]))

    with pytest.raises(NotFoundError) as refused:
        jobs.submit("ann", "key", name, QUESTION)
    assert ["SELECT epsilon FROM shares WHERE dataset = ? AND analyst = ?"] == asked
    assert "This dataset does not exist, or is not shared with you." == str(refused.value)
    jobs.stop()


def test_settings_that_came_too_late_are_told(settings, tmp_path) -> None:
    """A share that is written into the file after the first start gives nothing, and is said."""
    server_state = ServerState.open(settings)
    assert [] == server_state.outdated_settings()
    server_state.close()
    config = CONFIG.replace("shares = {ann = 6, bob = 8}", "shares = {ann = 7, eve = 1}")

    server_state = ServerState.open(read_settings(write(tmp_path, config)))
    ann, eve = server_state.outdated_settings()
    assert ann.startswith("datasets.survey: the share of ann is 7 in the settings,")
    assert "and it is 6 now" in ann
    assert "share of eve is 1 in the settings, which count at the first start alone, and there is none now" in eve
    assert not server_state.standings.has_share("survey", "eve")
    server_state.close()


def test_requests_that_wait_are_limited(server_state) -> None:
    """Of each analyst; a key that is known is not another request."""
    jobs = JobQueue(server_state)
    for place in range(20):
        jobs.submit("ann", str(place), "survey", QUESTION)

    with pytest.raises(TooManyRequestsError):
        jobs.submit("ann", "more", "survey", QUESTION)
    jobs.submit("ann", "0", "survey", QUESTION)
    jobs.submit("bob", "more", "survey", QUESTION)
    jobs.stop()


def test_a_ledger_that_is_away_after_the_draw_is_no_failure(server_state, monkeypatch) -> None:
    """What was drawn was seen by nobody: it is drawn again under the same payment, once the ledger is there."""
    jobs = JobQueue(server_state)
    number = jobs.submit("ann", "key", "survey", QUESTION).id

    def away(*_):
        raise OSError("secret")

    with monkeypatch.context() as patch:
        patch.setattr(dps.Ledger, "entry", away)
        assert ("running", None) == ((tried := answered(jobs, number)).state, tried.answer)
    assert 1 == spends(server_state)
    server_state.requests.release()
    assert ("answered", 1) == ((ended := answered(jobs, number)).state, ended.row)
    assert 1 == spends(server_state)
    jobs.stop()


def test_an_answer_that_cannot_be_stored_is_told_to_nobody(server_state, caplog) -> None:
    """A full disk is no reason to print it: it will be drawn again, and two draws must not stand in any log."""
    jobs = JobQueue(server_state)
    number = jobs.submit("ann", "key", "survey", QUESTION).id
    with server_state.database.writing() as statements:
        statements.run(
            "CREATE TRIGGER full_disk BEFORE UPDATE ON requests WHEN NEW.answer IS NOT NULL "
            "BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    future = jobs.start_job(server_state.requests.find(number))
    assert future is not None
    # An exception that nobody fetches is printed with all that it says.
    assert future.exception() is None
    assert future.result() is None
    assert "IntegrityError" in caplog.text
    assert number in caplog.text
    assert "answer" not in caplog.text.replace("answered", "")
    with pytest.raises(IntegrityError) as refused:
        server_state.requests.keep(number, "answered", "canary", 1)
    assert "canary" not in str(refused.value)
    with server_state.database.writing() as statements:
        statements.run("DROP TRIGGER full_disk")
    server_state.requests.release()
    assert ("answered", 1) == ((ended := answered(jobs, number)).state, ended.row)
    assert 1 == spends(server_state)
    jobs.stop()
