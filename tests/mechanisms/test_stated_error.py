"""What all statements about errors share: one check of the probability, one way to say it, and who has candidates."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.learn.leaf_error import LeafError
from dpselect.mechanisms.smooth.value_noise import CAUCHY
from dpselect.mechanisms.stated_error import StatedError
from dpselect.release.count_error import CountError
from dpselect.release.missed_names import MissedNames
from dpselect.release.number_error import NumberError
from dpselect.release.rank_error import RankError
from dpselect.release.threshold_error import StreamError
from dpselect.release.threshold_rules import threshold_rules

ONE = Fraction(1)
RULES = threshold_rules(
    1, positives=1, sensitivity=1, kind="integer", range_bound=2, neighbours="add-remove", levels=(), share=None
)
STATEMENTS = [
    dps.worst_error(1, candidates=4),
    CountError(ONE, 3),
    LeafError(ONE, 4, 2),
    MissedNames(ONE, Fraction(1, 10**6)),
    NumberError(CAUCHY, ONE, ONE),
    RankError((Fraction(1, 2),), 8, ONE),
    StreamError(RULES, 10),
]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda each: type(each).__name__)
def test_every_statement_is_about_a_probability_below_one(statement: StatedError) -> None:
    """Refused alike, as a figure and in words; the words hold the probability that was asked for, and no data."""
    for ask in (statement.below, statement.sentence):
        for probability in (1, 95, 1.5):
            with pytest.raises(ValueError, match=r"probability must be below 1: how likely .*, such as 0.95\."):
                ask(probability)
        with pytest.raises(ValueError, match="probability must be positive"):
            ask(0)

    words = statement.sentence(Fraction(4, 5))
    assert "whatever the data" in words
    assert "with probability 0.8" in words or "with 80 %" in words
    assert statement.below(0.8) <= statement.below(0.99)


def test_only_a_choice_has_candidates() -> None:
    """Noisy numbers, counts, names and streams have none."""
    assert [4, *[None] * 6] == [each.names for each in STATEMENTS]
    assert all(isinstance(each, StatedError) for each in STATEMENTS)
