"""Popularity: different persons per item."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.universe import multisets
from tests.mechanisms.test_ordered_pmf import lists

SETS = [held for size in range(4) for held in itertools.combinations(range(3), size)]


def scores(people) -> dps.Scores:
    """People, each a set of three items, with a row twice."""
    rows = 2 * [(who, what) for who, held in enumerate(people) for what in held]
    columns = {"who": [who for who, _ in rows], "what": [what for _, what in rows]}
    return dps.utilities.popularity(columns, person="who", item="what", domain=range(3))


@cache
def counted(people) -> tuple[int, ...]:
    """The popularity of each item."""
    return tuple(scores(people).values.tolist())


def test_persons_are_counted_and_rows_are_not() -> None:
    """Exact integers, monotone, for person neighbours."""
    result = scores([(0, 1), (1,), ()])

    assert [1, 2, 0] == result.values.tolist()
    assert ("i", 1, "person", 1.0) == (
        result.values.dtype.kind,
        result.range_bound,
        result.neighbours,
        result.sensitivity.ceiling,
    )


def test_a_person_with_any_items_raises_each_by_one_and_lowers_none() -> None:
    """Every table of two persons over three items, and every third person."""
    for people in itertools.product(SETS, repeat=2):
        for third in SETS:
            moved = np.subtract(counted(tuple(sorted([*people, third]))), counted(tuple(sorted(people))))

            assert {0, 1} >= set(moved.tolist())


@pytest.mark.parametrize("base", [Fraction(3, 2), Fraction(3)])
def test_lists_of_two_lose_epsilon_at_most_and_reach_it(base: Fraction) -> None:
    """Exactly, for every table of two persons over three items and every third person; e^(epsilon/2) is a fraction."""
    laws: dict[tuple[int, ...], dict] = {}

    def law(people) -> dict:
        counts = counted(tuple(sorted(people)))
        if counts not in laws:
            laws[counts] = lists([base**count for count in counts], 2)
        return laws[counts]

    worst = Fraction(1)
    for people in itertools.product(SETS, repeat=2):
        for third in SETS:
            one, other = law(people), law([*people, third])
            worst = max(worst, *(max(one[s] / other[s], other[s] / one[s]) for s in one))

    assert base**2 == worst


def test_counted_events_would_have_no_bound() -> None:
    """One person with 50 rows is one person."""
    rows = {"who": ["ann"] * 50 + ["bob"], "what": ["tea"] * 50 + ["milk"]}

    assert [1, 1] == dps.utilities.popularity(rows, person="who", item="what", domain=["milk", "tea"]).values.tolist()


def test_the_audit_sees_a_universe_of_persons() -> None:
    """Neighbours are persons."""
    universe = multisets(range(8), 2, "person")

    assert "person" == universe.relation
    assert 45 == len(universe)
    assert (np.abs(np.diff(universe.sizes[universe.pairs()], axis=1)) == 1).all()
