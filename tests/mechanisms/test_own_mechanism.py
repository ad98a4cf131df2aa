"""A mechanism of a user's own needs the package alone, and everything that compares takes it."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.mechanisms import EXPONENTIAL, LAPLACE, PERMUTE_AND_FLIP, UnitMechanism, UnitScores, exact_ticks, scale
from tests.chance import accept

OUTSIDE = '''
from fractions import Fraction

import numpy as np

import dpselect as dps
from dpselect.mechanisms import PERMUTE_AND_FLIP, UnitMechanism, exact_ticks


class Capped(UnitMechanism):
    """Scores above a public number count as that number."""

    def __init__(self, most):
        def effective(scores):
            least = np.minimum(scores.values, most)
            return exact_ticks(least, Fraction(scores.sensitivity.ceiling), scores.range_bound)

        summary = "Where enough is as good as the best."
        super().__init__("capped", summary, effective, PERMUTE_AND_FLIP, {"most": most})


def favourite(records):
    counts = [int((records == answer).sum()) for answer in range(3)]
    return dps.Scores(counts, sensitivity=1, range_bound=1, kind="integer")


own = Capped(2)
votes = dps.Scores({"tea": 3, "coffee": 2, "water": 0}, sensitivity=1, range_bound=1, kind="integer")
errors = [dps.accuracy.expected_error(votes, epsilon=1, mechanism=each) for each in (own, "permute-and-flip")]
print(errors[0] > errors[1])
advice = dps.recommend(votes, epsilon=1, data="example", mechanisms=[own])
print([name for name, _, _ in advice.table if name.startswith("capped")], advice.table[0][0])
dps.plot.plot_law(votes, epsilon=[1, 2], mechanism=[own, "exponential"], path="law.png")
print(dps.audit.privacy_loss(own, favourite, dps.audit.multisets(range(3), 4), epsilon=1).holds)
ledger = dps.Ledger.open("capped.ledger", epsilon=2)
print(dps.select(votes, epsilon=1, mechanism=own, ledger=ledger).mechanism)
print(dps.top_k(votes, 2, epsilon=1, mechanism=own, ledger=ledger).mechanism)
print(ledger.events[0].mechanism)
'''
VOTES = dps.Scores([3, 2, 0], sensitivity=1, range_bound=1, kind="integer")


def capped(most: int, sampler=PERMUTE_AND_FLIP) -> UnitMechanism:
    """Scores above a public number count as it."""

    def effective(scores: dps.Scores) -> UnitScores:
        least = np.minimum(scores.values, most)
        return exact_ticks(least, Fraction(scores.sensitivity.ceiling), scores.range_bound)

    return UnitMechanism("capped", "Where enough is as good as the best.", effective, sampler, {"most": most})


def test_a_file_outside_of_the_package_has_all_it_needs(tmp_path: Path) -> None:
    """What it compares, draws, audits, records and spends with comes from the package."""
    (tmp_path / "own.py").write_text(OUTSIDE)
    run = subprocess.run([sys.executable, "own.py"], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "" == run.stderr
    assert [
        "True",
        "['capped, most 2'] permute-and-flip",
        "True",
        "capped, most 2",
        "capped, most 2, one-shot",
        "capped, most 2",
    ] == run.stdout.splitlines()
    assert (tmp_path / "law.png").stat().st_size


@pytest.mark.chance(2e-6)
def test_draws_of_ones_own_follow_its_law() -> None:
    """And no law of another epsilon."""
    accept(dps.audit.sampler_of(capped(2), VOTES, epsilon=1))


def test_the_best_of_ones_own_is_recommended() -> None:
    """Where the cap is no cap, it is permute-and-flip; the advice holds the object itself."""

    def halved(scores: dps.Scores) -> UnitScores:
        unit = scale(scores)
        return UnitScores(unit.ticks, unit.per_unit, unit.span / 2, unit.range_bound)

    own = UnitMechanism("halved", "Never, for it is not private.", halved, PERMUTE_AND_FLIP)
    advice = dps.recommend(VOTES, epsilon=1, data="example", mechanisms=[capped(1), own])

    assert advice.mechanism is own
    assert advice.sentence.startswith("Use halved: ")
    assert {"halved", "capped, most 1", "exponential"} <= {name for name, _, _ in advice.table}


def test_one_name_has_one_row() -> None:
    """A second mechanism of a name is refused; one of the library's, named again, is the same one."""
    again = dps.recommend(VOTES, epsilon=1, data="example", mechanisms=["exponential"])
    assert str(again) == str(dps.recommend(VOTES, epsilon=1, data="example"))

    other = UnitMechanism("exponential", "Under a name that is taken.", scale, LAPLACE)
    for twice in ([other], [capped(1), capped(1)]):
        with pytest.raises(ValueError, match="two mechanisms named .*: give yours a name of its own"):
            dps.recommend(VOTES, epsilon=1, data="example", mechanisms=twice)
    with pytest.raises(TypeError, match="or is a UnitMechanism of your own"):
        dps.recommend(VOTES, epsilon=1, data="example", mechanisms=[len])


def test_no_bound_is_said_of_ones_own() -> None:
    """Neither a bound nor a wrong reason, whatever its name and sampler are."""
    for own in (capped(2), capped(2, EXPONENTIAL)):
        for release in (
            dps.select(VOTES, epsilon=1, mechanism=own),
            dps.top_k(VOTES, 2, epsilon=1, mechanism=own, method="peeling"),
        ):
            assert release.error_bound.describe() == (
                "no bound on the error: no exact worst case is known for capped; permute-and-flip and exponential "
                "have one"
            )
    named = UnitMechanism("exponential", "Under a name that is taken.", scale, LAPLACE)
    assert (
        "no exact worst case is known for exponential"
        in dps.select(VOTES, epsilon=1, mechanism=named).error_bound.describe()
    )
