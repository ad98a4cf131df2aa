"""Processes that release from one ledger are killed at random moments; then everything must add up."""

import os
import subprocess
import sys
from fractions import Fraction
from itertools import chain
from pathlib import Path

import pytest

import dpselect as dps

PROGRAM = Path(__file__).parent / "programs" / "spend_and_die.txt"
CAP, SMALL, LARGE = Fraction(10), Fraction(1, 10**6), Fraction(1)

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="processes are forked, to be killed within milliseconds"
)


def run(path: str, folder: Path, processes: int, *stages: tuple[str, Fraction, int]) -> list[int]:
    """Release in several processes; return how many living ones were killed at each stage (name, epsilon, kills)."""
    words = [str(word) for word in (path, folder, processes, *chain.from_iterable(stages))]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(PROGRAM), *words], capture_output=True, text=True, check=False
    )
    assert (0, "") == (done.returncode, done.stderr)
    return [int(word) for word in done.stdout.split()]


def killed_at_random(path: str, folder: Path, processes: int, kills: int) -> str:
    """Kill while there is plenty left, kill on the way to the cap, spend what is left; check everything and report."""
    dps.Ledger.open(path, epsilon=CAP, dataset="survey")
    early, late, _ = run(path, folder, processes, ("early", SMALL, kills), ("late", LARGE, 10**6), ("last", LARGE, 0))
    ledger = dps.Ledger.read(path)
    totals, events = ledger.verify(), ledger.events
    returned = [line.split() for notes in folder.glob("*.notes") for line in notes.read_text().splitlines()]
    slowest = max(float(seconds) for _, _, seconds in returned)

    assert kills == early
    assert CAP - LARGE < totals.epsilon <= CAP
    assert [token for _, token, _ in returned] == [events[int(row) - 1].note for row, _, _ in returned]
    assert kills <= len(returned) == len({row for row, _, _ in returned}) <= totals.spends
    return f"{early + late} kills, {totals.spends} rows, {len(returned)} releases, slowest spend {slowest:.3f} s"


def test_kills_waste_budget_but_never_privacy(address: str, tmp_path: Path) -> None:
    """A small version: two processes, fifteen kills."""
    killed_at_random(address, tmp_path, processes=2, kills=15)


@pytest.mark.slow
def test_two_hundred_kills(address: str, tmp_path: Path) -> None:
    """Eight processes, two hundred kills of living processes, and the cap is reached under further kills."""
    print(killed_at_random(address, tmp_path, processes=8, kills=200))
