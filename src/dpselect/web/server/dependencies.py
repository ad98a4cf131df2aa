"""The sender of a request, for the routes: the middleware has checked the token, and each route says whom it is for."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from dpselect.web.server.errors import NotFoundError
from dpselect.web.server.users import Role, User


async def _current_user(request: Request) -> User:
    user = request.state.user
    assert isinstance(user, User)
    return user


CurrentUser = Annotated[User, Depends(_current_user)]


def _only(user: User, role: Role) -> User:
    if user.role != role:
        raise NotFoundError("This address does not exist, or is not for you.")
    return user


async def _analyst(user: CurrentUser) -> User:
    return _only(user, "analyst")


async def _curator(user: CurrentUser) -> User:
    return _only(user, "curator")


Analyst = Annotated[User, Depends(_analyst)]
Curator = Annotated[User, Depends(_curator)]
