"""The server of a command line: its address, its user, and the options of commands that ask one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dpselect.cli import paths
from dpselect.cli.options import Argument, CommandOption, Role, flag, option
from dpselect.cli.request import Request
from dpselect.cli.served.token import NOT_HERE, VARIABLE, token
from dpselect.kernel.errors import InputError

if TYPE_CHECKING:
    from dpselect.client import Server

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
        raise InputError("--authority names no file of certificates that can be read: pass one in PEM.") from None
