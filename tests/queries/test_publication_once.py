"""Whatever ends a publication, each query has one payment and one answer, and nobody sees two answers of one row."""

from __future__ import annotations

import os
import shutil
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.ledger import AnsweredError, Ledger, LedgerIndex
from dpselect.ledger.ledger_transaction import StoredTransaction
from dpselect.ledger.requests import LedgerRequests
from dpselect.queries.publication.publish import PublicationRun
from dpselect.queries.publication.state import FolderState
from tests.queries.publications import QUERIES, ledger, plan, published, require_consistent, run, seen, spends, survey

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked, to be killed within milliseconds")
# Rows that are paid for in each folder, by the point at which its process ended.
PAID = {
    "not begun": 0,
    "begun, not paid": 0,
    "half paid": 0,
    "paid, not drawn": 3,
    "drawn, not stored": 3,
    "stored, not confirmed": 3,
    "half confirmed": 3,
    "confirmed, not shown": 3,
    "half shown": 3,
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder for each point, in which a process ended there."""
    folder = survey(tmp_path_factory.mktemp("points") / "survey")
    lines = [line.split(" ", 1) for line in run("points", folder)]
    assert {"9"} == {status for status, _ in lines}
    return {point: folder.with_name(f"point-{number}") for number, (_, point) in enumerate(lines)}


@forks
@pytest.mark.parametrize("point", PAID)
def test_a_process_that_ends_between_two_steps(ended: dict[str, Path], point: str) -> None:
    """The next one goes on: one payment, one answer, and what could be seen before stands."""
    assert ended.keys() == PAID.keys()
    folder = ended[point]
    rows = spends(folder)
    assert PAID[point] == rows
    before = {each.name: each.read_bytes() for each in folder.glob("report.answers/*.[ch]*")}

    require_consistent(folder, seen(folder))
    assert {name: (folder / "report.answers" / name).read_bytes() for name in before} == before


@forks
def test_processes_at_once_pay_once(tmp_path: Path) -> None:
    """Four begin one publication: they agree on its number, and on every answer."""
    folder = survey(tmp_path / "survey")

    assert ["0 0 0 0"] == run("crowd", folder, 4)
    assert 12 == len(seen(folder))
    require_consistent(folder, seen(folder))


def killed_at_random(folder: Path, plans: int, size: int, kills: int) -> str:
    """Kill one of two processes again and again while they publish plan after plan; check everything and report."""
    survey(folder)
    names = tuple(f"report-{number}.toml" for number in range(plans))
    many = {f"q{number}": {**QUERIES["ages"], "epsilon": 0.001} for number in range(size)}
    for name in names:
        (folder / name).write_text(plan(many, total=size / 1000), encoding="utf-8")
    begun = time.monotonic()
    (killed,) = run("random", folder, plans, kills)
    seconds = time.monotonic() - begun
    shown = seen(folder)
    done = sum((folder / f"report-{number}.answers" / "certificate.json").exists() for number in range(plans))
    require_consistent(folder, shown, names)

    assert kills == int(killed)
    return f"{killed} kills in {seconds:.0f} s, {len(shown)} answers seen, {done} of {plans} plans were done before"


@forks
def test_kills_at_random_moments(tmp_path: Path) -> None:
    """A small version: eight kills."""
    killed_at_random(tmp_path / "survey", 4, 5, 8)


@forks
@pytest.mark.slow
def test_two_hundred_kills(tmp_path: Path) -> None:
    """Two hundred kills of one of two processes: nothing is paid twice, and nothing is lost."""
    print(killed_at_random(tmp_path / "survey", 60, 8, 200))


def without_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a fault: the ledger keeps no hashes of answers."""
    monkeypatch.setattr(Ledger, "answers", lambda *_: {})
    monkeypatch.setattr(StoredTransaction, "keep_answer", lambda _, request, hashed: hashed)


def two_draws(tmp_path: Path) -> list[str]:
    """Publish, restore the state from before the draws, publish again; return what was seen of one query each time."""
    place = survey(tmp_path / "survey")

    def stop(*_: Any) -> str:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LedgerRequests, "answer", stop)
        with pytest.raises(KeyboardInterrupt):
            published(place)
    old = tmp_path / "old.db"
    shutil.copy(place / "report.answers" / "state.db", old)
    shown = [published(place)]
    newest = tmp_path / "newest.db"
    shutil.copy(place / "report.answers" / "state.db", newest)
    shutil.copy(old, place / "report.answers" / "state.db")
    try:
        shown.append(published(place))
    finally:
        shutil.copy(newest, place / "report.answers" / "state.db")
    return [str(each.answers["ages"]["answer"]) for each in shown]


