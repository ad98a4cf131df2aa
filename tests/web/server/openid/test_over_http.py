"""Users of a provider ask a running server: programs with tokens, and browsers after a log in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.server.openid.attacks import ATTACKS
from tests.web.server.openid.provider import SECRET
from tests.web.server.openid.registered import registered
from tests.web.server.openid.walker import Walker
from tests.web.server.served import Office

QUESTION = {"query": "median", "column": "age", "epsilon": 0.5}
CALLBACK = "/login/openid/callback"


@pytest.fixture
def office(tmp_path, provider) -> Iterator[Office]:
    """A running server that is registered with the provider."""
    running = registered(tmp_path, provider)
    yield running
    if running.process.poll() is None:
        running.kill()


def test_a_program_asks_with_a_token_of_the_provider(office, provider) -> None:
    """It is its user's, with their share; with a new token too, and the same key is the same answer."""
    first = office.send(provider.token(), "POST", "/datasets/survey/release", QUESTION, Idempotency_Key="k")
    again = office.send(provider.token(jti="2"), "POST", "/datasets/survey/release", QUESTION, Idempotency_Key="k")

    assert 200 == first.status
    assert first.body == again.body == office.ask("ann", "k", QUESTION).body
    keeping = provider.token(sub="c", preferred_username="carla", groups=["keeping"])
    assert 200 == office.send(keeping, "GET", "/datasets/survey/spends").status
    assert 404 == office.send(provider.token(), "GET", "/datasets/survey/spends").status


def test_attacks_are_refused_over_http(office, provider) -> None:
    """With one sentence for all, the challenge, and nothing of a token in any reply or log."""
    tokens = {name: made(provider) for name, made in ATTACKS.items() if name not in ("not text",)}
    replies = {name: office.send(token, "GET", "/datasets") for name, token in tokens.items()}

    assert {401} == {each.status for each in replies.values()}
    signed = [each for name, each in replies.items() if tokens[name].count(".") == 2]
    assert 1 == len({each.body for each in signed})
    assert {'Bearer error="invalid_token"'} == {each.headers["www-authenticate"] for each in signed}
    for token in [*tokens.values(), SECRET]:
        for piece in (each for each in token.split(".") if len(each) > 20):
            assert piece not in office.log() + str(replies)
    assert "was refused: InvalidAudienceError." in office.log()


def test_a_name_or_role_that_does_not_fit_is_told(office, provider) -> None:
    """Once the provider's word is verified, the sentence says what is missing, and nobody is added."""
    for claims in ({"preferred_username": "a.b"}, {"groups": []}, {"preferred_username": "carla"}):
        reply = office.send(provider.token(**{"sub": "new", **claims}), "GET", "/datasets")
        assert (401, "application/problem+json") == (reply.status, reply.headers["content-type"])


def test_a_provider_that_is_down_holds_nobody_else_up(office, provider) -> None:
    """Its users are refused; those with a token of the server ask on."""
    provider.replies = {"/.well-known/openid-configuration": (500, b"")}
    assert 503 == office.send(provider.token(), "GET", "/datasets").status
    assert 200 == office.send("ann", "GET", "/datasets").status
    assert 503 == office.send(None, "GET", "/login/openid").status
    assert 200 == office.send(None, "GET", "/login").status


def test_a_browser_logs_in(office, provider) -> None:
    """It is led there and back, and gets a session by a strict cookie; what it kept meanwhile is gone."""
    browser = Walker(office.port)
    assert f'href="http://localhost:{office.port}/login/openid?next=%2Fpages"' in browser.get("/login")[1]
    status, page, _ = browser.log_in("/pages/history")

    assert (200, True) == (status, 'content="0; url=/pages/history"' in page)
    name, kept = f"dpselect-{office.port}", f"dpselect-{office.port}-login"
    assert [name] == [*browser.jar]
    assert "HttpOnly; SameSite=Strict; Path=/" in browser.rules[name]
    assert "HttpOnly; SameSite=Lax; Path=/" in browser.rules[kept]
    assert (200, True) == ((seen := browser.get("/pages"))[0], "survey" in seen[1])
    # The session is this browser's alone, and the token that began it is nowhere.
    assert 303 == Walker(office.port).get("/pages")[0]
    assert browser.jar[name] not in office.log()
    assert provider.sent
    assert not any(piece in office.log() for piece in (SECRET, *provider.sent))


def test_a_log_in_that_another_began_is_refused(office) -> None:
    """A victim who is led to the return of an attacker has no session afterwards; nor has a second use of one's own."""
    attacker, victim = Walker(office.port), Walker(office.port)
    back = attacker.elsewhere(attacker.get("/login/openid")[2])
    assert 401 == victim.get(back)[0]
    assert {} == victim.jar
    victim.get("/login/openid")
    status, page, _ = victim.get(back)
    assert (401, True) == (status, "did not come to an end in the browser" in page)
    assert {} == victim.jar
    assert 200 == attacker.get(back)[0]
    assert 401 == attacker.get(back)[0]


def test_who_has_no_role_sees_a_page_that_says_so(office, provider) -> None:
    """And has no session; no claim is quoted."""
    provider.person["groups"] = ["<script>"]
    browser = Walker(office.port)
    status, page, _ = browser.log_in()
    assert (401, True, False) == (status, "in no group" in page, "script" in page)
    assert {} == browser.jar


def test_a_token_is_not_a_session(office, provider) -> None:
    """In the cookie of a session it opens nothing, and as a header it opens no pages."""
    browser = Walker(office.port, {f"dpselect-{office.port}": provider.token()})
    assert (303, "/login") == browser.get("/pages")[::2]
    assert 401 == browser.get("/datasets")[0]
    assert 303 == office.send(provider.token(), "GET", "/pages").status


def test_a_browser_is_led_back_to_pages_alone(office) -> None:
    """Whatever an address says that leads to a log in."""
    for address in ("https://evil.example", "//evil.example", "/datasets", "/pages/" + "x" * 2000):
        assert 'content="0; url=/pages"' in Walker(office.port).log_in(address)[1]


def test_without_a_provider_there_is_no_such_log_in(tmp_path, provider) -> None:
    """No link, no addresses, and signed tokens are unknown tokens."""
    office = Office(tmp_path)
    office.start()
    try:
        assert b"openid" not in office.send(None, "GET", "/login").body
        assert {404} == {office.send(None, "GET", path).status for path in ("/login/openid", CALLBACK)}
        assert 401 == office.send(provider.token(), "GET", "/datasets").status
    finally:
        office.stop()
