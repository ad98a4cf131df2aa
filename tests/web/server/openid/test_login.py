"""A log in ends in the browser that began it, once, and by the provider that was asked."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from dpselect.web.server.openid import login as module
from dpselect.web.server.openid.denied import Denied, NoRole, Unreachable
from tests.web.server.openid.provider import SECRET

BACK = "/pages/datasets/survey"


def at_provider(address: str) -> list[tuple[str, str]]:
    """Log in at the provider; return what the browser brings back."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=20)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        place = connection.getresponse().getheader("Location", "")
    finally:
        connection.close()
    assert place.startswith("http://localhost:8440/login/openid/callback?")
    return parse_qsl(urlsplit(place).query)


def test_a_log_in_ends_with_a_user(door) -> None:
    """And with the page from which it began; the secret is shown to the provider alone."""
    begun = door.begin(BACK)
    visitor, back = door.finish(at_provider(begun.address), begun.cookie)

    assert ("ann", "analyst", BACK) == (visitor.name, visitor.role, back)
    assert SECRET not in begun.address + begun.cookie + repr(begun) + repr(door)
    assert begun.cookie not in repr(begun)


@pytest.mark.parametrize("methods", [["client_secret_post"], ["client_secret_basic", "client_secret_post"], "x"])
def test_the_secret_is_shown_as_the_provider_takes_it(door, provider, methods) -> None:
    """In the header, or in the form where only that is taken."""
    provider.said = {"token_endpoint_auth_methods_supported": methods}
    if methods == ["client_secret_basic", "client_secret_post"]:
        provider.said = {}
    begun = door.begin(BACK)
    assert "ann" == door.finish(at_provider(begun.address), begun.cookie)[0].name


def test_a_client_without_a_secret(door_of, provider) -> None:
    """The proof of PKCE is enough where the provider gave none."""
    provider.public["secret"] = ""
    door = door_of(secret_variable=None)
    begun = door.begin(BACK)
    assert "ann" == door.finish(at_provider(begun.address), begun.cookie)[0].name


def changed(name: str, value: str | None) -> Callable[[list[tuple[str, str]]], list[tuple[str, str]]]:
    """Return what changes one value of those that a browser brings."""
    return lambda pairs: [pair for pair in pairs if pair[0] != name] + ([] if value is None else [(name, value)])


@pytest.mark.parametrize(
    "change",
    [
        changed("state", "x"),
        changed("state", None),
        changed("state", ""),
        changed("iss", "https://other.example.org"),
        changed("iss", None),
        changed("code", None),
        changed("code", "\x00"),
        changed("error", "access_denied"),
        lambda pairs: [*pairs, pairs[0]],
    ],
)
def test_what_comes_back_changed_is_refused(door, provider, change) -> None:
    """Another state, another provider or none that names itself, no code, an error, a name twice: no code is used."""
    begun = door.begin(BACK)
    returned = change(at_provider(begun.address))
    with pytest.raises(Denied):
        door.finish(returned, begun.cookie)
    assert 0 == provider.asked["/token"]


def test_a_log_in_of_another_browser_is_refused(door, provider) -> None:
    """Who is led to an attacker's return has another cookie, or none, and does not become the attacker."""
    victim, attacker = door.begin(BACK), door.begin(BACK)
    returned = at_provider(attacker.address)
    for cookie in (victim.cookie, None, "", "x.y.z", attacker.cookie[:-1] + "?"):
        with pytest.raises(Denied):
            door.finish(returned, cookie)
    assert 0 == provider.asked["/token"]


def test_a_code_serves_once(door) -> None:
    """In its own browser too."""
    begun = door.begin(BACK)
    returned = at_provider(begun.address)
    assert door.finish(returned, begun.cookie)
    with pytest.raises(Unreachable):
        door.finish(returned, begun.cookie)


def test_a_stolen_code_serves_nobody(door) -> None:
    """Whoever puts it into a log in of their own lacks what the browser proves with PKCE."""
    victim, attacker = door.begin(BACK), door.begin(BACK)
    stolen = dict(at_provider(victim.address))["code"]
    returned = changed("code", stolen)(at_provider(attacker.address))
    with pytest.raises(Unreachable):
        door.finish(returned, attacker.cookie)


def test_a_log_in_takes_ten_minutes_at_most(door) -> None:
    """Neither longer, nor in a cookie from the future."""
    begun = door.begin(BACK)
    returned, now = at_provider(begun.address), door.login.now()
    for moment in (now + module.SECONDS + 1, now - 2):
        late = replace(door, login=replace(door.login, now=lambda at=moment: at))
        with pytest.raises(Denied):
            late.finish(returned, begun.cookie)
    assert door.finish(returned, begun.cookie)


WRONG = [{"nonce": "x"}, {"nonce": None}, {"aud": "other"}, {"iss": "https://other.example.org"}, {"azp": "other"}]


@pytest.mark.parametrize("claims", WRONG)
def test_an_id_token_of_elsewhere_is_refused(door, provider, claims) -> None:
    """Of another log in, for another client, of another provider."""
    provider.changed = claims
    begun = door.begin(BACK)
    with pytest.raises(Denied):
        door.finish(at_provider(begun.address), begun.cookie)


def test_the_attack_on_the_nonce_can_succeed(door, provider, monkeypatch) -> None:
    """A log in that does not compare nonces is caught: it lets an ID token of another log in come through."""
    real = module.Verifier.of_browser

    def forgetful(self: Any, token: str, _: str) -> Any:
        import jwt

        said = jwt.decode(token, options={"verify_signature": False}).get("nonce")
        return real(self, token, said)

    provider.changed = {"nonce": "x"}
    monkeypatch.setattr(module.Verifier, "of_browser", forgetful)
    begun = door.begin(BACK)

    assert "ann" == door.finish(at_provider(begun.address), begun.cookie)[0].name


def test_where_it_returns_is_fixed(door) -> None:
    """By the settings, whatever a request says; what is asked for is a code, by PKCE."""
    asked = dict(parse_qsl(urlsplit(door.begin("https://evil.example").address).query))
    assert "http://localhost:8440/login/openid/callback" == asked["redirect_uri"]
    assert ("code", "S256", "openid profile") == (
        asked["response_type"], asked["code_challenge_method"], asked["scope"]
    )  # fmt: skip
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3


def test_a_provider_that_is_down_is_told(door, provider) -> None:
    """In one sentence, at the beginning and at the end."""
    begun = door.begin(BACK)
    returned = at_provider(begun.address)
    provider.replies = {"/token": (500, b"{}")}
    with pytest.raises(Unreachable, match="cannot be asked now"):
        door.finish(returned, begun.cookie)


def test_who_has_no_role_has_no_log_in(door, provider) -> None:
    """The provider knows them, and this server has no place for them."""
    provider.person["groups"] = []
    begun = door.begin(BACK)
    with pytest.raises(NoRole):
        door.finish(at_provider(begun.address), begun.cookie)
