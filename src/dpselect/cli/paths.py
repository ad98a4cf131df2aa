"""The paths of a command: each is declared with what it is for, and all are checked before the command runs.

No file serves two purposes, no ledger is ever an output, and no file that exists is replaced without ``--overwrite``.
A command that declares an output finds an open :class:`Output` in its place, whose room is held already.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from pathlib import Path
from typing import Any

from dpselect.sources.locators import file_of, is_url, require_plain, without_secrets
from dpselect.sources.output import Output, belongs_to_database

PICTURES = (".png", ".svg", ".pdf")


class Role(Enum):
    """What a path is for."""

    INPUT = "read, where it is a file: it may also be a number, a name or a URL"
    OUTPUT = "written as a whole, replaced with --overwrite only"
    NEW = "made, never replaced: a ledger or its copy"
    LEDGER = "spent from"
    FOLDER = "a folder of results"


class Declared(argparse._StoreAction):
    """An argument that names a path."""

    def __init__(
        self, option_strings: list[str], dest: str, *, role: Role, endings: tuple[str, ...] = (), **settings: Any
    ) -> None:
        super().__init__(option_strings, dest, **settings)
        self.role, self.endings = role, endings


class Unsaved(Exception):
    """What was paid for could not be written; it is printed whole instead.

    Attributes:
        release: all of it, as text.
    """

    def __init__(self, why: str, release: str) -> None:
        super().__init__(why)
        self.release = release


@dataclass(frozen=True)
class Named:
    """One path of one command line."""

    shown: str
    text: str
    action: Declared


def add_input(parser: Any, *names: str, **settings: Any) -> None:
    """Add a file that is read."""
    parser.add_argument(*names, action=Declared, role=Role.INPUT, **settings)


def add_output(parser: Any, *names: str, endings: tuple[str, ...] = (), **settings: Any) -> None:
    """Add a file that is written, with one of the endings if any are named, and ``--overwrite``."""
    parser.add_argument(*names, action=Declared, role=Role.OUTPUT, endings=endings, **settings)
    if "--overwrite" not in parser._option_string_actions:
        parser.add_argument(
            "--overwrite",
            action="store_true",
            # Said before a subcommand it holds behind it too.
            default=argparse.SUPPRESS,
            help="replace files that exist; never a ledger",
        )


def add_new(parser: Any, *names: str, **settings: Any) -> None:
    """Add a ledger that is made, or a copy of one: what exists is never replaced."""
    parser.add_argument(*names, action=Declared, role=Role.NEW, **settings)


def add_folder(parser: Any, *names: str, **settings: Any) -> None:
    """Add a folder of results."""
    parser.add_argument(*names, action=Declared, role=Role.FOLDER, **settings)


def add_ledger(parser: Any, *names: str, **settings: Any) -> None:
    """Add the ledger that is spent from."""
    settings = {"metavar": "FILE", "help": "spend from this ledger; see dpselect budget create"} | settings
    parser.add_argument(*(names or ("--ledger",)), action=Declared, role=Role.LEDGER, **settings)


@contextmanager
def held(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Iterator[None]:
    """Check every path of a command and open its outputs; afterwards nothing half written is left.

    Raises:
        ValueError: an empty path, another ending, one file for two purposes.
        OSError: an output that exists, is a ledger, or cannot be written.
    """
    # An output before a subcommand is that of the subcommand.
    paths = list({each.action.dest: each for each in _paths(parser, given)}.values())
    for each in paths:
        _require_name(each)
    for one, other in combinations(paths, 2):
        _require_apart(one, other)
    with ExitStack() as stack:
        for each in paths:
            if each.action.role is Role.OUTPUT:
                setattr(given, each.action.dest, _opened(each, given, stack))
            elif each.action.role is Role.NEW:
                _require_new(each)
        yield


def keep(output: Output, content: bytes, release: str) -> None:
    """Write what was paid for.

    Raises:
        Unsaved: it cannot be written; ``release`` is all of it.
    """
    saved(lambda: output.put(content), release)


def saved(write: Callable[[], Any], release: str) -> None:
    """Write what was paid for by any means; as :func:`keep`."""
    try:
        write()
    except KeyboardInterrupt:
        why = "Stopped while the answer was being written."
    except OSError as error:
        why = str(error)
    else:
        return
    raise Unsaved(why, release)


def _paths(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Iterator[Named]:
    """Yield the paths of the command that was given, those of its subcommand too."""
    for action in parser._actions:
        value = getattr(given, action.dest, None)
        if isinstance(action, argparse._SubParsersAction) and value is not None:
            yield from _paths(action.choices[value], given)
        elif isinstance(action, Declared) and isinstance(value, str):
            yield Named(shown(action), value, action)


def shown(action: argparse.Action) -> str:
    """Return what a path is called in a message."""
    if action.option_strings:
        return action.option_strings[0]
    return {"file": "the table"}.get(action.dest, f"the {action.dest}")


def _require_name(path: Named) -> None:
    if not path.text.strip() or "\0" in path.text:
        noun = "folder" if path.action.role is Role.FOLDER else "file"
        raise ValueError(f"{_capital(path.shown)} is empty or holds a NUL: name a {noun}.")
    if path.action.role is Role.INPUT:
        require_plain(path.text)
    elif is_url(path.text) or without_secrets(path.text) != path.text:
        raise ValueError(
            f"{_capital(path.shown)} is a file of this machine, and this reads like an address: name a file."
        )
    if path.action.endings and not path.text.lower().endswith(path.action.endings):
        *most, last = path.action.endings
        raise ValueError(
            f"{path.shown} writes {', '.join(most)}{' or ' if most else ''}{last}: {Path(path.text).name} is "
            f"{'no picture' if path.action.endings == PICTURES else 'not such a file'}."
        )


def _require_apart(one: Named, other: Named) -> None:
    """Refuse one file for two purposes, under whatever names: the second would overwrite the first."""
    if {one.action.role, other.action.role} == {Role.INPUT}:
        return
    for first in _files(one):
        for second in _files(other):
            if _same(first, second):
                raise ValueError(f"{_capital(one.shown)} and {other.shown} are the same file, {other.text}: name two.")


def _files(path: Named) -> list[str]:
    """Return the files that a path stands for, those of a pattern and of a database too."""
    text = path.text
    if path.action.role is not Role.INPUT:
        return [text]
    if is_url(text):
        file = file_of(text)
        return [] if file is None else [str(file)]
    text = text.removeprefix("file://")
    pattern = Path(text)
    several = [text, *map(str, pattern.parent.glob(pattern.name) if "*" in pattern.name else ())]
    # What is read is a file only if it is there: otherwise it is a number, a name, or refused by whoever reads it.
    return [each for each in several if _there(each)]


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


def _opened(path: Named, given: argparse.Namespace, stack: ExitStack) -> Output:
    try:
        return stack.enter_context(Output(path.text, getattr(given, "overwrite", False)))
    except OSError as error:
        raise type(error)(f"{path.shown}: {error}") from None


def _require_new(path: Named) -> None:
    if _there(path.text):
        raise FileExistsError(f"{path.text} exists already, and no ledger is written over a file: name a new one.")
    if belongs_to_database(Path(path.text)):
        raise FileExistsError(f"{path.text} is the name of a ledger's journal: name another file.")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
