"""How long the explorer takes: from its start to the first page, and from a slider to what a browser gets.

    python -m research.comparisons.explorer           needs the extra "web" and Linux; about a minute

The real command is started and asked over HTTP, at an epsilon (or beta) that it was not asked about before: all laws of
the view, its charts as SVG, and the page around them. The clock is the least of several redraws and depends on what
else the machine does; processor time is their mean, of all threads of the server, which the kernel counts in steps of
10 ms. The first view of a page computes what does not depend on epsilon, which is kept while a slider moves.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import numpy as np

_RUNS, _STARTS = 8, 3
# Where processor time stands behind the name of a process: of itself in user mode, and in the kernel.
_SPENT = slice(11, 13)


@dataclass(frozen=True)
class Server:
    """A running explorer, and who may ask it.

    Attributes:
        opener: with the cookie that the first address gave.
        address: of its pages, without one at the end.
        pid: of its process.
    """

    opener: OpenerDirector
    address: str
    pid: int

    def ask(self, path: str, **values: object) -> str:
        """Return a page."""
        page: bytes = self.opener.open(f"{self.address}{path}?{urlencode(values)}").read()
        return page.decode()

    def spent(self) -> float:
        """Return the seconds of processor time that it has taken."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return sum(map(int, fields[_SPENT])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def started(*about: str) -> Iterator[Server]:
    """Yield the explorer of a public table, with its first page read."""
    command = [sys.executable, "-m", "dpselect", "explore", *about, "--at", "/candidates"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            first = next(word for line in process.stdout for word in line.split() if word.startswith("http://"))
            opener = build_opener(HTTPCookieProcessor(CookieJar()))
            assert b"<svg" in opener.open(first).read()
            yield Server(opener, first.rpartition("/")[0], process.pid)
        finally:
            process.terminate()


def start() -> tuple[float, float]:
    """Return seconds from the command to its first page, by the clock and of processor time."""
    began = time.perf_counter()
    with started() as server:
        return time.perf_counter() - began, server.spent()


def redraws(server: Server, path: str, what: str, **values: object) -> None:
    """Print how long a first view takes, and redraws at other values of epsilon."""
    began = time.perf_counter()
    server.ask(f"{path}/view", w=640, **values)
    first, spent, clock = time.perf_counter() - began, server.spent(), []
    for run in range(_RUNS):
        began = time.perf_counter()
        slid = f"{0.3 + 0.001 * run:.6g}"
        server.ask(f"{path}/view", w=640, epsilon=slid, beta=slid, **values)
        clock.append(time.perf_counter() - began)
    each = (server.spent() - spent) / _RUNS
    print(f"{what:<58}{1000 * min(clock):>8.0f}{1000 * each:>11.0f}{1000 * first:>12.0f}", flush=True)


def tables() -> dict[str, list[int]]:
    """Return how often each candidate was chosen in made-up tables."""
    spread = np.floor(20_000 / np.arange(1, 10_001) ** 0.7).astype(int).tolist()
    return {
        "100 candidates, all counts different": [7 * number + number % 5 for number in range(1, 101)],
        "10^4 candidates, 100 different counts": [1 + number % 100 for number in range(10_000)],
        f"10^4 candidates, {len(set(spread)):,} different counts": spread,
    }


def main() -> None:
    """Print one line for each case."""
    clock, spent = map(min, zip(*(start() for _ in range(_STARTS)), strict=True))
    print(f"from the command to the first page: {clock:.2f} s by the clock, {spent:.2f} s of processor time")
    print(f"\n{'milliseconds of a redraw':<58}{'clock':>8}{'processor':>11}{'first view':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for label, counts in tables().items():
            names = np.array([f"name {number}" for number in range(len(counts))])
            path = Path(folder, "public.csv")
            path.write_text("word\n" + "\n".join(np.repeat(names, counts)) + "\n", encoding="utf-8")
            with started(str(path)) as server:
                for mechanism in ("permute-and-flip", "smooth-noisy-max"):
                    redraws(server, "/candidates", f"{label}, {mechanism}", column="word", mechanism=mechanism)
    with started() as server:
        pages = re.findall(r'href="(/[a-z-]+)"', server.ask("/"))
        for path in dict.fromkeys(pages):
            redraws(server, path, path[1:])


if __name__ == "__main__":
    main()
