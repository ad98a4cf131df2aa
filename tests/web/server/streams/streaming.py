"""A server that ends, without a word, at one point of a stream: python streaming.py CONFIG POINT."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import sleep
from typing import Any

from dpselect.release.sparse_vector import SparseVector
from dpselect.web.server.dataset_budget import DatasetBudget
from dpselect.web.server.middleware import AuthMiddleware
from dpselect.web.server.serve import serve
from dpselect.web.server.settings import read_settings
from dpselect.web.server.streams.opening import Opening
from dpselect.web.server.streams.records import StreamRecords
from tests.web.server.programs.served import ends_after, ends_before
from tests.web.server.streams.desks import Resuming


def ends_with_the_secret() -> None:
    """End the process when a paid stream has drawn its threshold; plans draw one too, which nobody keeps."""
    real = Opening.open

    def opened(self: Opening, facts: Any, ledger: Any) -> Any:
        stream = real(self, facts, ledger)
        if type(ledger).__name__ == "RequestAccountant":
            os._exit(9)
        return stream

    Opening.open = opened  # type: ignore[method-assign]


def ends_while_sending(ending: str) -> None:
    """End the process when a reply is about to be sent."""
    real = AuthMiddleware._note

    def noted(self: AuthMiddleware, scope: Any, status: int) -> None:
        if scope["method"] == "POST" and scope["path"].endswith(ending):
            os._exit(9)
        real(self, scope, status)

    AuthMiddleware._note = noted  # type: ignore[method-assign]


def counts_slowly() -> None:
    """Let every query take a second."""
    import dpselect.web.server.streams.sessions as sessions

    real = sessions.count_rows

    def counted(*args: Any) -> int:
        sleep(1)
        return real(*args)

    sessions.count_rows = counted


def resumes() -> None:
    """Plant a fault: a stream whose server has gone goes on with a fresh threshold."""
    import dpselect.web.server.api as api

    api.SparseVectorSessions = Resuming  # type: ignore[misc]


POINTS: dict[str, Callable[[], None]] = {
    "nowhere": lambda: None,
    "opening: asked, not spent": lambda: ends_before(DatasetBudget, "pay"),
    "opening: spent, not drawn": lambda: ends_after(DatasetBudget, "pay"),
    "opening: drawn, not stored": ends_with_the_secret,
    "opening: stored, not sent": lambda: ends_after(StreamRecords, "begin"),
    "opening: being sent": lambda: ends_while_sending("/streams"),
    "query: asked, not drawn": lambda: ends_before(SparseVector, "ask"),
    "query: drawn, not stored": lambda: ends_after(SparseVector, "ask"),
    "query: stored, not sent": lambda: ends_after(StreamRecords, "keep"),
    "query: being sent": lambda: ends_while_sending("/queries"),
    "slow queries": counts_slowly,
    "fault: resumes": resumes,
}

if __name__ == "__main__":
    POINTS[sys.argv[2]]()
    serve(read_settings(sys.argv[1]))
