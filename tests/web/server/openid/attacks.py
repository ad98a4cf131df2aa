"""Tokens that nobody may come in with, each named by what is wrong with it."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from typing import Any

import jwt

from dpselect.web.server.openid.authenticator import Authenticator
from dpselect.web.server.openid.verifier import UntrustedTokenError
from tests.web.server.openid.provider import Provider, made_key, public_jwk


def part(content: Any) -> str:
    """Return one part of a token that nobody signed."""
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def _unsigned(provider: Provider, algorithm: str) -> str:
    return f"{part({'alg': algorithm, 'typ': 'JWT', 'kid': 'first'})}.{part(provider.claims())}."


def _by_public_key(provider: Provider) -> str:
    """Sign with the public key as if it were a shared secret, as libraries once allowed."""
    import hashlib
    import hmac

    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = provider.keys["first"][0].public_key()
    secret = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = f"{part({'alg': 'HS256', 'typ': 'JWT', 'kid': 'first'})}.{part(provider.claims())}"
    made = hmac.digest(signed.encode(), secret, hashlib.sha256)
    return f"{signed}.{base64.urlsafe_b64encode(made).decode().rstrip('=')}"


def _of_stranger(provider: Provider, **header: Any) -> str:
    return jwt.encode(provider.claims(), made_key(), "ES256", {"kid": "first", **header})


def _changed(provider: Provider) -> str:
    head, _, signature = provider.token().split(".")
    return f"{head}.{part(provider.claims(groups=['keeping']))}.{signature}"


def _own_key(provider: Provider) -> str:
    """Bring the key along in the header."""
    key = made_key()
    jwk = public_jwk(key, "first", "ES256")
    return jwt.encode(provider.claims(), key, "ES256", {"kid": "first", "jwk": jwk, "jku": "http://127.0.0.1:1/keys"})


NOW = time.time
ATTACKS: dict[str, Callable[[Provider], str]] = {
    "alg none": lambda p: _unsigned(p, "none"),
    "alg None": lambda p: _unsigned(p, "None"),
    "no signature": lambda p: _unsigned(p, "ES256"),
    "the public key as a secret": _by_public_key,
    "another key with the same number": _of_stranger,
    "its own key": _own_key,
    "a key without a number": lambda p: jwt.encode(p.claims(), made_key(), "ES256", {}),
    "changed claims": _changed,
    "a signature of no bytes": lambda p: f"{p.token().rpartition('.')[0]}.",
    "for another audience": lambda p: p.token(aud="https://other.example.org"),
    "for no audience": lambda p: p.token(aud=None),
    "for nearly this audience": lambda p: p.token(aud="https://dp.example.org/"),
    "of another issuer": lambda p: p.token(iss="https://other.example.org"),
    "of nearly this issuer": lambda p: p.token(iss=f"{p.issuer}/"),
    "of no issuer": lambda p: p.token(iss=None),
    "expired": lambda p: p.token(iat=int(NOW()) - 700, nbf=None, exp=int(NOW()) - 60),
    "without an end": lambda p: p.token(exp=None),
    "without a beginning": lambda p: p.token(iat=None),
    "not yet valid": lambda p: p.token(nbf=int(NOW()) + 120),
    "made in the future": lambda p: p.token(iat=int(NOW()) + 120),
    "made for a year": lambda p: p.token(exp=int(NOW()) + 365 * 86400),
    "an end that is text": lambda p: p.token(exp=str(int(NOW()) + 300)),
    "an end that is true": lambda p: p.token(exp=True),
    "without a subject": lambda p: p.token(sub=None),
    "an empty subject": lambda p: p.token(sub=""),
    "bound to a key": lambda p: p.token(cnf={"jkt": "x"}),
    "of another kind": lambda p: p.token(header={"typ": "logout+jwt"}),
    "with a demand": lambda p: p.token(header={"crit": ["exp"], "exp": 1}),
    "too long": lambda p: p.token(more="x" * 9000),
    "no token": lambda p: "a.b.c",
    "deep": lambda p: f"{base64.urlsafe_b64encode(b'[' * 5000).decode()}.e30.",
    "not text": lambda p: "\udcff.\u0661.x",
}


def admitted(authenticator: Authenticator, provider: Provider) -> set[str]:
    """Return the attacks that a door lets in."""
    result = set()
    for name, made in ATTACKS.items():
        try:
            authenticator.verifier.of_program(made(provider))
        except UntrustedTokenError:
            continue
        result.add(name)
    return result
