"""What is tried over HTTP by those who know the server well: canaries, open sockets, odd numbers, near tables."""

from __future__ import annotations

import json
import re
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

import dpselect as dps
from tests.web.server import offices
from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office

office, shared_office = offices.office, offices.shared_office

QUESTION = {"query": "median", "column": "age", "epsilon": 0.5}
CANARIES = ("canary-job-7341", "98765.4321")


def spends(office) -> int:
    """Return how many rows the ledger of the survey has."""
    return dps.Ledger.read(office.folder / "ledgers" / "survey.ledger").totals.spends


def test_a_canary_in_the_rows_is_nowhere_else(tmp_path) -> None:
    """A value that only the private table holds is in no reply, header, log, ledger or database, failures included."""
    office = Office(tmp_path)
    (tmp_path / "people.csv").write_text(
        "age,job\n" + "".join(f"{CANARIES[1]},{CANARIES[0]}\n" for _ in range(50)) + "30,nurse\n", encoding="utf-8"
    )
    office.start()
    questions = [
        {"query": "histogram", "column": "job", "epsilon": 0.5},
        {"query": "histogram", "column": "age", "epsilon": 0.5},
        {"query": "median", "column": "age", "by": "job", "epsilon": 0.5},
        {"query": "most_common", "column": "job", "k": 3, "epsilon": 0.5},
        {"query": "quantiles", "column": "age", "q": [0.5], "epsilon": 0.5},
    ]
    seen = [office.ask("ann", f"k{place}", each) for place, each in enumerate(questions)]
    assert {each.status for each in seen} <= {200, 424}
    # The rows become unreadable in the midst of it, and what the reader says would quote them.
    (tmp_path / "people.csv").write_text(f"{CANARIES[0]},town\n{CANARIES[1]},x,{CANARIES[0]}\n", encoding="utf-8")
    seen += [office.ask("ann", f"again{place}", each) for place, each in enumerate(questions)]
    assert 424 in {each.status for each in seen}
    seen += [office.send("ann", "GET", f"/certificates/{each.json['request']}") for each in seen]
    seen += [office.send("ann", "GET", path) for path in ("/datasets", "/datasets/survey", "/history", "/openapi.json")]
    seen += [office.send("carla", "GET", path) for path in ("/datasets/survey", "/datasets/survey/spends", "/metrics")]
    office.stop()

    told = "".join(f"{each.headers} {each.body.decode()}" for each in seen)
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "people.csv"]
    assert {"log", "server.db", "survey.ledger"} <= {path.name for path in kept}
    for canary in CANARIES:
        assert canary not in told
        for path in kept:
            assert canary.encode() not in path.read_bytes(), path.name


@pytest.mark.parametrize(
    "epsilon",
    ["NaN", "Infinity", "-Infinity", "1e400", '"1/3"', str(2**60), "-1", "-0.0", "0", "1e-400", '"1e-3"', '"\u0661"',
     "true", "null", "[1]", '{"a": 1}', '" 1"', '"0.0000001"', "9" * 4000],
)  # fmt: skip
def test_an_odd_price_is_refused(office, epsilon) -> None:
    """By the plan and by the release alike, and nothing is spent."""
    before = spends(office)
    body = f'{{"query": "median", "column": "age", "epsilon": {epsilon}}}'.encode()
    for path in ("plan", "release"):
        reply = office.send(
            "ann", "POST", f"/datasets/survey/{path}", body, Content_Type="application/json", Idempotency_Key="odd"
        )
        assert reply.status in (400, 422), (epsilon, reply.body)
        assert "application/problem+json" == reply.headers["content-type"]
    assert before == spends(office)
    assert "Traceback" not in office.log()


def test_a_body_of_another_kind_is_refused_or_read_in_one_way(office) -> None:
    """Deep nesting, other types and unknown names are refused; of a name that is sent twice, the last one is paid."""
    before, good = spends(office), json.dumps(QUESTION).encode()
    deep = b'{"query": "median", "column": ' + b"[" * 20000 + b"]" * 20000 + b', "epsilon": 1}'
    bad = [(deep, "application/json"), (good, "text/plain"), (good, "application/xml"), (good, "multipart/form-data")]
    bad += [(good[:-1] + b', "eps": 9}', "application/json"), ("ünïcode \U0001f600".encode(), "application/json")]
    bad += [(good.decode().encode("utf-16"), "application/octet-stream")]
    for place, (body, kind) in enumerate(bad):
        reply = office.send(
            "ann", "POST", "/datasets/survey/release", body, Content_Type=kind, Idempotency_Key=f"bad{place}"
        )
        assert reply.status in (400, 415, 422), (body[:60], kind, reply.status)
    assert before == spends(office)

    twice = b'{"query": "median", "column": "age", "epsilon": 0.5, "epsilon": 0.25}'
    sent = {"Content_Type": "application/json", "Idempotency_Key": "twice"}
    inner = b'{"query": "select", "column": "job", "epsilon": 1, "of": {"a": 1, "b": [{"c": 1, "c": 1}]}}'
    for body in (twice, inner, twice.replace(b'"epsilon": 0.5', b'"\\u0065psilon": 0.5')):
        reply = office.send("ann", "POST", "/datasets/survey/release", body, **sent)
        assert (400, True) == (reply.status, b"A name stands twice" in reply.body)
    assert before == spends(office)
    assert 200 == office.ask("ann", "twice", QUESTION).status


