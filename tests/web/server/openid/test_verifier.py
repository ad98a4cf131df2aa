"""Only what the provider signed for this server, and for now, is believed."""

from __future__ import annotations

from typing import Any

import jwt
import pytest

from dpselect.web.server.openid.verifier import UntrustedTokenError, Verifier
from tests.web.server.openid.attacks import ATTACKS, admitted
from tests.web.server.openid.provider import AUDIENCE, CLIENT, made_key


@pytest.mark.parametrize("algorithm", ["RS256", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA"])
def test_a_good_token_is_believed(authenticator, provider, algorithm) -> None:
    """Signed with any of the algorithms that have a public key; an ID token of the same audience is good too."""
    provider.keys = {"one": (made_key(algorithm), algorithm)}

    assert "subject-ann" == authenticator.verifier.of_program(provider.token("one"))["sub"]
    assert authenticator.verifier.of_program(provider.token("one", {"typ": "JWT"}, aud=["x", AUDIENCE]))


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused(authenticator, provider, attack) -> None:
    """With a reason that quotes nothing of the token."""
    token = ATTACKS[attack](provider)
    with pytest.raises(UntrustedTokenError) as refused:
        authenticator.verifier.of_program(token)
    assert not any(piece in str(refused.value) for piece in token.split(".") if len(piece) > 3)


def _without(monkeypatch, **options: Any) -> None:
    """Plant a fault: the library does not check this."""
    real = jwt.decode

    def decoded(token: str, key: Any, **named: Any) -> Any:
        named["options"] = named["options"] | options
        if options == {"verify_signature": False}:
            named["options"] |= {f"verify_{name}": True for name in ("aud", "iss", "exp", "nbf", "iat", "sub")}
        return real(token, key, **named)

    monkeypatch.setattr(jwt, "decode", decoded)


FAULTS = {
    "verify_signature": "another key with the same number",
    "verify_aud": "for another audience",
    "verify_iss": "of another issuer",
    "verify_exp": "expired",
    "verify_nbf": "not yet valid",
    "verify_iat": "made in the future",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_attacks_can_succeed(authenticator, provider, monkeypatch, fault) -> None:
    """A verifier that does not check this is caught by the attack on it; as it is, none comes through."""
    assert set() == admitted(authenticator, provider)
    _without(monkeypatch, **{fault: False})

    assert FAULTS[fault] in admitted(authenticator, provider)


def test_clocks_may_differ_a_little(authenticator, provider) -> None:
    """By less than half a minute."""
    now = provider.claims()["iat"]
    assert authenticator.verifier.of_program(provider.token(iat=now + 20, nbf=now + 20))
    assert authenticator.verifier.of_program(provider.token(iat=now - 300, nbf=None, exp=now - 20))


def test_without_an_audience_programs_bring_no_tokens(authenticator_of, provider) -> None:
    """The settings name the audience, or nobody comes in this way."""
    with pytest.raises(UntrustedTokenError, match="audience is not set"):
        authenticator_of(audience=None).verifier.of_program(provider.token())


@pytest.mark.parametrize(
    "claims, header",
    [
        ({"nonce": "other"}, {}),
        ({"nonce": None}, {}),
        ({"aud": AUDIENCE}, {}),
        ({"aud": [CLIENT, "other"]}, {}),
        ({"aud": [CLIENT, "other"], "azp": "other"}, {}),
        ({"azp": "other"}, {}),
        ({}, {"typ": "at+jwt"}),
    ],
)
def test_an_id_token_of_elsewhere_is_refused(authenticator, provider, claims, header) -> None:
    """Of another log in or another client, or one that is not an ID token."""
    good = {"aud": CLIENT, "nonce": "mine"}
    assert authenticator.verifier.of_browser(provider.token(header={"typ": "JWT"}, **good), "mine")
    assert authenticator.verifier.of_browser(
        provider.token(header={"typ": "JWT"}, **good | {"aud": [CLIENT, "other"], "azp": CLIENT}), "mine"
    )
    with pytest.raises(UntrustedTokenError):
        authenticator.verifier.of_browser(provider.token(header={"typ": "JWT"} | header, **good | claims), "mine")


def test_an_id_token_does_not_serve_as_a_token_of_programs(authenticator, provider) -> None:
    """Unless the settings say that its audience is this server."""
    with pytest.raises(UntrustedTokenError):
        authenticator.verifier.of_program(provider.token(header={"typ": "JWT"}, aud=CLIENT))


def test_nothing_shows_a_token(authenticator, provider) -> None:
    """Neither an error nor the one before it, whatever the library says."""
    token = provider.token(aud="x")
    with pytest.raises(UntrustedTokenError) as refused:
        authenticator.verifier.of_program(token)
    assert refused.value.__suppress_context__
    assert token not in repr(refused.value)
    assert isinstance(authenticator.verifier, Verifier)
