"""What all statements about errors share: one check of the probability, one way to say it, and who has candidates."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.learn.leaf_bound import LeafBound
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.mechanisms.smooth.value_noise import CAUCHY
from dpselect.release.count_bound import CountBound
from dpselect.release.missed_names_bound import MissedNamesBound
from dpselect.release.number_bound import NumberBound
from dpselect.release.rank_bound import RankBound
from dpselect.release.threshold_bound import ThresholdBound
from dpselect.release.threshold_rules import threshold_rules

ONE = Fraction(1)
RULES = threshold_rules(
    1, positives=1, sensitivity=1, kind="integer", range_bound=2, neighbours="add-remove", levels=(), share=None
)
STATEMENTS = [
    dps.error_bound(epsilon=1, candidates=4),
    CountBound(ONE, 3),
    LeafBound(ONE, 4, 2),
    MissedNamesBound(ONE, Fraction(1, 10**6)),
    NumberBound(CAUCHY, ONE, ONE),
    RankBound((Fraction(1, 2),), 8, ONE),
    ThresholdBound(RULES, 10),
]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda each: type(each).__name__)
def test_every_statement_is_about_a_probability_below_one(statement: ErrorBound) -> None:
    """Refused alike, as a figure and in words; the words hold the probability that was asked for, and no data."""
    for ask in (statement.at, lambda probability: statement.describe(probability=probability)):
        for probability in (1, 95, 1.5):
            with pytest.raises(ValueError, match=r"probability must be below 1: how likely .*, such as 0.95\."):
                ask(probability)
        with pytest.raises(ValueError, match="probability must be positive"):
            ask(0)

    words = statement.describe(probability=Fraction(4, 5))
    assert "whatever the data" in words
    assert "with probability 0.8" in words or "with 80 %" in words
    assert statement.at(0.8) <= statement.at(0.99)


def test_only_a_choice_has_candidates() -> None:
    """Noisy numbers, counts, names and streams have none."""
    assert [4, *[None] * 6] == [each.names for each in STATEMENTS]
    assert all(isinstance(each, ErrorBound) for each in STATEMENTS)


def test_no_bound_says_why() -> None:
    """As an error, in words and for programs; it names no candidates."""
    missing = dps.accuracy.NoBound("the noise is private")

    with pytest.raises(ValueError, match=r"No bound on the error is known: the noise is private\."):
        missing.at()
    assert "no bound on the error: the noise is private" == missing.describe("votes", 0.5)
    assert missing.facts() is None is missing.names


def test_a_bound_carries_its_unit_and_its_scope() -> None:
    """Both are said and neither is part of what is equal; a unit that is passed is said instead."""
    bound = CountBound(ONE, 3)
    told = CountBound(ONE, 3, unit="rows", scope="each group: ", rows_per_person=2)

    assert bound == told
    assert f"each group: {bound.describe('rows')}" == told.describe()
    assert "euros" in told.describe("euros")
    assert ("rows", bound.at()) == (told.facts()["unit"], told.facts()["error_below"])