def test_an_old_state_that_is_restored_is_refused(tmp_path: Path) -> None:
    """It would draw again for a row that has an answer; the newest state shows what was shown."""
    with pytest.raises(AnsweredError, match=r"answers of ages, jobs, more were shown.* the newest state\.db"):
        two_draws(tmp_path)

    place = tmp_path / "survey"
    assert 3 == ledger(place).totals.spends
    require_consistent(place, [])


def test_without_the_hash_in_the_ledger_an_old_state_gives_two_draws(tmp_path: Path, monkeypatch) -> None:
    """The test before can fail: that is what the hash is for."""
    without_the_hash(monkeypatch)
    one, other = two_draws(tmp_path)

    assert one != other


def test_copies_of_a_state_at_once(tmp_path: Path, monkeypatch) -> None:
    """Two draw, the first whose hash is kept is shown, and the other shows nothing."""
    here, there = survey(tmp_path / "here"), tmp_path / "there"
    keep = FolderState.keep
    first = {}

    def meanwhile(self: FolderState, request: str, answer: str) -> str:
        if not first:
            first["there"] = None
            shutil.copytree(here, there)
            text = (there / "survey.toml").read_text(encoding="utf-8")
            ledger_of_both = str(here / "survey.ledger").replace("\\", "/")
            (there / "survey.toml").write_text(text.replace("survey.ledger", ledger_of_both), encoding="utf-8")
            first["there"] = published(there)
        return keep(self, request, answer)

    monkeypatch.setattr(FolderState, "keep", meanwhile)
    with pytest.raises(AnsweredError, match="answers of ages were shown"):
        published(here)

    assert first["there"] is not None
    assert not (here / "report.answers" / "answers.json").exists()
    assert 3 == ledger(here).totals.spends
    assert first["there"].answers == published(there).answers


def test_an_edited_query_changes_only_its_own(tmp_path: Path) -> None:
    """The others are neither paid for nor drawn again, whatever their order; the certificate has all rows."""
    queries = {key: {**each, "epsilon": 0.25} for key, each in QUERIES.items()}
    queries = {key: {name: v for name, v in each.items() if name != "weight"} for key, each in queries.items()}
    folder = survey(tmp_path / "survey", plan(queries))
    before = published(folder)
    edited = {"jobs": {**queries["jobs"], "by": "job", "column": "age", "bins": [0, 50, 99]}, **queries}
    edited["jobs"] = {**queries["jobs"], "bins": [0, 50, 99]}
    (folder / "report.toml").write_text(plan(edited), encoding="utf-8")
    after = published(folder)

    assert {"ages", "more"} == {key for key in queries if before.answers[key] == after.answers[key]}
    assert [[1], [4], [3]] == [after.answers[key]["rows"] for key in ("ages", "jobs", "more")]
    content = after.certificate.content
    assert (4, "1") == (len(content["ledger"]["rows"]), content["guarantee"]["epsilon"])
    after.certificate.require_row(ledger(folder))


def test_the_total_is_of_all_that_was_ever_paid(tmp_path: Path) -> None:
    """An edit that does not fit beside what was paid is refused; nothing is spent."""
    folder = survey(tmp_path / "survey")
    published(folder)
    for text in (plan({**QUERIES, "more": {**QUERIES["more"], "by": "job"}}), plan(total="0.9")):
        (folder / "report.toml").write_text(text, encoding="utf-8")
        with pytest.raises(dps.BudgetError, match=r"line 2: The total is .* raise the total.* Nothing was spent"):
            published(folder)

    assert 3 == spends(folder)
    (folder / "report.toml").write_text(plan(), encoding="utf-8")
    require_consistent(folder, [])


