"""Over real HTTP: what analysts and curators get, and what is refused."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from dpselect.certificates.certificate import Certificate
from tests.web.server import offices
from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office

office, shared_office = offices.office, offices.shared_office

QUESTION = {"query": "histogram", "column": "job", "epsilon": "0.01"}
SECRET = "nurse,smith"


@pytest.mark.own_server
def test_a_plan_then_a_release_then_a_certificate(office, tmp_path) -> None:
    """The journey of an analyst."""
    (dataset, *_) = office.send("ann", "GET", "/datasets").json
    facts = office.send("ann", "GET", "/datasets/survey").json
    plan = office.send("ann", "POST", "/datasets/survey/plan", QUESTION | {"epsilon": 1}).json
    release = office.ask("ann", "journey", QUESTION | {"epsilon": 1})
    number = release.json["request"]
    certificate = office.send("ann", "GET", f"/certificates/{number}")

    assert ("survey", "6") == (dataset["name"], dataset["left"]["share"]["epsilon"])
    assert {"age": {"lower": 0, "upper": 100, "step": 1}, "job": ["clerk", "nurse", "smith"]} == facts["columns"]
    assert "budget" not in facts
    assert (200, plan["accuracy"]) == (release.status, release.json["accuracy"])
    assert abs(release.json["answer"]["nurse"] - 300) < 60
    (tmp_path / "c.json").write_bytes(certificate.body)
    assert "5" == office.send("ann", "GET", "/datasets/survey").json["left"]["share"]["epsilon"]
    read = Certificate.read(tmp_path / "c.json")
    assert release.json["answer"] == read.content["answer"]
    assert release.body == office.send("ann", "GET", f"/requests/{number}").body
    assert number in {row["request"] for row in office.send("ann", "GET", "/history").json}


def test_the_same_key_is_the_same_answer(office) -> None:
    """Eight at once get the same bytes, and one spend is recorded."""
    before = len(office.send("carla", "GET", "/datasets/survey/spends?most=1000").json["spends"])
    with ThreadPoolExecutor(8) as pool:
        replies = [*pool.map(lambda _: office.ask("ann", "same", QUESTION), range(16))]

    assert {200} == {reply.status for reply in replies}
    assert 1 == len({reply.body for reply in replies})
    assert before + 1 == len(office.send("carla", "GET", "/datasets/survey/spends?most=1000").json["spends"])


def test_a_key_belongs_to_one_request_of_one_analyst(office) -> None:
    """Another body is refused; another analyst's request with the same key is another one."""
    first = office.ask("ann", "mine", QUESTION)

    assert 409 == office.ask("ann", "mine", QUESTION | {"epsilon": "0.02"}).status
    assert 200 == office.ask("ann", "mine", QUESTION | {"epsilon": 0.01}).status
    assert first.json["request"] != office.ask("bob", "mine", QUESTION).json["request"]


@pytest.mark.parametrize("key", ["", "with space", "ü", "k" * 201])
def test_a_key_is_plain(office, key) -> None:
    """Signs that a header cannot hold, or too many, are refused before anything is spent."""
    assert 422 == office.send("ann", "POST", "/datasets/survey/release", QUESTION, Idempotency_Key=key).status
    assert 422 == office.send("ann", "POST", "/datasets/survey/release", QUESTION).status


def test_nobody_asks_without_a_token(office) -> None:
    """None, a wrong one, an expired one and a revoked one are refused in the same words."""
    made = office.send("carla", "POST", "/tokens", {"user": "ann", "days": 1}).json
    short = office.send("carla", "POST", "/tokens", {"user": "ann", "days": 1e-9}).json
    assert 200 == office.send(made["token"], "GET", "/datasets").status
    assert 204 == office.send("carla", "DELETE", f"/tokens/{made['id']}").status

    replies = [
        office.send(who, "GET", path)
        for who in (None, "x" * 43, made["token"], short["token"], "")
        for path in ("/datasets", "/openapi.json", "/metrics", "/nowhere")
    ]
    assert {401} == {reply.status for reply in replies}
    assert 1 == len({reply.body for reply in replies})
    assert 404 == office.send("carla", "DELETE", f"/tokens/{made['id']}").status


def test_what_is_not_there_and_what_is_not_yours_are_alike(office) -> None:
    """Datasets of others, requests of others, and what curators do: the same reply as for what nobody has."""
    number = office.ask("ann", "hers", QUESTION).json["request"]

    for there, nowhere in [
        (("GET", "/datasets/visits"), ("GET", "/datasets/nothing")),
        (("POST", "/datasets/visits/plan", QUESTION), ("POST", "/datasets/nothing/plan", QUESTION)),
    ]:
        assert office.send("ann", *there).body == office.send("ann", *nowhere).body
        assert 404 == office.send("ann", *there).status
    for path in ("requests", "certificates"):
        others, nobodys = office.send("bob", "GET", f"/{path}/{number}"), office.send("bob", "GET", f"/{path}/x")
        assert (404, others.body) == (others.status, nobodys.body)
    assert office.ask("ann", "v", QUESTION, "visits").body == office.ask("ann", "v", QUESTION, "nothing").body
    assert "visits" not in office.send("ann", "GET", "/datasets").body.decode()


