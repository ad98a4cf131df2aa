"""Users with one role each, and tokens of theirs, of which only hashes are kept."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dpselect.kernel.errors import InputError
from dpselect.web import tokens
from dpselect.web.server.audit_log import record_change
from dpselect.web.server.database import Database
from dpselect.web.server.settings_parts import NAME

Role = Literal["curator", "analyst"]
_DAY = 86400.0


@dataclass(frozen=True)
class User:
    """The sender of a request.

    Attributes:
        name, role: of the user.
        token: the number of the token, which is not secret.
    """

    name: str
    role: Role
    token: str

    @property
    def analyst(self) -> str | None:
        """Return whose shares say what there is; ``None`` for a curator, who sees all."""
        return None if self.role == "curator" else self.name


@dataclass(frozen=True)
class NewToken:
    """A token that was made; its secret is shown once.

    Attributes:
        id: its number, which revokes it.
        secret: what a request holds.
        expires: seconds since 1970.
    """

    id: str
    secret: str
    expires: float


class Users:
    """Users and tokens."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database, self._now = database, now

    def add(self, name: str, role: Role, by: str) -> bool:
        """Add a user, and return whether there was none of this name.

        Raises:
            ValueError: a bad name, or a user of this name with the other role.
        """
        if not re.fullmatch(NAME, name):
            raise InputError("A name has at most 63 of a-z, 0-9, - and _, and begins with a letter or a digit.")
        with self._database.writing() as statements:
            # Another server may add the same user in this moment: one of them does.
            added = statements.run(
                "INSERT INTO users (name, role, created) VALUES (:name, :role, :now) ON CONFLICT DO NOTHING",
                name=name, role=role, now=self._now(),
            )  # fmt: skip
            known = statements.row("SELECT role FROM users WHERE name = :name", name=name)
            if known is None or known["role"] != role:
                raise InputError(f"{name} is a user with another role, which never changes: choose another name.")
            if added:
                record_change(statements, self._now(), by, None, f"added {role} {name}")
        return bool(added)

    def new_token(self, name: str, days: float, by: str) -> NewToken:
        """Make a token of a user that works for so many days.

        Raises:
            ValueError: no such user, or not a positive number of at most 3,660 days.
        """
        if not 0 < days <= 3660:
            raise InputError("A token works for more than 0 and at most 3660 days.")
        now, secret = self._now(), tokens.fresh()
        made = NewToken(tokens.fresh()[:16], secret, now + days * _DAY)
        with self._database.writing() as statements:
            if statements.row("SELECT name FROM users WHERE name = :name", name=name) is None:
                raise InputError(f"The user {name} does not exist: add one first.")
            statements.run(
                "INSERT INTO tokens (id, hash, holder, created, expires) VALUES (:id, :hash, :name, :now, :expires)",
                id=made.id, hash=tokens.hash_secret(secret), name=name, now=now, expires=made.expires,
            )  # fmt: skip
            record_change(statements, now, by, None, f"made token {made.id} of {name}")
        return made

    def revoke(self, token: str, by: str) -> bool:
        """Let a token work no longer, and return whether it did."""
        now = self._now()
        with self._database.writing() as statements:
            changed = statements.run(
                "UPDATE tokens SET revoked = :now WHERE id = :id AND revoked IS NULL", now=now, id=token
            )
            if changed:
                record_change(statements, now, by, None, f"revoked token {token}")
        return bool(changed)

    def user_of(self, secret: str) -> User | None:
        """Return whose token this is; ``None`` where it is none, expired or revoked."""
        with self._database.reading() as statements:
            row = statements.row(
                "SELECT tokens.id, tokens.expires, tokens.revoked, users.name, users.role FROM tokens "
                "JOIN users ON users.name = tokens.holder WHERE tokens.hash = :hash",
                hash=tokens.hash_secret(secret),
            )
        if row is None or row["revoked"] is not None or row["expires"] <= self._now():
            return None
        return User(row["name"], row["role"], row["id"])
