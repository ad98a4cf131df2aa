"""A dry run of a publication refuses what publishing refuses, in the same words, and changes no file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from tests.queries.publications import QUERIES, SURVEY, plan, published, survey

PUBLISH = ["publish", "survey/report.toml"]


def _edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def _small_budget(folder: Path) -> None:
    _edit(folder / "survey.toml", "epsilon = 100", "epsilon = 0.1")


def _spent_budget(folder: Path) -> None:
    book = dps.Dataset.load(folder / "survey.toml").open_ledger()
    book.spend(dps.Guarantee(99.9, "add-remove"), mechanism="external")


def _no_budget(folder: Path) -> None:
    _edit(folder / "survey.toml", SURVEY[SURVEY.index("[budget]") :], "")


def _other_terms(folder: Path) -> None:
    dps.Ledger.open(folder / "survey.ledger", epsilon=7, dataset="x")


def _other_neighbours(folder: Path) -> None:
    dps.Ledger.open(folder / "survey.ledger", epsilon=100, neighbours="edge", dataset="x")


def _file_in_place(folder: Path) -> None:
    (folder / "report.answers").write_text("", encoding="utf-8")


def _answers_without_state(folder: Path) -> None:
    published(folder)
    (folder / "report.answers" / "state.db").unlink()


def _lost_answer(folder: Path) -> None:
    published(folder)
    with sqlite3.connect(folder / "report.answers" / "state.db") as raw:
        raw.execute("DROP TRIGGER kept")
        raw.execute("DELETE FROM answers")


def _another_ledger(folder: Path) -> None:
    published(folder)
    (folder / "survey.ledger").rename(folder / "away.ledger")
    dps.Dataset.load(folder / "survey.toml").open_ledger()


def _edited_total(folder: Path) -> None:
    published(folder)
    text = plan({**QUERIES, "new": QUERIES["ages"] | {"epsilon": "0.69"}}, total="0.7")
    (folder / "report.toml").write_text(text, encoding="utf-8")


FAULTS = [
    _small_budget, _spent_budget, _no_budget, _other_terms, _other_neighbours, _file_in_place, _answers_without_state,
    _lost_answer, _another_ledger, _edited_total,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.__name__.strip("_"))
def test_both_refuse_alike(fault: Callable[[Path], None], tmp_path: Path, monkeypatch, capsys) -> None:
    """Before anything is paid."""
    monkeypatch.chdir(tmp_path)
    folder = survey(tmp_path / "survey", plan(total="0.7"))
    fault(folder)
    before = {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    capsys.readouterr()
    assert 2 == main([*PUBLISH, "--dry-run"])
    planned = capsys.readouterr()
    assert before == {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    assert 2 == main(PUBLISH)
    asked = capsys.readouterr()

    assert planned.out == asked.out == ""
    assert planned.err == asked.err != ""


def test_what_a_dry_run_passes_is_published_and_a_ledger_stays_as_it_is(tmp_path: Path, monkeypatch) -> None:
    """The file of the ledger has the same bytes after the dry run, and the other files are the same."""
    monkeypatch.chdir(tmp_path)
    folder = survey(tmp_path / "survey", plan(total="0.7"))
    for _ in range(2):
        book = dps.Dataset.load(folder / "survey.toml").open_ledger()
        spent, held = book.totals, (folder / "survey.ledger").read_bytes()
        assert 0 == main([*PUBLISH, "--dry-run"])
        assert (spent, held) == (book.totals, (folder / "survey.ledger").read_bytes())
        assert 0 == main(PUBLISH)
    assert book.totals.spends
