"""A server of one made-up table, its analysts, and a way to kill it: for the load of serving.py.

The real command is started, as an administrator starts it. Prices are equal, so that what a budget allows is a number
of answers.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

from dpselect.kernel.errors import FileError

# What each release costs, and what it asks for: a hundred noisy counts, so two draws are never the same.
PRICE = Fraction(1, 1000)
COUNTS = {"query": "histogram", "column": "age", "epsilon": str(float(PRICE))}
MEDIAN = {"query": "median", "column": "age", "epsilon": str(float(PRICE))}
# What a lost connection looks like to whoever asks.
GONE = (OSError, http.client.HTTPException)
COMMAND = (sys.executable, "-m", "dpselect", "serve")
_ROWS = 10_000
_START = 60.0
# Where processor time stands behind the name of a process: of itself in user mode, and in the kernel.
_SPENT = slice(11, 13)


@dataclass(frozen=True)
class Reply:
    """What came back: the status and the body."""

    status: int
    body: bytes


@dataclass
class Office:
    """A folder with the files of a server, and the server while it runs.

    Args:
        folder: an empty one, on the disk to be measured.
        analysts: how many there are.
        share: how many releases each of them may have.
        allowance: how many they may have together.
        database, ledgers: as in the settings.
    """

    folder: Path
    analysts: int
    share: int
    allowance: int
    database: str = "server.db"
    ledgers: str = "ledgers"
    tokens: dict[str, str] = field(default_factory=dict)
    process: Any = None
    port: int = 0

    def __post_init__(self) -> None:
        people = "".join(f"{20 + place * 7 % 60},{'nurse' if place % 3 else 'clerk'}\n" for place in range(_ROWS))
        (self.folder / "people.csv").write_text("age,job\n" + people, encoding="utf-8")
        self.config = self.folder / "office.toml"
        self.config.write_text(self._settings(), encoding="utf-8")
        self.tokens |= {name: self.new_token(name) for name in self.names}

    @property
    def names(self) -> list[str]:
        """Return the analysts."""
        return [f"analyst{place}" for place in range(self.analysts)]

    @property
    def ledger(self) -> str:
        """Return the address of the ledger."""
        if "://" in self.ledgers:
            return f"{self.ledgers}{'&' if '?' in self.ledgers else '?'}ledger=survey"
        return str(self.folder / self.ledgers / "survey.ledger")

    def _settings(self) -> str:
        shares = ", ".join(f"{name} = {self.share * float(PRICE):.3f}" for name in self.names)
        return (
            f'[server]\nport = 0\ndatabase = "{self.database}"\nledgers = "{self.ledgers}"\n'
            "[limits]\nrequests_per_minute = 1000000\n"
            '[datasets.survey]\nsource = "people.csv"\n'
            f"budget = {{epsilon = 1000}}\nallowance = {self.allowance * float(PRICE):.3f}\nshares = {{{shares}}}\n"
            'columns.age = {lower = 0, upper = 100, step = 1}\ncolumns.job = ["clerk", "nurse"]\n'
        )

    def new_token(self, name: str) -> str:
        """Make a token of an analyst."""
        command = [*COMMAND, str(self.config), "--token", name]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[0]

    def new_process(self, command: Sequence[str], log: IO[bytes]) -> Any:
        """Start a process; its standard error goes to ``log``."""
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)

    def start(self, command: Sequence[str] = COMMAND, *more: str) -> float:
        """Start the server; return after how many seconds it said that it is well."""
        begun = time.perf_counter()
        with (self.folder / "log").open("ab") as log:
            self.process = self.new_process([*command, str(self.config), *more], log)
        line = self.process.stdout.readline().decode()
        if not line.startswith("Serving "):
            raise FileError(f"The server did not start: {(self.folder / 'log').read_text(encoding='utf-8')[-2000:]}")
        self.port = int(line.rpartition(":")[2])
        while self.send("GET", "/health").status != 200:
            if time.perf_counter() - begun > _START:
                raise FileError("The server is not well.")
        return time.perf_counter() - begun

    def end(self, number: int = signal.SIGKILL) -> int:
        """Send the server a signal, by default as a power cut does; return its status when it has ended."""
        self.process.send_signal(number)
        status = self.process.wait(_START)
        self.process.stdout.close()
        return int(status)

    def close(self) -> None:
        """End the server if it runs."""
        if self.process is not None and self.process.poll() is None:
            self.end()

    def send(self, method: str, path: str, line: http.client.HTTPConnection | None = None, **more: Any) -> Reply:
        """Send one request, over a line that stays or one of its own.

        Args:
            more: ``body`` and ``headers``, as for :meth:`http.client.HTTPConnection.request`.
        """
        used = self.line() if line is None else line
        try:
            used.request(method, path, **more)
            response = used.getresponse()
            return Reply(response.status, response.read())
        finally:
            if line is None:
                used.close()

    def line(self) -> http.client.HTTPConnection:
        """Return a line to the server that runs now."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(
        self, who: str, key: str, question: dict[str, str], line: http.client.HTTPConnection | None = None
    ) -> Reply:
        """Ask for a release."""
        headers = {
            "Authorization": f"Bearer {self.tokens[who]}",
            "Idempotency-Key": key,
            "Content-Type": "application/json",
        }
        return self.send("POST", "/datasets/survey/release", line, body=json.dumps(question), headers=headers)

    def spent(self) -> float:
        """Return the seconds of processor time that the server has taken."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return sum(map(int, fields[_SPENT])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> float:
        """Return how much memory the server has now, in MB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8").splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) / 1024
