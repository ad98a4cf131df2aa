"""A log in through the OpenID provider: authorization code with PKCE, bound to the browser that began it.

Everything secret about a log in follows from one secret in a cookie of that browser, so the server keeps nothing.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from dpselect.web import tokens
from dpselect.web.server.openid import replies
from dpselect.web.server.openid.provider import Provider
from dpselect.web.server.openid.registration import Registration
from dpselect.web.server.openid.replies import ProviderError
from dpselect.web.server.openid.secret import Secret
from dpselect.web.server.openid.verifier import UntrustedTokenError, Verifier

# How long a log in may take, in seconds.
SECONDS = 600
_COOKIE = re.compile(r"([0-9]{1,12})\.[A-Za-z0-9_-]{43}\.([A-Za-z0-9_-]{0,2000})")
_CODE = re.compile(r"[ -~]{1,4096}")


@dataclass(frozen=True)
class PendingLogin:
    """A log in that a browser begins.

    Attributes:
        address: of the provider, to which the browser is led.
        cookie: that it keeps until it returns.
    """

    address: str
    cookie: str = field(repr=False)


@dataclass(frozen=True)
class LogIn:
    """Log ins of a registration.

    Attributes:
        registration: of this server.
        secret: of this server at the provider.
        provider: which is asked.
        verifier: of what it gives.
        now: seconds since 1970.
    """

    registration: Registration
    secret: Secret
    provider: Provider
    verifier: Verifier
    now: Callable[[], float] = time.time

    def begin(self, back: str) -> PendingLogin:
        """Return where a browser is led, and what it keeps.

        Args:
            back: the address of the page to which it is led in the end.

        Raises:
            ProviderError: the provider does not answer.
        """
        cookie = f"{int(self.now())}.{tokens.fresh()}.{_text(back.encode())}"
        asked = {
            "response_type": "code",
            "client_id": self.registration.client,
            "redirect_uri": self.registration.callback,
            "scope": " ".join(self.registration.scopes),
            "state": _part(cookie, "state"),
            "nonce": _part(cookie, "nonce"),
            "code_challenge": _text(hashlib.sha256(_part(cookie, "verifier").encode()).digest()),
            "code_challenge_method": "S256",
        }
        address = self.provider.metadata().authorization
        return PendingLogin(f"{address}{'&' if '?' in address else '?'}{urlencode(asked)}", cookie)

    def finish(self, returned: Sequence[tuple[str, str]], cookie: str | None) -> tuple[dict[str, Any], str]:
        """Return the verified claims of somebody who comes back, and where to lead the browser.

        Args:
            returned: the names and values in the address.
            cookie: of the browser.

        Raises:
            UntrustedTokenError: it is not the log in that this browser began.
            ProviderError: the provider does not answer.
        """
        values = dict(returned)
        if len(values) != len(returned):
            raise UntrustedTokenError("a name is in its address twice")
        kept = _COOKIE.fullmatch(cookie or "")
        if cookie is None or kept is None or not 0 <= self.now() - int(kept[1]) <= SECONDS:
            raise UntrustedTokenError("it was not begun in this browser within ten minutes")
        if not tokens.same(values.get("state", ""), _part(cookie, "state")):
            raise UntrustedTokenError("it was begun elsewhere")
        self._require_provider(values)
        if "error" in values or not _CODE.fullmatch(values.get("code", "")):
            raise UntrustedTokenError("the provider gives no code")
        token = self._exchange(values["code"], _part(cookie, "verifier"))
        claims = self.verifier.of_browser(token, _part(cookie, "nonce"))
        return claims, base64.urlsafe_b64decode(f"{kept[2]}===").decode("utf-8", "replace")

    def _require_provider(self, values: dict[str, str]) -> None:
        """Refuse what another provider sends in the name of this one."""
        said = values.get("iss")
        if said is None and self.provider.metadata().names_itself:
            raise UntrustedTokenError("the provider does not say who it is")
        if said not in (None, self.registration.issuer):
            raise UntrustedTokenError("another provider sends it")

    def _exchange(self, code: str, verifier: str) -> str:
        """Return the ID token that the provider gives for a code."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.registration.callback,
            "client_id": self.registration.client,
            "code_verifier": verifier,
        }
        known, headers, secret = self.provider.metadata(), dict[str, str](), self.secret.value
        if secret is not None and "client_secret_basic" not in known.methods and "client_secret_post" in known.methods:
            form["client_secret"] = secret
        elif secret is not None:
            pair = f"{quote(self.registration.client, safe='')}:{quote(secret, safe='')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        token = replies.ask(known.token, form, headers).get("id_token")
        if not isinstance(token, str):
            raise ProviderError("the provider gives no ID token")
        return token


def _part(cookie: str, purpose: str) -> str:
    """Return what a log in is known by somewhere: each part tells nothing about the others."""
    return _text(hmac.digest(cookie.encode(), purpose.encode(), hashlib.sha256))


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")
