"""Over real HTTP: the questions of the library, asked of a running server."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import pytest

import dpselect as dps
from dpselect.certificates.certificate import Certificate
from dpselect.certificates.plain import plain
from dpselect.client import ServedDataset
from dpselect.client.questions import EVERY_QUESTION
from dpselect.web.server.questions import learners

QUESTIONS = [
    ("median", "survey", (), {"column": "age", "epsilon": 0.5}),
    ("median", "survey", (), {"column": "age", "epsilon": 0.5, "by": "job"}),
    ("quantiles", "survey", ([0.1, 0.5, 0.9],), {"column": "age", "epsilon": Fraction(1, 2)}),
    ("quantiles", "survey", (), {"p": [10, 90], "column": "age", "epsilon": 0.5}),
    ("select", "survey", ("largest-count",), {"epsilon": 0.5, "candidate": "job", "k": 2}),
    ("select", "survey", ("smallest-total",), {"epsilon": 0.5, "candidate": "job", "of": "age"}),
    ("select", "survey", ("largest-count",), {"epsilon": 0.5, "candidate": "job", "mechanism": "exponential"}),
    ("counts", "survey", (), {"epsilon": 0.5, "column": "job"}),
    ("counts", "survey", (), {"epsilon": 0.5, "column": "age", "bins": [0, 50, 100], "by": "job"}),
    ("most_common", "survey", (2,), {"epsilon": 0.5, "item": "job"}),
    ("train", "survey", ("job",), {"epsilon": 0.5, "max_depth": 2, "features": ["age"]}),
    ("train", "survey", ("age",), {"epsilon": 0.5, "model": "boosted", "rounds": 3, "interactions": False}),
    ("top_k", "friends", ("degree", 2), {"epsilon": 0.5}),
]


@pytest.mark.parametrize("name, dataset, arguments, named", QUESTIONS)
def test_a_plan_and_a_release_promise_the_same(name, dataset, arguments, named, ann) -> None:
    """Every question: the release keeps what the plan said, and its certificate has the answer."""
    served = ann.dataset(dataset)
    plan = served.plan(name, *arguments, **named)
    release = getattr(served, name)(*arguments, **named)

    assert (plan.mechanism, plan.guarantee) == (release.mechanism, release.guarantee)
    assert plan.error_bound.describe() == release.error_bound.describe()
    assert Fraction(1, 2) == release.guarantee.epsilon
    answer = release.certificate().content["answer"]
    assert answer == (release.value if name in ("counts", "train") else plain(dps.Release._answer.fget(release)))
    assert release.ledger_row >= 1
    assert release.protects in release._repr_html_()
    assert plan.mechanism in plan._repr_html_()


def test_every_question_of_the_server_can_be_asked() -> None:
    """With names that functions of the library have; a new one needs a method, and a test above."""
    from typing import get_args

    from dpselect.web.server.questions import AnyQuestion

    served = {get_args(each.model_fields["question"].annotation)[0] for each in get_args(get_args(AnyQuestion)[0])}
    # Quantiles in per cent are a question of their own there.
    assert served == {*EVERY_QUESTION, "percentiles"}
    assert {*EVERY_QUESTION} == {name for name, *_ in QUESTIONS}
    for name in EVERY_QUESTION:
        assert callable(getattr(dps, name, dps.learn.DPTreeClassifier))
        assert callable(getattr(ServedDataset, name))


# What stands in the place of scores, which a server makes itself.
RANKED = {"top_k": {"metric"}, "select": {"score", "candidate", "of", "k"}}


@pytest.mark.parametrize("name", [name for name in EVERY_QUESTION if name != "train"])
def test_every_question_takes_the_arguments_of_the_function(name) -> None:
    """Of the same names, in the same order and passed alike, less what the server knows; and a key, which is last."""
    served = {**inspect.signature(getattr(ServedDataset, name)).parameters}
    library = inspect.signature(getattr(dps, name)).parameters
    first, *asked, last = served
    assert ("self", "key") == (first, last)
    assert [*inspect.signature(EVERY_QUESTION[name]).parameters] == asked
    alike = [each for each in asked if each not in RANKED.get(name, ())]

    assert alike == [each for each in library if each in alike]
    for each in alike:
        assert served[each].kind is library[each].kind, each
    assert (name in RANKED) == ("scores" in library)


def test_training_takes_the_arguments_of_the_estimators() -> None:
    """Of the same names; each but the choice of columns and model is one of some estimator that a server trains."""
    served = [*inspect.signature(ServedDataset.train).parameters]
    kinds = {*learners.CLASSIFIERS.values(), *learners.REGRESSORS.values()}
    taken = {name for kind in kinds for name in inspect.signature(getattr(dps.learn, kind)).parameters}

    assert served == ["self", *inspect.signature(EVERY_QUESTION["train"]).parameters, "key"]
    assert {"features", "model", "target"} <= {*served[1:-1]} <= taken | {"features", "model", "target"}


def test_answers_are_read_as_releases_are(ann, tmp_path) -> None:
    """The value has the form of the library's; a certificate is a file that dpselect reads."""
    survey = ann.dataset("survey")
    median = survey.median(column="age", epsilon=0.5)
    grouped = survey.median(column="age", epsilon=0.5, by="job")
    counts = survey.counts(epsilon=0.5, column="job")

    assert 0 <= median.value <= 100
    assert {"clerk", "nurse", "smith"} == grouped.value.keys() == counts.value.keys()
    assert abs(counts.value["nurse"] - 300) < 100
    assert all(0 <= value <= 100 for value in grouped.value.values())
    assert 2 == len(survey.quantiles([0.2, 0.8], column="age", epsilon=0.1).value)
    with pytest.raises(TypeError, match="without arguments"):
        median.certificate(question="Another one?")
    median.certificate().save(tmp_path / "median.html")
    assert Certificate.read(tmp_path / "median.html").sha256 == median.certificate().sha256