@pytest.mark.parametrize(
    "method, path, body",
    [
        ("POST", "/datasets/survey/pause", None),
        ("POST", "/datasets/survey/resume", None),
        ("POST", "/datasets/survey/allowance", {"epsilon": 20}),
        ("POST", "/datasets/survey/shares", {"analyst": "ann", "epsilon": 20}),
        ("GET", "/datasets/survey/spends", None),
        ("POST", "/users", {"name": "eve", "role": "curator"}),
        ("POST", "/tokens", {"user": "carla"}),
        ("DELETE", "/tokens/x", None),
        ("GET", "/metrics", None),
    ],
)
def test_an_analyst_is_not_a_curator(office, method, path, body) -> None:
    """No role is asked for by asking."""
    assert 404 == office.send("ann", method, path, body).status


@pytest.mark.own_server
def test_a_curator_sees_and_does_not_ask(office) -> None:
    """Who may see every spend gets no releases."""
    facts = office.send("carla", "GET", "/datasets/survey").json

    assert ({"epsilon": "20", "delta": "0"}, "10") == (facts["budget"], facts["allowance"])
    assert 404 == office.ask("carla", "k", QUESTION).status
    assert 'status="404"' in office.send("carla", "GET", "/metrics").body.decode()


@pytest.mark.own_server
def test_pause_and_resume(office) -> None:
    """What was answered before is still there; a refusal is an answer too, and stands for its key."""
    before = office.ask("bob", "before", QUESTION)
    assert 204 == office.send("carla", "POST", "/datasets/survey/pause").status
    refused = office.ask("bob", "meanwhile", QUESTION)

    assert (403, "application/problem+json") == (refused.status, refused.headers["content-type"])
    assert "paused" in refused.json["detail"]
    assert before.body == office.ask("bob", "before", QUESTION).body
    assert 204 == office.send("carla", "POST", "/datasets/survey/resume").status
    assert refused.body == office.ask("bob", "meanwhile", QUESTION).body
    assert 200 == office.ask("bob", "afterwards", QUESTION).status


@pytest.mark.own_server
def test_an_allowance_is_changed_within_bounds(office) -> None:
    """Up to the budget, never below what was spent, and written down."""
    office.ask("ann", "some", QUESTION)

    assert 403 == office.send("carla", "POST", "/datasets/survey/allowance", {"epsilon": 21}).status
    assert 403 == office.send("carla", "POST", "/datasets/survey/allowance", {"epsilon": 0.001}).status
    assert 204 == office.send("carla", "POST", "/datasets/survey/allowance", {"epsilon": 12}).status
    assert "12" == office.send("carla", "GET", "/datasets/survey").json["allowance"]
    changes = office.send("carla", "GET", "/datasets/survey/spends").json["changes"]
    assert "carla" in {each["who"] for each in changes if each["what"].endswith("became 12")}


@pytest.mark.own_server
def test_a_share_is_given(office) -> None:
    """From then on the dataset is there for that analyst."""
    assert 404 == office.send("bob", "GET", "/datasets/friends").status
    assert 204 == office.send("carla", "POST", "/datasets/friends/shares", {"analyst": "bob", "epsilon": 1}).status
    question = {"query": "top_k", "metric": "degree", "epsilon": 1}
    assert 200 == office.ask("bob", "graph", question, "friends").status
    assert 403 == office.ask("bob", "graph-again", question, "friends").status


HOSTILE = ["../people", "survey' OR '1'='1", "%00", "\x00", "a" * 5000, "\ud800", "survey/../visits", "*", "%2e%2e%2fx"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_not_paths_or_statements(office, name) -> None:
    """In bodies they are no columns, and in addresses no datasets; nothing fails inside."""
    question = {"query": "histogram", "column": name, "epsilon": 1}
    assert office.ask("ann", f"h{HOSTILE.index(name)}", question).status in (400, 422)
    address = name.encode("utf-8", "surrogatepass").hex("%") if not name.startswith("%") else name[1:]
    for path in ("datasets", "requests", "certificates"):
        assert 404 == office.send("ann", "GET", f"/{path}/%{address}").status
    body = {"analyst": name, "epsilon": 1}
    assert office.send("carla", "POST", "/datasets/survey/shares", body).status in (400, 422)
    assert office.send("carla", "POST", "/users", {"name": name, "role": "analyst"}).status in (400, 422)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[" * 60000,
        b'{"epsilon": ' + b"9" * 5000 + b"}",
        b"\xff",
        b'{"epsilon": NaN}',
        b"null",
        b"[]",
        b'"x"',
    ],
)
def test_what_is_no_question_is_refused(office, body) -> None:
    """Whatever it does to readers of JSON."""
    reply = office.send("ann", "POST", "/datasets/survey/plan", body, Content_Type="application/json")

    assert reply.status in (400, 422)
    assert "application/problem+json" == reply.headers["content-type"]


