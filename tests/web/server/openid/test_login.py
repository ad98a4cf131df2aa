"""A log in ends in the browser that began it, once, and by the provider that was asked."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from dpselect.web.server.openid import login as module
from dpselect.web.server.openid.login_errors import LoginError, NoRoleError, ProviderUnreachableError
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


def test_a_log_in_ends_with_a_user(authenticator) -> None:
    """And with the page from which it began; the secret is shown to the provider alone."""
    begun = authenticator.begin(BACK)
    user, back = authenticator.finish(at_provider(begun.address), begun.cookie)

    assert ("ann", "analyst", BACK) == (user.name, user.role, back)
    assert SECRET not in begun.address + begun.cookie + repr(begun) + repr(authenticator)
    assert begun.cookie not in repr(begun)


@pytest.mark.parametrize("methods", [["client_secret_post"], ["client_secret_basic", "client_secret_post"], "x"])
def test_the_secret_is_shown_as_the_provider_takes_it(authenticator, provider, methods) -> None:
    """In the header, or in the form where only that is taken."""
    provider.said = {"token_endpoint_auth_methods_supported": methods}
    if methods == ["client_secret_basic", "client_secret_post"]:
        provider.said = {}
    begun = authenticator.begin(BACK)
    assert "ann" == authenticator.finish(at_provider(begun.address), begun.cookie)[0].name


def test_a_client_without_a_secret(authenticator_of, provider) -> None:
    """The proof of PKCE is enough where the provider gave none."""
    provider.public["secret"] = ""
    authenticator = authenticator_of(secret_variable=None)
    begun = authenticator.begin(BACK)
    assert "ann" == authenticator.finish(at_provider(begun.address), begun.cookie)[0].name


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
def test_what_comes_back_changed_is_refused(authenticator, provider, change) -> None:
    """Another state, another provider or none that names itself, no code, an error, a name twice: no code is used."""
    begun = authenticator.begin(BACK)
    returned = change(at_provider(begun.address))
    with pytest.raises(LoginError):
        authenticator.finish(returned, begun.cookie)
    assert 0 == provider.asked["/token"]


def test_a_log_in_of_another_browser_is_refused(authenticator, provider) -> None:
    """Who is led to an attacker's return has another cookie, or none, and does not become the attacker."""
    victim, attacker = authenticator.begin(BACK), authenticator.begin(BACK)
    returned = at_provider(attacker.address)
    for cookie in (victim.cookie, None, "", "x.y.z", attacker.cookie[:-1] + "?"):
        with pytest.raises(LoginError):
            authenticator.finish(returned, cookie)
    assert 0 == provider.asked["/token"]


def test_a_code_serves_once(authenticator) -> None:
    """In its own browser too."""
    begun = authenticator.begin(BACK)
    returned = at_provider(begun.address)
    assert authenticator.finish(returned, begun.cookie)
    with pytest.raises(ProviderUnreachableError):
        authenticator.finish(returned, begun.cookie)


def test_a_stolen_code_serves_nobody(authenticator) -> None:
    """Whoever puts it into a log in of their own lacks what the browser proves with PKCE."""
    victim, attacker = authenticator.begin(BACK), authenticator.begin(BACK)
    stolen = dict(at_provider(victim.address))["code"]
    returned = changed("code", stolen)(at_provider(attacker.address))
    with pytest.raises(ProviderUnreachableError):
        authenticator.finish(returned, attacker.cookie)


def test_a_log_in_takes_ten_minutes_at_most(authenticator) -> None:
    """Neither longer, nor in a cookie from the future."""
    begun = authenticator.begin(BACK)
    returned, now = at_provider(begun.address), authenticator.login.now()
    for moment in (now + module.SECONDS + 1, now - 2):
        late = replace(authenticator, login=replace(authenticator.login, now=lambda at=moment: at))
        with pytest.raises(LoginError):
            late.finish(returned, begun.cookie)
    assert authenticator.finish(returned, begun.cookie)


WRONG = [{"nonce": "x"}, {"nonce": None}, {"aud": "other"}, {"iss": "https://other.example.org"}, {"azp": "other"}]


@pytest.mark.parametrize("claims", WRONG)
def test_an_id_token_of_elsewhere_is_refused(authenticator, provider, claims) -> None:
    """Of another log in, for another client, of another provider."""
    provider.changed = claims
    begun = authenticator.begin(BACK)
    with pytest.raises(LoginError):
        authenticator.finish(at_provider(begun.address), begun.cookie)


def test_the_attack_on_the_nonce_can_succeed(authenticator, provider, monkeypatch) -> None:
    """A log in that does not compare nonces is caught: it lets an ID token of another log in come through."""
    real = module.Verifier.of_browser

    def forgetful(self: Any, token: str, _: str) -> Any:
        import jwt

        said = jwt.decode(token, options={"verify_signature": False}).get("nonce")
        return real(self, token, said)

    provider.changed = {"nonce": "x"}
    monkeypatch.setattr(module.Verifier, "of_browser", forgetful)
    begun = authenticator.begin(BACK)

    assert "ann" == authenticator.finish(at_provider(begun.address), begun.cookie)[0].name


def test_where_it_returns_is_fixed(authenticator) -> None:
    """By the settings, whatever a request says; what is asked for is a code, by PKCE."""
    asked = dict(parse_qsl(urlsplit(authenticator.begin("https://evil.example").address).query))
    assert "http://localhost:8440/login/openid/callback" == asked["redirect_uri"]
    assert ("code", "S256", "openid profile") == (
        asked["response_type"], asked["code_challenge_method"], asked["scope"]
    )  # fmt: skip
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3


def test_a_provider_that_is_down_is_told(authenticator, provider) -> None:
    """In one sentence, at the beginning and at the end."""
    begun = authenticator.begin(BACK)
    returned = at_provider(begun.address)
    provider.replies = {"/token": (500, b"{}")}
    with pytest.raises(ProviderUnreachableError, match="cannot be asked now"):
        authenticator.finish(returned, begun.cookie)


def test_who_has_no_role_has_no_log_in(authenticator, provider) -> None:
    """The provider knows them, and this server has no place for them."""
    provider.person["groups"] = []
    begun = authenticator.begin(BACK)
    with pytest.raises(NoRoleError):
        authenticator.finish(at_provider(begun.address), begun.cookie)
