"""The most common items that no public list declares."""

from __future__ import annotations

import itertools

import pytest

import dpselect as dps
from dpselect.release.unknown_domain import unknown_domain_of
from tests.release.test_partition_selection import SETS, SMALL, divergence
from tests.release.tossed import tossed_law

ROWS = {"who": [*range(200), *range(150), 0], "what": ["tea"] * 200 + ["milk"] * 150 + ["ann's"]}
ASKED = {"person": "who", "item": "what"}


def law(people, k: int, epsilon: float, delta: float, most: int) -> dict[tuple, float]:
    """The chance of every list, over all coins; a person is a set of names."""
    rows = [(who, what) for who, held in enumerate(people) for what in held]
    columns = {"who": [who for who, _ in rows], "what": [what for _, what in rows]}
    return tossed_law(
        lambda session_factory: (
            unknown_domain_of(
                columns, k, epsilon, delta, "who", "what", None, most, session_factory=session_factory
            ).value
        )
    )


def test_no_person_is_told_apart_by_more_than_epsilon_and_delta() -> None:
    """Exactly, over all coins and winners: two persons, and every third one."""
    worst = 0.0
    for people, third in itertools.product(SMALL[::12], SETS[1::2]):
        before, after = (law(held, 1, 1.0, 0.2, 2) for held in (people, [*people, third]))
        worst = max(worst, divergence(before, after, 1.0), divergence(after, before, 1.0))

    assert 0.02 <= worst <= 0.2 + 1e-12


def test_all_items_of_a_person_count_once_names_are_told() -> None:
    """At most k of what may be revealed, in order."""
    release = dps.most_common(ROWS, 3, epsilon=20, **ASKED, delta=1e-6, items_per_person=1)

    assert ("tea", "milk") == release.value
    assert dps.Guarantee(20, "person", 1e-6) == release.guarantee
    assert "partition selection, permute-and-flip" == release.mechanism


def test_where_nothing_can_be_told_the_list_is_empty() -> None:
    """It is an answer all the same."""
    release = dps.most_common({"who": [1], "what": ["x"]}, 3, epsilon=1, **ASKED, delta=1e-30, items_per_person=1)

    assert () == release.value


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({}, dps.PrivacyError, "pass domain=?, their public list"),
        ({"items_per_person": 2}, dps.PrivacyError, "without a delta"),
        ({"delta": 1e-6}, dps.PrivacyError, "with items_per_person=? .*one of the two"),
        ({"delta": 1e-6, "items_per_person": 2, "k": 0}, ValueError, "at least 1"),
        ({"delta": 1e-6, "domain": ["tea", "milk"]}, ValueError, "public list needs no delta"),
        ({"delta": 1e-6, "items_per_person": 2, "by": "who"}, dps.PrivacyError, "Groups share one public list"),
    ],
)
def test_what_is_refused_is_refused_before_the_spend(changed, error, message) -> None:
    """In one sentence."""
    spent = []

    class Book:
        def spend(self, *args, **_) -> None:
            spent.append(args)

    asked = {"k": 2, "epsilon": 1, **ASKED, **changed}
    with pytest.raises(error, match=message):
        dps.most_common(ROWS, ledger=Book(), **asked)
    assert [] == spent
