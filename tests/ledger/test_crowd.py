"""Many processes at once: exact, and nobody waits for long."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.kernel.neighbours import Neighbours

EACH = dps.Guarantee(Fraction(1, 1000), Neighbours.ADD_REMOVE)
MEMORY = Path("/dev/shm")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory, so that no disk is measured."""
    folder = Path(tempfile.mkdtemp(dir=MEMORY))
    yield folder
    shutil.rmtree(folder)


def tried(path: Path, tries: int) -> tuple[int, float]:
    """Try to spend; return how often it went through, and the longest that a try took."""
    ledger, spent, longest = dps.Ledger.read(path), 0, 0.0
    for _ in range(tries):
        begun = time.perf_counter()
        try:
            ledger.spend(EACH, mechanism="x")
            spent += 1
        except dps.BudgetError:
            pass
        longest = max(longest, time.perf_counter() - begun)
    return spent, longest


@pytest.mark.slow
@pytest.mark.skipif(not os.access(MEMORY, os.W_OK), reason="no file system in memory")
def test_eight_processes_share_a_budget(folder: Path) -> None:
    """Of 1600 tries at a thousandth each exactly 1000 go through, and none takes two seconds."""
    path = folder / "survey.ledger"
    ledger = dps.Ledger.open(path, epsilon=1)
    with ProcessPoolExecutor(8, mp_context=get_context("spawn")) as pool:
        spent, longest = zip(*pool.map(tried, [path] * 8, [200] * 8), strict=True)

    assert 1000 == sum(spent) == ledger.verify().spends
    assert max(longest) < 2
