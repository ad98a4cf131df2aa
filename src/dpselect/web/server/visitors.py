"""Who sent a request, for the routes: the gate has looked at the token, and each route says whom it is for."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from dpselect.web.server.people import Role, Visitor
from dpselect.web.server.refusal import Unknown


async def _visitor(request: Request) -> Visitor:
    visitor = request.state.visitor
    assert isinstance(visitor, Visitor)
    return visitor


AnyVisitor = Annotated[Visitor, Depends(_visitor)]


def _only(visitor: Visitor, role: Role) -> Visitor:
    if visitor.role != role:
        raise Unknown("There is nothing at this address, or nothing for you.")
    return visitor


async def _analyst(visitor: AnyVisitor) -> Visitor:
    return _only(visitor, "analyst")


async def _curator(visitor: AnyVisitor) -> Visitor:
    return _only(visitor, "curator")


Analyst = Annotated[Visitor, Depends(_analyst)]
Curator = Annotated[Visitor, Depends(_curator)]
