"""Streams over real HTTP: paid for once, answered one query after the other, each answer the same for ever."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

import dpselect as dps
from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office

OPENING = {"epsilon": 2, "positives": 2, "threshold": 150}
# Of 400 people 300 are nurses, 100 smiths, and nobody is a clerk.
NURSES, SMITHS, CLERKS = ({"where": {"job": job}} for job in ("nurse", "smith", "clerk"))
LIMITS = "requests_per_minute = 100000\nstreams = 3\nstream_queries = 6\nwaiting = 8"


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    """A running server of few and short streams."""
    config = CONFIG.replace("requests_per_minute = 100000", LIMITS).replace("{ann = 6, bob = 8}", "{ann = 90, bob = 9}")
    config = config.replace("epsilon = 20", "epsilon = 99").replace("allowance = 10", "allowance = 99")
    running = Office(tmp_path_factory.mktemp("office"), config)
    running.start()
    yield running
    running.kill()


@pytest.fixture(autouse=True)
def closed(office):
    """Leave no stream open."""
    yield
    for who in ("ann", "bob"):
        for each in office.send(who, "GET", "/streams").json:
            office.send(who, "DELETE", f"/streams/{each['stream']}")


def opened(office, key, who="ann", dataset="survey", **changes):
    """Open a stream, and return what came back."""
    return office.send(who, "POST", f"/datasets/{dataset}/streams", OPENING | changes, Idempotency_Key=key)


def asked(office, stream, key, query, who="ann"):
    """Ask a query, and return what came back."""
    return office.send(who, "POST", f"/streams/{stream}/queries", query, Idempotency_Key=key)


def spent(office, dataset="survey"):
    """Return what the rows of the ledger add up to."""
    return sum(event.epsilon for event in dps.Ledger.read(office.folder / "ledgers" / f"{dataset}.ledger").events)


def test_a_stream_from_its_opening_to_its_end(office) -> None:
    """It is paid for as a whole, answers until two are above, and its transcript has every answer as it was sent."""
    before = spent(office)
    reply = opened(office, "whole")
    stream = reply.json["stream"]

    assert (200, f"/streams/{stream}") == (reply.status, reply.headers["location"])
    assert ("open", 0, "above-threshold") == tuple(reply.json[name] for name in ("state", "asked", "mechanism"))
    assert Fraction(2) == spent(office) - before == Fraction(reply.json["guarantee"]["epsilon"])
    answers = [asked(office, stream, f"q{place}", query) for place, query in enumerate([CLERKS, NURSES, SMITHS, {}])]
    assert [False, True, False, True] == [each.json["above"] for each in answers]
    assert [1, 2, 3, 4] == [each.json["place"] for each in answers]
    assert [False, False, False, True] == [each.json["ended"] for each in answers]
    assert abs(answers[1].json["gap"] - 150) < 60
    assert Fraction(2) == spent(office) - before

    late = asked(office, stream, "late", CLERKS)
    assert (409, "application/problem+json") == (late.status, late.headers["content-type"])
    assert "used up what was paid for" in late.json["detail"]
    shown = office.send("ann", "GET", f"/streams/{stream}").json
    assert ("ended", "finished", 4, "0") == tuple(shown[name] for name in ("state", "ending", "asked", "remaining"))
    assert [each.json for each in answers] == [each["answer"] for each in shown["queries"]]
    assert [{}, NURSES["where"]] == [shown["queries"][place]["query"]["where"] for place in (3, 1)]
    assert [3] == [
        each["answer"]["place"]
        for each in office.send("ann", "GET", f"/streams/{stream}?after=2&most=1").json["queries"]
    ]


def test_the_same_key_gives_the_same(office) -> None:
    """The same stream at no further price, the same answer byte for byte, after its end too; another body is 409."""
    stream = opened(office, "same").json["stream"]
    before = spent(office)
    first = asked(office, stream, "one", NURSES)

    assert stream == opened(office, "same").json["stream"]
    assert before == spent(office)
    assert 409 == opened(office, "same", epsilon=1).status
    assert first.body == asked(office, stream, "one", NURSES | {"threshold": None}).body
    assert 409 == asked(office, stream, "one", SMITHS).status
    office.send("ann", "DELETE", f"/streams/{stream}")
    assert first.body == asked(office, stream, "one", NURSES).body
    assert 409 == asked(office, stream, "one", SMITHS).status


def test_a_plan_is_free_and_true(office) -> None:
    """It promises what the stream promises, says how wrong it may be, and spends nothing."""
    before = spent(office)
    plan = office.send("ann", "POST", "/datasets/survey/streams/plan", OPENING | {"queries": 50})

    assert 200 == plan.status
    assert before == spent(office)
    expected = dps.accuracy.threshold_bound(epsilon=2, questions=50, positives=2, range_bound=1).describe()
    assert expected == plan.json["accuracy"]
    assert opened(office, "planned", queries=50).json["guarantee"] == plan.json["guarantee"]


@pytest.mark.parametrize(
    ("where", "least", "most"),
    [
        ({}, 400, 400),
        ({"job": "nurse"}, 300, 300),
        ({"job": ["nurse", "smith"]}, 400, 400),
        ({"age": {"lower": 20, "upper": 29}}, 70, 70),
        ({"age": {"upper": 29}, "job": ["clerk", "smith"]}, 14, 21),
        ({"job": "clerk"}, 0, 0),
    ],
)
def test_conditions_count_what_they_say(office, where, least, most) -> None:
    """At a large epsilon the gap above a threshold far below tells the count of a condition, to within a few."""
    stream = opened(office, f"count {where}".replace(" ", ""), epsilon=4, positives=1).json["stream"]
    answer = asked(office, stream, "one", {"where": where, "threshold": -1000}).json

    assert least - 15 <= answer["gap"] - 1000 <= most + 15


def test_persons_are_counted_once(office) -> None:
    """Of fifty persons with four rows each, as many as there are persons are found; the ledger of rho pays."""
    reply = opened(office, "persons", who="bob", dataset="visits", epsilon="0.75", positives=1)
    answer = asked(office, reply.json["stream"], "one", {"threshold": -1000}, who="bob").json

    assert "person" == reply.json["guarantee"]["neighbours"]
    assert abs(answer["gap"] - 1050) < 40


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"where": {"salary": "nurse"}}, 422),
        ({"where": {"job": "pilot"}}, 422),
        ({"where": {"job": {"lower": 1}}}, 422),
        ({"where": {"age": 30}}, 422),
        ({"where": {"age": {}}}, 422),
        ({"where": {"age": {"lower": True, "upper": "x"}}}, 422),
        ({"where": {"job": []}}, 422),
        ({"where": {"job": True}}, 422),
        ({"where": {f"c{place}": 1 for place in range(21)}}, 422),
        ({"threshold": 1.5}, 422),
        ({"threshold": 2**60}, 422),
        ({"wher": {}}, 422),
    ],
)
def test_what_is_no_query_is_refused(office, query, status) -> None:
    """In one sentence, by public facts alone, and nothing is used up."""
    stream = opened(office, "refuses").json["stream"]
    reply = asked(office, stream, "odd", query)

    assert (status, "application/problem+json") == (reply.status, reply.headers["content-type"])
    assert 0 == office.send("ann", "GET", f"/streams/{stream}").json["asked"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"positives": 0}, 422),
        ({"positives": 10**6}, 422),
        ({"epsilon": 0}, 422),
        ({"epsilon": "1e-6"}, 422),
        ({"epsilon": 1000}, 403),
        ({"threshold": 1.5}, 422),
        ({"levels": [[5, 1]]}, 422),
        ({"levels": [[5, 0.5], [9, 0.2]]}, 422),
        ({"share": 0.5}, 422),
    ],
)
def test_what_is_no_opening_is_refused(office, changes, status) -> None:
    """Nothing is spent, the same key is refused again alike, and no stream is open."""
    before = spent(office)
    replies = [opened(office, f"odd{changes}".replace(" ", ""), **changes) for _ in range(2)]

    assert [status] * 2 == [reply.status for reply in replies]
    assert replies[0].body == replies[1].body
    assert before == spent(office)
    assert {each["state"] for each in office.send("ann", "GET", "/streams").json[:1]} <= {"ended"}


def test_a_graph_has_no_streams(office) -> None:
    """It has no rows to count."""
    assert 422 == opened(office, "graph", dataset="friends").status


def test_levels_make_clear_answers_cheaper(office) -> None:
    """Three clear answers at half the price come out of two."""
    stream = opened(office, "levels", levels=[[60, 0.5]], threshold=0).json["stream"]
    answers = [asked(office, stream, f"q{place}", NURSES).json for place in range(3)]

    assert [0, 0, 0] == [each["level"] for each in answers]
    assert [False, False, True] == [each["ended"] for each in answers]


def test_streams_of_others_are_nowhere(office) -> None:
    """Another analyst's, a curator's look and an invented number: the same bytes, whatever is tried."""
    stream = opened(office, "mine").json["stream"]
    first = asked(office, stream, "one", NURSES)
    tries = [("GET", "", None), ("DELETE", "", None), ("POST", "/queries", NURSES)]
    for method, path, body in tries:
        replies = [
            office.send("bob", method, f"/streams/{number}{path}", body, Idempotency_Key="one")
            for number in (stream, "x" * 43, "%00", "a'--")
        ]
        assert {404} == {reply.status for reply in replies}
        assert 1 == len({reply.body for reply in replies})
        assert 404 == office.send("carla", method, f"/streams/{stream}{path}", body, Idempotency_Key="one").status
        assert 401 == office.send(None, method, f"/streams/{stream}{path}", body, Idempotency_Key="one").status
    assert stream not in str(office.send("bob", "GET", "/streams").json)
    assert ("open", 1) == tuple(
        office.send("ann", "GET", f"/streams/{stream}").json[name] for name in ("state", "asked")
    )
    assert first.body == asked(office, stream, "one", NURSES).body
    # A key of one analyst says nothing about another's.
    assert 200 == opened(office, "mine", who="bob").status
    # Without a share there is no dataset to open one on, and none to plan one on.
    nowhere = opened(office, "x", dataset="visits")
    assert (404, nowhere.body) == (nowhere.status, opened(office, "x", dataset="nowhere").body)


def test_a_race_at_the_last_positive(office) -> None:
    """Of eight queries at once that are all above, exactly as many are answered as were paid for."""
    stream = opened(office, "race", threshold=0).json["stream"]
    with ThreadPoolExecutor(8) as pool:
        replies = [*pool.map(lambda key: asked(office, stream, f"r{key}", NURSES), range(8))]

    assert [200, 200] == sorted(reply.status for reply in replies)[:2]
    assert {409} == {reply.status for reply in replies if reply.status != 200}
    assert 6 == sum(reply.status == 409 for reply in replies)
    shown = office.send("ann", "GET", f"/streams/{stream}").json
    assert 2 == shown["asked"] == len(shown["queries"])


def test_a_race_of_one_key(office) -> None:
    """Eight at once with one key get one answer; eight openings with one key are one payment."""
    before = spent(office)
    with ThreadPoolExecutor(8) as pool:
        streams = {reply.json["stream"] for reply in pool.map(lambda _: opened(office, "once"), range(8))}
        (stream,) = streams
        bodies = {reply.body for reply in pool.map(lambda _: asked(office, stream, "one", SMITHS), range(8))}

    assert 1 == len(bodies)
    assert Fraction(2) == spent(office) - before
    assert 1 == office.send("ann", "GET", f"/streams/{stream}").json["asked"]


def test_as_many_queries_as_the_server_allows(office) -> None:
    """The sixth is the last, though nothing was above."""
    stream = opened(office, "many", threshold=10**6).json["stream"]
    answers = [asked(office, stream, f"q{place}", SMITHS) for place in range(7)]

    assert [200] * 6 + [409] == [each.status for each in answers]
    assert [False] * 5 + [True] == [each.json["ended"] for each in answers[:6]]
    assert "full" == office.send("ann", "GET", f"/streams/{stream}").json["ending"]


def test_few_streams_at_once(office) -> None:
    """The fourth is refused unpaid until one is closed; what is closed twice stays closed."""
    streams = [opened(office, f"few{place}", epsilon="0.5").json["stream"] for place in range(3)]
    before = spent(office)

    assert 429 == opened(office, "few3", epsilon="0.5").status
    assert before == spent(office)
    assert [204, 204] == [office.send("ann", "DELETE", f"/streams/{streams[0]}").status for _ in range(2)]
    assert 200 == opened(office, "few3", epsilon="0.5").status
    after = asked(office, streams[0], "late", NURSES)
    assert (409, True) == (after.status, "it was closed" in after.json["detail"])


def test_a_paused_dataset_answers_no_stream(office) -> None:
    """Nothing is used up; the same key is answered when the curator has resumed it."""
    stream = opened(office, "pause").json["stream"]
    office.send("carla", "POST", "/datasets/survey/pause")
    refused = asked(office, stream, "one", NURSES)
    office.send("carla", "POST", "/datasets/survey/resume")

    assert (403, 200) == (refused.status, asked(office, stream, "one", NURSES).status)
