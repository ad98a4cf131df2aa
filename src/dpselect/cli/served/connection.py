"""The server of a command line: its address, its user, and the options of commands that ask one."""

from __future__ import annotations

import os
import stat
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dpselect.cli import paths
from dpselect.cli.options import Argument, CommandOption, Role, flag, option
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError

if TYPE_CHECKING:
    from dpselect.client import Server

VARIABLE = "DPSELECT_TOKEN"
_FORBIDDEN = stat.S_IRWXG | stat.S_IRWXO
# A token is shorter.
_MOST = 2**13
NOT_HERE = (
    f"everybody on this machine can read a command line, so pass --token-file FILE or set {VARIABLE} instead, and ask "
    "your curator for another token, as this one may have been seen"
)
PANEL = "A dataset of a server"
SERVER = Argument(
    "server",
    metavar="URL",
    role=Role.INPUT,
    help="the server, such as https://dp.example.org; http:// on this machine only",
)
_PLACE = "name the dataset of a server in the place of a description, such as https://dp.example.org/survey"
# Of commands about a server, and of those that ask one about a dataset.
ELSEWHERE: Mapping[str, str] = {"--token": NOT_HERE, "--server": "name the server by its address alone"}
OF_DATASETS: Mapping[str, str] = {"--token": NOT_HERE, "--server": _PLACE, "--dataset": _PLACE}


def options(*, rare: bool = False) -> tuple[CommandOption | Argument, ...]:
    """Return who asks a server, and what is trusted."""
    return (
        paths.input(
            "--token-file",
            panel=PANEL,
            rare=rare,
            help=f"a file that holds your token and that you alone can read; else {VARIABLE} in the environment, else "
            "you are asked for it",
        ),
        paths.input(
            "--authority",
            metavar="PEM",
            panel=PANEL,
            rare=rare,
            help="certificates to trust instead of those of this machine, where an office signs its own",
        ),
        flag(
            "--plain",
            "allow http:// to another machine: everybody on the way can read the token and the answers",
            PANEL,
            rare=rare,
        ),
    )


# Of commands that also ask this machine.
OF_QUERIES = (
    option(
        "--key",
        metavar="KEY",
        panel=PANEL,
        rare=True,
        help="what you choose to ask with, such as report-2025-age: the same key gives the same answer, and is paid "
        "for once",
    ),
    *options(rare=True),
)


def require_none(request: Request) -> None:
    """Refuse options of servers where this machine is asked (``ValueError``)."""
    for each in OF_QUERIES:
        if request.get(str(each.name)) not in (None, False):
            raise InputError(
                f"{paths.label_of(each)} goes with a dataset of a server, such as https://dp.example.org/survey: leave "
                "it out."
            )


def connect_server(request: Request, url: str) -> Server:
    """Return the server at an address; nothing is sent yet.

    Raises:
        ValueError: no such address, or no token; neither is quoted.
    """
    # A page of help needs no network.
    from dpselect.client import connect

    try:
        return connect(url, token(request.token_file), authority=request.authority, plain=request.plain)
    except OSError:
        raise InputError("--authority names a file of certificates that cannot be read: pass one in PEM.") from None


def token(file: str | None) -> str:
    """Return the token: what the file holds, else the environment variable, else what is typed at a hidden prompt.

    Args:
        file: its name, or ``None``.

    Raises:
        ValueError: there is none, or others may read the file; nothing that may be a token is quoted.
        OSError: the file cannot be read.
    """
    if file is not None:
        return _of_file(file)
    said = os.environ.get(VARIABLE, "").strip()
    if said:
        return said
    if sys.stdin is None or not sys.stdin.isatty():
        raise InputError(f"Whose question is it? Pass --token-file FILE, or set {VARIABLE}: your curator makes tokens.")
    return _prompt_password()


def _of_file(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            # Elsewhere rights are not in these bits.
            if os.name == "posix" and mode & _FORBIDDEN:
                raise InputError("The file of the token can be read or written by others: run chmod 600 on it.")
            content = file.read(_MOST)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        # It may be the token itself, which no message quotes.
        raise InputError("The file of --token-file does not exist: pass one that holds the token alone.") from None
    except OSError as error:
        raise InputError(f"The file of the token cannot be read ({os.strerror(error.errno or 0)}).") from None
    try:
        return content.decode("ascii").strip()
    except UnicodeDecodeError:
        raise InputError("The file of the token holds something else: it holds the token alone, on one line.") from None


def _prompt_password() -> str:
    # Only who is asked needs it.
    from getpass import GetPassWarning, getpass

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", GetPassWarning)
            return getpass("Token (not shown): ").strip()
    except (GetPassWarning, EOFError):
        raise InputError("A token can only be typed where it stays hidden: pass --token-file FILE.") from None
