"""A client and a network that fails: nothing is paid twice, and nobody else gets the token."""

from __future__ import annotations

import datetime
import ipaddress
import json
import ssl
from collections.abc import Callable
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import dpselect as dps
from dpselect.client import transport
from dpselect.queries import Histogram
from tests.client.between import Between, standing
from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office

COUNTS = Histogram("job", epsilon=0.01)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch) -> None:
    """As many attempts, in less time."""
    monkeypatch.setattr(transport, "WAITS", (0.01,) * len(transport.WAITS))


def spends(office: Office) -> int:
    """Return how many rows the ledger has."""
    return len(office.send("carla", "GET", "/datasets/survey/spends?most=1000").json["spends"])


def loses(many: int, path: str = "/release") -> Callable[[str, int, bytes], tuple[int, bytes] | None]:
    """Return what loses the first replies to a path."""
    left = [many]

    def changed(asked: str, status: int, body: bytes) -> tuple[int, bytes] | None:
        if path in asked and left[0] > 0:
            left[0] -= 1
            return None
        return status, body

    return changed


def test_a_lost_reply_is_asked_for_again_with_the_same_key(office) -> None:
    """Three replies are lost; the fourth is the one answer that was paid for."""
    before = spends(office)
    with standing(Between(office.port, loses(3))) as between:
        survey = dps.connect(f"http://localhost:{between.port}", office.tokens["ann"]).dataset("survey")
        release = survey.histogram("job", epsilon=0.01)

    assert 4 == len(between.keys)
    assert {release.receipt.key} == {*between.keys}
    assert before + 1 == spends(office)


def test_two_calls_have_two_keys(office) -> None:
    """A key that is used again by mistake would give an old answer."""
    with standing(Between(office.port)) as between:
        survey = dps.connect(f"http://localhost:{between.port}", office.tokens["ann"]).dataset("survey")
        for _ in range(2):
            survey.histogram("job", epsilon=0.01)

    assert 2 == len({*between.keys})


def test_an_answer_that_never_comes_names_its_key(office) -> None:
    """After the last attempt; asked again with that key it is there, and was paid for once."""
    before = spends(office)
    with standing(Between(office.port, loses(100))) as between:
        survey = dps.connect(f"http://localhost:{between.port}", office.tokens["ann"]).dataset("survey")
        with pytest.raises(ConnectionError, match=r"http://localhost:\d+ does not reply") as lost:
            survey.histogram("job", epsilon=0.01)
    (key,) = {*between.keys}
    assert f"ask again with ask(query, key={key!r})." in str(lost.value)
    direct = dps.connect(f"http://localhost:{office.port}", office.tokens["ann"]).dataset("survey")
    assert key == direct.ask(COUNTS, key=key).receipt.key

    assert len(transport.WAITS) + 1 == len(between.keys)
    assert before + 1 == spends(office)


@pytest.mark.parametrize("point", ["spent, not drawn", "stored, not seen", "seen, not sent"])
def test_a_server_that_is_killed_and_comes_back_answers_once(point, tmp_path, monkeypatch) -> None:
    """While the client waits: the same call returns the answer of the next server, and one row was paid."""
    monkeypatch.setattr(transport, "WAITS", (0.2,) * 100)
    office = Office(tmp_path)
    office.start(point)
    with standing(Between(office.port)) as between:

        def back() -> None:
            office.process.wait(60)
            office.process.stdout.close()
            office.start()
            between.target = office.port

        survey = dps.connect(f"http://localhost:{between.port}", office.tokens["ann"]).dataset("survey")
        coming = Thread(target=back)
        coming.start()
        release = survey.histogram("job", epsilon=0.01)
        coming.join()
        assert len(between.keys) > 1
    assert 1 == spends(office) == release.receipt.ledger_row
    office.stop()


def test_a_request_that_failed_after_its_payment_says_its_number(tmp_path) -> None:
    """Rows that cannot be read: the one fixed sentence, and what the curator asks for; it is not asked again."""
    office = Office(tmp_path)
    office.start()
    try:
        (tmp_path / "people.csv").write_text("age,town\n1,secret town\n", encoding="utf-8")
        with standing(Between(office.port)) as between:
            survey = dps.connect(f"http://localhost:{between.port}", office.tokens["ann"]).dataset("survey")
            with pytest.raises(ConnectionError, match="tell the curator its number") as failed:
                survey.histogram("job", epsilon=0.01)
        (asked,) = office.send("ann", "GET", "/history").json
        assert str(failed.value).endswith(f"It is {asked['request']}.")
        assert "town" not in str(failed.value)
        assert 1 == len(between.keys)
    finally:
        office.stop()


@pytest.mark.parametrize(
    "status, body",
    [(502, b"<html>bad gateway</html>"), (200, b"<html>a page of a proxy</html>"), (503, b""), (200, b'{"request"')],
)
def test_what_a_proxy_says_meanwhile_is_not_an_answer(status, body, office) -> None:
    """It is asked again; what comes then is."""
    pages = [(status, body)]
    changed = lambda path, now, answer: pages.pop() if pages and "/release" in path else (now, answer)  # noqa: E731
    with standing(Between(office.port, changed)) as between:
        survey = dps.connect(f"http://localhost:{between.port}", office.tokens["ann"]).dataset("survey")
        assert 3 == len(survey.histogram("job", epsilon=0.01).value)
    assert 2 == len(between.keys)


