"""Processes that release from one ledger are killed at random moments; then everything must add up."""

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps

PROGRAM = Path(__file__).parent / "programs" / "spend_and_die.txt"
CAP, SMALL, LARGE = Fraction(1000), Fraction(1, 1000), Fraction(10)

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="processes are forked, to be killed within milliseconds"
)


def run(path: Path, epsilon: Fraction, processes: int, kills: int, name: str) -> int:
    """Release in several processes; return how many living ones were killed."""
    words = [str(word) for word in (path, path.parent, epsilon, processes, kills, name)]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(PROGRAM), *words], capture_output=True, text=True, check=False
    )
    assert (0, "") == (done.returncode, done.stderr)
    return int(done.stdout)


def killed_at_random(folder: Path, journal: str, processes: int, kills: int) -> None:
    """Kill while there is plenty left, kill on the way to the cap, then spend what is left; and check everything."""
    path = folder / "survey.ledger"
    dps.Ledger.open(path, epsilon=CAP, dataset="survey", journal=journal)
    early = run(path, SMALL, processes, kills, "early")
    run(path, LARGE, processes, 10**6, "late")
    run(path, LARGE, processes, 0, "last")
    ledger = dps.Ledger.read(path)
    totals, events = ledger.verify(), ledger.events
    returned = [line.split() for notes in folder.glob("*.notes") for line in notes.read_text().splitlines()]

    assert kills == early
    assert CAP - LARGE < totals.epsilon <= CAP
    assert [token for _, token in returned] == [events[int(row) - 1].note for row, _ in returned]
    assert kills < len(returned) == len({row for row, _ in returned}) <= totals.spends


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_kills_waste_budget_but_never_privacy(tmp_path: Path, journal: str) -> None:
    """A small version: two processes, fifteen kills."""
    killed_at_random(tmp_path, journal, processes=2, kills=15)


@pytest.mark.slow
@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_two_hundred_kills(tmp_path: Path, journal: str) -> None:
    """Four processes, two hundred kills of living processes, and the cap is reached under further kills."""
    killed_at_random(tmp_path, journal, processes=4, kills=200)
