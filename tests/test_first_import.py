"""What the first import brings, and what comes when it is asked for."""

import subprocess
import sys
from pathlib import Path

import dpselect as dps

FIRST = """
import sys
import dpselect as dps
winner = dps.select(dps.Scores([50, 0], 1, kind="integer"), epsilon=10,
mechanism=dps.mechanism("permute-and-flip")).value
assert winner == 0 and set(dps.__all__) <= set(dir(dps))
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("dpselect.")}))
print(dps.utilities.__name__, dps.Ledger.__module__, dps.median.__module__)
"""


def test_a_selection_from_memory_needs_no_sources() -> None:
    """Nor views, utilities and ledgers, which come when they are named; they are named as users import them."""
    printed = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    rooms, later = printed.stdout.splitlines()

    assert {
        "_public",
        "_version",
        "_display",
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
for name in ("learn", "adaptive", "plot.accuracy_chart"):
    try:
        eval(f"dpselect.{name}")
    except ImportError as error:
        print(error)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    extras = [line.partition('".[')[2].partition("]")[0] for line in run.stdout.splitlines()]
    assert ["learn", "chooser", "learn"] == extras


BASE = """
import sys
from importlib.metadata import packages_distributions

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.others:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

absent = Absent()
base = {"dpselect", "numpy", "scipy", "cryptography", "cffi", "pycparser"}
tops = packages_distributions().items()
absent.others = {top for top, names in tops if not base & {*map(str.lower, names)}} - sys.stdlib_module_names
assert {"sklearn", "click", "jinja2", "matplotlib", "pyarrow"} & absent.others
sys.meta_path.insert(0, absent)

import dpselect as dps

later = []
for name in dps.__all__:
    try:
        getattr(dps, name)
    except ImportError as error:
        later.append(f"{name}: {error}")
print(later)
votes = dps.Scores([50, 0], 1, kind="integer")
ledger = dps.Ledger.open("base.ledger", epsilon=100)
release = dps.select(votes, epsilon=10, mechanism="permute-and-flip", ledger=ledger)
release.certificate(ledger=ledger, row=1).save("base.json")
assert dps.Certificate.read("base.json").content["answer"] == {"candidates": [release.value]}
assert dps.Ledger.read("base.ledger").verify().spends == 1
dps.median([1, 2, 3], epsilon=10, lower=0, upper=3, step=1, ledger=ledger)
dps.recommend(votes, epsilon=1, data="example")
assert dps.audit.privacy_loss("exponential", lambda x: dps.Scores(x, 1), dps.audit.vectors(2, range(2)),
epsilon=1).holds
"""


def test_the_base_install_is_enough(tmp_path: Path) -> None:
    """NumPy, SciPy and cryptography: to import, select, pay, certify and audit; what takes more says what it takes."""
    run = subprocess.run([sys.executable, "-c", BASE], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "" == run.stderr
    later = 'scikit-learn is not installed: python -m pip install ".[learn]" in a clone of dpselect.'
    assert run.stdout == f"{[f'learn: {later}']}\n"
