"""The user that an account of the OpenID provider belongs to. An account stays one user, and a user one account.

Limits: A user of an OpenID provider is who the provider says. The server checks its tokens and trusts its
administrators: who may name users and groups there decides who asks here, up to the shares and budgets, which are this
server's. What the provider takes back counts at the next token or log in. Tested with a provider that the tests bring
along, and with no product.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from dpselect.web.server.audit_log import record_change
from dpselect.web.server.database import Database
from dpselect.web.server.openid.login_errors import NoRoleError
from dpselect.web.server.openid.registration import Registration
from dpselect.web.server.settings_parts import NAME
from dpselect.web.server.users import Role, User, Users

_BY = "openid"


class Accounts:
    """Accounts of the provider, by their subjects, which it never gives to somebody else.

    Args:
        database: of this server.
        people: who may ask.
        registration: which claims name a user and the role.
        now: seconds since 1970.
    """

    def __init__(
        self, database: Database, people: Users, registration: Registration, now: Callable[[], float] = time.time
    ) -> None:
        self._database, self._people, self._registration, self._now = database, people, registration, now

    def user_of(self, claims: Mapping[str, Any]) -> User:
        """Return the user of verified claims, who is added at the first time.

        Raises:
            NoRoleError: the claims name no user or role that this server has a place for.
        """
        role = self._role(claims)
        known = self._linked_user(claims["sub"]) or self._link(claims, role)
        if known["role"] != role:
            raise NoRoleError(
                f"{known['name']} is a user with another role here than at the OpenID provider, and a role never "
                "changes: ask a curator for another user."
            )
        return User(known["name"], role, f"{_BY}:{known['name']}")

    def _role(self, claims: Mapping[str, Any]) -> Role:
        roles = self._registration.roles
        if roles is None:
            return "analyst"
        value: Any = claims
        for name in [roles.claim] if isinstance(roles.claim, str) else roles.claim:
            value = value.get(name) if isinstance(value, dict) else None
        groups = {each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)}
        is_curator, is_analyst = groups & {*roles.curator}, groups & {*roles.analyst}
        if is_curator and is_analyst:
            raise NoRoleError(
                "The OpenID provider lists you as curator and as analyst: ask its administrator for one of both."
            )
        if not is_curator and not is_analyst:
            raise NoRoleError("The OpenID provider lists you in no group that this server lets in: ask a curator.")
        return "curator" if is_curator else "analyst"

    def _linked_user(self, subject: str) -> Mapping[str, Any] | None:
        with self._database.reading() as statements:
            return statements.row(
                "SELECT users.name, users.role FROM accounts JOIN users ON users.name = accounts.holder "
                "WHERE accounts.issuer = :issuer AND accounts.subject = :subject",
                issuer=self._registration.issuer, subject=subject,
            )  # fmt: skip

    def _link(self, claims: Mapping[str, Any], role: Role) -> Mapping[str, Any]:
        name, subject, issuer, now = self._name(claims), claims["sub"], self._registration.issuer, self._now()
        if self._registration.roles is None:
            self._require_analyst(name)
        try:
            self._people.add(name, role, _BY)
        except ValueError as error:
            raise NoRoleError(str(error)) from None
        with self._database.writing() as statements:
            added = statements.run(
                "INSERT INTO accounts (issuer, subject, holder, created) VALUES (:issuer, :subject, :name, :now) "
                "ON CONFLICT DO NOTHING",
                issuer=issuer, subject=subject, name=name, now=now,
            )  # fmt: skip
            if added:
                record_change(statements, now, _BY, None, f"let in {name} by an account of {issuer}")
        linked = self._linked_user(subject)
        if linked is None:
            raise NoRoleError(
                f"{name} is the user of another account of the OpenID provider: ask a curator for a name of your own."
            )
        return linked

    def _require_analyst(self, name: str) -> None:
        with self._database.reading() as statements:
            row = statements.row("SELECT role FROM users WHERE name = :name", name=name)
        if row is None or row["role"] != "analyst":
            raise NoRoleError(
                "This server knows no analyst of your name at the OpenID provider: ask a curator to add you."
            )

    def _name(self, claims: Mapping[str, Any]) -> str:
        """Return the name that the claims give: capital letters of ASCII become small, and nothing else is changed."""
        claim, suffix = self._registration.user, self._registration.suffix.lower()
        value = claims.get(claim)
        if claim == "email" and claims.get("email_verified") is not True:
            raise NoRoleError(
                "The OpenID provider has not verified your email address: do that there, and log in again."
            )
        # Only then do small letters stay apart from those that merely look like them.
        name = value.lower() if isinstance(value, str) and value.isascii() else ""
        name = name.removesuffix(suffix) if name.endswith(suffix) else ""
        if not re.fullmatch(NAME, name) or name.endswith("\n"):
            raise NoRoleError(
                "The OpenID provider gives you no name that this server takes: at most 63 of a-z, 0-9, - and _, "
                "beginning with a letter or a digit. Ask its administrator for one."
            )
        return name
