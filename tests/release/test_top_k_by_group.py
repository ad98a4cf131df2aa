"""The best k of every group: exact losses, one spend, and refusals."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise, transcripts
from dpselect.release.open_session import session_factory_of
from dpselect.release.top_k_by_group import top_k_of

EPSILON = 2


def of(votes, neighbours: str = "add-remove", **more) -> dict[str, dps.Scores]:
    """Scores of each group: counts, which one record more raises."""
    facts = {"kind": "integer", "range_bound": 1, "neighbours": neighbours} | more
    return {group: dps.Scores(np.array(each), 1, **facts) for group, each in votes.items()}


def law(votes, share: int | None, k: int = 1) -> dict[tuple, float]:
    """The exact law of all lists."""
    return enumerated(tuple((group, tuple(map(int, each))) for group, each in votes.items()), share, k)


@cache
def enumerated(votes: tuple, share: int | None, k: int) -> dict[tuple, float]:
    """The same, added up once for each table."""
    chances: dict[tuple, float] = {}

    def once(replay: ScriptedNoise) -> None:
        scores = of(dict(votes), "add-remove" if share is None else "person")
        release = top_k_of(scores, k, EPSILON, None, share, session_factory=session_factory_of(lambda: replay))
        answer = tuple(release.value.values())
        chances[answer] = chances.get(answer, 0.0) + math.exp(replay.log_chance)

    for _ in transcripts(once):
        pass
    assert math.isclose(1, sum(chances.values()))
    return chances


def loss(votes, more, share: int | None, k: int = 1) -> float:
    """The largest log-ratio with these votes more, over epsilon."""
    after = {group: np.add(each, more.get(group, 0)) for group, each in votes.items()}
    one, two = law(votes, share, k), law(after, share, k)
    return max(abs(math.log(one[answer] / two[answer])) for answer in one) / EPSILON


TABLES = [{"n": [4, 4, 0], "s": [4, 4, 0]}, {"n": [0, 9, 9], "s": [1, 0, 2]}, {"n": [0, 0, 0], "s": [9, 0, 9]}]
VOTES = [[1, 0, 0], [0, 1, 1], [1, 1, 1]]


@pytest.mark.parametrize("k", [1, 2])
def test_one_record_costs_epsilon(k: int) -> None:
    """It is in one group, which is drawn at all of epsilon."""
    losses = [loss(table, {group: vote}, None, k) for table in TABLES for vote in VOTES for group in "ns"]
    assert 0.6 / k < max(losses) <= 1 + 1e-9


def test_one_person_in_two_groups_costs_epsilon() -> None:
    """Each is drawn at half of it."""
    losses = [loss(table, {"n": one, "s": two}, 2) for table in TABLES for one in VOTES for two in VOTES]
    assert 0.6 < max(losses) <= 1 + 1e-9


def test_a_person_in_more_groups_than_promised_would_be_caught() -> None:
    """Two groups at all of epsilon."""
    assert 1.2 < loss(TABLES[0], {"n": VOTES[0], "s": VOTES[0]}, 1)


def test_one_spend_for_all_groups(tmp_path) -> None:
    """With the neighbours of the scores, and how wrong the largest group may be."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=100)
    release = dps.top_k_by_group(of({"n": [90, 0, 5], "s": [0, 80]}), 1, epsilon=50, ledger=ledger)

    assert {"n": (0,), "s": (1,)} == dict(release.value)
    (event,) = ledger.events
    assert (50, "permute-and-flip") == (event.epsilon, event.mechanism)
    assert 3 == release.error_bound.case.candidates
    people = dps.top_k_by_group(of({"n": [90, 0], "s": [0, 80]}, "person"), 2, epsilon=9, groups_per_person=7)
    assert dps.Guarantee(9, "person") == people.guarantee


@pytest.mark.parametrize(
    ("scores", "more", "error", "message"),
    [
        ({}, {}, TypeError, "mapping from each public group"),
        ([1, 2], {}, TypeError, "mapping from each public group"),
        ({"n": [1, 2]}, {}, TypeError, "scores must be Scores"),
        (of({"n": [1, 2]}) | of({"s": [1, 2]}, "person"), {}, ValueError, "different neighbours"),
        (of({"n": [1, 2]}, "substitution"), {}, dps.PrivacyError, "may be in two"),
        (of({"n": [1, 2]}, "person"), {}, dps.PrivacyError, "groups_per_person="),
        (of({"n": [1, 2]}), {"groups_per_person": 1}, dps.PrivacyError, "One record is in one group"),
        (of({"n": [1, 2]}, "person"), {"groups_per_person": 0}, ValueError, "at least 1"),
        (of({"n": [1, 2], "s": [3]}), {"k": 2}, ValueError, "there are 1 candidates"),
        (of({"n": [1, 2]}), {"epsilon": -1}, ValueError, "positive"),
        (of({"n": [1, 2]}), {"mechanism": "flip"}, ValueError, "flip"),
    ],
)
def test_what_is_refused_is_refused_before_the_spend(scores, more, error, message) -> None:
    """In one sentence."""

    class Closed:
        def spend(self, *_, **__):
            raise AssertionError

    with pytest.raises(error, match=message):
        dps.top_k_by_group(scores, **({"k": 1, "epsilon": 1, "ledger": Closed()} | more))
