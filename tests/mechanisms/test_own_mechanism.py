"""A mechanism of a user's own needs the package alone, and everything that compares takes it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.mechanisms import (
    EXPONENTIAL,
    LAPLACE,
    PERMUTE_AND_FLIP,
    SmoothMechanism,
    SmoothScores,
    UnitMechanism,
    UnitScores,
    exact_ticks,
    floor_ticks,
    scale,
)
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
dps.plot.plot_pmf(votes, epsilon=[1, 2], mechanism=[own, "exponential"], path="law.png")
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
        with pytest.raises(
            ValueError, match="two mechanisms named .*: give yours a name of its own|is the name of a mechanism"
        ):
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


def test_the_sensitivity_is_exact_whatever_number_it_is() -> None:
    """A float as a sensitivity gives it, and a fraction: both say what one tick costs, exactly."""
    one, other = (exact_ticks(np.array([3, 1]), number, 2) for number in (0.1, Fraction(0.1)))

    assert (one.per_unit, one.span) == (other.per_unit, other.span) == (Fraction(0.1), 2 * Fraction(0.1))


SCORES = dps.Scores([1000, 10, 1], 1, range_bound=1, kind="integer")


def test_a_sampler_is_drawn_as_it_is_audited() -> None:
    """What bears the name of one of ours and is another is refused: its law, its range, or its strength."""
    for false in (
        replace(PERMUTE_AND_FLIP, bounded_range=True),
        replace(EXPONENTIAL, strength=lambda epsilon: 100 * epsilon),
        replace(PERMUTE_AND_FLIP, log_pmf=EXPONENTIAL.log_pmf),
        replace(EXPONENTIAL, name="mine"),
        replace(LAPLACE, grouped=True),
    ):
        with pytest.raises(ValueError, match="sampler is EXPONENTIAL, PERMUTE_AND_FLIP or LAPLACE"):
            UnitMechanism("mine", "", scale, false)


def test_noise_that_moves_with_the_scores_has_no_bounded_range() -> None:
    """Whatever draws it: a ledger of rhos pays epsilon^2 / 2."""
    own = SmoothMechanism("mine", "", lambda *_: SmoothScores(np.array([1, 0]), Fraction(1)), EXPONENTIAL)

    assert not own.guarantee(dps.Scores([1, 0], 1, kind="integer"), 1).bounded_range


@pytest.mark.parametrize(
    "unit",
    [
        np.array([3, 2, 1]),
        UnitScores([3, 2, 1], Fraction(1), Fraction(1), 1),  # type: ignore[arg-type]
        UnitScores(np.array([3, 2]), Fraction(1), Fraction(1), 1),
        UnitScores(np.array([[3, 2, 1]]), Fraction(1), Fraction(1), 1),
        UnitScores(np.array([3.5, 2, 1]), Fraction(1), Fraction(1), 1),  # type: ignore[arg-type]
        UnitScores(np.array([3, 2, 1]), Fraction(1), Fraction(-1), 1),
    ],
)
def test_unit_scores_that_cannot_be_drawn_are_refused_before_anything_is_spent(unit: object) -> None:
    """One integer of 64 bits for each candidate, and a positive span."""
    own = UnitMechanism("mine", "", lambda _: unit, EXPONENTIAL)  # type: ignore[arg-type, return-value]
    with dps.budget(epsilon=9) as book:
        with pytest.raises((TypeError, ValueError), match="effective returns UnitScores"):
            dps.select(SCORES, epsilon=1, mechanism=own)
        assert 0 == book.totals.spends


@pytest.mark.parametrize("sampler", [EXPONENTIAL, PERMUTE_AND_FLIP, LAPLACE])
def test_no_tick_is_too_large_and_none_refuses_by_what_rows_hold(sampler) -> None:
    """Beyond 2^61 it is clipped; where a score is not a number, it counts as the lowest."""
    large = UnitMechanism(
        "mine", "", lambda _: UnitScores(np.array([2**62, -(2**63), 0]), Fraction(1), Fraction(1), 1), sampler
    )
    assert [2**61, -(2**61), 0] == large.quantize(SCORES, Fraction(1))[0].tolist()
    root = UnitMechanism("mine", "", lambda s: floor_ticks(np.sqrt(s.values.astype(float)), 2), sampler)
    with np.errstate(invalid="ignore"):
        released = dps.select(dps.Scores([30000, 2, -1], 1, kind="integer"), epsilon=900, mechanism=root)
    assert 0 == released.value


def test_a_name_of_ours_is_that_of_ours() -> None:
    """Ledgers and certificates say it, and joint lists and bounds on errors follow from it."""
    own = UnitMechanism("exponential", "", lambda s: exact_ticks(-s.values, 1, 1), EXPONENTIAL)
    for ask in (
        lambda: dps.select(SCORES, epsilon=1, mechanism=own),
        lambda: dps.top_k(SCORES, 2, epsilon=8, mechanism=own, method="joint"),
        lambda: dps.error_bound(epsilon=1, candidates=3, mechanism=own),
    ):
        with pytest.raises(ValueError, match="is the name of a mechanism of dpselect: give yours another"):
            ask()
    for name in dps.mechanisms.MECHANISMS:
        assert name == dps.mechanisms.require_mechanism(dps.mechanism(name)).name
