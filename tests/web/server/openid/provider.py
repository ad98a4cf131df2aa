"""A small OpenID provider on loopback: discovery, keys, log in and tokens over real HTTP, signed by keys made here."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections import Counter
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from dpselect.web import tokens

CLIENT, SECRET, AUDIENCE = "office", "a-made-up:secret%", "https://dp.example.org"


def made_key(algorithm: str = "ES256") -> Any:
    """Return a new private key for an algorithm."""
    if algorithm == "EdDSA":
        return ed25519.Ed25519PrivateKey.generate()
    if algorithm.startswith("ES"):
        return ec.generate_private_key(
            {"ES256": ec.SECP256R1, "ES384": ec.SECP384R1, "ES512": ec.SECP521R1}[algorithm]()
        )
    return rsa.generate_private_key(65537, 2048)


def public_jwk(key: Any, number: str | None, algorithm: str, **more: Any) -> dict[str, Any]:
    """Return the public part of a key as a provider shows it."""
    kind = jwt.get_algorithm_by_name(algorithm)
    content = json.loads(kind.to_jwk(key.public_key()))
    named = {} if number is None else {"kid": number}
    return {name: value for name, value in content.items() if name != "key_ops"} | named | {"use": "sig"} | more


class Provider:
    """A provider with one key to begin with, at which whoever comes is logged in as ``person``.

    Attributes:
        issuer: its address.
        keys: private keys and their algorithms, by their numbers.
        person: the claims of whoever logs in.
        said, changed: what discovery says otherwise, and what ID tokens say otherwise.
        asked: how often each address was asked.
        replies: by address, a status and a body that are sent instead, or seconds or an event to wait for.
        asks: whether it shows a page with a link to go on, instead of leading browsers back at once.
    """

    def __init__(self) -> None:
        self.keys = {"first": (made_key(), "ES256")}
        self.person: dict[str, Any] = {"sub": "subject-ann", "preferred_username": "ann", "groups": ["asking"]}
        self.said: dict[str, Any] = {}
        self.changed: dict[str, Any] = {}
        self.asked: Counter[str] = Counter()
        self.replies: dict[str, Any] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.sent: list[str] = []
        self.asks = False
        self.public = {"secret": SECRET}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()

    def settings(self, **more: Any) -> dict[str, Any]:
        """Return what a server is told of this provider."""
        roles = {"claim": "groups", "curator": ["keeping"], "analyst": ["asking"]}
        return {"issuer": self.issuer, "address": "http://localhost:8440", "client": CLIENT, "audience": AUDIENCE,
                "user": "preferred_username", "roles": roles} | more  # fmt: skip

    def claims(self, **more: Any) -> dict[str, Any]:
        """Return the claims of a token that is good now; those that are ``None`` are left out."""
        now = int(time.time())
        made = {"iss": self.issuer, "aud": AUDIENCE, "iat": now, "nbf": now, "exp": now + 300} | self.person | more
        return {name: value for name, value in made.items() if value is not None}

    def token(self, number: str = "first", header: dict[str, Any] | None = None, **more: Any) -> str:
        """Return a token that this provider signs."""
        key, algorithm = self.keys[number]
        return jwt.encode(self.claims(**more), key, algorithm, {"kid": number, "typ": "at+jwt"} | (header or {}))

    def discovery(self) -> dict[str, Any]:
        """Return what it says of itself."""
        places = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/keys"}
        return {"issuer": self.issuer, **{name: self.issuer + path for name, path in places.items()},
                "authorization_response_iss_parameter_supported": True} | self.said  # fmt: skip

    def authorized(self, query: dict[str, str]) -> str:
        """Return where a browser is led with a code."""
        assert {"code", "S256"} == {query["response_type"], query["code_challenge_method"]}
        code = tokens.fresh()
        self.codes[code] = query
        back = {"code": code, "state": query["state"], "iss": self.issuer}
        return f"{query['redirect_uri']}?{urlencode(back)}"

    def exchanged(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Return an ID token for a code, once, to the client that asked for it and can prove it."""
        begun = self.codes.pop(form.get("code", ""), None)
        challenge = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        right = begun is not None and begun["redirect_uri"] == form.get("redirect_uri")
        right = right and base64.urlsafe_b64encode(challenge).decode().rstrip("=") == begun["code_challenge"]
        if not right or not self._is_client(form, authorization):
            return 400, {"error": "invalid_grant"}
        header = {"typ": "JWT"}
        said = {"aud": CLIENT, "nonce": begun["nonce"], **self.changed}
        return 200, {"access_token": "opaque", "token_type": "Bearer", "id_token": self.token(header=header, **said)}

    def _is_client(self, form: dict[str, str], authorization: str) -> bool:
        if "client_secret_post" in self.said.get("token_endpoint_auth_methods_supported", []):
            return (form["client_id"], form.get("client_secret")) == (CLIENT, SECRET)
        if self.public["secret"] == "":
            return form["client_id"] == CLIENT and not authorization
        name, _, secret = base64.b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
        return (unquote(name), unquote(secret)) == (CLIENT, SECRET)


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            provider.asked[parts.path] += 1
            if parts.path == "/authorize" and parts.path not in provider.replies:
                place = provider.authorized(dict(parse_qsl(parts.query)))
                link = f'<a href="{escape(place)}">Go on as ann</a>'
                page = f'<!doctype html><title>Office</title><link rel="icon" href="data:,">{link}'.encode()
                self.send_response(200 if provider.asks else 303)
                self.send_header("Content-Type", "text/html") if provider.asks else self.send_header("Location", place)
                self.end_headers()
                self.wfile.write(page if provider.asks else b"")
            elif parts.path == "/keys":
                shown = [public_jwk(key, number, kind) for number, (key, kind) in provider.keys.items()]
                self._reply(parts.path, 200, {"keys": shown})
            elif parts.path == "/.well-known/openid-configuration":
                self._reply(parts.path, 200, provider.discovery())
            else:
                self._reply(parts.path, 404, {})

        def do_POST(self) -> None:
            provider.asked[self.path] += 1
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            provider.sent.append(body)
            status, content = provider.exchanged(dict(parse_qsl(body)), self.headers.get("Authorization", ""))
            self._reply(self.path, status, content)

        def _reply(self, path: str, status: int, content: Any) -> None:
            body, place = json.dumps(content).encode(), None
            instead = provider.replies.get(path)
            if isinstance(instead, float):
                time.sleep(instead)
            elif isinstance(instead, threading.Event):
                instead.wait(600)
            elif isinstance(instead, str):
                status, place = 302, instead
            elif instead is not None:
                status, body = instead
            self.send_response(status)
            if place is not None:
                self.send_header("Location", place)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler
