"""A server under load: analysts ask at once while it is killed again and again; and how fast it is undisturbed.

    python -m research.comparisons.serving [--folder /dev/shm] [--requests 2000] [--kills 30]
    python -m research.comparisons.serving --kills 0 --requests 1000          speed alone, and what it takes to start

The first kills ``dpselect serve`` with SIGKILL at random moments, starts it again each time, and checks exactly what
serving_check.py says: budgets, rows and answers. There are fewer releases in the budget than requests, so that some
must be refused. It needs the extra "web", the second Linux as well. Clients and server share the processors.
"""

from __future__ import annotations

import argparse
import http.client
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import numpy as np

from research.comparisons.serving_check import Asked, require_exact
from research.comparisons.serving_office import COMMAND, COUNTS, GONE, MEDIAN, Office

ANALYSTS = 8
_STARTS = 3
# How long a server that has nothing to do is left alone before it is weighed, in seconds.
_IDLE = 3.0
# Between the first good reply of a server and its end, in seconds.
_LIFE = (0.05, 1.5)
# How long an analyst waits for a server that is gone, in seconds.
_AGAIN = 0.02
# How often an analyst asks for an answer again that is there already.
_REPEATS = 0.1
_PATIENCE = 600.0


class Crowd:
    """Analysts who each ask their own questions until all of them are answered.

    ``lost`` counts the replies that never came, and ``unable`` those that told of a database that was away;
    ``answered`` is set when the first answer is there.

    Args:
        office: whom they ask.
        each: how many requests every analyst has.
        question: what they ask.
        repeats: the share of replies after which an earlier request is sent again.
        first: the number of the first request.
    """

    def __init__(
        self, office: Office, each: int, question: dict[str, str] = COUNTS, *, repeats: float = 0.0, first: int = 0
    ) -> None:
        self.office, self.question, self.repeats = office, question, repeats
        self.numbers = range(first, first + each)
        self.seen: list[Asked] = []
        self.answered = Event()
        self.lost = self.unable = 0
        self.times: list[float] = []

    def ask(self, who: str) -> None:
        """Ask all questions of an analyst, each as often as its answer needs."""
        chance = np.random.default_rng()
        line, done = self.office.line(), list[str]()
        for key in [f"{who}-{place}" for place in self.numbers]:
            begun = time.perf_counter()
            line = self._until_answered(who, key, line)
            self.times.append(time.perf_counter() - begun)
            done.append(key)
            if chance.random() < self.repeats:
                line = self._until_answered(who, done[chance.integers(len(done))], line)
        line.close()

    def _until_answered(self, who: str, key: str, line: http.client.HTTPConnection) -> http.client.HTTPConnection:
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            try:
                reply = self.office.ask(who, key, self.question, line)
            except GONE:
                self.lost += 1
                line.close()
                time.sleep(_AGAIN)
                line = self.office.line()
                continue
            self.unable += reply.status == 500
            if reply.status not in (202, 500):
                self.seen.append(Asked(who, key, reply))
                self.answered.set()
                return line
            time.sleep(_AGAIN)
        raise AssertionError(f"{key} has no answer")

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Let all of them ask while the block runs, and wait until all have their answers."""
        with ThreadPoolExecutor(len(self.office.names)) as pool:
            all_of_them = [pool.submit(self.ask, who) for who in self.office.names]
            yield
            for one in all_of_them:
                one.result()


def killed(
    office: Office,
    each: int,
    kills: int,
    command: Sequence[str] = COMMAND,
    *more: str,
    life: tuple[float, float] = _LIFE,
) -> dict[str, object]:
    """Kill the server at random moments while all analysts ask; check everything; return what happened.

    Args:
        office: which is not open yet.
        each: how many requests every analyst has.
        kills: how many.
        command, more: what starts the server, as for :meth:`Office.start`.
        life: how long a server lives after its first good reply, at least and at most, in seconds.

    Raises:
        AssertionError: as :func:`require_exact`.
    """
    office.start(command, *more)
    crowd, early, begun = Crowd(office, each, repeats=_REPEATS), 0, time.perf_counter()
    moments = np.random.default_rng().uniform(*life, kills)
    with crowd.asking():
        for moment in moments:
            # A kill before the first answer can lose nothing.
            crowd.answered.wait(_PATIENCE)
            time.sleep(moment)
            early += len(crowd.times) < each * len(office.names)
            office.end()
            office.start(command, *more)
    took = time.perf_counter() - begun
    last = Crowd(office, each)
    with last.asking():
        pass
    office.end()
    ends = require_exact(office, last.seen, crowd.seen)
    if crowd.unable or last.unable:
        raise AssertionError("the server said that something inside went wrong")
    return {
        "requests": each * len(office.names),
        "answered, and paid for": ends["answered"],
        "refused, budget used up": ends["refused"],
        "kills": kills,
        "of these while somebody waited": early,
        "replies that were lost": crowd.lost,
        "replies compared": len(crowd.seen) + len(last.seen),
        "seconds, restarts included": f"{took:.0f}",
    }


def undisturbed(office: Office, each: int) -> dict[str, object]:
    """Measure one server that nobody kills."""
    starts = [office.start()]
    for _ in range(_STARTS - 1):
        office.end()
        starts.append(office.start())
    time.sleep(_IDLE)
    result: dict[str, object] = {"start to the first good reply, s": f"{statistics.median(starts):.2f}"}
    result["resident when idle, MB"] = f"{office.resident():.0f}"
    half = each // 2
    for name, question, first in (("counts", COUNTS, 0), ("median", MEDIAN, half)):
        crowd, spent, begun = Crowd(office, half, question, first=first), office.spent(), time.perf_counter()
        with crowd.asking():
            pass
        took, many = time.perf_counter() - begun, half * len(office.names)
        result[f"{name}: releases a second"] = f"{many / took:.0f}"
        result[f"{name}: processor ms of the server"] = f"{1000 * (office.spent() - spent) / many:.1f}"
        result[f"{name}: median ms from question to answer"] = f"{1000 * statistics.median(crowd.times):.0f}"
        require_answered(crowd)
    result["resident afterwards, MB"] = f"{office.resident():.0f}"
    office.end()
    return result


def require_answered(crowd: Crowd) -> None:
    """Refuse figures of requests that were refused."""
    if {each.reply.status for each in crowd.seen} != {200} or crowd.lost or crowd.unable:
        raise AssertionError("not every request was answered at once")


def office_of(folder: Path, requests: int, kills: int) -> tuple[Office, int]:
    """Return an office for so many requests, and how many each analyst has; with kills, some are more than fit."""
    each = requests // ANALYSTS
    share = each * 24 // 25 if kills else each
    allowance = ANALYSTS * share - (ANALYSTS if kills else 0)
    return Office(folder, ANALYSTS, share, allowance), each


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="a folder on the disk to be measured")
    parser.add_argument("--requests", type=int, default=2000, help="of all analysts together")
    parser.add_argument("--kills", type=int, default=30, help="how many; 0 measures speed instead")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        office, each = office_of(Path(folder), args.requests, args.kills)
        try:
            facts = killed(office, each, args.kills) if args.kills else undisturbed(office, each)
        finally:
            office.close()
    _print({"analysts": ANALYSTS, **facts})


def _print(facts: Mapping[str, object]) -> None:
    wide = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name:<{wide}}  {value:>6}")


if __name__ == "__main__":
    main()
