"""The public keys of an OpenID provider, and which kinds of signature each may make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

# By each kind of signature, the kind of key and the curve that it needs. All have a public and a private part: with a
# secret that both sides know, or without any signature, everybody who knows the public key could make tokens.
ALGORITHMS: dict[str, tuple[str, str | None]] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA", None)),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}
# The parts of a key that are public.
_PUBLIC = ("kty", "crv", "n", "e", "x", "y")
_MOST = 100
# Sizes of RSA keys, in bits: shorter ones are too weak, longer ones too slow.
_SHORTEST, _LONGEST = 2048, 8192


@dataclass(frozen=True)
class Key:
    """A public key.

    Attributes:
        number: by which tokens name it, if it has one.
        kind, curve: of the key.
        algorithm: the only one that it is for, if it says so.
        public: the key itself.
    """

    number: str | None
    kind: str
    curve: str | None
    algorithm: str | None
    public: Any

    def signs(self, number: str | None, algorithm: str) -> bool:
        """Return whether a token of this number of a key and this algorithm may be signed with it."""
        fits = (self.kind, self.curve) == ALGORITHMS[algorithm] and self.algorithm in (None, algorithm)
        return fits and number in (None, self.number)


def keys_of(content: Any) -> tuple[Key, ...]:
    """Return the keys of a JSON Web Key Set that may sign; whatever else it holds is left out."""
    listed = content.get("keys") if isinstance(content, dict) else None
    parsed = [_key(each) for each in listed[:_MOST] if isinstance(each, dict)] if isinstance(listed, list) else []
    return tuple(each for each in parsed if each is not None)


def only(keys: Iterable[Key], number: str | None, algorithm: str) -> Key | None:
    """Return the one key that may have signed a token; ``None`` where there is none, or more than one."""
    fitting = [each for each in keys if each.signs(number, algorithm)]
    return fitting[0] if len(fitting) == 1 else None


def _key(content: dict[str, Any]) -> Key | None:
    import jwt

    number, kind, curve = (content.get(name) for name in ("kid", "kty", "crv"))
    curve = None if kind == "RSA" else curve
    made_for = [name for name, needs in ALGORITHMS.items() if needs == (kind, curve)]
    uses, algorithm = content.get("key_ops"), content.get("alg")
    if not made_for or content.get("use") not in (None, "sig") or not isinstance(number, str | None):
        return None
    if (uses is not None and "verify" not in uses) or algorithm not in (None, *made_for):
        return None
    try:
        public = jwt.PyJWK({name: content[name] for name in _PUBLIC if name in content}, made_for[0]).key
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return None
    if kind == "RSA" and not _SHORTEST <= public.key_size <= _LONGEST:
        return None
    return Key(number, str(kind), curve, algorithm, public)
