"""What a question costs is known before any row is read, and what it may name is registered."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from dpselect.web.server.questions import AnyQuestion, canonical
from dpselect.web.server.questions.question import Data
from pydantic import TypeAdapter, ValidationError

from dpselect.ledger import RecordingAccountant, Spend
from dpselect.web.server.dataset import Dataset
from dpselect.web.server.facts import Numbers
from dpselect.web.server.payment import ChargedAccountant
from dpselect.web.server.refusal import Wrong
from dpselect.web.server.rows import MadeUp

ADAPTER = TypeAdapter(AnyQuestion)
QUESTIONS = {
    "median": ("survey", {"query": "median", "column": "age", "epsilon": 2}),
    "median by job": ("survey", {"query": "median", "column": "age", "by": "job", "epsilon": 2}),
    "quantiles": ("survey", {"query": "quantiles", "column": "age", "q": [0.25, 0.75], "epsilon": 2}),
    "percentiles": ("survey", {"query": "quantiles", "column": "age", "p": [25, 75], "epsilon": 2}),
    "largest count": ("survey", {"query": "select", "candidate": "job", "score": "largest-count", "epsilon": 2}),
    "smallest total": (
        "survey",
        {"query": "select", "candidate": "job", "score": "smallest-total", "of": "age", "k": 2, "epsilon": 2},
    ),
    "total of persons": (
        "visits",
        {"query": "select", "candidate": "ward", "score": "largest-total", "of": "hours", "epsilon": "0.5"},
    ),
    "count of persons": (
        "visits",
        {"query": "select", "candidate": "ward", "score": "smallest-count", "epsilon": "0.5"},
    ),
    "counts": ("survey", {"query": "histogram", "column": "job", "epsilon": 2}),
    "counts of numbers": ("survey", {"query": "histogram", "column": "age", "bins": [0, 50, 100], "epsilon": 2}),
    "most common": ("survey", {"query": "most_common", "column": "job", "k": 2, "epsilon": 2}),
    "most common of persons": ("visits", {"query": "most_common", "column": "ward", "k": 2, "epsilon": "0.5"}),
    "counts of persons": ("visits", {"query": "histogram", "column": "ward", "epsilon": 0.5}),
    "degree": ("friends", {"query": "top_k", "metric": "degree", "k": 2, "epsilon": 2}),
    "core number": ("friends", {"query": "top_k", "metric": "core-number", "epsilon": 2}),
    "ego density": ("friends", {"query": "top_k", "metric": "ego-density", "epsilon": 2}),
    "triangles": ("friends", {"query": "top_k", "metric": "triangles", "epsilon": 2}),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_planned_is_what_is_paid(house, name) -> None:
    """The plan reads no row, and the release spends exactly that, in the same row of the same ledger."""
    where, body = QUESTIONS[name]
    dataset, question = house.datasets[where], ADAPTER.validate_python(body)
    analyst = "bob" if where == "visits" else "ann"

    plan = dataset.plan(question, 10**5)
    assert 0 == dataset.account.ledger.totals.spends
    payment = ChargedAccountant(dataset.account, "one", analyst, dataset.rows.metadata)
    payment.settle(plan.spends)
    answer = dataset.answer(question, payment)

    shown = plan.as_json()
    assert {name: answer[name] for name in ("mechanism", "guarantee", "accuracy")} == {
        name: shown[name] for name in ("mechanism", "guarantee", "accuracy")
    }
    assert [1] == payment.rows
    assert 1 == dataset.account.ledger.totals.spends
    assert Fraction(shown["guarantee"]["epsilon"]) == question.epsilon
    json.dumps(answer, allow_nan=False)


@pytest.mark.parametrize("rule", ["sum", "rho"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_price_follows_from_the_question_and_public_facts(house, name, rule) -> None:
    """A plan opens no rows, and a release of the true ones spends what one of the synthetic row does."""
    where, body = QUESTIONS[name]
    dataset, question = house.datasets[where], ADAPTER.validate_python(body)

    def spends(data: Data) -> list[Spend]:
        book = RecordingAccountant(rule)
        question.ask(data, dataset.facts, book)
        return [dataclasses.replace(spend, metadata={}) for spend in book.spends]

    assert spends(MadeUp(dataset.facts)) == spends(dataset.rows) != []
    assert dataclasses.replace(dataset, rows=None).plan(question, 10**5).spends  # type: ignore[arg-type]


def test_answers_are_about_the_rows(house) -> None:
    """At a large epsilon they are the true ones: 100 smiths, 300 nurses, no clerk; node 0 has most friends."""
    survey, friends = house.datasets["survey"], house.datasets["friends"]

    def answered(dataset, body):
        question = ADAPTER.validate_python(body)
        payment = ChargedAccountant(dataset.account, str(body), "ann")
        payment.settle(dataset.plan(question, 10**5).spends)
        return dataset.answer(question, payment)["answer"]

    counts = answered(survey, {"query": "histogram", "column": "job", "epsilon": 5})
    assert all(abs(counts[job] - true) < 15 for job, true in {"clerk": 0, "nurse": 300, "smith": 100}.items())
    # Node 0 has 28 friends more than the next: one draw in e^112 names another.
    assert [0] == answered(friends, {"query": "top_k", "metric": "degree", "epsilon": 4})["candidates"]
    median = answered(survey, {"query": "median", "column": "age", "epsilon": 1})["candidates"][0]
    assert abs(median - 49) < 20


@pytest.mark.parametrize(
    "where, body",
    [
        ("survey", {"query": "median", "column": "job"}),
        ("survey", {"query": "median", "column": "income"}),
        ("survey", {"query": "median", "column": "age; DROP TABLE users"}),
        ("survey", {"query": "median", "column": "age", "by": "age"}),
        ("survey", {"query": "histogram", "column": "job", "bins": [0, 1]}),
        ("survey", {"query": "histogram", "column": "../people.csv"}),
        ("survey", {"query": "most_common", "column": "job", "k": 4}),
        ("visits", {"query": "most_common", "column": "who"}),
        ("visits", {"query": "histogram", "column": "ward", "by": "who"}),
        ("survey", {"query": "top_k", "metric": "degree"}),
        ("friends", {"query": "top_k", "metric": "degree", "k": 41}),
        ("friends", {"query": "histogram", "column": "source"}),
        ("survey", {"query": "histogram", "column": "age", "bins": [5, 5]}),
        ("survey", {"query": "quantiles", "column": "age", "q": [0.5, 0.5]}),
        ("survey", {"query": "quantiles", "column": "age", "p": [0.25, 0.5]}),
        ("survey", {"query": "quantiles", "column": "job", "p": [25, 50]}),
        ("survey", {"query": "select", "candidate": "age", "score": "largest-count"}),
        ("survey", {"query": "select", "candidate": "job", "score": "largest-total"}),
        ("survey", {"query": "select", "candidate": "job", "score": "largest-total", "of": "job"}),
        ("survey", {"query": "select", "candidate": "job", "score": "largest-total", "of": "income"}),
        ("survey", {"query": "select", "candidate": "job", "score": "largest-count", "of": "age"}),
        ("survey", {"query": "select", "candidate": "job", "score": "largest-count", "k": 4}),
        ("visits", {"query": "select", "candidate": "who", "score": "largest-count"}),
        ("friends", {"query": "select", "candidate": "source", "score": "largest-count"}),
    ],
)
def test_names_are_looked_up_among_public_ones(house, where, body) -> None:
    """No path, no SQL, no column that was not registered: also the column of persons cannot be asked about."""
    with pytest.raises(Wrong):
        house.datasets[where].plan(ADAPTER.validate_python(body | {"epsilon": 1}), 10**5)


def test_a_plan_needs_no_rows(house, tmp_path) -> None:
    """They may be locked away."""
    for name in ("people.csv", "visits.csv", "friends.csv"):
        (tmp_path / name).unlink()

    for where, body in QUESTIONS.values():
        assert house.datasets[where].plan(ADAPTER.validate_python(body), 10**5).spends


def test_rows_that_changed_are_read_again(house, tmp_path) -> None:
    """What is kept in memory is that of the file as it is."""
    rows = house.datasets["survey"].rows
    assert 400 == len(rows.table(["age", "job"])["age"])
    assert rows.table(["age"])["age"] is rows.table(["age"])["age"]
    (tmp_path / "people.csv").write_text("age,job\n1,nurse\n", encoding="utf-8")

    assert 1 == len(rows.table(["age"])["age"])


def test_candidates_are_limited(house) -> None:
    """So that no question takes the machine."""
    question = ADAPTER.validate_python({"query": "median", "column": "age", "by": "job", "epsilon": 1})

    house.datasets["survey"].plan(question, 303)
    with pytest.raises(Wrong, match="303 public candidates and the server allows 302"):
        house.datasets["survey"].plan(question, 302)


@pytest.mark.parametrize(
    "epsilon",
    [0, -1, 1001, 1e-7, 0.1234567, "1/3", "1e5", True, None, [], float("nan"), float("inf"), 10**400, "0.12345678", ""],
)
def test_prices_are_short_decimals(epsilon) -> None:
    """Exact sums of odd prices would grow until no ledger could hold them, and nobody could spend any more."""
    with pytest.raises(ValidationError):
        ADAPTER.validate_python({"query": "histogram", "column": "job", "epsilon": epsilon})


def test_one_question_is_one_text() -> None:
    """However its price and its defaults are written."""
    ways = [
        {"query": "histogram", "column": "job", "epsilon": 0.5},
        {"epsilon": "0.50", "column": "job", "query": "histogram", "bins": None},
    ]
    (text,) = {canonical(ADAPTER.validate_python(way)) for way in ways}

    assert query_of(text) == ADAPTER.validate_python(ways[0])
    assert text != canonical(ADAPTER.validate_python(ways[0] | {"epsilon": 0.51}))


def test_what_is_not_known_is_refused() -> None:
    """A misspelt option must not change what is asked without a word."""
    with pytest.raises(ValidationError):
        ADAPTER.validate_python({"query": "histogram", "column": "job", "epsilon": 1, "bin": [1, 2]})
    with pytest.raises(ValidationError):
        ADAPTER.validate_python({"query": "rows", "epsilon": 1})


def test_prices_are_remembered_and_few(house, monkeypatch) -> None:
    """A question that was asked before costs what it cost, without another look; refusals are found out each time."""
    dataset = house.datasets["survey"]
    asked = [
        ADAPTER.validate_python({"query": "histogram", "column": "age", "epsilon": place / 1000})
        for place in range(1, 301)
    ]
    for question in asked:
        assert [*dataset.plan(question, 10**5).spends] == [*dataset.price(question, 10**5)]
    assert 256 == len(dataset._prices)

    monkeypatch.setattr(Dataset, "plan", lambda *_: pytest.fail("it was planned again"))
    assert asked[-1].epsilon == dataset.price(asked[-1], 10**5)[0].guarantee.epsilon
    monkeypatch.undo()
    for _ in range(2):
        with pytest.raises(Wrong):
            dataset.price(ADAPTER.validate_python({"query": "histogram", "column": "x", "epsilon": 1}), 10**5)
        with pytest.raises(Wrong):
            dataset.price(asked[-1], 10)


def test_text_that_spells_numbers_is_read_once(house) -> None:
    """A column of numbers in a file of text is kept as numbers, which are what every question would read in it."""
    path = Path(house.datasets["survey"].rows._where)
    path.write_text("age,job\n" + "".join(f"{cell},nurse\n" for cell in ("7", "", "x", " 1e1", "nan", "0x1", "inf")))
    ages = house.datasets["survey"].rows.table(["age"])["age"]
    assert ages.dtype == float
    assert np.array_equal([7, np.nan, np.nan, 10, np.nan, np.nan, np.inf], ages, equal_nan=True)


def test_a_grid_is_what_its_fractions_round_to() -> None:
    """Each value is the double nearest to the exact one."""
    for lower, upper, step in ((0, 1, "0.1"), ("-0.3", "0.3", "0.01"), (-5, 5, "0.25"), ("1/3", "4/3", "1/7")):
        numbers = Numbers(lower=Fraction(lower), upper=Fraction(upper), step=Fraction(step))
        exact = [numbers.lower + place * numbers.step for place in range(numbers.values)]
        assert [*map(float, exact)] == numbers.grid


def test_a_claim_that_would_be_false_is_named_as_such(house, monkeypatch) -> None:
    """What the library refuses as a matter of privacy keeps that name on its way to a client."""
    from dpselect.web.server.questions.median import Median

    import dpselect as dps
    from dpselect.web.server.refusal import Unprotected

    def ask(*_: object) -> None:
        raise dps.PrivacyError("A public fact is missing.")

    monkeypatch.setattr(Median, "ask", ask)
    with pytest.raises(Unprotected, match="A public fact is missing") as refused:
        house.datasets["survey"].plan(Median(question="median", column="age", epsilon=1), 1000)
    assert (422, "PrivacyError") == (refused.value.status, refused.value.error)
