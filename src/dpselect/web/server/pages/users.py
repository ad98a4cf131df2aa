"""Users and tokens, for curators: who may ask, and what lets them in."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from dpselect.web.server import overview, roll, shown
from dpselect.web.server.curator import NewUser, TokenFor
from dpselect.web.server.desk import Desk
from dpselect.web.server.pages.bodies import read
from dpselect.web.server.pages.budgets import MOST, Skipped
from dpselect.web.server.pages.form import Fields
from dpselect.web.server.pages.shell import page
from dpselect.web.server.pages.sure import asked_again
from dpselect.web.server.refusal import Refusal, Unknown, Wrong
from dpselect.web.server.refused import HOME
from dpselect.web.server.visitors import Curator

_USERS = f"{HOME}/users"
_TOKENS = f"{HOME}/tokens"


_NO_TOKEN = "There is no such token, or it was revoked before."
_ROLES = {
    "analyst": "an analyst, who may ask about the datasets that you give a share of.",
    "curator": "a curator, who sees every spend and decides, as you do, what may be spent.",
}


def user_pages(desk: Desk) -> APIRouter:
    """Return the addresses of users and tokens; to anybody but curators there are none."""
    router = APIRouter()
    _users(router, desk)
    _tokens(router, desk)
    return router


def _users(router: APIRouter, desk: Desk) -> None:
    @router.get(_USERS)
    def users(request: Request, _: Curator, skip: Skipped = 0, older: Skipped = 0) -> Response:
        return _listed(request, desk, skip, older)

    @router.post(_USERS)
    def user(request: Request, visitor: Curator, fields: Fields) -> Response:
        try:
            new = read(NewUser, fields)
            if any(each.name == new.name for each in roll.users(desk.house.database)):
                raise Wrong(f"There is a user {new.name} already: choose another name.")
            sentence = f"{new.name} becomes {_ROLES[new.role]} Neither the name nor the role can be changed or removed."
            again = asked_again(request, fields, f"Add {new.name}?", sentence, f"Add {new.name}", _USERS)
            if again is not None:
                return again
            desk.house.people.add(new.name, new.role, visitor.name)
        except (Refusal, ValueError) as error:
            return _listed(request, desk, refusal=error)
        return RedirectResponse(_USERS, 303)


def _tokens(router: APIRouter, desk: Desk) -> None:
    people = desk.house.people

    @router.post(_TOKENS)
    def token(request: Request, visitor: Curator, fields: Fields) -> Response:
        try:
            wanted = read(TokenFor, fields)
            made = people.new_token(wanted.user, wanted.days, visitor.name)
        except (Refusal, ValueError) as error:
            return _listed(request, desk, refusal=error)
        facts = {"user": wanted.user, "number": made.id, "secret": made.secret, "expires": shown.moment(made.expires)}
        return page(request, "secret.html", f"A token of {wanted.user}", 201, **facts)

    @router.post(f"{_TOKENS}/{{number}}/revoke")
    def revoke(number: str, request: Request, visitor: Curator, fields: Fields) -> Response:
        if not (number.isascii() and number.isprintable()):
            raise Unknown(_NO_TOKEN)
        sentence = (
            f"Token {number} works no longer, and neither do the pages that were opened with it. This cannot be "
            "undone: the user then needs a new token."
        )
        again = asked_again(request, fields, f"Revoke token {number}?", sentence, "Revoke it", _USERS)
        if again is not None:
            return again
        if not people.revoke(number, visitor.name):
            raise Unknown(_NO_TOKEN)
        return RedirectResponse(_USERS, 303)


def _listed(
    request: Request, desk: Desk, skip: int = 0, older: int = 0, refusal: Refusal | ValueError | None = None
) -> Response:
    """Return the page of users, tokens and changes, perhaps with what was refused."""
    database = desk.house.database
    found = roll.known_tokens(database, MOST + 1, skip)
    facts: dict[str, Any] = {
        "users": [(each.name, each.role, shown.moment(each.created)) for each in roll.users(database)],
        "tokens": [(each, shown.moment(each.created), shown.moment(each.expires)) for each in found[:MOST]],
        "older_tokens": skip + MOST if len(found) > MOST else None,
        "log": overview.changed(database, None, MOST, older),
        "problem": "" if refusal is None else str(refusal),
    }
    status = 200 if refusal is None else getattr(refusal, "status", Wrong.status)
    return page(request, "users.html", "Users", status, **facts)
