"""Options of commands that say what a key of a description says."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from dpselect.cli import paths
from dpselect.cli.options import Argument, CommandOption, flag, option, whole
from dpselect.cli.request import Request
from dpselect.dataset.fields import FILE_KEYS, DatasetFields

_TYPES = {"int": whole, "int | None": whole}


def name_of(key: Any) -> str:
    """Return what a request calls a key of a description."""
    return str(key.metadata.get("option") or key.name).replace("-", "_")


def key_option(key: Any, panel: str, *, rare: bool = True) -> CommandOption | Argument:
    """Return the option that says what a key of a description says."""
    about, name = key.metadata["about"], f"--{name_of(key).replace('_', '-')}"
    if key.default is False:
        return flag(name, about, panel, rare=rare)
    if key.name == "nodes":
        return paths.input(name, metavar=key.metadata["metavar"], panel=panel, rare=rare, help=about)
    return option(
        name,
        type=_TYPES.get(str(key.type), str),
        several=isinstance(key.default, tuple),
        metavar=key.metadata["metavar"],
        panel=panel,
        rare=rare,
        help=about,
    )


def is_said(value: Any) -> bool:
    """Return whether the value of an option is not its default."""
    return value is not None and value is not False and value != ()


def file_keywords(request: Request) -> dict[str, Any]:
    """Return what the command line says of how the file is written, by the keys of a description."""
    said = {each.name: request.get(name_of(each)) for each in fields(DatasetFields) if each.name in FILE_KEYS}
    return {name: value for name, value in said.items() if is_said(value)}
