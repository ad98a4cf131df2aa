"""Who has what: each pair once, and what is kept of a person."""

from __future__ import annotations

import duckdb
import numpy as np
import polars
import pytest

from dpselect.sources.public_names import PublicNames
from dpselect.views import Events, events

NAMES, GROUPS = PublicNames.of(range(4), "domain"), PublicNames.of(["n", "s"], "groups")
ROWS = {"who": [7, 7, 7, 8, 8, 9, None], "what": [1, 1, 3, 0, 9, 1, 2], "where": ["n", "s", "n", "s", "n", "x", "n"]}


def read(**more) -> Events:
    """The events of the table."""
    return Events.read(ROWS, "who", "what", NAMES, **more)


def test_every_pair_counts_once_and_strangers_do_not() -> None:
    """Rows without a person, an item or a group of the lists go alone."""
    assert [1, 2, 0, 1] == read().counts().tolist()
    grouped = read(by="where", places=GROUPS).counts_by_group(2)
    assert [[0, 1, 0, 1], [1, 1, 0, 0]] == [counts.tolist() for counts in grouped]


@pytest.mark.parametrize("grouped", [False, True])
def test_numbers_too_large_for_one_integer_are_told_apart_all_the_same(grouped: bool, monkeypatch) -> None:
    """No number of persons is refused."""
    more = {"by": "where", "places": GROUPS} if grouped else {}
    usual = read(**more)
    monkeypatch.setattr(events, "_MOST_CODES", 1)
    large = read(**more)

    for name in ("persons", "items", "groups"):
        assert np.array_equal(getattr(usual, name), getattr(large, name))


def test_a_person_keeps_what_coins_choose_among_their_own() -> None:
    """The smallest numbers; who has no more than allowed draws none."""
    drawn = []

    def below(bounds):
        drawn.append(bounds)
        return np.array([5, 2, 2])

    rows = {"who": [1, 1, 1, 2], "what": [0, 1, 2, 3]}
    everything = Events.read(rows, "who", "what", NAMES)
    assert [0, 1, 1, 1] == everything.at_most(2, below).counts().tolist()
    assert [0, 1, 0, 1] == everything.at_most(1, below).counts().tolist()
    assert [1, 1, 1, 1] == everything.at_most(3, below).counts().tolist()
    assert [[2**32] * 3] * 2 == [bounds.tolist() for bounds in drawn]


def test_a_person_keeps_whole_groups() -> None:
    """All items of them."""
    kept = read(by="where", places=GROUPS).in_groups(1, lambda bounds: np.arange(bounds.size)[::-1])

    assert [[0, 0, 0, 0], [1, 1, 0, 0]] == [counts.tolist() for counts in kept.counts_by_group(2)]


def test_nothing_private_is_shown() -> None:
    """In a repr."""
    assert "Events(private)" == repr(read())


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda: polars.LazyFrame({"user": [1], "product": ["a"]}), r"\.collect\(\)"),
        (lambda: duckdb.sql("select 1 as user, 'a' as product"), "a table of Ibis"),
        (lambda: [{"user": 1, "product": "a"}], "a mapping from each column"),
    ],
    ids=["lazy", "relation", "dicts"],
)
def test_what_is_not_a_table_in_memory_says_how_to_pass_it(read, words: str) -> None:
    """Lazy frames, relations and lists of dicts."""
    with pytest.raises((TypeError, ValueError), match=words):
        Events.read(read(), "user", "product", PublicNames.of(["a"], "domain"))
