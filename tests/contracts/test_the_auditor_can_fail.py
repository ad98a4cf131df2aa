"""Planted faults: published errors and plausible mistakes that the auditor must catch, each with a counterexample."""

import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "faults"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in ("toys", "__init__"))


@pytest.fixture
def fault(request: pytest.FixtureRequest):
    """One planted fault, imported by name."""
    return importlib.import_module(f"tests.contracts.faults.{request.param}")


def test_there_are_at_least_fifteen() -> None:
    """The auditor is tried on every kind of mistake that was ever published, and some more."""
    assert len(NAMES) >= 15


@pytest.mark.parametrize("fault", NAMES, indirect=True)
def test_each_fault_is_caught_and_its_repair_is_not(fault) -> None:
    """The named detector prints a counterexample for the fault and stays silent for the repair."""
    assert fault.DETECTOR in ("admissibility", "smoothness", "loss", "sampler")
    counterexample = fault.detect()
    print(f"{fault.__name__} ({fault.DETECTOR}): {counterexample}")

    assert counterexample
    assert "" == fault.repaired()
