"""A ledger that a description names is made by the first spend that it takes, and by nothing that is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.kernel.errors import BudgetError
from dpselect.ledger import Ledger
from dpselect.queries import Publication, publication

DESCRIBED = """
source = "people.csv"
[columns]
age = {lower = 0, upper = 120}
lost = {lower = 0, upper = 9}
[budget]
epsilon = 2
ledger = "own.ledger"
"""
PLAN = [{"key": "age", "query": "median", "column": "age", "weight": 1}]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A description and its table, which lacks a column."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age\n" + "\n".join(map(str, range(100))), encoding="utf-8")
    Path("people.toml").write_text(DESCRIBED, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["median", "people.toml", "age", "--epsilon", "3"],
        ["median", "people.toml", "lost", "--epsilon", "1"],
        ["median", "people.toml", "age", "--epsilon", "1", "--dry-run"],
        ["histogram", "people.toml", "age", "--bins", "0", "0", "--epsilon", "1"],
    ],
)
def test_a_refused_command_makes_no_ledger(words: list[str]) -> None:
    """Whatever it was refused for."""
    main(words)
    assert {"people.csv", "people.toml"} == {each.name for each in Path().iterdir()}


def test_a_refused_call_makes_no_ledger() -> None:
    """In Python, of a query and of a publication; the next that fits is paid from a new one."""
    data = dps.open("people.toml")
    with pytest.raises(BudgetError):
        data.median("age", epsilon=3)
    with pytest.raises(ValueError, match="lost"):
        data.median("lost", epsilon=1)
    with pytest.raises(BudgetError):
        data.publish(Publication.of(total={"epsilon": 3}, query=PLAN))
    assert not Path("own.ledger").exists()
    data.median("age", epsilon=Fraction(3, 2))
    assert Ledger.read("own.ledger").remaining.epsilon == Fraction(1, 2)
    with pytest.raises(BudgetError):
        data.median("age", epsilon=1)


def test_what_a_command_refuses_is_what_a_new_ledger_would() -> None:
    """The first spend and the later ones are refused by one sentence, but for what is left."""
    data = dps.open("people.toml")
    with pytest.raises(BudgetError) as first:
        data.median("age", epsilon=3)
    data.median("age", epsilon=1)
    with pytest.raises(BudgetError) as second:
        data.median("age", epsilon=3)
    assert str(first.value).split(":")[0].replace("2", "1") == str(second.value).split(":")[0].replace("2", "1")


def test_a_ledger_that_another_made_meanwhile_pays(monkeypatch) -> None:
    """It is found, and its own rows count: two first spends never overspend together."""
    data = dps.open("people.toml")
    opened = dps.Dataset.open_ledger

    def late(self):
        if not Path("own.ledger").exists():
            Ledger.open("own.ledger", epsilon=2, dataset="own").spend(
                dps.Guarantee(1.5, "add-remove"), mechanism="other"
            )
        return opened(self)

    monkeypatch.setattr(dps.Dataset, "open_ledger", late)
    with pytest.raises(BudgetError):
        data.median("age", epsilon=1)
    assert Ledger.read("own.ledger").remaining.epsilon == Fraction(1, 2)


def test_a_publication_that_another_began_meanwhile_goes_on(monkeypatch) -> None:
    """Between the look at the ledger, which is not made, and the plan: its answers are those of the other one."""
    Path("report.toml").write_text(
        'dataset = "people.toml"\ntotal = {epsilon = 1}\n'
        '[[query]]\nkey = "age"\nquery = "median"\ncolumn = "age"\nweight = 1\n'
    )
    real, others = publication.plan_publication, []

    def late(*asked):
        others.append(dps.open("people.toml"))
        monkeypatch.undo()
        monkeypatch.chdir(here)
        others.append(others[0].publish("report.toml"))
        return real(*asked)

    here = Path.cwd()
    monkeypatch.setattr(publication, "plan_publication", late)
    answers = dps.open("people.toml").publish("report.toml")

    assert others[1].answers == answers.answers
    assert Ledger.read("own.ledger").remaining.epsilon == 1
