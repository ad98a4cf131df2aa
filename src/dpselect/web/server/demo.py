"""A server to try: made-up tables and users in a temporary folder, of which nothing stays."""

from __future__ import annotations

import socket
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from dpselect.kernel.errors import FileError
from dpselect.web.server.database import Database
from dpselect.web.server.serve import listen, serve, stopped_by_signals
from dpselect.web.server.settings import Settings, read_settings
from dpselect.web.server.users import Role, Users

USERS: dict[str, Role] = {"carla": "curator", "ann": "analyst", "bob": "analyst"}
_JOBS = ("nurse", "clerk", "nurse", "teacher", "smith", "clerk", "nurse", "baker")
_WARDS = ("heart", "emergency", "eyes", "emergency", "birth", "emergency")
_HOURS = 12


def demo() -> None:
    """Serve two made-up tables to a curator and two analysts until a signal says stop; then remove everything.

    Raises:
        OSError, ValueError, ImportError: something cannot be opened; the message says which.
    """
    with stopped_by_signals(), TemporaryDirectory(prefix="dpselect-made-up-") as name:
        settings = write(Path(name))
        people = Users(Database(settings.server.database))
        tokens = {}
        for user, role in USERS.items():
            people.add(user, role, "demo")
            tokens[user] = people.new_token(user, _HOURS / 24, "demo").secret
        listening = free_socket(settings)
        print(greeting(tokens, listening.getsockname()[1]), flush=True)
        serve(settings, listening)


def write(folder: Path) -> Settings:
    """Write the made-up tables and the settings into a folder, and return those.

    No row is drawn at random: each follows from its place.
    """
    people = [
        f"{18 + (place * place * 7 + place * 13) % 61},{12000 + 500 * ((place * 37) % 120)},{_JOBS[place % len(_JOBS)]}"
        for place in range(600)
    ]
    visits = [
        f"person-{place * 7 % 300},{_WARDS[place * place % 17 % len(_WARDS)]},{(place * place + 3 * place) % 11}"
        for place in range(700)
    ]
    (folder / "people.csv").write_text("\n".join(["age,income,job", *people, ""]), encoding="utf-8")
    (folder / "visits.csv").write_text("\n".join(["who,ward,days", *visits, ""]), encoding="utf-8")
    text = files("dpselect.web.server").joinpath("demo.toml").read_text(encoding="utf-8")
    (folder / "demo.toml").write_text(text, encoding="utf-8")
    return read_settings(folder / "demo.toml")


def greeting(tokens: dict[str, str], port: int) -> str:
    """Return what somebody who tries it reads first."""
    lines = [
        "Everything here is made up, and is removed when the server stops (Ctrl-C). Tokens are shown once:",
        *(f"  {user} ({role}): {tokens[user]}" for user, role in USERS.items()),
        f"Log in with a browser, by one of these tokens: http://127.0.0.1:{port}/login",
        "Or ask in another terminal, in Python:",
        "  import dpselect as dps",
        f'  server = dps.connect("http://127.0.0.1:{port}", "{tokens["ann"]}")',
        "  server.datasets()",
        '  people = server.dataset("made-up-people")',
        '  people.plan.median("age", epsilon=0.5).error_bound.describe()',
        '  people.median("age", epsilon=0.5).value',
    ]
    return "\n".join(lines)


def free_socket(settings: Settings) -> socket.socket:
    """Return a socket at the port of the settings, or at one that nobody has; it listens already, so nobody takes it.

    Raises:
        OSError: no port is free.
    """
    for port in (settings.server.port, 0):
        try:
            return listen(settings.server.host, port)
        except OSError:
            continue
    raise FileError("No port is free on this machine: stop a server.")
