"""Contents of a page's form, read as the models of programs, and the proof that it comes from its own session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeVar
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from pydantic import BaseModel, ValidationError

from dpselect.web import tokens
from dpselect.web.server.cookies import session_of
from dpselect.web.server.errors import InvalidQueryError, RefusalError
from dpselect.web.server.sessions import form_token

# The name of the field that only pages of the same session can fill in.
FIELD = "form"
UNREADABLE = "The form cannot be read: open the page again and fill it in once more."
_MOST = 1000
_NAME = "A name has at most 63 of a-z, 0-9, - and _, and begins with a letter or a digit."
Model = TypeVar("Model", bound=BaseModel)


async def _fields(request: Request) -> dict[str, str]:
    """Return the fields of a form that are filled in; of a name that is there twice, the last one."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise InvalidQueryError("This address takes the form of its page alone.")
    try:
        pairs = parse_qsl((await request.body()).decode("ascii"), max_num_fields=_MOST, errors="strict")
    except ValueError:
        raise InvalidQueryError(UNREADABLE) from None
    return dict(pairs)


Fields = Annotated[Mapping[str, str], Depends(_fields)]


async def own_form(request: Request) -> None:
    """Refuse to change anything that was not asked for on a page of the same session."""
    if request.method in ("GET", "HEAD"):
        return
    given, secret = (await _fields(request)).get(FIELD, ""), session_of(request.scope)
    if secret is None or not tokens.same(given, form_token(secret)):
        raise RefusalError("This form is of another session: open the page again and fill it in once more.")


def read(model: type[Model], fields: Mapping[str, str]) -> Model:
    """Return what a form says.

    Raises:
        InvalidQueryError: a field is missing or not what it should be; the message says which.
    """
    values = {name: fields[name].strip() for name in model.model_fields if name in fields}
    try:
        return model.model_validate(values)
    except ValidationError as error:
        mistake = error.errors(include_url=False)[0]
    place = ".".join(map(str, mistake["loc"]))
    if mistake["type"] == "string_pattern_mismatch":
        raise InvalidQueryError(_NAME)
    if mistake["type"] == "missing":
        raise InvalidQueryError(f"Fill in the {place}.")
    message = str(mistake["msg"]).removeprefix("Value error, ").rstrip(".")
    raise InvalidQueryError(
        f"{message[:1].upper()}{message[1:]}." if place in message else f"{place.capitalize()}: {message}."
    )
