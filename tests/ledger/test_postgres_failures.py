"""Programs and servers that die while a ledger in PostgreSQL is being written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.ledger import UncertainSpendError, postgres_store
from tests.ledger.conftest import Database
from tests.ledger.ledgers import EACH, filled

PROGRAM = Path(__file__).parent / "programs" / "halt_in_a_spend.txt"
AWAY = "cannot be reached"
SMALL = dps.Guarantee(Fraction(1, 10**6), "add-remove")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs are stopped and killed by signals")


def halted(database: Database, wait: float) -> subprocess.Popen[str]:
    """A program that has written a row, holds the lock and waits to be told to commit."""
    command = [sys.executable, str(PROGRAM), database.address(), str(wait)]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert "holding\n" == program.stdout.readline()
    return program


def test_a_program_that_is_killed_in_a_spend_leaves_nothing(database: Database) -> None:
    """Neither its row nor its lock, which the server would keep for an hour and the next one awaits for a minute."""
    ledger = filled(database.address(), 1)
    assert 60 == postgres_store._WAIT
    with halted(database, 3600) as program:
        program.kill()
        assert 2 == ledger.spend(EACH, mechanism="x")

    assert 2 == ledger.verify().spends


def test_a_program_that_stops_in_a_spend_loses_its_turn(database: Database) -> None:
    """The server lets the others on when nothing was heard for as long as they may wait, and the late one is told."""
    ledger = filled(database.address(), 1)
    with halted(database, 2) as program:
        assert 2 == ledger.spend(EACH, mechanism="x")
        said, _ = program.communicate("commit\n")

    assert "was lost; nothing was spent." in said
    assert 2 == ledger.verify().spends


def test_a_ledger_outlives_a_crash_of_its_server(database: Database) -> None:
    """Every row that was returned is there; while the server is away nothing is spent, and then the ledger goes on."""
    crashed(database, 3)


@pytest.mark.slow
def test_no_row_that_was_returned_is_lost_in_thirty_crashes(database: Database) -> None:
    """At random moments, of a server that syncs."""
    crashed(database, 30)


def crashed(database: Database, crashes: int) -> None:
    """Let the server crash while three threads spend, and check what is there afterwards."""
    ledger = filled(database.address(), 0)
    returned, refused, over = [], [], threading.Event()

    def spend() -> None:
        while not over.is_set():
            try:
                returned.append(ledger.spend(SMALL, mechanism="x"))
            except UncertainSpendError:
                refused.append("uncertain")
            except OSError as error:
                refused.append(str(error))
                time.sleep(0.01)

    def wait(happened: Callable[[], bool]) -> None:
        while not happened():
            assert all(thread.is_alive() for thread in threads), refused[-3:]
            time.sleep(0.01)

    threads = [threading.Thread(target=spend) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for crash in range(1, crashes + 1):
            wait(lambda enough=5 * crash: len(returned) >= enough)
            # No checkpoint, no farewell: what a commit did not put on disk is gone.
            database.server.control("-m", "immediate", "stop")
            before = len(refused)
            wait(lambda before=before: any(AWAY in each for each in refused[before:]))
            database.server.start()
    finally:
        over.set()
        for thread in threads:
            thread.join()
    totals = ledger.verify()

    assert len(returned) == len(set(returned))
    assert len(returned) <= totals.spends <= len(returned) + refused.count("uncertain")
    assert max(returned) <= totals.spends
    assert all(each == "uncertain" or each.endswith("nothing was spent.") for each in refused)
    assert any(AWAY in each for each in refused)
    assert totals.spends + 1 == dps.Ledger.read(database.address()).spend(SMALL, mechanism="x")


def test_a_signal_in_a_spend_draws_nothing(database: Database) -> None:
    """Ctrl-C while it waits for its turn: nothing is spent, and no lock stays."""
    ledger = filled(database.address(), 1)
    assert 60 == postgres_store._WAIT
    with database.connected() as other, other.transaction():
        other.execute("SELECT FROM survey.totals FOR UPDATE")
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            ledger.spend(EACH, mechanism="x")

    assert 2 == ledger.spend(EACH, mechanism="x")