def test_a_redirection_is_not_followed(office) -> None:
    """The token goes to the address that was named and to no other."""
    with standing(Between(office.port, lambda *_: (307, b""))) as between:
        server = dps.connect(f"http://localhost:{between.port}", office.tokens["ann"])
        with pytest.raises(ConnectionError, match="sends requests elsewhere"):
            server.datasets()
    assert 1 == len(between.seen)


def test_a_proxy_of_the_machine_does_not_get_what_is_not_encrypted(office, monkeypatch) -> None:
    """Over http, what the environment says of proxies is not asked."""
    with standing(Between(office.port)) as between:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{between.port}")
        assert dps.connect(f"http://localhost:{office.port}", office.tokens["ann"]).datasets()
    assert [] == between.seen


def changes(alter: Callable[[dict], None]) -> Callable[[str, int, bytes], tuple[int, bytes]]:
    """Return what changes every release."""

    def changed(path: str, status: int, body: bytes) -> tuple[int, bytes]:
        if "/release" not in path:
            return status, body
        content = json.loads(body)
        alter(content)
        return status, json.dumps(content).encode()

    return changed


def dearer(content: dict) -> None:
    """Let a whole release, certificate and all, promise less than was asked for."""
    from dpselect.certificates.canonical_json import checksum

    record = content["certificate"]["certificate"]
    record["guarantee"]["epsilon"] = content["guarantee"]["epsilon"] = "3"
    content["certificate"]["sha256"] = checksum(record)


@pytest.mark.parametrize(
    "alter, error, sentence",
    [
        (lambda content: content["answer"].update(nurse=0), ConnectionError, "does not answer as a dpselect server"),
        (lambda content: content.pop("guarantee"), ConnectionError, "does not answer as a dpselect server"),
        (lambda content: content["certificate"].update(sha256="0"), ConnectionError, "does not answer as"),
        (dearer, dps.PrivacyError, "promises epsilon 3 where 0.01 was asked for"),
    ],
)
def test_an_answer_that_is_not_what_was_asked_is_refused(alter, error, sentence, office) -> None:
    """One that its certificate does not have, one that is not whole, one at a higher price."""
    with standing(Between(office.port, changes(alter))) as between:
        survey = dps.connect(f"http://localhost:{between.port}", office.tokens["ann"]).dataset("survey")
        with pytest.raises(error, match=sentence):
            survey.histogram("job", epsilon=0.01)


def test_no_server_is_a_connection_error() -> None:
    """With what the system says of it."""
    with standing(Between(1)) as between:
        pass
    with pytest.raises(ConnectionError, match=f"http://localhost:{between.port} does not reply .*refused"):
        dps.connect(f"http://localhost:{between.port}", "a-made-up-token").datasets()


def test_a_queued_answer_is_waited_for_and_a_rate_is_kept(tmp_path) -> None:
    """A server that does not wait says where the answer will be; too many requests are sent later."""
    limits = "requests_per_minute = 600\nseconds = 0.000001"
    office = Office(tmp_path, CONFIG.replace("requests_per_minute = 100000", limits))
    office.start()
    try:
        with standing(Between(office.port)) as between:
            survey = dps.connect(f"http://localhost:{between.port}", office.tokens["ann"]).dataset("survey")
            assert 1 == survey.histogram("job", epsilon=0.01).receipt.ledger_row
        assert any(path.startswith("/requests/") for _, path, _ in between.seen)

        hurried = dps.connect(f"http://localhost:{office.port}", office.tokens["ann"], timeout=-1).dataset("survey")
        with pytest.raises(
            ConnectionError, match="has not come after -1 seconds.*ask again with ask.query, key='late'"
        ):
            hurried.ask(COUNTS, key="late")
        assert 2 == survey_of(office).ask(COUNTS, key="late").receipt.ledger_row
    finally:
        office.stop()


def survey_of(office: Office) -> dps.client.RemoteDataset:
    """Return the survey as an analyst has it."""
    return dps.connect(f"http://localhost:{office.port}", office.tokens["ann"]).dataset("survey")


def test_too_many_requests_are_sent_later(tmp_path) -> None:
    """After as many seconds as the server says, and by nobody sooner."""
    office = Office(tmp_path, CONFIG.replace("requests_per_minute = 100000", "requests_per_minute = 60"))
    office.start()
    waited: list[float] = []
    try:
        way = transport.Transport(f"http://localhost:{office.port}", office.tokens["ann"], sleep=waited.append)
        with pytest.raises(ConnectionError, match="Too many requests: wait"):
            [way.send("GET", "/datasets") for _ in range(70)]
        assert len(transport.WAITS) == len(waited)
        assert min(waited) >= 1
    finally:
        office.stop()


def test_a_certificate_that_nobody_knows_is_refused(office, tmp_path) -> None:
    """At once; with the file of who signed it, the server is asked."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    signed = (
        x509.CertificateBuilder()
        .subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
        .not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
        .add_extension(x509.SubjectAlternativeName(names), False)
        .add_extension(x509.BasicConstraints(True, None), True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    (tmp_path / "authority.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    kind = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (tmp_path / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, *kind))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "authority.pem", tmp_path / "key.pem")

    with standing(Between(office.port), context) as between:
        with pytest.raises(ConnectionError, match="is not trusted here: pass authority="):
            dps.connect(f"https://localhost:{between.port}", office.tokens["ann"]).datasets()
        assert [] == between.seen
        known = dps.connect(
            f"https://localhost:{between.port}", office.tokens["ann"], authority=tmp_path / "authority.pem"
        )
        assert known.datasets()
