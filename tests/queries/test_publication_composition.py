"""Publications that are paid for by their optimal composition: one row, and one answer each, whatever happens."""

from __future__ import annotations

import json
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.ledger import optimum
from dpselect.ledger.plan_payment import plan_parts
from dpselect.queries import Publication, PublicationError
from tests.queries.publications import ledger, plan, published, spends, survey

# Forty medians of one column at .1: 4 by sum, 2.732 together.
MEDIANS = {f"m{number}": {"query": "median", "column": "age", "epsilon": 0.1} for number in range(40)}
TOTAL = '2.8, delta = 1e-6, composition = "optimal"'
BUDGET = "epsilon = 100\n"


def folder_of(path: Path, total: str = TOTAL, **more: object) -> Path:
    """A folder with a survey whose budget has a delta, and a plan."""
    folder = survey(path, plan({**MEDIANS, **more}, total=total))  # type: ignore[arg-type]
    text = (folder / "survey.toml").read_text(encoding="utf-8")
    (folder / "survey.toml").write_text(text.replace(BUDGET, f"{BUDGET}delta = 1e-5\n"), encoding="utf-8")
    return folder


def test_forty_medians_cost_what_they_cost_together(tmp_path: Path, monkeypatch, capsys) -> None:
    """Before, in the ledger, in every answer and in the certificate; another run changes nothing."""
    monkeypatch.chdir(tmp_path)
    folder = folder_of(tmp_path / "survey")
    assert 0 == main(["publish", "survey/report.toml", "--dry-run"])
    said = capsys.readouterr().out.splitlines()[-2]
    answers = published(folder)
    (event,) = ledger(folder).events

    part = dps.ledger.PlanPart(dps.Guarantee(Fraction(1, 10), "add-remove", laplace=True))
    least = optimum(40 * [part], 1e-6)
    assert least < event.epsilon < least + 2e-6
    assert said == (
        f"optimal composition: epsilon {float(event.epsilon)} of 2.8 and delta 0.000001 of 0.000001; by sum epsilon 4; "
        f"epsilon {float(Fraction('2.8') - event.epsilon)} stays unspent"
    )
    assert 40 == len(plan_parts(event)) == len(answers.answers)
    assert {(1,)} == {tuple(each["rows"]) for each in answers.answers.values()}
    assert {"0.1"} == {each["guarantee"]["epsilon"] for each in answers.answers.values()}
    promise = answers.certificate.content["guarantee"]
    assert (event.epsilon, event.delta) == (Fraction(promise["epsilon"]), Fraction(promise["delta"]))
    answers.certificate.require_row(ledger(folder))
    assert answers.as_json() == published(folder).as_json()
    assert 1 == spends(folder)
    assert 0 == main(["verify", "survey/report.answers/certificate.json", "--ledger", "survey/survey.ledger"])
    capsys.readouterr()
    assert 0 == main(["publish", "survey/report.toml"])
    spent = f"epsilon {float(event.epsilon)} of 2.8 and delta 0.000001 of 0.000001 was spent in all"
    assert spent in capsys.readouterr().out.splitlines()


def test_a_run_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    """What was paid for is not paid for again, and an old state is refused."""
    folder = folder_of(tmp_path / "survey")
    (folder / "survey.csv").rename(folder / "away.csv")
    with pytest.raises(OSError):
        published(folder)
    assert {"paid"} == {*dps.open(folder / "survey.toml").plan_publication(folder / "report.toml").states.values()}
    old = (folder / "report.answers" / "state.db").read_bytes()
    (folder / "away.csv").rename(folder / "survey.csv")
    published(folder)

    assert 1 == spends(folder)
    (folder / "report.answers" / "state.db").write_bytes(old)
    with pytest.raises(dps.ledger.AnsweredError, match="were shown"):
        published(folder)


