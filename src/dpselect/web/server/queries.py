"""Queries over HTTP: how a body is read, and what the schema says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Request

from dpselect.queries import Query, QueryError, query_of
from dpselect.web.server.errors import InvalidQueryError

Queries = Mapping[str, type[Query[Any]]]
_SCHEMAS = "#/components/schemas/"
# The body of a request, in the schema of its address.
BODY = {"requestBody": {"content": {"application/json": {"schema": {"$ref": f"{_SCHEMAS}Query"}}}}}


def query_in(content: Any, known: Queries) -> Query[Any]:
    """Return the query that a body describes.

    Raises:
        InvalidQueryError: there is no such query, or a field has a value that it cannot have.
    """
    try:
        # Text would be read as JSON once more.
        return query_of(content if isinstance(content, Mapping) else None, known)
    except QueryError as error:
        raise InvalidQueryError.of(error) from None


async def _query_of(request: Request, content: Annotated[Any, Body()]) -> Query[Any]:
    return query_in(content, request.app.state.queries)


AnyQuery = Annotated[Query[Any], Depends(_query_of)]


def describe(application: FastAPI, known: Queries) -> None:
    """Let an application read some classes of queries, and name each in its schema."""
    application.state.queries = known
    without = application.openapi

    def openapi() -> dict[str, Any]:
        schema = without()
        named = {name: f"{name}_query" for name in known}
        schemas = schema["components"]["schemas"]
        schemas |= {named[name]: query.schema() for name, query in known.items()}
        mapping = {name: f"{_SCHEMAS}{place}" for name, place in named.items()}
        schemas["Query"] = {
            "oneOf": [{"$ref": place} for place in mapping.values()],
            "discriminator": {"propertyName": "query", "mapping": mapping},
        }
        return schema

    application.openapi = openapi  # type: ignore[method-assign]
