"""Streams in this process: a house of tiny tables, desks that come and go as servers do, and one with a fault."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

import dpselect.web.server.streams.opening as opening_module
from dpselect.ledger import RequestAccountant
from dpselect.release.above_threshold import above_threshold
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.settings import settings_of
from dpselect.web.server.state import ServerState
from dpselect.web.server.streams import sessions as desks
from dpselect.web.server.streams.opening import Opening, ThresholdQuestion
from dpselect.web.server.streams.records import StoredAnswer, Stream
from dpselect.web.server.streams.sessions import SparseVectorSessions, opening_of

Told = StoredAnswer | Exception
_KEYS = count()


@contextmanager
def server_state_of(tables: dict[str, list[str]]) -> Iterator[ServerState]:
    """Open a house with one dataset for each list of rows, on a disk of memory where there is one."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    datasets: dict[str, Any] = {}
    for name, rows in tables.items():
        (folder / f"{name}.csv").write_text("kind\n" + "".join(f"{row}\n" for row in rows), encoding="utf-8")
        datasets[name] = {
            "source": f"{name}.csv",
            "columns": {"kind": ["a", "b"]},
            "budget": {"epsilon": 10**6},
            "shares": {"ann": 10**6},
        }
    content = {"datasets": datasets, "limits": {"streams": 10**6, "stream_queries": 10**6}}
    server_state = ServerState.open(settings_of(content, folder))
    server_state.people.add("ann", "analyst", "test")
    try:
        yield server_state
    finally:
        server_state.close()
        shutil.rmtree(folder)


def new_key() -> str:
    """Return a key that no test has used."""
    return f"key-{next(_KEYS)}"


def opened(jobs: SparseVectorSessions, dataset: str, opening: dict[str, Any], key: str | None = None) -> Stream:
    """Open a stream of ann."""
    return jobs.open("ann", key or new_key(), dataset, Opening.model_validate(opening))


def told(jobs: SparseVectorSessions, number: str, query: dict[str, Any], key: str | None = None) -> Told:
    """Ask a stream of ann, and return what would be sent."""
    stream = jobs.find(number, "ann")
    return jobs.begin(stream, key or new_key(), ThresholdQuestion.model_validate(query)).result(60)


def started(
    server_state: ServerState, kind: Callable[[JobQueue], SparseVectorSessions] = SparseVectorSessions
) -> SparseVectorSessions:
    """Return what a server has after its start; the one before is gone without a word, as after a power cut."""
    jobs = kind(JobQueue(server_state))
    jobs._beating = Thread(target=int)
    jobs.start()
    return jobs


@contextmanager
def doors(paid: Callable[..., Any]) -> Iterator[None]:
    """Let paid streams be opened by another function; those of plans draw as ever."""

    def either(*arguments: Any, ledger: Any, **named: Any) -> Any:
        open_it = paid if isinstance(ledger, RequestAccountant) else above_threshold
        return open_it(*arguments, ledger=ledger, **named)

    opening_module.above_threshold = either  # type: ignore[assignment]
    try:
        yield
    finally:
        opening_module.above_threshold = above_threshold


class Resuming(SparseVectorSessions):
    """A planted fault: a stream whose server has gone is taken up with a fresh threshold, under the same payment."""

    def start(self) -> None:
        """End nothing."""

    def _work(self, task: Any) -> Any:
        stream = task.stream
        if stream.id not in self._held:
            dataset = self.server_state.datasets[stream.dataset]
            opening = opening_of(stream)
            payment = dataset.pay(stream.id, stream.analyst, desks.plan_stream(dataset, opening).spends)
            self._held[stream.id] = desks._HeldSecret(stream=opening.open(dataset.description, payment))
        return super()._work(task)
