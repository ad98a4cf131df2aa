"""The audit and the tests can fail: faults planted in the library's own code are noticed."""

import dataclasses

import pytest

from tests.mutants.mutants import MUTANTS
from tests.mutants.planting import noticed, planted, source_of

NAMES = {mutant.name: mutant for mutant in MUTANTS}


def test_each_change_can_be_planted() -> None:
    """Its function is there, what it replaces is there once, and what comes out is Python."""
    assert len(MUTANTS) == len(NAMES)
    # Those of one file together: it is parsed once.
    for mutant in sorted(MUTANTS, key=lambda each: each.function.partition(":")[0]):
        before = source_of(mutant).read_text(encoding="utf-8")
        after = planted(mutant, before)

        assert before != after, mutant.name
        compile(after, mutant.name, "exec")


def test_a_change_that_fits_nowhere_is_refused() -> None:
    """Functions that moved, and text that is gone, are named."""
    mutant = MUTANTS[0]
    source = source_of(mutant).read_text(encoding="utf-8")

    with pytest.raises(LookupError, match="does not exist"):
        planted(dataclasses.replace(mutant, function="dpselect.release.select:gone"), source)
    with pytest.raises(LookupError, match="0 times"):
        planted(dataclasses.replace(mutant, old="nowhere in there"), source)


@pytest.mark.slow
def test_a_fault_is_told_from_a_change_that_is_none() -> None:
    """The quickest of each: both verdicts occur."""
    assert noticed(NAMES["random bytes have a fixed start"], "claims")
    assert not noticed(NAMES["the median's reach is one step early, which is admissible"], "claims")


@pytest.mark.slow
def test_a_change_that_names_what_is_gone_is_noticed_by_nobody() -> None:
    """It would fail every test, and prove nothing."""
    mutant = NAMES["a rank counts itself among those above it"]
    gone = dataclasses.replace(mutant, name="gone", new="higher = ends <= gone + np")

    with pytest.raises(RuntimeError, match="name 'gone' is not defined"):
        noticed(gone, "tests")


@pytest.mark.slow
@pytest.mark.parametrize("by", ["claims", "tests"])
@pytest.mark.parametrize("name", NAMES)
def test_each_fault_is_noticed(name: str, by: str) -> None:
    """By those claims of the audit, and by those tests, that concern it."""
    mutant = NAMES[name]

    assert noticed(mutant, by) in (not mutant.harmless, None)
