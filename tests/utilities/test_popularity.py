"""Popularity: different persons per item."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.universe import multisets

SETS = [held for size in range(4) for held in itertools.combinations(range(3), size)]


def scores(people) -> dps.Scores:
    """People, each a set of three items, with a row twice."""
    rows = 2 * [(who, what) for who, held in enumerate(people) for what in held]
    columns = {"who": [who for who, _ in rows], "what": [what for _, what in rows]}
    return dps.utilities.popularity(columns, person="who", item="what", domain=range(3))


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
            moved = scores([*people, third]).values - scores(people).values

            assert {0, 1} >= set(moved.tolist())


def list_law(weights: list[Fraction], k: int) -> dict[tuple[int, ...], Fraction]:
    """The law of k draws by permute-and-flip, one after the other, from e^(rate tick) as fractions."""
    law = {(): Fraction(1)}
    for _ in range(k):
        law = {
            (*chosen, place): chance * share
            for chosen, chance in law.items()
            for place, share in one_of({i: w for i, w in enumerate(weights) if i not in chosen}).items()
        }
    return law


def one_of(weights: dict[int, Fraction]) -> dict[int, Fraction]:
    """Permute-and-flip: a uniform head among coins of the ratio to the best."""
    best, law = max(weights.values()), dict.fromkeys(weights, Fraction(0))
    for heads in itertools.product((0, 1), repeat=len(weights)):
        chance = Fraction(1)
        for shown, weight in zip(heads, weights.values(), strict=True):
            chance *= weight / best if shown else 1 - weight / best
        for shown, place in zip(heads, weights, strict=True):
            if shown and chance:
                law[place] += chance / sum(heads)
    return law


@pytest.mark.parametrize("base", [Fraction(3, 2), Fraction(3)])
def test_lists_of_two_lose_epsilon_at_most_and_nearly_reach_it(base: Fraction) -> None:
    """Exactly, for every table of two persons over three items and every third person; e^(epsilon/2) is a fraction."""
    laws = {}

    def law(people) -> dict:
        counts = tuple(scores(people).values.tolist())
        if counts not in laws:
            laws[counts] = list_law([base**count for count in counts], 2)
        return laws[counts]

    worst = Fraction(1)
    for people in itertools.product(SETS, repeat=2):
        for third in SETS:
            one, other = law(people), law([*people, third])
            worst = max(worst, *(max(one[s] / other[s], other[s] / one[s]) for s in one))

    assert worst <= base**2
    assert worst >= base ** Fraction(5, 4)


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
