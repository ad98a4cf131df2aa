"""Many processes at once: the budget is exact."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.kernel.neighbours import Neighbours
from tests.ledger.conftest import Database

EACH = dps.Guarantee(Fraction(1, 1000), Neighbours.ADD_REMOVE)
MEMORY = Path("/dev/shm")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory, so that no disk is measured."""
    folder = Path(tempfile.mkdtemp(dir=MEMORY))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest) -> str:
    """A file in that folder, and a database whose server keeps its files there."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("folder") / "survey.ledger")
    return request.getfixturevalue("database").address()


def tried(path: str, tries: int) -> int:
    """Try to spend; return how often it went through."""
    ledger, spent = dps.Ledger.read(path), 0
    for _ in range(tries):
        try:
            ledger.spend(EACH, mechanism="x")
            spent += 1
        except dps.BudgetError:
            pass
    return spent


@pytest.mark.slow
@pytest.mark.skipif(not os.access(MEMORY, os.W_OK), reason="no file system in memory")
def test_eight_processes_share_a_budget(place: str) -> None:
    """Of 1600 tries at a thousandth each exactly 1000 go through."""
    assert_shared(place, 8, 200, 1000)


def test_four_processes_share_a_budget_in_postgres(database: Database) -> None:
    """A small version: of 80 tries at a fiftieth of the budget exactly 50 go through."""
    assert_shared(database.address(), 4, 20, 50)


def assert_shared(place: str, processes: int, tries: int, room: int) -> None:
    """Several processes try to spend from a budget with less room than that, each on its own."""
    ledger = dps.Ledger.open(place, epsilon=room * EACH.epsilon)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        spent = [*pool.map(tried, [place] * processes, [tries] * processes)]

    assert room == sum(spent) == ledger.verify().spends
    assert room * EACH.epsilon == ledger.totals.epsilon
    assert 0 == ledger.remaining.epsilon
