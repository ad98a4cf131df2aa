"""A running server and those who ask it, over real HTTP."""

from __future__ import annotations

import atexit
import http.client
import json
import shutil
import signal
import tempfile
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from dpselect.web.server.settings import read_settings
from dpselect.web.server.state import ServerState
from tests.web.server.conftest import CONFIG, write
from tests.web.server.forked import Forked

PROGRAM = Path(__file__).parent / "programs" / "served.py"


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Return the body, which must be JSON."""
        return json.loads(self.body)


def peopled(folder: Path, config: str) -> dict[str, str]:
    """Write the files of a server and open its house once; return the tokens of a curator and two analysts."""
    with closing(ServerState.open(read_settings(write(folder, config)))) as server_state:
        for name, role in (("carla", "curator"), ("ann", "analyst"), ("bob", "analyst")):
            server_state.people.add(name, role, "test")
        return {name: server_state.people.new_token(name, 1, "test").secret for name in ("carla", "ann", "bob")}


@cache
def _usual() -> tuple[Path, dict[str, str]]:
    """Make a folder as :func:`peopled` does, once in this process."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder, peopled(folder, CONFIG)


@dataclass
class Office:
    """A folder with a server's files, the tokens of its users, and the server while it runs."""

    folder: Path
    config: str = CONFIG
    tokens: dict[str, str] = field(default_factory=dict)
    process: Any = None
    port: int = 0

    def __post_init__(self) -> None:
        self.path = self.folder / "config.toml"
        if self.config == CONFIG:
            # Dozens are alike.
            made, tokens = _usual()
            shutil.copytree(made, self.folder, dirs_exist_ok=True)
            self.tokens |= tokens
        else:
            self.tokens |= peopled(self.folder, self.config)

    def start(self, point: str = "nowhere") -> None:
        """Start a server, which may end at a point of its own."""
        with (self.folder / "log").open("ab") as log:
            self.process = Forked(PROGRAM, [str(self.path), point], log.fileno())
        line = self.process.stdout.readline().decode()
        assert line.startswith("Serving "), (line, self.log())
        self.port = int(line.rpartition(":")[2])

    def kill(self) -> None:
        """End the server as a power cut does."""
        self.process.kill()
        self._gone()

    def stop(self) -> int:
        """End the server as an administrator does; return its status."""
        self.process.send_signal(signal.SIGTERM)
        return self._gone()

    def _gone(self) -> int:
        status = self.process.wait(60)
        self.process.stdout.close()
        return int(status)

    def log(self) -> str:
        """Return what the servers wrote on standard error."""
        return (self.folder / "log").read_text(encoding="utf-8")

    def send(self, who: str | None, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        """Send one request; ``body`` as JSON unless it is bytes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if who is not None:
            sent.setdefault("Authorization", f"Bearer {self.tokens.get(who, who)}")
        if body is not None and not isinstance(body, bytes):
            body, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def ask(self, who: str, key: str, question: dict[str, Any], dataset: str = "survey") -> Reply:
        """Ask for a release."""
        return self.send(who, "POST", f"/datasets/{dataset}/release", question, Idempotency_Key=key)
