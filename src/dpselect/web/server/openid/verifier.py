"""Tokens of an OpenID provider: signed by it, for this server, and for now."""

from __future__ import annotations

import math
from typing import Any

from dpselect.kernel.errors import DPSelectError
from dpselect.web.server.openid.provider import Provider
from dpselect.web.server.openid.registration import Registration
from dpselect.web.server.openid.signing_keys import ALGORITHMS

# How long a token may be, in characters, and how far the provider's clock may be off, in seconds.
LONGEST, LEEWAY = 8192, 30
_NUMBERS = ("exp", "iat", "nbf")


class UntrustedTokenError(DPSelectError):
    """It is not a token that lets somebody in. The message says why, for the log, and quotes nothing of it."""


class Verifier:
    """A verifier that every token of the provider must pass.

    Args:
        registration: of this server.
        provider: whose keys they are signed with.
    """

    def __init__(self, registration: Registration, provider: Provider) -> None:
        self._registration, self._provider = registration, provider

    def of_program(self, token: str) -> dict[str, Any]:
        """Return the claims of a token that a program sends with a request.

        Raises:
            UntrustedTokenError: it is not one for this server.
            ProviderError: the keys of the provider cannot be read.
        """
        if self._registration.audience is None:
            raise UntrustedTokenError(
                "openid.audience is not set, so no tokens of the provider are taken from programs"
            )
        claims = self._claims(token, self._registration.audience, ("", "jwt", "at+jwt"))
        if "cnf" in claims:
            raise UntrustedTokenError(
                "it belongs to a key that its sender must prove to have, which this server does not check"
            )
        return claims

    def of_browser(self, token: str, nonce: str) -> dict[str, Any]:
        """Return the claims of the ID token of one log in.

        Args:
            token: that the provider gave for a code.
            nonce: of this log in.

        Raises:
            UntrustedTokenError: it is not one of this log in.
            ProviderError: the keys of the provider cannot be read.
        """
        client = self._registration.client
        claims = self._claims(token, client, ("", "jwt"))
        others = isinstance(claims["aud"], list) and {*claims["aud"]} != {client}
        if claims.get("azp", None if others else client) != client:
            raise UntrustedTokenError("it was given to another client")
        if claims.get("nonce") != nonce:
            raise UntrustedTokenError("it is of another log in")
        return claims

    def _claims(self, token: str, audience: str, kinds: tuple[str, ...]) -> dict[str, Any]:
        import jwt

        number, algorithm = _header(token, kinds)
        key = self._provider.key(number, algorithm)
        if key is None:
            raise UntrustedTokenError("the provider has no such key")
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key.public,
                algorithms=[algorithm],
                audience=audience,
                issuer=self._registration.issuer,
                leeway=LEEWAY,
                options={"require": ["iss", "sub", "aud", "exp", "iat"]},
            )
        except jwt.PyJWTError as error:
            raise UntrustedTokenError(type(error).__name__) from None
        except Exception as error:
            # Whatever else a library says of an untrusted text, nobody logs in by it.
            raise UntrustedTokenError(f"it cannot be read ({type(error).__name__})") from None
        self._require_times(claims)
        if not 0 < len(claims["sub"]) <= 255:
            raise UntrustedTokenError("its subject is empty or too long")
        return claims

    def _require_times(self, claims: dict[str, Any]) -> None:
        for name in _NUMBERS:
            if name in claims and (type(claims[name]) not in (int, float) or not math.isfinite(claims[name])):
                raise UntrustedTokenError(f"its {name} is not a number")
        if claims["exp"] - claims["iat"] > self._registration.hours * 3600:
            raise UntrustedTokenError("it is made for longer than openid.hours")


def _header(token: str, kinds: tuple[str, ...]) -> tuple[str | None, str]:
    """Return the number of the key and the algorithm that a token names, if both are of a kind that is accepted."""
    import jwt

    if len(token) > LONGEST:
        raise UntrustedTokenError(f"it is longer than {LONGEST} characters")
    try:
        header = jwt.get_unverified_header(token)
    except Exception as error:
        raise UntrustedTokenError(f"its header cannot be read ({type(error).__name__})") from None
    number, algorithm, kind = header.get("kid"), header.get("alg"), header.get("typ", "")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise UntrustedTokenError("it is not signed in a way that is accepted")
    if not isinstance(kind, str) or kind.lower().removeprefix("application/") not in kinds:
        raise UntrustedTokenError("it is a token of another kind")
    if "crit" in header or "b64" in header or not isinstance(number, str | None):
        raise UntrustedTokenError("its header asks for more than this server does")
    return number, algorithm