def test_an_edited_question_is_another_payment(tmp_path: Path) -> None:
    """As a sum, where the plan has no delta left."""
    folder = folder_of(tmp_path / "survey")
    published(folder)
    spent = ledger(folder).totals
    (folder / "report.toml").write_text(
        plan({**MEDIANS, "m0": {"query": "histogram", "column": "job", "epsilon": 0.1}}, total=TOTAL), encoding="utf-8"
    )
    with pytest.raises(dps.BudgetError, match="apart from the plan, because it may follow from answers: raise"):
        published(folder)
    assert spent == ledger(folder).totals
    (folder / "report.toml").write_text(
        plan({**MEDIANS, "m0": {"query": "histogram", "column": "job", "epsilon": 0.1}}, total=f"3{TOTAL}"),
        encoding="utf-8",
    )
    published(folder)
    assert (spent.epsilon + Fraction(1, 10), spent.delta) == (
        ledger(folder).totals.epsilon,
        ledger(folder).totals.delta,
    )


def test_a_plan_that_costs_more_than_its_total_is_refused(tmp_path: Path) -> None:
    """Before anything is paid; so is a ledger without a delta."""
    folder = folder_of(tmp_path / "survey", total=TOTAL.replace("2.8", "2.7"))
    with pytest.raises(PublicationError, match=r"line 2: total: the queries cost epsilon 2\.73.* in all: raise it"):
        published(folder)
    assert not (folder / "survey.ledger").exists()
    plain = survey(tmp_path / "plain", plan(MEDIANS, total=TOTAL))
    with pytest.raises(dps.BudgetError, match="has epsilon 100 left, and this publication costs"):
        published(plain)
    assert 0 == spends(plain)


REFUSED = {
    '2.8, composition = "optimal"': "total.delta: an optimal composition has a delta: write one such as 1e-6.",
    '2.8, delta = 1e-6, composition = "best"': 'total.composition: write "sum" or "optimal".',
}


@pytest.mark.parametrize(("total", "words"), REFUSED.items())
def test_totals_that_cannot_be_used(total: str, words: str, tmp_path: Path) -> None:
    """By line, and with what to write."""
    folder = folder_of(tmp_path / "survey", total=total)
    with pytest.raises(PublicationError) as refused:
        Publication.load(folder / "report.toml")
    assert words in str(refused.value)


def test_weights_and_rhos_have_no_optimal_composition(tmp_path: Path) -> None:
    """A weight is a share of a sum, and rhos pay for no delta."""
    folder = folder_of(tmp_path / "survey", w={"query": "median", "column": "age", "weight": 1})
    with pytest.raises(PublicationError, match=r"query\.41\.weight: a weight is a share of a sum: write an epsilon"):
        Publication.load(folder / "report.toml")
    by_rho = folder_of(tmp_path / "rho")
    text = (by_rho / "survey.toml").read_text(encoding="utf-8").replace(BUDGET, f'{BUDGET}rule = "rho"\n')
    (by_rho / "survey.toml").write_text(text, encoding="utf-8")
    with pytest.raises(PublicationError, match=r"line 2: total\.composition: the ledger adds rhos"):
        published(by_rho)


def test_a_plan_states_every_total(tmp_path: Path) -> None:
    """Sum, rhos and optimum at the delta of the total, or why there is none; without a delta nothing."""
    folder = folder_of(tmp_path / "survey")
    made = dps.open(folder / "survey.toml").plan_publication(folder / "report.toml")
    said = made.as_json()

    assert made.report is not None
    assert (4, 3.07, 2.73) == tuple(round(said["report"][name], 2) for name in ("basic", "rho", "optimum"))
    assert "optimum, amounts fixed in advance" in str(made.report)
    assert (None, "") == (said["report"]["fixed_questions"], said["report"]["reason"])
    assert said["cost"]["delta"] == "0.000001"
    plain = survey(tmp_path / "plain", plan(MEDIANS, total=4))
    planned = dps.open(plain / "survey.toml").plan_publication(plain / "report.toml")
    assert planned.report is None
    assert "report" not in planned.as_json()


def test_older_readers_see_a_spend_like_any_other(tmp_path: Path) -> None:
    """The format of the ledger stays; the row has no field that they do not know."""
    folder = folder_of(tmp_path / "survey")
    published(folder)
    with sqlite3.connect(folder / "survey.ledger") as connection:
        ((number,),) = connection.execute("SELECT format FROM terms")
        ((body,),) = connection.execute("SELECT body FROM events")
    assert 4 == number
    assert {"laplace", "rho"}.isdisjoint(json.loads(body))
