"""dpselect serve: a server that curators set up and analysts ask, over HTTP."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from dpselect._optional import not_installed
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import argument, flag, number, one_of, option
from dpselect.cli.request import Request
from dpselect.kernel.errors import ExistingFileError, InputError
from dpselect.sources.urls import without_secrets


def run(request: Request) -> CommandAnswer:
    """Serve until somebody stops it; or write settings, or make a token."""
    if request.demo and (request.config is not None or request.init or request.token is not None):
        raise InputError("--demo takes no file of settings and makes its own tokens: pass it alone.")
    if request.config is None and not request.demo:
        raise InputError("Name the file of settings, or pass --demo to try a server on made-up tables.")
    if request.config is not None and without_secrets(request.config) != request.config:
        raise InputError("CONFIG is the file of settings, not an address: name a file, such as office.toml.")
    if request.init:
        return _init(request.config)
    try:
        import uvicorn  # noqa: F401

        from dpselect.web.server.settings import read_settings
    except ImportError:
        raise not_installed("The server needs FastAPI, uvicorn and SQLAlchemy", "web") from None
    if request.demo:
        from dpselect.web.server.demo import demo

        demo()
        return CommandAnswer("")
    settings = read_settings(request.config)
    if request.token is not None:
        from dpselect.web.server.database import Database
        from dpselect.web.server.users import Users

        people = Users(Database(settings.server.database))
        people.add(request.token, request.role, "command line")
        made = people.new_token(request.token, float(request.days), "command line")
        return CommandAnswer(f"{made.secret}\nThis token of {request.token} is shown once. Its number is {made.id}.")
    from dpselect.web.server.serve import serve

    serve(settings)
    return CommandAnswer("")


def _init(config: str) -> CommandAnswer:
    text = files("dpselect.web.server").joinpath("example.toml").read_text(encoding="utf-8")
    try:
        with Path(config).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ExistingFileError(f"{config} exists already: name a new file.") from None
    return CommandAnswer(f"{config}: settings to edit; then make tokens, and start the server.")


VERB = Command(
    run,
    (
        argument("config", metavar="CONFIG", words="the file of settings, TOML; none with --demo", required=False),
        flag("--demo", "serve made-up tables to made-up users, to try it; nothing of it stays"),
        flag("--init", "write settings to edit, and stop"),
        option("--token", metavar="NAME", help="make a token of this user, who is added if need be, and stop"),
        option(
            "--role",
            type=one_of(["analyst", "curator"]),
            default="analyst",
            metavar="analyst|curator",
            help="of a user who is added: who asks, or who sees every spend and sets limits (default analyst)",
        ),
        option("--days", type=number, default=90, metavar="N", help="how long the token works (default 90)"),
    ),
    "dpselect serve --demo\n"
    "dpselect serve office.toml --init\n"
    "dpselect serve office.toml --token carla --role curator\n"
    "dpselect serve office.toml --token ann\n"
    "dpselect serve office.toml",
    about="Protected: one row, one person or one edge of each dataset, as its settings say. Every release is recorded "
    "in the dataset's ledger before any row is read.",
    json=False,
)