@pytest.mark.own_server
def test_a_race_for_a_share_over_http(office) -> None:
    """Of sixteen releases at once, of 1 each, six fit a share of 6; exactly they are answered and recorded."""
    with ThreadPoolExecutor(16) as pool:
        replies = [*pool.map(lambda key: office.ask("ann", f"race{key}", QUESTION | {"epsilon": 1}), range(16))]

    assert Counter({200: 6, 403: 10}) == Counter(reply.status for reply in replies)
    assert 6 == spends(office)


def test_open_sockets_do_not_block_others(office) -> None:
    """Sixty clients that send a header or a body in pieces, or nothing, keep nobody waiting."""
    started = [b"", b"GET /datasets HTTP/1.1\r\nHost: loc"]
    token = office.tokens["bob"].encode()
    head = b"POST /datasets/survey/plan HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
    started.append(head + b"\r\nContent-Length: 100\r\n\r\n{")
    lines = [socket.create_connection(("127.0.0.1", office.port), timeout=20) for _ in range(60)]
    try:
        for place, line in enumerate(lines):
            line.sendall(started[place % 3])
        assert {200} == {office.send("ann", "GET", "/datasets").status for _ in range(5)}
        assert 200 == office.ask("ann", "meanwhile", QUESTION).status
    finally:
        for line in lines:
            line.close()


@pytest.mark.own_server
def test_what_is_paused_without_a_right_is_alike(office) -> None:
    """Unknown, another's, and another's that is paused: the same bytes and headers, whatever is asked of them."""
    assert 204 == office.send("carla", "POST", "/datasets/friends/pause").status
    for method, path, body in [("GET", "", None), ("POST", "/plan", QUESTION), ("POST", "/release", QUESTION)]:
        replies = [
            office.send(
                "bob" if name != "visits" else "ann", method, f"/datasets/{name}{path}", body, Idempotency_Key="k"
            )
            for name in ("nowhere", "friends", "visits")
        ]
        alike = {(reply.status, reply.body, str({**reply.headers, "date": ""})) for reply in replies}
        assert 1 == len(alike)
        assert {404} == {reply.status for reply in replies}


def _shape(office, tmp_path) -> list[object]:
    """Ask the same of a table and return all that may not depend on its rows."""
    shape: list[object] = []
    asked = [QUESTION, QUESTION | {"column": "nothing"}, QUESTION | {"epsilon": 7}, QUESTION | {"epsilon": 0}]
    asked += [{"query": "histogram", "column": "job", "epsilon": 1}]
    for place, question in enumerate(asked):
        for path in ("plan", "release"):
            reply = office.send("ann", "POST", f"/datasets/survey/{path}", question, Idempotency_Key=f"n{place}")
            content = reply.json
            if path == "release" and reply.status == 200:
                # The answer, and what holds it or is drawn anew.
                content = {name: content[name] for name in ("mechanism", "guarantee", "ledger_row", "accuracy")}
            shape.append((reply.status, sorted(reply.headers), re.sub(r"[\w-]{43}", "ID", json.dumps(content))))
    for who, path in [("ann", "/datasets"), ("ann", "/datasets/survey"), ("carla", "/datasets/survey"), ("ann", "/x")]:
        reply = office.send(who, "GET", path)
        shape.append((reply.status, reply.body, reply.headers["content-length"]))
    spent = office.send("carla", "GET", "/datasets/survey/spends").json["spends"]
    shape.append([(each["row"], each["mechanism"], each["epsilon"], each["count"]) for each in spent])
    log = re.sub(r"(?m)^\S+ \S+ | \S+$", "", office.log()).replace(str(tmp_path), "")
    return [*shape, log]


def test_neighbouring_tables_differ_in_answers_alone(tmp_path) -> None:
    """One row more or less: the same statuses, headers, sentences, sizes, rows of the ledger and lines of the log."""
    shapes = []
    for name, rows in [("one", "20,nurse\n50,smith\n"), ("more", "20,nurse\n50,smith\n99,clerk\n"), ("none", "")]:
        (folder := tmp_path / name).mkdir()
        office = Office(folder, CONFIG)
        (folder / "people.csv").write_text(f"age,job\n{rows}", encoding="utf-8")
        office.start()
        shapes.append(_shape(office, folder))
        office.stop()

    for several in zip(*shapes, strict=True):
        assert several[0] == several[1], several[:2]
    # An empty table is a neighbour of a table of one row, which is a neighbour of one of two.
    for several in zip(*shapes, strict=True):
        assert several[0] == several[2], several[::2]
