"""The sender of a request, for the routes: the gate has looked at the token, and each route says whom it is for."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from dpselect.web.server.errors import NotFoundError
from dpselect.web.server.users import Role, User


async def _visitor(request: Request) -> User:
    visitor = request.state.visitor
    assert isinstance(visitor, User)
    return visitor


CurrentUser = Annotated[User, Depends(_visitor)]


def _only(visitor: User, role: Role) -> User:
    if visitor.role != role:
        raise NotFoundError("There is nothing at this address, or nothing for you.")
    return visitor


async def _analyst(visitor: CurrentUser) -> User:
    return _only(visitor, "analyst")


async def _curator(visitor: CurrentUser) -> User:
    return _only(visitor, "curator")


Analyst = Annotated[User, Depends(_analyst)]
Curator = Annotated[User, Depends(_curator)]
