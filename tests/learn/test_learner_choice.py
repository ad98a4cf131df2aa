"""Which learner suits a table follows from public numbers alone."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.cli.query_commands import options_of
from dpselect.learn import recommend_learner
from dpselect.learn.learner_choice import FROM
from dpselect.queries import Train


@pytest.mark.parametrize(
    ("epsilon", "delta", "records", "rows", "learner"),
    [
        (1, 0, None, 1, "tree"),
        (100, 0, 10**9, 1, "tree"),
        (1, 1e-6, 499, 1, "tree"),
        (1, 1e-6, 500, 1, "boosted"),
        (Fraction(1, 10), 1e-6, 4999, 1, "tree"),
        (Fraction(1, 10), 1e-6, 5000, 1, "boosted"),
        (1, 1e-6, 1000, 2, "boosted"),
        (1, 1e-6, 1000, 3, "tree"),
    ],
)
def test_boosting_wants_a_delta_and_500_records_times_epsilon(epsilon, delta, records, rows, learner) -> None:
    """Rows of one person share the budget."""
    choice = recommend_learner(epsilon, delta, n_records=records, rows_per_person=rows)

    assert learner == choice.learner
    assert ("500" in choice.why) == bool(delta)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"delta": 1e-6}, dps.PrivacyError, "pass n_records, a rough public number"),
        ({"delta": 1e-6, "n_records": 0}, ValueError, "n_records must be"),
        ({"delta": 1e-6, "n_records": 10**16}, ValueError, "n_records must be at most"),
        ({"delta": 1, "n_records": 9}, ValueError, "less than 1"),
        ({"delta": -1e-6, "n_records": 9}, ValueError, "at least 0"),
        ({"epsilon": 0}, ValueError, "positive"),
        ({"rows_per_person": 0}, ValueError, "rows_per_person must be"),
    ],
)
def test_a_size_is_never_counted_and_numbers_are_checked(arguments, error, message) -> None:
    """One sentence."""
    with pytest.raises(error, match=message):
        recommend_learner(**{"epsilon": 1} | arguments)


def test_the_page_of_help_names_the_same_number() -> None:
    """The command line does not import a learner to say so."""
    (option,) = [each for each in options_of(Train) if each.name == "model"]

    assert f"is at least {FROM}" in option.help
