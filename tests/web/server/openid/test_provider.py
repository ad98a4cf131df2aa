"""A provider is asked where the settings say, as rarely as will do, and what it does not answer lets nobody in."""

from __future__ import annotations

import json
import threading
from threading import Barrier, Thread

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from dpselect.web.server.openid import replies
from dpselect.web.server.openid.provider import AFTER_FAILURE, AGE, SOON
from dpselect.web.server.openid.provider import Provider as Asked
from dpselect.web.server.openid.registration import Registration
from dpselect.web.server.openid.replies import ProviderError
from tests.web.server.openid.provider import made_key, public_jwk

KEYS, SELF = "/keys", "/.well-known/openid-configuration"


@pytest.fixture
def clock() -> list[float]:
    """The time, which tests set."""
    return [0.0]


@pytest.fixture
def asked(provider, clock) -> Asked:
    """What asks the provider."""
    return Asked(Registration.model_validate(provider.settings()), lambda: clock[0])


def test_keys_are_read_once_and_again_when_they_are_old(asked, provider, clock) -> None:
    """A key that the provider withdrew serves for ten minutes at most."""
    assert asked.key("first", "ES256") is not None
    provider.keys = {"second": (made_key(), "ES256")}
    clock[0] = AGE - 1
    assert asked.key("first", "ES256") is not None
    assert 1 == provider.asked[KEYS]
    clock[0] = AGE
    assert asked.key("first", "ES256") is None
    assert 2 == provider.asked[KEYS]


def test_a_new_key_is_read_soon_and_unknown_ones_rarely(asked, provider, clock) -> None:
    """A rotation is noticed; a thousand made-up numbers make the provider be asked once a minute."""
    asked.metadata()
    provider.keys["second"] = (made_key("RS256"), "RS256")
    assert asked.key("second", "RS256") is None
    clock[0] = SOON
    assert asked.key("second", "RS256") is not None
    assert 2 == provider.asked[KEYS]
    for number in range(1000):
        assert asked.key(f"made-up-{number}", "ES256") is None
    assert 2 == provider.asked[KEYS]


def test_a_provider_that_is_down_lets_nobody_in(asked, provider, clock) -> None:
    """Keys that are known serve until they are old; a failure is not repeated at once."""
    asked.metadata()
    provider.replies = {SELF: (500, b"{}")}
    assert asked.key("first", "ES256") is not None
    clock[0] = AGE
    for _ in range(5):
        with pytest.raises(ProviderError):
            asked.key("first", "ES256")
    assert 2 == provider.asked[SELF]
    provider.replies = {}
    clock[0] = AGE + AFTER_FAILURE
    assert asked.key("first", "ES256") is not None


def test_many_at_once_ask_once(asked, provider) -> None:
    """Eight requests at a cold start wait for one reading."""
    provider.replies, found, together = {SELF: 0.3}, [], Barrier(8)

    def come() -> None:
        together.wait()
        found.append(asked.key("first", "ES256"))

    threads = [Thread(target=come) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(20)
    assert 8 == len([key for key in found if key is not None])
    assert 1 == provider.asked[KEYS]


@pytest.mark.parametrize(
    "said, why",
    [
        ({"issuer": "http://127.0.0.1:1"}, "calls itself otherwise"),
        ({"issuer": None}, "calls itself otherwise"),
        ({"jwks_uri": "http://127.0.0.1:1/keys"}, "openid.hosts does not list"),
        ({"jwks_uri": "http://169.254.169.254/latest/meta-data"}, "not a safe address"),
        ({"jwks_uri": "https://169.254.169.254/latest/meta-data"}, "openid.hosts does not list"),
        ({"jwks_uri": "file:///etc/passwd"}, "not a safe address"),
        ({"jwks_uri": "/keys"}, "not a safe address"),
        ({"jwks_uri": ["x"]}, "does not say its jwks_uri"),
        ({"jwks_uri": "http://127.0.0.1@evil.example/keys"}, "not a safe address"),
        ({"token_endpoint": "http://evil.example/token"}, "not a safe address"),
        ({"token_endpoint": "https://evil.example/token"}, "openid.hosts does not list"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "not a safe address"),
        ({"authorization_endpoint": "https://evil.example/authorize"}, "openid.hosts does not list"),
        ({"authorization_endpoint": "http://127.0.0.1/\r\nx: y"}, "not a safe address"),
    ],
)
def test_a_provider_that_sends_elsewhere_is_not_followed(asked, provider, said, why) -> None:
    """Its addresses are at its own hosts, over TLS or on this machine."""
    provider.said = said
    with pytest.raises(ProviderError, match=why):
        asked.metadata()


def test_other_hosts_are_listed(provider) -> None:
    """Then the provider may have addresses there too."""
    provider.said = {"token_endpoint": "https://tokens.example.org/t?policy=one"}
    told = Registration.model_validate(provider.settings(hosts=["tokens.example.org"]))

    assert "https://tokens.example.org/t?policy=one" == Asked(told).metadata().token


@pytest.mark.parametrize(
    "reply, why",
    [
        ("http://127.0.0.1:1/", "status 302"),
        ((200, b"[]"), "not an object"),
        ((200, b"{"), "not JSON"),
        ((200, b"[" * 10**5), "not JSON"),
        ((200, b'{"keys": "' + b"x" * 2**18 + b'"}'), "too long"),
        ((200, b'{"keys": []}'), "has no keys"),
        ((404, b"secret words"), "status 404"),
    ],
)
def test_a_bad_reply_is_refused(asked, provider, reply, why) -> None:
    """Redirections, other formats and long texts; what they hold is not quoted."""
    provider.replies = {KEYS: reply}
    with pytest.raises(ProviderError, match=why) as refused:
        asked.metadata()
    assert "words" not in str(refused.value)


def test_a_slow_provider_is_not_waited_for(provider) -> None:
    """It answers when its reader has gone, and not before."""
    gone = threading.Event()
    provider.replies = {KEYS: gone}
    with pytest.raises(ProviderError):
        replies.ask(f"{provider.issuer}{KEYS}", seconds=0.1)
    gone.set()


def test_only_keys_that_may_sign_are_taken(asked, provider) -> None:
    """No shared secrets, keys for encryption, short keys or those of other curves; nor a number that is there twice."""
    good, short = made_key("RS256"), rsa.generate_private_key(65537, 1024)
    shown = [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "shared"},
        public_jwk(good, "sealing", "RS256") | {"use": "enc"},
        public_jwk(short, "short", "RS256"),
        public_jwk(ec.generate_private_key(ec.SECP256K1()), "curve", "ES256K"),
        public_jwk(good, "good", "RS256", alg="RS256"),
        public_jwk(good, "twice", "RS256"),
        public_jwk(made_key("RS256"), "twice", "RS256"),
        {"kty": "RSA", "n": "AQ", "kid": "broken"},
        {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": "off"},
        "text",
    ]
    provider.replies = {KEYS: (200, json.dumps({"keys": shown}).encode())}
    assert ["good", "twice", "twice"] == [each.number for each in asked.metadata().keys]
    assert asked.key("good", "RS256") is not None
    assert asked.key("good", "PS256") is None
    assert asked.key("good", "ES256") is None
    assert asked.key("twice", "RS256") is None
    assert asked.key(None, "RS256") is None