def test_a_long_body_is_refused(office) -> None:
    """Whether its length is said or not."""
    long = b" " * 70000
    assert 413 == office.send("ann", "POST", "/datasets/survey/plan", long).status
    with socket.create_connection(("127.0.0.1", office.port), timeout=20) as line:
        head = "POST /datasets/survey/plan HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        line.sendall(f"{head}Authorization: Bearer {office.tokens['ann']}\r\n\r\n".encode())
        line.sendall(b"11170\r\n" + long + b"\r\n")
        assert b" 413 " in line.recv(100)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost:1", "localhost@evil"])
def test_another_host_is_refused(office, host) -> None:
    """No other name can be pointed at this server."""
    assert office.send("ann", "GET", "/datasets", Host=host).status in (400, 421)


def test_every_reply_has_the_strict_headers(office) -> None:
    """Also refusals."""
    for who, path in [("ann", "/datasets"), (None, "/datasets"), ("ann", "/nowhere"), (None, "/health")]:
        headers = office.send(who, "GET", path).headers
        assert ("no-store", "nosniff", "DENY") == tuple(
            headers[name] for name in ("cache-control", "x-content-type-options", "x-frame-options")
        )
        assert "server" not in headers


def test_the_schema_describes_every_address(office) -> None:
    """What analysts and curators may send."""
    schema = office.send("ann", "GET", "/openapi.json").json

    assert {"/datasets/{name}/release", "/datasets/{name}/plan", "/tokens", "/history"} <= schema["paths"].keys()
    assert "HTTPBearer" in schema["components"]["securitySchemes"]
    assert {"status": "ok"} == office.send(None, "GET", "/health").json


def test_the_log_holds_no_secret(office) -> None:
    """Neither tokens nor queries, bodies or rows."""
    office.send("ann", "GET", "/history?hidden=query")
    log = office.log()

    assert "GET '/history' 200" in log
    for secret in (*office.tokens.values(), "hidden", "epsilon", "Traceback"):
        assert secret not in log


def test_a_failure_after_the_payment_says_nothing(tmp_path) -> None:
    """Rows that cannot be read are one fixed sentence; the price stays spent, and the same key gives the same."""
    office = Office(tmp_path)
    office.start()
    (tmp_path / "people.csv").write_text("age,town\n1,secret town\n", encoding="utf-8")
    first, again = (office.ask("ann", "bad", QUESTION) for _ in range(2))

    assert (424, first.body) == (first.status, again.body)
    assert "tell the curator its number" in first.json["detail"]
    assert 1 == len(office.send("carla", "GET", "/datasets/survey/spends").json["spends"])
    office.stop()
    assert "secret" not in office.log()
    assert "town" not in office.log()


def test_a_rate_is_kept(tmp_path) -> None:
    """Of each token, and it says how long to wait."""
    office = Office(
        tmp_path, CONFIG.replace("requests_per_minute = 100000", "requests_per_minute = 5\nbody_seconds = 0.5")
    )
    office.start()
    replies = [office.send("ann", "GET", "/datasets") for _ in range(6)]

    assert [200] * 5 + [429] == [reply.status for reply in replies]
    assert 1 <= int(replies[-1].headers["retry-after"]) <= 13
    assert 200 == office.send("bob", "GET", "/datasets").status

    # A body that does not arrive is waited for as long as the settings say, which is less than for a head.
    with (
        socket.create_connection(("127.0.0.1", office.port)) as silent,
        socket.create_connection(("127.0.0.1", office.port), timeout=60) as line,
    ):
        head = "POST /datasets/survey/plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
        line.sendall(f"{head}Authorization: Bearer {office.tokens['carla']}\r\n\r\n{{".encode())
        assert b" 408 " in line.recv(100)
        silent.setblocking(False)
        with pytest.raises(BlockingIOError):
            silent.recv(1)
    office.stop()


def test_two_servers_of_one_file_are_refused(office) -> None:
    """The second says what to do."""
    from dpselect.web.server.settings import read_settings
    from dpselect.web.server.state import ServerState

    with pytest.raises(OSError, match="Another server has this database"):
        ServerState.open(read_settings(office.path))


def test_an_answer_is_json_of_public_facts(office) -> None:
    """Nothing of a release's innards, and no path of the server."""
    release = office.ask("ann", "plain", QUESTION)

    assert {"request", "state", "answer", "mechanism", "guarantee", "accuracy", "ledger_row", "certificate"} == {
        *release.json
    }
    assert str(office.folder) not in release.body.decode()
    assert json.loads(release.body)["certificate"]["certificate"]["ledger"]["name"] == "survey.ledger"
