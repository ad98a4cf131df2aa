"""The page of formulas shows what the library's own scores and laws say of a score that is written by hand."""

from __future__ import annotations

import json
import math
import shlex
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.kernel.errors import DPSelectError
from dpselect.web.explorer.material import EXAMPLES
from dpselect.web.explorer.pages.best_groups import PAGE

INCOME = {"lower": 0, "upper": 114000, "step": 1000}


def view_of(**changed):
    """Return the view of a state, the other fields as they stand at first."""
    return PAGE.view({field.name: field.read({}) for field in PAGE.fields(EXAMPLES)} | changed, EXAMPLES)


def rows_of(view) -> dict[str, list[str]]:
    """Return the cells of every group."""
    (table,) = [part for part in view.parts if part.kind == "table"]
    return {name: cells for name, *cells in table.rows}


def sums() -> dict[str, tuple[int, float]]:
    """Return how many rows a job has and what they add up to, on the grid of the page."""
    held: dict[str, tuple[int, float]] = {}
    for job, income in zip(EXAMPLES.columns["job"], EXAMPLES.columns["income"], strict=True):
        if income:
            many, total = held.get(job, (0, 0.0))
            held[job] = many + 1, total + 1000 * math.ceil(float(income) / 1000 - 0.5)
    return held


def test_scores_are_averages_with_the_prior() -> None:
    """Computed by hand, of incomes that are placed on the grid of thousands."""
    for job, (score, *_) in rows_of(view_of()).items():
        many, total = sums()[job]
        assert float(score.replace(",", "")) == pytest.approx((total + 20 * 57000) / (many + 20), rel=1e-5)


def test_the_sensitivity_is_what_one_row_does() -> None:
    """A row more of the least or the largest income, or any row less, moves an average no further; one does as far."""
    for job, (_, moves, *_) in rows_of(view_of()).items():
        many, total = sums()[job]

        def average(rows: int, income: float) -> float:
            return (income + 20 * 57000) / (rows + 20)

        here = average(many, total)
        ends = (INCOME["lower"], INCOME["upper"])
        changed = [average(many + step, total + step * income) for step in (1, -1) for income in ends]
        assert float(moves.replace(",", "")) == pytest.approx(max(abs(each - here) for each in changed), rel=0.02)


def test_chances_are_those_of_the_release() -> None:
    """Permute-and-flip on margins, at a share of epsilon for each name; the largest chance is in the headline."""
    from dpselect.release.best import GroupRanking

    view = view_of(epsilon=0.3, k=2)
    groups = sorted({*EXAMPLES.columns["job"]})
    rows = {name: [*EXAMPLES.columns[name]] for name in ("job", "income")}
    margins = GroupRanking.of("avg(income)", {"income": INCOME}, "20:57000").margins(rows, 2, "job", groups)
    pmf = dps.mechanism("permute-and-flip").pmf(margins, Fraction(3, 20))
    shown = rows_of(view)
    assert {job: f"{chance:.3f}" for job, chance in zip(groups, pmf, strict=True)} == {
        job: "0.000" if cells[-1] == "<0.001" else cells[-1] for job, cells in shown.items()
    }
    assert shown[groups[int(np.argmax(pmf))]][-1] in view.headline


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"score": "count() / 0", "prior": ""}, "does not divide by 0"),
        ({"score": "avg(income"}, "belongs"),
        ({"score": "avg(nothing)"}, "nothing"),
        ({"score": "avg(income)", "prior": "x"}, "prior"),
        ({"score": "count(rich = 'yes')", "prior": "20:3"}, "neither"),
        ({"score": "", "prior": ""}, "letters"),
        ({"score": "x" * 501, "prior": ""}, "letters"),
        ({"score": "__import__('os')", "prior": ""}, "score"),
        ({"k": 20}, "fewer"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(changed, sentence) -> None:
    """Which says what to write instead."""
    with pytest.raises((DPSelectError, ValueError), match=sentence):
        view_of(**changed)


@pytest.mark.parametrize(
    ("score", "prior"),
    [
        ("avg(income)", "20:57000"),
        ("avg(age)", "20:42.5"),
        ("rate(rich = 'yes')", "20:0.5"),
        ("count(rich = 'yes')", None),
    ],
)
def test_an_empty_prior_suits_the_score(score, prior) -> None:
    """The middle of what an average or a rate may be; another formula has none."""
    (said,) = [field for field in PAGE.fields(EXAMPLES) if field.name == "prior"]
    assert said.default == ""
    shell = view_of(score=score).commands.shell
    assert (f"--prior {prior} " if prior else "avg") in f"{shell} avg"
    assert ("--prior" in shell) == bool(prior)


@pytest.mark.parametrize(
    "changed",
    [{}, {"score": "count(rich = 'yes')", "prior": "", "k": 2}, {"score": "rate(rich = 'yes')", "prior": "9:.5"}],
)
def test_the_command_asks_the_same(changed, tmp_path, monkeypatch, capsys) -> None:
    """It is accepted beside a description of the table, and where there is SQL for the score, that is too."""
    monkeypatch.chdir(tmp_path)
    columns = {"income": INCOME, "job": sorted({*EXAMPLES.columns["job"]}), "rich": ["no", "yes"]}
    Path("people.csv").write_text("income,job,rich\n1000,nurse,no\n", encoding="utf-8")
    Path("people.toml").write_text(dps.Dataset(source="people.csv", columns=columns).dump(), encoding="utf-8")
    dps.Ledger.open("people.ledger", epsilon=9, dataset="people")
    commands = view_of(**changed).commands
    assert 0 == main([*shlex.split(commands.shell)[1:], "--dry-run", "--json"]), capsys.readouterr().err
    planned = capsys.readouterr().out
    _, said, sql = commands.note.partition("The same in SQL: ")
    assert bool(said) == ("count(rich" not in commands.shell)
    if said:
        assert 0 == main([*shlex.split(sql)[1:], "--dry-run", "--json", "--ledger", "people.ledger"])
        asked = json.loads(capsys.readouterr().out)
        for name in ("mechanism", "guarantee", "accuracy"):
            assert json.loads(planned)[name] == asked[name]
