"""Over real HTTP: queries of a running server, keys, numbers, refusals, and a token that is nowhere."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import pytest

import dpselect as dps
from dpselect.certificates.certificate import Certificate
from dpselect.queries import Histogram, Train

JOBS = Histogram("job", epsilon=0.01)


def test_answers_are_read_as_releases_are(ann, tmp_path) -> None:
    """A certificate is a file that dpselect reads; in a notebook it is shown who is protected."""
    survey = ann.dataset("survey")
    median, counts = survey.median("age", epsilon=0.5), survey.histogram("job", epsilon=0.5)

    assert 0 <= median.value <= 100
    assert abs(counts.value["nurse"] - 300) < 100
    assert median.receipt.ledger_row >= 1
    assert "one record" in median._repr_html_()
    assert median.mechanism in survey.plan.median("age", epsilon=0.5)._repr_html_()
    median.certificate().save(tmp_path / "median.html")
    assert Certificate.read(tmp_path / "median.html").sha256 == median.certificate().sha256


def test_a_model_is_the_estimator_of_the_library(ann, tmp_path) -> None:
    """It predicts, and its file is the one of the certificate."""
    survey, query = ann.dataset("survey"), Train("job", epsilon=1, n_records=400)
    release = survey.ask(query, key="a-model")
    model = release.value

    assert isinstance(model, dps.learn.DPTreeClassifier)
    assert release.guarantee == model.privacy_spent_
    assert {*model.predict({"age": [20, 30, 80]})} <= {"clerk", "nurse", "smith"}
    model.save(tmp_path / "model.json")
    stated = release.certificate().content["answer"]["SHA-256 of its file"]
    assert sha256((tmp_path / "model.json").read_bytes()).hexdigest() == stated
    assert dps.learn.load(tmp_path / "model.json").export_text() == model.export_text()
    assert survey.ask(query, key="a-model").receipt == release.receipt


def test_an_answer_is_asked_for_by_its_number(ann) -> None:
    """As it was given; it costs nothing more, and has no key."""
    survey = ann.dataset("survey")
    for release in (survey.by("job").median("age", epsilon=0.5), survey.train("job", epsilon=0.5)):
        again = ann.answer(release.receipt.request)
        assert (release.guarantee, release.certificate()) == (again.guarantee, again.certificate())
        assert type(release.value) is type(again.value)
        assert again.receipt.key is None
    with pytest.raises(ValueError, match="This request does not exist, or is not yours"):
        ann.answer("17")


def test_what_is_left_falls_by_what_was_paid(bob) -> None:
    """By exactly that; public facts are shown, and what was asked is in the history."""
    before = {offer.name: offer for offer in bob.datasets()}
    release = bob.dataset("survey").histogram("job", epsilon=0.25)
    after = {offer.name: offer for offer in bob.datasets()}

    assert {"survey", "visits"} == before.keys()
    assert Fraction(1, 4) == before["survey"].share["epsilon"] - after["survey"].share["epsilon"]
    assert {"rho"} == before["visits"].share.keys()
    assert ["clerk", "nurse", "smith"] == bob.dataset("survey").facts["columns"]["job"]
    assert release.receipt.request == bob.history()[0]["request"]


def test_a_concentrated_promise_is_read(bob) -> None:
    """A list from a ledger that adds up rho costs at most the epsilon that was asked."""
    release = bob.dataset("visits").most_common("ward", k=2, epsilon=0.5)

    assert {"east", "west"} == {*release.value}
    assert release.guarantee.epsilon <= Fraction(1, 2)
    assert "rho" in release._repr_html_() or release.guarantee.stated_rho is None


def test_the_same_key_is_the_same_answer(ann) -> None:
    """Asked twice and paid once; each call without a key is a question of its own; another question is refused."""
    survey = ann.dataset("survey")
    first, again = (survey.ask(JOBS, key="report-1") for _ in range(2))
    others = {survey.histogram("job", epsilon=0.01).receipt.ledger_row for _ in range(2)}

    assert (first, first.receipt) == (again, again.receipt)
    assert 2 == len(others - {first.receipt.ledger_row})
    with pytest.raises(ValueError, match="This idempotency key was used for another request"):
        survey.ask(replace(JOBS, epsilon=0.02), key="report-1")


@pytest.mark.own_server
def test_a_budget_that_does_not_reach_is_a_budget_error(ann) -> None:
    """In the server's words, and nothing is spent."""
    before = ann.datasets()
    with pytest.raises(dps.BudgetError, match="does not allow this: asked for epsilon 15, left"):
        ann.dataset("survey").median("age", epsilon=15)

    assert before == ann.datasets()


@pytest.mark.parametrize(
    "ask, sentence",
    [
        (lambda server: server.dataset("visits"), "This dataset does not exist, or is not shared with you."),
        (lambda server: server.dataset(""), "Name a dataset"),
        (lambda server: server.dataset("../people"), "This address does not exist."),
        (lambda server: server.dataset("survey").ask(JOBS, key="a b"), "key is at most 200"),
        (lambda server: server.dataset("survey").ask({"query": "mean", "epsilon": 1}), "query: one of best, median, "),
        (lambda server: server.dataset("survey").above_threshold(5, epsilon=0), "epsilon must be positive"),
    ],
)
def test_what_is_wrong_is_a_value_error(ask, sentence, ann) -> None:
    """In one sentence, the server's where it is the server that refuses."""
    with pytest.raises(ValueError, match=sentence) as refused:
        ask(ann)
    assert 1 == len(str(refused.value).splitlines())


def test_the_token_is_nowhere(office, ann) -> None:
    """Neither in what is printed, nor in an error; a connection is not stored."""
    token = office.tokens["ann"]
    wrong = dps.connect(f"http://localhost:{office.port}", "x" + token[1:])
    with pytest.raises(ConnectionError, match="neither expired nor revoked") as refused:
        wrong.datasets()

    survey = ann.dataset("survey")
    for text in (repr(ann), repr(survey), survey._repr_html_(), repr(vars(ann)), str(refused.value)):
        assert token[1:] not in text
    with pytest.raises(TypeError, match="holds a token"):
        pickle.dumps(ann)
    for bad in ("", "two words", f"{token}\r\nX: y", f"{token}ü", 5):
        with pytest.raises(ValueError, match="This is not a token") as refused:
            dps.connect("http://localhost", bad)
        assert token not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://dp.example.org",
        "http://localhost.example.org",
        "http://127.0.0.1@dp.example.org",
        "https://ann:hidden@dp.example.org",
        "https://dp.example.org?token=hidden",
        "ftp://localhost",
        "file:///etc/hostname",
        "localhost:8440",
        "https://dp.example.org\r\nX: y",
        "https://[",
        "https://dp.example.org:port",
        None,
    ],
)
def test_other_addresses_are_refused(url) -> None:
    """Before anything is sent, and without quoting what may hold a password."""
    with pytest.raises(ValueError, match="over http://|Over http://|A server's address is like") as refused:
        dps.connect(url, "a-made-up-token")
    assert "hidden" not in str(refused.value)


def test_http_elsewhere_is_for_those_who_ask_for_it() -> None:
    """By an argument that says so."""
    assert "Server('http://dp.example.org')" == repr(dps.connect("http://dp.example.org", "made-up-token", plain=True))
