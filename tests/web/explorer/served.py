"""A real explorer: the command as it is typed, in a process of its own, on a free port."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit


class Served:
    """An explorer that runs until the end of a ``with``.

    Attributes:
        first: the address that it printed, which works once.
        port: of 127.0.0.1.
    """

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "dpselect", "explore", *words]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.first = self._process.stdout.readline().split()[-1]
        self.port = int(urlsplit(self.first).port or 0)
        self.here = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Served:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        said = self.stop()
        # A traceback on the terminal is a mistake, whatever the user was shown.
        assert kind is not None or "Traceback" not in said, said

    def stop(self) -> str:
        """End it as Ctrl-C does, and return what it wrote for its user."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        return self._process.communicate(timeout=60)[1] if self._process.stderr else ""

    def alive(self) -> bool:
        """Return whether it still runs."""
        return self._process.poll() is None

    def facts(self) -> str:
        """Return what Linux knows of the process."""
        return Path(f"/proc/{self._process.pid}/stat").read_text()

    def asked(self, request: bytes, seconds: float = 120) -> bytes:
        """Return every byte that it sends back on a connection of its own, to bytes that no browser would send."""
        got = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            try:
                connection.sendall(request)
                while part := connection.recv(65536):
                    got += part
            except ConnectionError:  # It closed before all of a far too long request was sent.
                pass
        return got
