"""A server that ends, without a word, at one point of its first request: python served.py CONFIG POINT."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from threading import Timer
from typing import Any

from dpselect.ledger import LedgerIndex
from dpselect.web.server.dataset import HostedDataset
from dpselect.web.server.dataset_budget import DatasetBudget
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.middleware import AuthMiddleware
from dpselect.web.server.requests import DrawnAnswers, Requests
from dpselect.web.server.serve import serve
from dpselect.web.server.settings import read_settings


def ends_before(owner: Any, name: str) -> None:
    """End the process where a method is called."""
    setattr(owner, name, lambda *_, **__: os._exit(9))


def ends_after(owner: Any, name: str) -> None:
    """End the process when a method has done its work."""
    real: Callable[..., Any] = getattr(owner, name)

    def done(*args: Any, **named: Any) -> None:
        real(*args, **named)
        os._exit(9)

    setattr(owner, name, done)


def ends_while_sending() -> None:
    """End the process when an answer is about to be sent."""
    real = AuthMiddleware._note

    def noted(self: AuthMiddleware, scope: Any, status: int) -> None:
        if scope["path"].endswith("/release"):
            os._exit(9)
        real(self, scope, status)

    AuthMiddleware._note = noted  # type: ignore[method-assign]


def ends_at_the_second_level() -> None:
    """End the process when a tree has one split, and draws the next."""
    # Not at the top: they load scikit-learn, which no other point needs.
    from dpselect.learn.builder import BestBinary
    from dpselect.learn.dry_run import EmptyTable

    real = BestBinary.split
    levels: list[int] = []

    def split(self: BestBinary, *args: Any) -> Any:
        # A rehearsal, before the payment, has no records.
        levels.extend([] if isinstance(args[0], EmptyTable) else [1])
        if len(levels) == 2:
            os._exit(9)
        return real(self, *args)

    BestBinary.split = split  # type: ignore[method-assign]


def stores_after_sending() -> None:
    """Plant a fault: answers are sent first, and stored a while later."""
    late: dict[str, Any] = {}
    keep, find = Requests.keep, Requests.find

    def kept(self: Requests, number: str, state: Any, answer: str, row: int | None) -> Any:
        late[number] = replace(find(self, number), state=state, answer=answer, row=row)  # type: ignore[type-var]
        waiting = Timer(60, keep, (self, number, state, answer, row))
        waiting.daemon = True
        waiting.start()
        return late[number]

    Requests.keep = kept  # type: ignore[method-assign]
    Requests.find = lambda self, number, analyst=None: late.get(number) or find(self, number, analyst)  # type: ignore[method-assign]
    # Nor is it stored before that, or does the ledger keep a hash of it.
    DatasetBudget.answer = lambda *args: args[-1]()  # type: ignore[method-assign]


def draws_after_sending() -> None:
    """Plant a fault: an answer that is asked for again is drawn again, under the payment that it has."""
    take = JobQueue.submit

    def taken(self: JobQueue, analyst: str, key: str, name: str, question: Any) -> Any:
        asked = take(self, analyst, key, name, question)
        if asked.state != "answered":
            return asked
        dataset = self.server_state.datasets[name]
        plan = dataset.plan(question, 10**5)
        payment = dataset.pay(asked.id, analyst, plan.spends)
        content = {"request": asked.id, "state": "answered", **dataset.answer(question, plan, payment)}
        return replace(asked, answer=json.dumps(content))

    JobQueue.submit = taken  # type: ignore[method-assign]


def pays_twice() -> None:
    """Plant a fault: whoever pays knows nothing of what the request has paid before, and pays two times."""
    blind, rows, pay = threading.local(), LedgerIndex.rows, DatasetBudget.pay

    def known(self: LedgerIndex, *args: Any) -> Any:
        return [] if getattr(blind, "paying", False) else rows(self, *args)

    def paid(self: DatasetBudget, *args: Any) -> list[int]:
        blind.paying = True
        try:
            pay(self, *args)
            return pay(self, *args)
        finally:
            blind.paying = False

    LedgerIndex.rows = known  # type: ignore[method-assign]
    DatasetBudget.pay = paid  # type: ignore[method-assign]


POINTS: dict[str, Callable[[], None]] = {
    "nowhere": lambda: None,
    "asked, not spent": lambda: ends_before(DatasetBudget, "pay"),
    "spent, not drawn": lambda: ends_after(DatasetBudget, "pay"),
    "drawn, not stored": lambda: ends_after(HostedDataset, "answer"),
    "stored, not kept": lambda: ends_after(DrawnAnswers, "keep"),
    "kept, not shown": lambda: ends_after(DatasetBudget, "answer"),
    "stored, not seen": lambda: ends_after(Requests, "keep"),
    "seen, not sent": ends_while_sending,
    "in the middle of a tree": ends_at_the_second_level,
    "fault: stored after sending": stores_after_sending,
    "fault: drawn again after sending": draws_after_sending,
    "fault: paid twice": pays_twice,
}

if __name__ == "__main__":
    POINTS[sys.argv[2]]()
    serve(read_settings(sys.argv[1]))
