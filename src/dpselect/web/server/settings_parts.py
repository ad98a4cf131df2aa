"""Parts of settings and of bodies: what they have in common, names, and prices."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
)

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import exact_epsilon
from dpselect.queries.field_kinds import EPSILON
from dpselect.sources.urls import is_url

# Names stand in addresses and in the names of files.
NAME = r"^[a-z0-9][a-z0-9_-]{0,62}$"
Name = Annotated[str, Field(pattern=NAME)]


def _exact(value: Any) -> Fraction:
    try:
        return exact_epsilon(value)
    except TypeError as error:
        raise InputError(str(error)) from None


# What may be spent in all, however it is written.
Amount = Annotated[Fraction, BeforeValidator(_exact)]
# What a body says of a price or a share: a short decimal, as in queries.
Price = Annotated[
    Fraction, PlainValidator(EPSILON.parse), PlainSerializer(EPSILON.write, return_type=str),
    WithJsonSchema(EPSILON.schema),
]  # fmt: skip


def _absolute_path(value: str, info: ValidationInfo) -> str:
    return str(info.context / value) if value and info.context is not None and not is_url(value) else value


# A file or a folder that is relative to the one of the settings, or a URL.
Place = Annotated[str, AfterValidator(_absolute_path)]


class SettingsPart(BaseModel):
    """A part of the settings: frozen, and without unknown names."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, validate_default=True)