def test_a_changed_description_makes_all_new(tmp_path: Path) -> None:
    """Its digest is part of every request; budget and comments are not part of the digest."""
    folder = survey(tmp_path / "survey", plan({"ages": QUERIES["ages"]}, total=0.5))
    before = published(folder)
    description = folder / "survey.toml"
    text = description.read_text(encoding="utf-8")
    description.write_text(f"# A comment.\nabout = 'A survey.'\n{text}", encoding="utf-8")
    assert before.answers == published(folder).answers
    description.write_text(text.replace('"clerk"', '"clerk", "cook"'), encoding="utf-8")
    after = published(folder)

    assert ([1], [2]) == (before.answers["ages"]["rows"], after.answers["ages"]["rows"])
    assert before.answers["ages"]["answer"] != after.answers["ages"]["answer"]


def test_a_ledger_that_does_not_reach_is_said_before_anything_is_spent(tmp_path: Path) -> None:
    """Of the whole plan, not of the first query that does not fit."""
    folder = survey(tmp_path / "survey", plan(total=101))
    with pytest.raises(dps.BudgetError, match="has epsilon 100 left, and this publication costs epsilon 101: "):
        published(folder)

    assert 0 == spends(folder)
    (folder / "report.toml").write_text(plan(), encoding="utf-8")
    require_consistent(folder, [])


def test_paying_twice_is_caught(tmp_path: Path, monkeypatch) -> None:
    """The check can fail: of what was paid before nothing is known."""
    folder = survey(tmp_path / "survey")
    published(folder)
    rows = LedgerIndex.rows
    with monkeypatch.context() as patch:
        patch.setattr(LedgerIndex, "rows", lambda *_: [])
        patch.setattr(LedgerIndex, "spent_by", lambda *_: dps.ledger.Totals())
        patch.setattr(PublicationRun, "_require_stored", lambda _: None)
        with pytest.raises(dps.ledger.RequestError):
            published(folder)

    assert rows is LedgerIndex.rows
    with pytest.raises(AssertionError, match="paid for twice"):
        require_consistent(folder, [])


def test_showing_before_storing_is_caught(tmp_path: Path, monkeypatch) -> None:
    """The check can fail: what was seen and not stored is drawn again, and is another answer."""
    folder, shown = survey(tmp_path / "survey"), []
    answer = LedgerRequests.answer

    def early(self: LedgerRequests, request: str, _: Any, draw: Any) -> str:
        self.index.follow()
        shown.append(("report.toml", request, dps.ledger.requests.answer_hash(draw())))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(LedgerRequests, "answer", early)
        with pytest.raises(KeyboardInterrupt):
            published(folder)

    assert answer is LedgerRequests.answer
    with pytest.raises(AssertionError, match="two answers"):
        require_consistent(folder, shown)


def test_in_memory_it_is_answered_within_the_process() -> None:
    """A frame with a budget in memory: nothing is written, and each call is a publication of its own."""
    frame = {"age": [*range(100)] * 3}
    described = dps.Dataset.of(frame, columns={"age": {"lower": 0, "upper": 99}}, budget={"epsilon": 2})
    data = dps.open(described)
    asked = [{"key": "ages", "query": "histogram", "column": "age", "epsilon": 1}]
    publication = dps.queries.Publication.of(total={"epsilon": 1}, query=asked)
    first, second = data.publish(publication), data.publish(publication)

    assert first.answers != second.answers
    assert (None, Fraction(2)) == (first.folder, data.ledger.totals.epsilon)
    with pytest.raises(dps.BudgetError, match="has epsilon 0 left"):
        data.publish(publication)


def test_what_keeps_no_requests_pays_for_no_publication() -> None:
    """An accountant of one's own has neither rows nor hashes."""

    class Mine:
        def spend(self, guarantee: Any, /, *, mechanism: str, count: int = 1, note: str = "") -> None:
            del guarantee, mechanism, count, note

    described = dps.Dataset.of({"age": [1, 2]}, columns={"age": {"lower": 0, "upper": 99}})
    asked = [{"key": "ages", "query": "median", "column": "age", "epsilon": 1}]
    with pytest.raises(dps.BudgetError, match="paid by a Ledger or by dpselect.budget"):
        dps.open(described, ledger=Mine()).publish(dps.queries.Publication.of(total={"epsilon": 1}, query=asked))
