"""Secret names of users. No answer to a question about data comes from here."""

from __future__ import annotations

import hashlib
import secrets


def fresh() -> str:
    """Return 32 random bytes as text that can stand in an address or a cookie."""
    return secrets.token_urlsafe(32)


def same(one: str, other: str) -> bool:
    """Return whether two texts are equal, in a time that does not tell where they differ."""
    return secrets.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def hash_secret(secret: str) -> str:
    """Return what is kept of a secret of 32 random bytes, from which it cannot be found."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
