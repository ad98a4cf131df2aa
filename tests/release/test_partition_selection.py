"""Names that no public list declares."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import dpselect as dps
from dpselect.release.partition_selection import keys_of
from tests.release.tossed import tossed_law

ROWS = {"who": [*range(200), *range(200), 0, None, 5], "what": ["tea"] * 200 + ["milk"] * 200 + ["ann's", "rum", ""]}
ASKED = {"person": "who", "key": "what", "keys_per_person": 2}


def law(people, epsilon, delta, most: int) -> dict[tuple, float]:
    """The chance of every set of names, over all coins; a person is a set of names."""
    rows = [(who, what) for who, held in enumerate(people) for what in held]
    columns = {"who": [who for who, _ in rows], "what": [what for _, what in rows]}
    return tossed_law(
        lambda session_factory: (
            keys_of(columns, epsilon, delta, "who", "what", most, session_factory=session_factory).value
        )
    )


def divergence(one, other, epsilon: float) -> float:
    """The least delta at which one law is covered by the other."""
    return sum(max(0.0, chance - math.exp(epsilon) * other.get(told, 0.0)) for told, chance in one.items())


SETS = [held for size in range(4) for held in itertools.combinations("abc", size)]
SMALL = list(itertools.product(SETS[:5], repeat=2))


@pytest.mark.parametrize("most", [1, 2])
def test_no_person_is_told_apart_by_more_than_epsilon_and_delta(most: int) -> None:
    """Exactly, over all coins: two persons, and every third one; and delta is reached."""
    epsilon, delta, worst = 1.0, 0.2, 0.0
    for people in SMALL[::9]:
        before = law(people, epsilon, delta, most)
        for third in SETS:
            after = law([*people, third], epsilon, delta, most)
            worst = max(worst, divergence(before, after, epsilon), divergence(after, before, epsilon))

    assert worst <= delta + 1e-12
    assert worst >= 0.9 * delta


def test_frequent_names_are_told_and_rare_ones_are_not() -> None:
    """Nor empty ones, nor those of nobody."""
    release = dps.partitions(ROWS, epsilon=2, delta=1e-9, **ASKED)

    assert ("milk", "tea") == release.value
    assert dps.Guarantee(2, "person", 1e-9) == release.guarantee
    assert () == dps.partitions({"who": [], "what": []}, epsilon=1, delta=1e-6, **ASKED).value


def test_the_ledger_keeps_epsilon_and_delta_of_persons(tmp_path) -> None:
    """Before anything is drawn."""
    ledger = dps.Ledger.open(tmp_path / "people.ledger", epsilon=3, delta=1e-5, neighbours="person")
    dps.partitions(ROWS, epsilon=1, delta=1e-6, **ASKED, ledger=ledger)

    (event,) = ledger.events
    assert (1, 1e-6, "person", "partition selection") == (
        event.epsilon,
        float(event.delta),
        event.neighbours,
        event.mechanism,
    )


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"delta": 0}, dps.PrivacyError, "without a delta"),
        ({"delta": 1}, ValueError, "less than 1"),
        ({"delta": 1e-200}, ValueError, "too small"),
        ({"keys_per_person": 0}, ValueError, "at least 1"),
        ({"key": "name"}, ValueError, "no column 'name'"),
        ({"epsilon": -1}, ValueError, "positive"),
    ],
)
def test_what_is_refused_is_refused_before_the_spend(changed, error, message) -> None:
    """In one sentence."""
    spent = []

    class Book:
        def spend(self, *args, **_) -> None:
            spent.append(args)

    asked = {"epsilon": 1, "delta": 1e-6, **ASKED, **changed}
    with pytest.raises(error, match=message):
        dps.partitions(ROWS, ledger=Book(), **asked)
    assert [] == spent


def test_draws_of_keys_are_paid_for() -> None:
    """Epsilon and delta, for the relation of the bound."""
    counts = np.array([5, 0])
    with dps.open_session(dps.Guarantee(1, "person", 0.1)) as draws:
        with pytest.raises(dps.PrivacyError, match="delta"):
            draws.keys(counts, 1, 0.2, dps.mechanisms.Bound(1, "person"))
        with pytest.raises(dps.PrivacyError, match="use one"):
            draws.keys(counts, 1, 0.1, dps.mechanisms.Bound(1))
        with pytest.raises(ValueError, match="at least 0"):
            draws.keys(counts - 1, 1, 0.1, dps.mechanisms.Bound(1, "person"))
        assert not draws.keys(counts, 1, 0.1, dps.mechanisms.Bound(1, "person"))[1]
        assert 0 == draws.remaining


def test_key_law_says_what_a_budget_gives() -> None:
    """For public numbers, of their shape."""
    law_of = dps.accuracy.keep_probability([[0, 14], [125, 10**6]], epsilon=1, delta=1e-6, keys_per_person=1)

    assert (2, 2) == law_of.shape
    assert 0 == law_of[0, 0]
    assert [True, True, True] == [0.5 < law_of[0, 1] < 1, 1 == law_of[1, 0], 1 == law_of[1, 1]]
    with pytest.raises(ValueError, match="integers of at least 0"):
        dps.accuracy.keep_probability([-1], epsilon=1, delta=1e-6)
