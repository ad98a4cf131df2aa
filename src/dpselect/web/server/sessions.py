"""Sessions of those who are logged in with a browser. The database keeps hashes of what the cookies hold."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass

from dpselect.kernel.errors import InputError
from dpselect.web import tokens
from dpselect.web.server.database import Database
from dpselect.web.server.users import User

# How long somebody stays logged in: a day's work.
SECONDS = 8 * 3600.0
# How long a session that is over is kept, for an inquiry into what happened.
_LIFETIME = 30 * 86400.0


@dataclass(frozen=True)
class LoginMethod:
    """The way in which a user logged in: one of the two.

    Attributes:
        token: the number of a token.
        provider: the address of an identity provider.
    """

    token: str | None = None
    provider: str | None = None

    def __post_init__(self) -> None:
        if (self.token is None) == (self.provider is None):
            raise InputError("Somebody logs in with a token or through a provider: name one of the two.")


class Sessions:
    """Sessions of browsers. Each ends by itself after some hours, and earlier with the token that opened it."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database, self._now = database, now

    def open(self, user_name: str, how: LoginMethod) -> str:
        """Begin a session of a user, and return its secret, which stands in a cookie and nowhere else."""
        now, secret = self._now(), tokens.fresh()
        with self._database.writing() as statements:
            statements.run("DELETE FROM sessions WHERE expires < :then", then=now - _LIFETIME)
            statements.run(
                "INSERT INTO sessions (id, hash, holder, token, provider, created, expires) "
                "VALUES (:id, :hash, :holder, :token, :provider, :now, :expires)",
                id=tokens.fresh()[:16], hash=tokens.hash_secret(secret), holder=user_name,
                token=how.token, provider=how.provider, now=now, expires=now + SECONDS,
            )  # fmt: skip
        return secret

    def user_of(self, secret: str) -> User | None:
        """Return whose session this is; ``None`` where it is none or over, or its token is expired or revoked."""
        now = self._now()
        with self._database.reading() as statements:
            row = statements.row(
                "SELECT sessions.id, sessions.token, sessions.expires, sessions.ended, tokens.expires AS until, "
                "tokens.revoked, users.name, users.role FROM sessions JOIN users ON users.name = sessions.holder "
                "LEFT JOIN tokens ON tokens.id = sessions.token WHERE sessions.hash = :hash",
                hash=tokens.hash_secret(secret),
            )
        if row is None or row["ended"] is not None or row["expires"] <= now:
            return None
        if row["token"] is not None and (row["revoked"] is not None or row["until"] <= now):
            return None
        return User(row["name"], row["role"], row["token"] or row["id"])

    def end(self, secret: str) -> None:
        """End a session, if there is one."""
        with self._database.writing() as statements:
            statements.run(
                "UPDATE sessions SET ended = :now WHERE hash = :hash AND ended IS NULL",
                now=self._now(), hash=tokens.hash_secret(secret),
            )  # fmt: skip


def form_token(secret: str) -> str:
    """Return what the forms of a session hold, which pages of other sites cannot know; it opens nothing by itself."""
    return hmac.new(secret.encode("utf-8", "surrogatepass"), b"forms", hashlib.sha256).hexdigest()
