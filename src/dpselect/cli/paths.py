"""The paths of a command, each declared with its purpose; all are checked before the command runs.

No file serves two purposes, no ledger is ever an output, and no file that exists is replaced without ``--overwrite``.
A command that declares an output finds an open :class:`Output` in its place, whose room is held already.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from dpselect.cli.options import OUTPUT, Argument, CommandOption, Role
from dpselect.cli.request import Request
from dpselect.kernel.errors import Advice, DPSelectError, ExistingFileError, FileError, InputError
from dpselect.sources.output import Output, belongs_to_database
from dpselect.sources.urls import file_of, is_url, require_plain, without_secrets
from dpselect.sources.web import is_web

PICTURES = (".png", ".svg", ".pdf")
_QUOTES = "'\""
# What is said of a file that exists, where a command has the option.
_OR_OVERWRITE = ", or pass {overwrite=True|--overwrite}."


class UnsavedError(DPSelectError):
    """An answer that was paid for could not be written; it is printed whole instead.

    Attributes:
        release: all of it, as text.
    """

    def __init__(self, why: str, release: str) -> None:
        super().__init__(why)
        self.release = release


@dataclass(frozen=True)
class NamedPath:
    """One path of one command line."""

    name: str
    shown: str
    text: str
    parameter: CommandOption | Argument


def input(name: str, **settings: Any) -> CommandOption | Argument:
    """Return a file that is read."""
    return _path(name, Role.INPUT, settings)


def output(name: str, **settings: Any) -> CommandOption | Argument:
    """Return a file that is written, with one of the endings if any are named; ``--overwrite`` comes with it."""
    return _path(name, Role.OUTPUT, {"panel": OUTPUT} | settings)


def new(name: str, **settings: Any) -> CommandOption | Argument:
    """Return a file that is made: what exists is never replaced."""
    return _path(name, Role.NEW, settings)


def new_ledger(name: str, **settings: Any) -> CommandOption | Argument:
    """Return a ledger that is made, in a file or in PostgreSQL: what exists is never replaced."""
    return _path(name, Role.NEW_LEDGER, settings)


def folder(name: str, **settings: Any) -> CommandOption | Argument:
    """Return a folder of results."""
    return _path(name, Role.FOLDER, settings)


def ledger(name: str, **settings: Any) -> Any:
    """Return the ledger that is spent from, in a file or in PostgreSQL."""
    return _path(name, Role.LEDGER, settings)


def _path(name: str, role: Role, more: dict[str, Any]) -> CommandOption | Argument:
    settings: dict[str, Any] = {"metavar": "FILE", "type": str, "role": role, **more}
    return CommandOption(name, **settings) if name.startswith("-") else Argument(name, **settings)


@contextmanager
def hold_paths(request: Request) -> Iterator[None]:
    """Check every path of a command and open its outputs; afterwards nothing half written is left.

    Raises:
        ValueError: an empty path, another ending, one file for two purposes.
        OSError: an output that exists, is a ledger, or cannot be written.
    """
    paths = [*_paths(request)]
    for path in paths:
        _require_name(path)
    for one, other in combinations(paths, 2):
        _require_apart(one, other)
    with ExitStack() as stack:
        for path in paths:
            if path.parameter.role is Role.OUTPUT:
                setattr(request, path.name, _open_output(path, request, stack))
            elif path.parameter.role in (Role.NEW, Role.NEW_LEDGER):
                _require_new(path)
        yield


def keep(output: Output, content: bytes, release: str) -> None:
    """Write what was paid for.

    Raises:
        UnsavedError: it cannot be written; ``release`` is all of it.
    """
    save_release(lambda: output.put(content), release)


def save_release(write: Callable[[], Any], release: str) -> None:
    """Write what was paid for by any means; as :func:`keep`."""
    try:
        write()
    except KeyboardInterrupt:
        why = "Stopped while the answer was being written."
    except MemoryError:
        why = "The memory does not suffice for the answer."
    except (OSError, ImportError, ValueError) as error:
        why = str(error)
    else:
        return
    raise UnsavedError(why, release)


def _paths(request: Request) -> Iterator[NamedPath]:
    """Yield the paths of the command line."""
    for name, parameter in request.parameters.items():
        value = request.get(name)
        if getattr(parameter, "role", None) is not None and isinstance(value, str):
            yield NamedPath(name, label_of(parameter), value, parameter)


def label_of(parameter: click.Parameter) -> str:
    """Return what an option or an argument is called in a message."""
    if isinstance(parameter, click.Option):
        return parameter.opts[0]
    return {"file": "the table"}.get(str(parameter.name), f"the {parameter.name}")


def with_option_names(message: Any, request: Request) -> Any:
    """Return a text of the library, with the options of the command in place of the arguments it names."""
    if not isinstance(message, Advice):
        return message

    def option(argument: str) -> str:
        python, bar, here = argument.partition("|")
        name, _, value = python.partition("=")
        if bar or name not in request.parameters:
            return here if bar else python
        return f"{label_of(request.parameters[name])} {value.strip(_QUOTES)}".strip()

    return message.with_words(option)


def _require_name(path: NamedPath) -> None:
    if not path.text.strip() or "\0" in path.text:
        noun = "folder" if path.parameter.role is Role.FOLDER else "file"
        raise InputError(f"{_capital(path.shown)} is empty or holds a NUL: name a {noun}.")
    if path.parameter.role is Role.INPUT:
        require_plain(path.text)
    elif _is_address(path):
        return
    elif is_url(path.text) or without_secrets(path.text) != path.text:
        raise InputError(
            f"{_capital(path.shown)} is a file of this machine, and this reads like an address: name a file."
        )
    if path.parameter.endings and not path.text.lower().endswith(path.parameter.endings):
        *most, last = path.parameter.endings
        raise InputError(
            f"{path.shown} writes {', '.join(most)}{' or ' if most else ''}{last}: {Path(path.text).name} is "
            f"{'not a picture' if path.parameter.endings == PICTURES else 'not such a file'}."
        )


def _require_apart(one: NamedPath, other: NamedPath) -> None:
    """Refuse one file for two purposes, under whatever names: the second would overwrite the first."""
    if {one.parameter.role, other.parameter.role} == {Role.INPUT}:
        return
    for first in _files(one):
        for second in _files(other):
            if _same(first, second):
                raise InputError(f"{_capital(one.shown)} and {other.shown} are the same file, {other.text}: name two.")


def _files(path: NamedPath) -> list[str]:
    """Return the files that a path stands for, those of a pattern and of a database too."""
    text = path.text
    if path.parameter.role is not Role.INPUT:
        return [text]
    if is_web(text):
        return []
    if is_url(text):
        file = file_of(text)
        return [] if file is None else [str(file)]
    text = text.removeprefix("file://")
    if text.lower().endswith(".toml"):
        return [text, *_described_files(text)]
    pattern = Path(text)
    several = [text, *map(str, pattern.parent.glob(pattern.name) if "*" in pattern.name else ())]
    # What is read is a file only if it is there: otherwise it is a number, a name, or refused by its reader.
    return [each for each in several if _there(each)]


def _described_files(text: str) -> list[str]:
    """Return the files that a description names, which no output may replace."""
    import tomllib

    try:
        content = tomllib.loads(Path(text).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    budget = content.get("budget")
    named = [content.get("source"), content.get("graph"), budget.get("ledger") if isinstance(budget, dict) else None]
    folder = Path(text).resolve().parent
    return [str(folder / each) for each in named if isinstance(each, str) and not is_url(each)]


def _same(first: str, second: str) -> bool:
    if os.path.realpath(first) == os.path.realpath(second):
        return True
    return _there(first) and _there(second) and Path(first).samefile(second)


def _there(text: str) -> bool:
    try:
        Path(text).stat()
    except (OSError, ValueError):
        return False
    return True


def _open_output(path: NamedPath, request: Request, stack: ExitStack) -> Output:
    try:
        return stack.enter_context(Output(path.text, bool(request.overwrite)))
    except OSError as error:
        message = error.args[0]
        if not isinstance(message, Advice):
            raise FileError(f"{path.shown}: {error}") from None
        template = message.template
        if "overwrite" not in request.parameters:
            template = template.replace(_OR_OVERWRITE, "; no file is written over.")
        raise type(error)(Advice(f"{path.shown}: {template}", **message.facts)) from None


def _is_address(path: NamedPath) -> bool:
    """Return whether a ledger is in PostgreSQL.

    Raises:
        ValueError: it is meant to be, and the address is none or holds a password.
    """
    if path.parameter.role not in (Role.LEDGER, Role.NEW_LEDGER):
        return False
    from dpselect.ledger.postgres_address import PostgresAddress, in_postgres

    return in_postgres(path.text) and bool(PostgresAddress.of(path.text))


def _require_new(path: NamedPath) -> None:
    if _is_address(path):
        # Whether it is there is for the server to say.
        return
    if _there(path.text):
        raise ExistingFileError(f"{path.text} exists already, and no file is written over: name a new one.")
    if belongs_to_database(Path(path.text)):
        raise ExistingFileError(f"{path.text} is the name of a ledger's journal: name another file.")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
