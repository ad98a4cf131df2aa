"""Which server is asked, by whom, and what every verb that asks one takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dpselect.cli import paths, served
from dpselect.cli.options import flag, option
from dpselect.cli.request import Request
from dpselect.cli.served.token import NOT_HERE, VARIABLE, token

if TYPE_CHECKING:
    from dpselect.client import RemoteDataset, Server

PANEL = "Server"
OPTIONS = (
    option(
        served.OPTION,
        required=True,
        metavar="URL",
        panel=PANEL,
        help="the server, such as https://dp.example.org; http:// on this machine only",
    ),
    paths.input(
        "--token-file",
        panel=PANEL,
        help=f"a file that holds your token and that you alone can read; else {VARIABLE} in the environment, else you "
        "are asked for it",
    ),
    paths.input(
        "--authority",
        metavar="PEM",
        panel=PANEL,
        help="certificates to trust instead of those of this machine, where an office signs its own",
    ),
    flag("--plain", "allow http:// to another machine: everybody on the way can read the token and the answers", PANEL),
)
# Options of verbs that read a file, by what is said where a server is asked.
_SAID = {
    "the server knows it, from its curator, so leave it out": (
        "lower upper step grid domain groups groups-per-person person rows-per-person nodes max-degree truncate "
        "neighbours sensitivity range-bound kind separator decimal thousands encoding missing table in-place where "
        "cast events domains source target weights weight-column weight-cap weight-kind"
    ),
    "a server is asked without it, so leave it out": (
        "by delta decay file-hash items-per-person kept label margin method negative pareto question total workers "
        "temporary-table goal importance population generations output html picture unknown"
    ),
    "the server decides it, and --dry-run says which, so leave it out": "mechanism",
    "the server pays from its own ledger, so leave it out": "ledger",
    "an answer of a server never replaces a file, so name a new one": "overwrite",
    NOT_HERE: "token",
}
ELSEWHERE: Mapping[str, str] = {f"--{name}": said for said, names in _SAID.items() for name in names.split()}


def connected(request: Request) -> Server:
    """Return the server of a command line; nothing is sent yet.

    Raises:
        ValueError: no such address, or no token; neither is quoted.
    """
    # A page of help needs no network.
    from dpselect.client import connect

    try:
        return connect(request.server, token(request.token_file), authority=request.authority, plain=request.plain)
    except OSError:
        raise ValueError("--authority names no file of certificates that can be read: pass one in PEM.") from None


def dataset(request: Request) -> RemoteDataset:
    """Return the dataset of a command line, with its public facts.

    Raises:
        ValueError: as :func:`connected`; there is no such dataset for this user.
        ConnectionError: the server does not answer.
    """
    return connected(request).dataset(request.dataset)


def stray(_: Request, __: object) -> str:
    """Return what a stray word may mean: the name of a file."""
    return ": the server has the table, and --dataset names it"
