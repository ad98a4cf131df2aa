"""The price of a query is known before any row is read, and what it may name is described."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.queries import QUERIES, Median, plan_of, query_of
from dpselect.web.server import dataset as datasets
from dpselect.web.server.errors import InvalidQueryError, UnprotectedError
from dpselect.web.server.queries import query_in

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
def test_what_is_planned_is_what_is_paid(server_state, name) -> None:
    """The plan reads no row, and the release spends exactly that, in the same row of the same ledger."""
    where, body = QUESTIONS[name]
    dataset, question = server_state.datasets[where], query_of(body)
    analyst = "bob" if where == "visits" else "ann"

    plan = dataset.plan(question, 10**5)
    assert 0 == dataset.account.ledger.totals.spends
    payment = dataset.pay("one", analyst, plan.spends)
    answer = dataset.answer(question, plan, payment)

    shown = plan.as_json()
    assert {name: answer[name] for name in ("mechanism", "guarantee", "accuracy")} == {
        name: shown[name] for name in ("mechanism", "guarantee", "accuracy")
    }
    assert [1] == payment.rows
    assert 1 == dataset.account.ledger.totals.spends
    assert Fraction(shown["guarantee"]["epsilon"]) == question.epsilon
    json.dumps(answer, allow_nan=False)


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
def test_names_are_looked_up_among_public_ones(server_state, where, body) -> None:
    """No path, no SQL, no column that was not registered: also the column of persons cannot be asked about."""
    with pytest.raises(InvalidQueryError):
        server_state.datasets[where].plan(query_in(body | {"epsilon": 1}, QUERIES), 10**5)


def test_a_plan_needs_no_rows(server_state, tmp_path) -> None:
    """They may be locked away."""
    for name in ("people.csv", "visits.csv", "friends.csv"):
        (tmp_path / name).unlink()

    for where, body in QUESTIONS.values():
        assert server_state.datasets[where].plan(query_of(body), 10**5).spends


def test_rows_that_changed_are_read_again(server_state, tmp_path) -> None:
    """What is kept in memory is that of the file as it is."""
    rows = server_state.datasets["survey"].rows
    assert 400 == len(rows.table(["age", "job"])["age"])
    assert rows.table(["age"])["age"] is rows.table(["age"])["age"]
    (tmp_path / "people.csv").write_text("age,job\n1,nurse\n", encoding="utf-8")

    assert 1 == len(rows.table(["age"])["age"])


def test_candidates_are_limited(server_state) -> None:
    """So that no question takes the machine."""
    question = query_of({"query": "median", "column": "age", "by": "job", "epsilon": 1})

    server_state.datasets["survey"].plan(question, 303)
    with pytest.raises(InvalidQueryError, match="303 public candidates and the server allows 302"):
        server_state.datasets["survey"].plan(question, 302)


def test_prices_are_remembered_and_few(server_state, monkeypatch) -> None:
    """A question that was asked before costs what it cost, without another look; refusals are found out each time."""
    dataset = server_state.datasets["survey"]
    asked = [query_of({"query": "histogram", "column": "age", "epsilon": place / 1000}) for place in range(1, 301)]
    for question in asked:
        assert plan_of(question, dataset.description).spends == dataset.plan(question, 10**5).spends
    assert 256 == len(dataset._plans)

    monkeypatch.setattr(datasets, "plan_of", lambda *_: pytest.fail("it was planned again"))
    assert asked[-1].epsilon == dataset.plan(asked[-1], 10**5).spends[0].guarantee.epsilon
    monkeypatch.undo()
    for _ in range(2):
        with pytest.raises(InvalidQueryError):
            dataset.plan(query_of({"query": "histogram", "column": "x", "epsilon": 1}), 10**5)
        with pytest.raises(InvalidQueryError):
            dataset.plan(asked[-1], 10)


def test_text_that_spells_numbers_is_read_once(server_state) -> None:
    """A column of numbers in a file of text is kept as numbers, which are what every question would read in it."""
    path = Path(server_state.datasets["survey"].rows.dataset.address)
    path.write_text("age,job\n" + "".join(f"{cell},nurse\n" for cell in ("7", "", "x", " 1e1", "nan", "0x1", "inf")))
    ages = server_state.datasets["survey"].rows.table(["age"])["age"]
    assert ages.dtype == float
    assert np.array_equal([7, np.nan, np.nan, 10, np.nan, np.nan, np.inf], ages, equal_nan=True)


def test_a_claim_that_would_be_false_is_named_as_such(server_state, monkeypatch) -> None:
    """What the library refuses as a matter of privacy keeps that name on its way to a client."""

    def release(*_: object) -> None:
        raise dps.PrivacyError("A public fact is missing.")

    monkeypatch.setattr(Median, "release", release)
    with pytest.raises(UnprotectedError, match="A public fact is missing") as refused:
        server_state.datasets["survey"].plan(Median("age", epsilon=1), 1000)
    assert (422, "PrivacyError") == (refused.value.status, refused.value.error)