def test_a_model_is_the_estimator_of_the_library(ann, tmp_path) -> None:
    """It predicts, and its file is the one of the certificate; other answers have no model, and a model no winners."""
    survey = ann.dataset("survey")
    release = survey.train("job", epsilon=1, n_records=400, key="a-model")
    model = release.model

    assert isinstance(model, dps.learn.DPTreeClassifier)
    assert release.guarantee == model.privacy_spent_
    assert {*model.predict({"age": [20, 30, 80]})} <= {"clerk", "nurse", "smith"}
    model.save(tmp_path / "model.json")
    assert sha256((tmp_path / "model.json").read_bytes()).hexdigest() == release.value["SHA-256 of its file"]
    assert dps.learn.load(tmp_path / "model.json").export_text() == model.export_text()
    assert survey.train("job", epsilon=1, n_records=400, key="a-model") == release
    with pytest.raises(AttributeError, match="No model was trained here"):
        _ = survey.counts(epsilon=0.25, column="job").model


def test_a_model_of_another_certificate_is_refused(ann) -> None:
    """The checksum of its file is compared."""
    release = ann.dataset("survey").train("job", epsilon=0.5)
    other = ann.dataset("survey").train("job", epsilon=0.5)

    with pytest.raises(ValueError, match="not the model of the certificate"):
        _ = replace(release, _model=other._model).model


def test_what_is_left_falls_by_what_was_paid(bob) -> None:
    """By exactly that; public facts are shown, and what was asked is in the history."""
    before = {offer.name: offer for offer in bob.datasets()}
    release = bob.dataset("survey").counts(epsilon=0.25, column="job")
    after = {offer.name: offer for offer in bob.datasets()}

    assert {"survey", "visits"} == before.keys()
    assert Fraction(1, 4) == before["survey"].share["epsilon"] - after["survey"].share["epsilon"]
    assert {"rho"} == before["visits"].share.keys()
    assert ["clerk", "nurse", "smith"] == bob.dataset("survey").facts["columns"]["job"]
    assert release.request == bob.history()[0]["request"]


def test_a_concentrated_promise_is_read(bob) -> None:
    """A list from a ledger that adds up rho costs at most the epsilon that was asked."""
    release = bob.dataset("visits").most_common(2, epsilon=0.5, item="ward")

    assert {"east", "west"} == {*release.value}
    assert release.guarantee.epsilon <= Fraction(1, 2)
    assert "rho" in release._repr_html_() or release.guarantee.stated_rho is None


def test_the_same_key_is_the_same_answer(ann) -> None:
    """Asked twice and paid once; each call without a key is a question of its own; another question is refused."""
    survey = ann.dataset("survey")
    first, again = (survey.counts(epsilon=0.01, column="job", key="report-1") for _ in range(2))
    others = {survey.counts(epsilon=0.01, column="job").ledger_row for _ in range(2)}

    assert first == again
    assert 2 == len(others - {first.ledger_row})
    with pytest.raises(ValueError, match="This idempotency key was used for another request"):
        survey.counts(epsilon=0.02, column="job", key="report-1")


@pytest.mark.own_server
def test_a_budget_that_does_not_reach_is_a_budget_error(ann) -> None:
    """In the server's words, and nothing is spent."""
    before = ann.datasets()
    with pytest.raises(dps.BudgetError, match="does not allow this: asked for epsilon 15, left"):
        ann.dataset("survey").median(column="age", epsilon=15)

    assert before == ann.datasets()


@pytest.mark.parametrize(
    "ask, sentence",
    [
        (lambda server: server.dataset("visits"), "There is no such dataset, or none for you."),
        (lambda server: server.dataset(""), "Name a dataset"),
        (lambda server: server.dataset("../people"), "There is nothing at this address."),
        (lambda server: server.dataset("survey").median(column="nothing", epsilon=1), "no such column"),
        (lambda server: server.dataset("survey").median(column="age", epsilon=0), "epsilon must be positive"),
        (lambda server: server.dataset("survey").counts(epsilon=Fraction(1, 3), column="job"), "at most six decimals"),
        (lambda server: server.dataset("survey").counts(epsilon=1, column="job", key="a b"), "key is at most 200"),
        (lambda server: server.dataset("survey").plan("mean", column="age"), "question is one of median, "),
        (lambda server: server.dataset("survey").plan("top_k", "degree", 1, epsilon=1), "This dataset is a table"),
        (lambda server: server.dataset("friends").top_k("beauty", 1, epsilon=1), "metric: "),
        (lambda server: server.dataset("survey").most_common(1.5, epsilon=1, item="job"), "k must be "),
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
