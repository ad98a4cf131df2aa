"""A stream of a server in Python: the names of the library's own, over real HTTP."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.release.sparse_vector import ThresholdAnswer
from tests.client.between import Between, standing


def test_a_stream_is_asked_as_one_of_the_library(ann) -> None:
    """The same names, rules, errors and endings as of a stream that is asked here."""
    survey, here = ann.dataset("survey"), dps.above_threshold(150, epsilon=2, positives=2, range_bound=1)
    with survey.above_threshold(150, epsilon=2, positives=2) as stream:
        assert (here.rules, here.remaining_epsilon, False) == (stream.rules, stream.remaining_epsilon, stream.has_ended)
        assert here.error_bound(50) == stream.error_bound(50)
        answers = [stream.ask({"job": job}) for job in ("clerk", "nurse", ["smith"])]
        assert ["below", "above", "below"] == [str(each) for each in answers]
        assert isinstance(answers[0], ThresholdAnswer)
        assert abs(answers[1].gap - 150) < 60
        assert stream.remaining_epsilon == here.remaining_epsilon - answers[1].paid == here.remaining_epsilon / 2
        assert stream.ask({"age": {"lower": 0, "upper": 100}, "job": ["nurse", "smith"]})
        assert stream.has_ended
        with pytest.raises(dps.PrivacyError, match="ended and answers nothing more"):
            stream.ask({"job": "nurse"})
    assert [False, True, False, True] == [each["answer"]["above"] for each in stream.transcript()]
    assert "ended" in repr(stream)
    assert "ended" in stream._repr_html_()


def test_its_plan_is_that_of_the_stream(ann) -> None:
    """What it promises and how wrong it may be, as the library states it; nothing is spent."""
    survey, before = ann.dataset("survey"), ann.datasets()
    plan = survey.plan_above_threshold(150, epsilon=2, positives=2, levels=[(40, 0.5)], questions=30)

    expected = dps.accuracy.threshold_bound(epsilon=2, questions=30, positives=2, range_bound=1, levels=[(40, 0.5)])
    assert expected.describe() == plan.error_bound.describe()
    assert (Fraction(2), "above-threshold") == (plan.guarantee.epsilon, plan.mechanism)
    assert before == ann.datasets()


def test_the_same_keys_give_the_same(ann) -> None:
    """Of a stream and of its answers, also after its end, which whoever opens it again is told of."""
    survey = ann.dataset("survey")
    stream = survey.above_threshold(150, epsilon=0.5, key="stream-again")
    first = stream.ask({"job": "smith"}, key="smiths")
    again = survey.above_threshold(150, epsilon=0.5, key="stream-again")

    assert (stream.stream, stream.ledger_row) == (again.stream, again.ledger_row)
    assert first == again.ask({"job": "smith"}, key="smiths")
    stream.end()
    assert first == stream.ask({"job": "smith"}, key="smiths")
    with pytest.raises(dps.PrivacyError, match="it was closed"):
        again.ask({"job": "nurse"})
    assert again.has_ended
    with pytest.raises(ValueError, match="another request"):
        stream.ask({"job": "nurse"}, key="smiths")
    assert survey.above_threshold(150, epsilon=0.5, key="stream-again").has_ended


@pytest.mark.own_server
def test_what_is_refused(ann) -> None:
    """In the server's words, as the errors of the library; nothing is used up."""
    survey = ann.dataset("survey")
    with pytest.raises(dps.BudgetError, match="not allow this"):
        survey.above_threshold(150, epsilon=500)
    with survey.above_threshold(None, epsilon=0.25) as stream:
        with pytest.raises(ValueError, match="one of its columns"):
            stream.ask({"salary": 3}, threshold=10)
        with pytest.raises(dps.PrivacyError, match="pass threshold="):
            stream.ask({"job": "nurse"})
    with pytest.raises(ValueError, match="this dataset has none"):
        ann.dataset("friends").above_threshold(150, epsilon=0.5)


def test_a_lost_answer_is_asked_for_again(office) -> None:
    """The first reply to each request is lost: one payment, one answer for each query."""
    lost: set[bytes] = set()

    def changed(path, status, body):
        if path.endswith(("/streams", "/queries")) and body not in lost:
            lost.add(body)
            return None
        return status, body

    with standing(Between(office.port, changed)) as between:
        server = dps.connect(f"http://127.0.0.1:{between.port}", office.tokens["ann"])
        before = {each.name: each.share for each in server.datasets()}["survey"]["epsilon"]
        stream = server.dataset("survey").above_threshold(10**6, epsilon=0.25)
        answers = [stream.ask({"job": "nurse"}) for _ in range(2)]
        assert 3 == len(lost)
        assert [False, False] == [each.above for each in answers]
        assert 2 == len(stream.transcript())
        after = {each.name: each.share for each in server.datasets()}["survey"]["epsilon"]
    assert Fraction(1, 4) == before - after


def test_a_server_that_charges_more_is_refused(office) -> None:
    """A stream at another price than was asked for is not taken."""

    def changed(path, status, body):
        content = json.loads(body)
        if path.endswith("/streams"):
            content["guarantee"]["epsilon"] = "3"
        return status, json.dumps(content).encode()

    with standing(Between(office.port, changed)) as between:
        server = dps.connect(f"http://127.0.0.1:{between.port}", office.tokens["ann"])
        with pytest.raises(dps.PrivacyError, match="promises epsilon 3"):
            server.dataset("survey").above_threshold(150, epsilon=0.25)
