"""Connections of a ledger: kept for the next spend, replaced when they were lost, and never shared."""

from __future__ import annotations

import gc
import os
import threading

import pytest

import dpselect as dps
from tests.ledger.conftest import Database
from tests.ledger.ledgers import EACH, filled

OURS = "FROM pg_stat_activity WHERE application_name = 'dpselect' AND datname = current_database()"


def sessions(database: Database) -> list[int]:
    """The server's own numbers of the sessions of ledgers."""
    return [number for (number,) in database.asked(f"SELECT pid {OURS}")]


def test_one_connection_serves_one_spend_after_another(database: Database) -> None:
    """To make one takes longer than a spend; with the ledger it goes."""
    ledger = filled(database.address(), 0)
    first = sessions(database)
    for _ in range(5):
        ledger.spend(EACH, mechanism="x")

    assert 1 == len(first)
    assert first == sessions(database)
    del ledger
    gc.collect()
    for _ in range(100):
        if not sessions(database):
            break
    assert [] == sessions(database)


def test_a_connection_that_was_lost_between_spends_is_replaced(database: Database) -> None:
    """An administrator ends it, a firewall forgets it: nothing was said yet, so nothing is uncertain."""
    ledger = filled(database.address(), 1)
    before = sessions(database)
    database.asked(f"SELECT pg_terminate_backend(pid, 5000) {OURS}")
    assert 2 == ledger.spend(EACH, mechanism="x")

    assert not set(before) & set(sessions(database))
    assert 2 == ledger.verify().spends


def test_threads_have_a_connection_each(database: Database) -> None:
    """Two that spend at once never speak on the same one."""
    ledger, rows = filled(database.address(), 0, epsilon=100), []
    threads = [
        threading.Thread(target=lambda: rows.extend(ledger.spend(EACH, mechanism="x") for _ in range(10)))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [*range(1, 61)] == sorted(rows)
    assert 1 <= len(sessions(database)) <= 6
    assert 60 == ledger.verify().spends


def test_a_refused_spend_leaves_no_transaction_open(database: Database) -> None:
    """Its lock is gone when the refusal is there, and the connection serves again."""
    ledger = filled(database.address(), 0)
    before = sessions(database)
    for _ in range(3):
        with pytest.raises(dps.BudgetError):
            ledger.spend(dps.Guarantee(5, "add-remove"), mechanism="x")
        assert [("idle",)] == database.asked(f"SELECT state {OURS}")

    assert before == sessions(database)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_a_fork_spends_from_the_same_ledger(database: Database) -> None:
    """On a connection of its own: what it inherited is still its parent's, also when it has ended."""
    ledger = filled(database.address(), 1)
    before = sessions(database)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            assert ledger.spend(EACH, mechanism="child")
            del ledger
            gc.collect()
            code = 0
        finally:
            os._exit(code)
    ledger.spend(EACH, mechanism="parent")
    assert 0 == os.waitpid(child, 0)[1]

    assert {"child", "parent"} <= {event.mechanism for event in ledger.events}
    assert 4 == ledger.spend(EACH, mechanism="x")
    assert set(before) <= set(sessions(database))
