"""Fields of a form as the models that requests of programs are checked by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from dpselect.web.server.errors import InvalidQueryError

_NAME = "A name has at most 63 of a-z, 0-9, - and _, and begins with a letter or a digit."
Model = TypeVar("Model", bound=BaseModel)


def read(model: type[Model], fields: Mapping[str, str]) -> Model:
    """Return what a form says.

    Raises:
        Wrong: a field is missing or not what it should be; the message says which.
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
