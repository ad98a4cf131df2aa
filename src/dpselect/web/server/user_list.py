"""Users and their tokens, as curators see them: names, roles and numbers; hashes stay where they are."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dpselect.web.server.database import Database
from dpselect.web.server.users import Role


@dataclass(frozen=True)
class KnownUser:
    """A user.

    Attributes:
        name, role: neither ever changes.
        created: seconds since 1970.
    """

    name: str
    role: Role
    created: float


@dataclass(frozen=True)
class KnownToken:
    """A token, without what opens anything.

    Attributes:
        id: its number, which revokes it.
        holder: the user.
        created, expires: seconds since 1970.
        state: whether it works.
    """

    id: str
    holder: str
    created: float
    expires: float
    state: Literal["works", "expired", "revoked"]


def users(database: Database) -> list[KnownUser]:
    """Return all users by name."""
    with database.reading() as statements:
        rows = statements.rows("SELECT name, role, created FROM users ORDER BY name")
    return [KnownUser(row["name"], row["role"], row["created"]) for row in rows]


def known_tokens(
    database: Database, most: int, skip: int = 0, now: Callable[[], float] = time.time
) -> list[KnownToken]:
    """Return tokens, the newest first.

    Args:
        database: of the server.
        most: how many.
        skip: how many newer ones to leave out.
        now: seconds since 1970.
    """
    with database.reading() as statements:
        rows = statements.rows(
            "SELECT id, holder, created, expires, revoked FROM tokens "
            "ORDER BY created DESC, id LIMIT :most OFFSET :skip",
            most=most, skip=skip,
        )  # fmt: skip
    moment = now()
    result = []
    for row in rows:
        state: Literal["works", "expired", "revoked"] = "expired" if row["expires"] <= moment else "works"
        if row["revoked"] is not None:
            state = "revoked"
        result.append(KnownToken(row["id"], row["holder"], row["created"], row["expires"], state))
    return result
