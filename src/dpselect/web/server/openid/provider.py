"""An OpenID provider: where it is asked, and its keys, which are read anew from time to time and no more often."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from dpselect.web.server.openid import replies
from dpselect.web.server.openid.registration import Registration, require_safe
from dpselect.web.server.openid.replies import ProviderError
from dpselect.web.server.openid.signing_keys import Key, keys_of, only

# After how many seconds keys are read again; how soon for a key that is not among them; how soon after a failure.
AGE, SOON, AFTER_FAILURE = 600.0, 60.0, 15.0
_PORTS = {"https": ":443", "http": ":80"}


@dataclass(frozen=True)
class ProviderMetadata:
    """The metadata of a provider.

    Attributes:
        authorization, token: the addresses for browsers and for this server.
        keys: with which it signs.
        names_itself: whether it says who it is when a browser returns.
        methods: by which a client may show its secret.
        read: when, in seconds from any beginning.
    """

    authorization: str
    token: str
    keys: tuple[Key, ...]
    names_itself: bool
    methods: tuple[str, ...]
    read: float


class Provider:
    """The provider of a registration.

    Args:
        registration: that says where it is.
        now: seconds, from any beginning.
    """

    def __init__(self, registration: Registration, now: Callable[[], float] = time.monotonic) -> None:
        self._registration, self._now = registration, now
        self._hosts = {_host(registration.issuer), *registration.hosts}
        self._known: ProviderMetadata | None = None
        self._failed, self._turn = float("-inf"), Lock()

    def metadata(self) -> ProviderMetadata:
        """Return what the provider says of itself.

        Raises:
            ProviderError: it does not answer, or says what it should not.
        """
        return self._fresh() or self._read(float("-inf"))

    def key(self, number: str | None, algorithm: str) -> Key | None:
        """Return the key that may have signed a token, or ``None``.

        Raises:
            ProviderError: the keys are old, or this one is new, and the provider does not answer.
        """
        known = self._fresh()
        found = None if known is None else only(known.keys, number, algorithm)
        if found is not None or (known is not None and self._now() - known.read < SOON):
            return found
        return only(self._read(float("-inf") if known is None else known.read).keys, number, algorithm)

    def _fresh(self) -> ProviderMetadata | None:
        known = self._known
        return known if known is not None and self._now() - known.read < AGE else None

    def _read(self, since: float) -> ProviderMetadata:
        """Ask the provider, unless somebody has done so after this time; one asks at a time."""
        # A client that names keys that do not exist does not keep others waiting, who need those that are known.
        if not self._turn.acquire(blocking=self._fresh() is None):
            raise ProviderError("the keys of the provider are being read")
        try:
            held = self._fresh()
            if held is not None and held.read > since:
                return held
            if self._now() - self._failed < AFTER_FAILURE:
                raise ProviderError("the provider did not answer a moment ago")
            try:
                self._known = result = self._ask()
            except ProviderError:
                self._failed = self._now()
                raise
            return result
        finally:
            self._turn.release()

    def _ask(self) -> ProviderMetadata:
        issuer = self._registration.issuer
        said = replies.ask(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if said.get("issuer") != issuer:
            raise ProviderError("the provider calls itself otherwise than openid.issuer does, letter by letter")
        keys = keys_of(replies.ask(self._place(said, "jwks_uri")))
        if not keys:
            raise ProviderError("the provider has no keys that this server can use")
        methods = said.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        return ProviderMetadata(
            self._place(said, "authorization_endpoint"),
            self._place(said, "token_endpoint"),
            keys,
            said.get("authorization_response_iss_parameter_supported") is True,
            tuple(each for each in methods if isinstance(each, str)) if isinstance(methods, list) else (),
            self._now(),
        )

    def _place(self, said: dict[str, Any], name: str) -> str:
        """Return an address of the provider, which is at one of its hosts: nobody else is asked in its name."""
        address = said.get(name)
        if not isinstance(address, str) or len(address) > 2000:
            raise ProviderError(f"the provider does not say its {name}")
        try:
            host = _host(require_safe(address.partition("?")[0]))
            require_safe(address.replace("?", "/", 1))
        except ValueError:
            raise ProviderError(f"the {name} of the provider is not a safe address") from None
        if host not in self._hosts:
            raise ProviderError(f"the {name} of the provider is at a host that openid.hosts does not list")
        return address


def _host(address: str) -> str:
    parts = urlsplit(address)
    return parts.netloc.lower().removesuffix(_PORTS.get(parts.scheme, ":"))
