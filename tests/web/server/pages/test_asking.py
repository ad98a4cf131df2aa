"""An analyst's way over the pages: datasets, a form, its plan, a release, the answer and its certificate."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

import dpselect as dps
from dpselect.certificates.certificate import Certificate
from tests.web.server.pages.browser import Browser

MEDIAN = "/pages/datasets/survey/median"
PARTITIONS = "/pages/datasets/survey/partitions"


def spends(office, dataset: str = "survey") -> int:
    """Return how many rows a ledger has."""
    return dps.Ledger.read(office.folder / "ledgers" / f"{dataset}.ledger").totals.spends


def words(reply) -> str:
    """Return the text of a page."""
    return unescape(re.sub(r"<[^>]+>", " ", reply.body.decode()))


def test_from_the_datasets_to_the_certificate(office, ann, tmp_path) -> None:
    """Each step is a link or a form on the page before, and what the pages say is what the certificate says."""
    before = spends(office)
    assert '<a href="/pages/datasets/survey">' in ann.get("/pages").body.decode()
    dataset = ann.get("/pages/datasets/survey").body.decode()
    assert f'<a href="{MEDIAN}">Median</a>' in dataset
    assert "0 to 100 in steps of 1" in dataset
    assert "clerk, nurse, smith" in dataset
    planned = f"{MEDIAN}?column=age&by=&epsilon=0.25"
    plan = words(ann.get(planned))
    assert "What is the median of age?" in plan
    assert "epsilon 0.25" in plan
    assert before == spends(office)

    reply = ann.post(MEDIAN, ann.hidden(planned, MEDIAN))
    where = reply.headers["location"]
    answer = ann.get(where)
    number = where.rpartition("/")[2]
    stored = office.send("ann", "GET", f"/requests/{number}").json
    saved = ann.get(f"/certificates/{number}")
    (tmp_path / "c.json").write_bytes(saved.body)
    page = ann.get(f"/pages/certificates/{number}/page")
    (tmp_path / "c.html").write_bytes(page.body)

    assert (303, 200) == (reply.status, answer.status)
    (value,) = stored["answer"]["candidates"]
    assert f"The median of age is {value}." in answer.body.decode()
    assert stored["accuracy"] in words(answer)
    assert before + 1 == spends(office)
    for reply in (saved, page):
        assert "attachment" in reply.headers["content-disposition"]
    assert stored["answer"] == Certificate.read(tmp_path / "c.json").content["answer"]
    assert Certificate.read(tmp_path / "c.json").sha256 == Certificate.read(tmp_path / "c.html").sha256
    assert stored["certificate"]["sha256"] in words(ann.get(f"/pages/certificates/{number}"))
    assert f'href="{where}"' in ann.get("/pages/history").body.decode()


def test_a_double_click_and_a_reload_are_one_request(office, ann) -> None:
    """The key is fixed in the form, and the page of the answer is another address."""
    before = spends(office)
    form = ann.hidden(f"{MEDIAN}?column=age&epsilon=0.01", MEDIAN)
    places = {ann.post(MEDIAN, form).headers["location"] for _ in range(3)}
    (where,) = places
    bodies = {ann.get(where).body for _ in range(3)}

    assert 1 == len(bodies)
    assert before + 1 == spends(office)
    assert form["key"] != ann.hidden(f"{MEDIAN}?column=age&epsilon=0.01", MEDIAN)["key"]
    other = form | {"query": json.dumps({"query": "median", "column": "age", "epsilon": "0.02"})}
    assert 409 == ann.post(MEDIAN, other).status


@pytest.mark.parametrize(
    "kind, fields, shown",
    [("median", "column=age&by=job&epsilon=0.1", ["clerk", "nurse", "smith"]),
     ("quantiles", "column=age&q=0.25, 0.75&epsilon=0.1", ["0.25", "0.75", "share of the rows"]),
     ("histogram", "column=job&epsilon=0.1", ["nurse", "count", "<rect"]),
     ("histogram", "column=age&bins=0,50,100&by=job&epsilon=0.1", ["[0, 50)", "[50, 100]", "smith"]),
     ("most_common", "column=job&k=2&epsilon=0.1", ["place", "nurse"])],
)  # fmt: skip
def test_every_question_has_a_form_and_an_answer(ann, kind, fields, shown) -> None:
    """Of groups, of several values, and of counts with a picture."""
    address = f"/pages/datasets/survey/{kind}"
    where = ann.post(address, ann.hidden(f"{address}?{fields.replace(' ', '%20')}", address)).headers["location"]
    text = ann.get(where).body.decode()

    assert "<h1>Answer</h1>" in text
    assert [] == [each for each in shown if each not in text]


def test_a_graph_has_its_own_questions(ann) -> None:
    """And none of tables; a table has none of graphs."""
    graph, table = ann.get("/pages/datasets/friends").body.decode(), ann.get("/pages/datasets/survey").body.decode()

    assert "/friends/top_k" in graph
    assert "/friends/median" not in graph
    assert "/survey/top_k" not in table
    assert 404 == ann.get("/pages/datasets/survey/top_k").status
    assert "Plan" in words(ann.get("/pages/datasets/friends/top_k?metric=degree&k=2&epsilon=1"))


@pytest.mark.parametrize(
    "fields, sentence",
    [("column=age&epsilon=", "Fill this in."), ("column=age&epsilon=0", "Epsilon is a positive number"),
     ("column=age&epsilon=%3Cb%3E", "Epsilon is a positive number"), ("column=nobody&epsilon=1", "no such column"),
     ("column=job&epsilon=1", "a list of values")],
)  # fmt: skip
def test_what_is_filled_in_wrongly_is_said(office, ann, fields, sentence) -> None:
    """At its field or above the form, and nothing is planned; the form keeps what was typed."""
    before = spends(office)
    reply = ann.get(f"{MEDIAN}?{fields}")

    assert 422 == reply.status
    assert sentence in words(reply)
    assert "Release for" not in words(reply)
    assert b"<b>" not in reply.body
    assert before == spends(office)


def test_a_mistake_that_public_facts_tell_is_at_its_field(office, ann) -> None:
    """In the words that programs are told, with the field beside them."""
    reply = ann.get("/pages/datasets/friends/top_k?metric=degree&k=41&epsilon=1")
    asked = {"query": "top_k", "metric": "degree", "k": 41, "epsilon": 1}
    told = office.send("ann", "POST", "/datasets/friends/plan", asked)

    sentence = "This has 40 nodes: ask for at most as many."
    assert (422, 422) == (reply.status, told.status)
    assert f'id="k-mistake">{sentence}<' in reply.body.decode()
    assert [{"where": "k", "sentence": sentence}] == told.json["errors"]
    assert f"k: {sentence}" == told.json["detail"]


@pytest.mark.own_server
def test_a_refusal_of_the_budget_is_a_page(office) -> None:
    """In words, with nothing spent."""
    bob = Browser(office)
    bob.log_in("bob")
    before = spends(office)
    where = bob.post(MEDIAN, bob.hidden(f"{MEDIAN}?column=age&epsilon=9", MEDIAN)).headers["location"]
    text = words(bob.get(where))

    assert "This was not asked" in text
    assert "share" in text
    assert "nothing" in text
    assert before == spends(office)


def test_what_is_not_there_and_what_is_not_yours_look_alike(office, ann) -> None:
    """Datasets, requests and certificates of others."""
    bob = Browser(office)
    bob.log_in("bob")
    form = bob.hidden(f"{MEDIAN}?column=age&epsilon=0.01", MEDIAN)
    number = bob.post(MEDIAN, form).headers["location"].rpartition("/")[2]
    assert 200 == bob.get(f"/pages/requests/{number}").status

    for theirs, none in (
        ("datasets/visits", "datasets/nobody"), ("datasets/visits/histogram", "datasets/nobody/histogram"),
        (f"requests/{number}", "requests/none"), (f"certificates/{number}", "certificates/none"),
        (f"certificates/{number}/page", "certificates/none/page"),
    ):  # fmt: skip
        one, other = ann.get(f"/pages/{theirs}"), ann.get(f"/pages/{none}")
        assert (404, one.body) == (other.status, other.body)
    mine = ann.hidden(f"{MEDIAN}?column=age&epsilon=0.01", MEDIAN)
    assert 404 == ann.post("/pages/datasets/nobody/median", mine).status
    assert 303 == Browser(office).get(f"/pages/requests/{number}").status


def test_a_curator_plans_and_asks_nothing(office) -> None:
    """The page has no button for it, and the server refuses the form that somebody writes."""
    carla, ann = Browser(office), Browser(office)
    carla.log_in("carla")
    ann.log_in("ann")
    page = carla.get(f"{MEDIAN}?column=age&epsilon=0.5")
    form = ann.hidden(f"{MEDIAN}?column=age&epsilon=0.5", MEDIAN) | carla.hidden("/pages", "/logout")

    assert "Plan" in words(page)
    assert "Release for" not in words(page)
    assert 404 == carla.post(MEDIAN, form).status


@pytest.mark.parametrize(
    "fields", [{}, {"query": "x", "key": "k"}, {"query": "{}", "key": "k"}, {"query": "[" * 9000, "key": "k"}]
)
def test_a_form_that_somebody_wrote_is_refused(ann, fields) -> None:
    """As a page, with no status of a failure inside."""
    mark = ann.hidden("/pages", "/logout")

    assert 422 == ann.post(MEDIAN, mark | fields).status
    assert 422 == ann.post("/pages/datasets/survey/histogram", mark | fields).status


TRAIN = "/pages/datasets/survey/train"


@pytest.mark.parametrize(
    "filled, is_open", [("", False), ("&model=boosted&rounds=&unknown=clip", False), ("&model=boosted&rounds=3", True),
                        ("&unknown=ignore", True), ("&max_depth=0", True)],
)  # fmt: skip
def test_rare_options_are_shown_when_one_is_filled_in(ann, filled, is_open) -> None:
    """Or is wrong; what holds its default is not filled in."""
    text = ann.get(f"{TRAIN}?target=job&epsilon=1{filled}").body.decode()

    assert "<h1>Train a model: survey</h1>" in text
    assert is_open == ('<details class="more" open>' in text)
    assert is_open != ('<details class="more">' in text)


def test_a_column_is_not_both_target_and_feature(ann) -> None:
    """The form says so, in a sentence."""
    reply = ann.get(f"{TRAIN}?target=job&features=job&features=age&epsilon=1")

    assert 422 == reply.status
    assert "A column cannot be both target and feature" in words(reply)


def test_a_form_shows_what_is_public_of_the_columns(ann) -> None:
    """Before there is a plan, when nothing is wrong yet; without rare options there is no part for them."""
    text = ann.get(MEDIAN).body.decode()

    assert 200 == ann.get(TRAIN).status
    for each in (text, ann.get(TRAIN).body.decode()):
        assert 'role="alert"' not in each
    assert "clerk, nurse, smith" in text
    assert 'id="plan"' in text
    assert "More options" in text
    assert "More options" not in ann.get(PARTITIONS).body.decode()
