"""Programs of tests that one process forks, so that each is up at once: its imports are done.

``Forked`` has those methods of :class:`subprocess.Popen` that tests use.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
# So many bytes say how long what is asked is.
LENGTH = 8
FORK_SERVER = Path(__file__).parent / "programs" / "fork_server.py"


@cache
def _address() -> str:
    """Start the process that forks, once, and return its socket; it ends with this process."""
    folder = Path(tempfile.mkdtemp())
    address, log = folder / "socket", folder / "log"
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), *sys.path])
    with log.open("wb") as error:
        process = subprocess.Popen(
            [sys.executable, str(FORK_SERVER), str(address)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=error, env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip

    def end() -> None:
        process.stdin.close()
        process.wait()
        process.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    assert process.stdout.readline() == b"ready\n", log.read_text()
    return str(address)


class Forked:
    """A program that runs in a process of its own.

    Attributes:
        stdout: what it prints.
        pid: the number of its process.
        returncode: how it ended, as :class:`subprocess.Popen` has it; ``None`` while it runs.
    """

    def __init__(self, program: str | Path, words: Sequence[str], stderr: int) -> None:
        self._held = ExitStack()
        self._line = self._held.enter_context(socket.socket(socket.AF_UNIX))
        self._line.connect(_address())
        out, into = os.pipe()
        asked: dict[str, Any] = {"program": str(program), "words": [*words]}
        asked |= {"environment": dict(os.environ), "folder": str(Path.cwd())}
        message = json.dumps(asked).encode()
        # A message with files has an end, a stream has none: the length goes with the files, and the rest follows.
        socket.send_fds(self._line, [len(message).to_bytes(LENGTH)], [into, stderr])
        os.close(into)
        self._line.sendall(message)
        self.stdout = os.fdopen(out, "rb")
        # Without a buffer, which would take how it ended along where that is quick.
        self.pid = int(self._held.enter_context(self._line.makefile("rb", buffering=0)).readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return how it ended; ``None`` while it runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return how it ended.

        Raises:
            subprocess.TimeoutExpired: it still runs after so many seconds.
        """
        if self.returncode is None:
            self._line.settimeout(timeout)
            try:
                status = self._line.recv(64)
            except (BlockingIOError, TimeoutError):
                raise subprocess.TimeoutExpired("a forked program", timeout or 0) from None
            assert status, "The process that forks has ended."
            self.returncode = int(status)
            self.close()
        return self.returncode

    def close(self) -> None:
        """Hear no more of it."""
        self._held.close()

    def send_signal(self, number: int) -> None:
        """Send a signal, as long as it runs."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it as a power cut does."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def __del__(self) -> None:
        self.close()
