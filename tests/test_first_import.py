"""What the first import brings, and what comes when it is asked for."""

import subprocess
import sys

import dpselect as dps

FIRST = """
import sys
import dpselect as dps
winner = dps.select(dps.Scores([50, 0], 1, kind="integer"), 10, mechanism=dps.mechanism("permute-and-flip")).candidate
assert winner == 0 and set(dps.__all__) <= set(dir(dps))
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("dpselect.")}))
print(dps.utilities.__name__, dps.Ledger.__module__, dps.median.__module__)
"""


def test_a_selection_from_memory_needs_no_sources() -> None:
    """Nor views, utilities and ledgers, which come when they are named; they are named as users import them."""
    printed = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    rooms, later = printed.stdout.splitlines()

    assert {
        "_optional",
        "_version",
        "_display",
        "analysis",
        "certificates",
        "kernel",
        "mechanisms",
        "release",
        "scores",
    } == set(rooms.split())
    assert "dpselect.utilities dpselect dpselect" == later


def test_every_public_name_is_there() -> None:
    """Also those that come later."""
    assert all(getattr(dps, name) is getattr(dps, name) for name in dps.__all__)


def test_a_name_that_needs_scikit_learn_says_which_extra_brings_it() -> None:
    """One that there is: rooms have their own, and a name of none has that of the learners."""
    program = """
import sys
sys.modules["sklearn"] = None
import dpselect
for name in ("learn", "chooser", "accuracy_chart"):
    try:
        getattr(dpselect, name)
    except ImportError as error:
        print(error)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    extras = [line.partition('".[')[2].partition("]")[0] for line in run.stdout.splitlines()]
    assert ["learn", "chooser", "learn"] == extras
