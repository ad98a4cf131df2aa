"""Searches among settings: planned in public, paid for once, and silent about everything but the winner."""

from __future__ import annotations

import dataclasses
import pickle
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.kernel.run_count import RunCount
from dpselect.release.open_session import session_factory_of
from dpselect.release.tuning import tune_with
from tests.release.counted import Counted

ONE = dps.mechanisms.Bound(1)


class Book:
    """A ledger that notes what it was asked."""

    def __init__(self) -> None:
        self.spends: list[tuple] = []

    def spend(self, guarantee, /, *, mechanism: str, count: int = 1, note: str = "") -> None:
        """Note it."""
        del note
        self.spends.append((guarantee.epsilon, mechanism, count))


def noisy(setting: int, draws: dps.tuning.Session) -> tuple[int, int]:
    """As good as its setting is large."""
    score = int(draws.counts(np.array([100 * setting]), draws.remaining, ONE)[0])
    return -setting, score


@pytest.mark.parametrize(
    ("settings", "missed", "gamma", "of_run"),
    [(5, 0.3, 0.11, 0.384), (5, 0.1, 0.028, 0.346), (20, 0.3, 0.023, 0.344), (100, 0.3, 0.0043, 0.335)],
)
def test_plans_print_what_the_law_says(settings: int, missed: float, gamma: float, of_run: float) -> None:
    """Epsilon of a run, how many there are and what is missed, at a total of 1."""
    plan = dps.tuning.tuning_plan(settings, epsilon=1, gamma=gamma)

    assert abs(plan.miss_chance - missed) < 0.01
    assert abs(float(plan.epsilon_of_run) - of_run) < 0.002
    assert abs(plan.mean_runs - 1 / gamma) < 0.01 / gamma


def test_the_default_misses_a_fifth_and_runs_two_hundred_times_at_most() -> None:
    """Up to three settings are tried once each, and nothing is missed."""
    for settings in (4, 5, 20, 51):
        assert abs(dps.tuning.tuning_plan(settings, epsilon=1).miss_chance - 0.2) < 0.001
    assert 199 < dps.tuning.tuning_plan(10_000, epsilon=1).mean_runs < 200
    for settings in (1, 2, 3):
        plan = dps.tuning.tuning_plan(settings, epsilon=1)
        assert (None, Fraction(1, settings), settings, 0) == (
            plan.law,
            plan.epsilon_of_run,
            plan.mean_runs,
            plan.miss_chance,
        )
    assert "every setting once" in str(dps.tuning.tuning_plan(3, epsilon=1))
    assert dps.tuning.tuning_plan(1, epsilon=1, good_enough=3).law == RunCount(Fraction(1, 2), good_enough=Fraction(3))


def test_a_plan_that_stops_early_states_no_chance_that_does_not_hold() -> None:
    """Where every setting is good enough there is one run, and the best one is it once in as many times."""
    plan = dps.tuning.tuning_plan(20, epsilon=1, good_enough=10)

    assert 0.95 == plan.miss_chance
    assert "probability" not in str(plan)
    assert "the first that is good enough ends the search" in str(plan)


def test_a_search_finds_a_good_setting_and_pays_once() -> None:
    """One spend of the whole, before anything is drawn."""
    book, plan, promise = Book(), dps.tuning.tuning_plan(8, epsilon=3), dps.Guarantee(3, "add-remove")
    best = tune_with(noisy, range(1, 9), plan, promise, book, session_factory_of(lambda: Counted(300)))

    assert (8, -8) == (best.setting, best.result)
    assert abs(best.score - 800) < 200
    assert [(3, "tune-privately", 1)] == book.spends
    assert promise == best.guarantee


def test_a_search_among_many_pays_once_too() -> None:
    """By the function that users call."""
    book = Book()
    best = dps.tuning.tune_privately(noisy, range(1, 9), epsilon=3, neighbours="add-remove", ledger=book)

    assert best.setting == -best.result
    assert dps.tuning.tuning_plan(8, epsilon=3) == best.plan
    assert [(3, "tune-privately", 1)] == book.spends


def test_up_to_three_settings_are_tried_once_each() -> None:
    """At a third of epsilon, from one spend."""
    book, seen = Book(), []

    def run(setting: int, draws: dps.tuning.Session) -> tuple[int, int]:
        seen.append((setting, draws.remaining))
        return noisy(setting, draws)

    best = dps.tuning.tune_privately(run, [1, 2, 3], epsilon=3, neighbours="add-remove", ledger=book)

    assert 3 == best.setting
    assert [(1, 1), (2, 1), (3, 1)] == seen
    assert [(3, "tune-privately", 1)] == book.spends
    failing = dps.tuning.tune_privately(lambda *_: 1 / 0, [1, 2], epsilon=3, neighbours="add-remove")
    assert (None, None, None) == (failing.setting, failing.result, failing.score)


def test_a_run_that_tells_nothing_of_its_arguments_is_taken() -> None:
    """Some callables of C have no signature, and others pass on whatever they get."""
    assert dps.tuning.tune_privately(max, [1], epsilon=1, neighbours="add-remove").setting is None
    assert (
        1
        == dps.tuning.tune_privately(
            lambda *anything: anything[:1] * 2, [1], epsilon=1, neighbours="add-remove"
        ).setting
    )


def test_nothing_that_is_returned_depends_on_how_many_runs_there_were() -> None:
    """The same winner after one run and after fifty: the same fields, and the same bytes."""

    outputs = set()
    for count in (1, 2, 50):
        coins = Counted(count)
        plan = dps.tuning.tuning_plan(4, epsilon=1)
        promise = dps.Guarantee(1, "add-remove")
        best = tune_with(
            lambda *_: ("result", 7),
            ["only"] * 4,
            plan,
            promise,
            session_factory=session_factory_of(lambda coins=coins: coins),
        )
        outputs.add((pickle.dumps(best), repr(best)))
        assert ["setting", "result", "score", "guarantee", "plan"] == [each.name for each in dataclasses.fields(best)]
    assert 1 == len(outputs)


def test_a_search_that_stops_says_which_or_none() -> None:
    """At a lower price than the best of all."""
    promise, session_factory = dps.Guarantee(3, "add-remove"), session_factory_of(lambda: Counted(200))
    stopped, never = (
        tune_with(
            noisy,
            range(1, 9),
            dps.tuning.tuning_plan(8, epsilon=3, gamma=0.01, good_enough=score),
            promise,
            session_factory=session_factory,
        )
        for score in (650, 10**6)
    )

    assert stopped.setting in (6, 7, 8)
    assert (None, None, None) == (never.setting, never.result, never.score)
    assert stopped.plan.epsilon_of_run > dps.tuning.tuning_plan(8, epsilon=3, gamma=0.01).epsilon_of_run


def test_parts_of_the_data_are_refused_where_a_changed_record_may_be_in_two() -> None:
    """Fit at the whole epsilon and score at the whole epsilon is for add-remove neighbours."""

    def both(setting: int, draws: dps.tuning.Session) -> tuple[int, int]:
        bound = dps.mechanisms.Bound(1, neighbours)
        with draws.disjoint(2) as (train, held_out):
            train.counts(np.array([5]), train.remaining, bound)
            return setting, int(held_out.counts(np.array([7]), held_out.remaining, bound)[0])

    for neighbours, setting in (("add-remove", 4), ("substitution", None)):
        found = dps.tuning.tune_privately(both, [4], epsilon=1, neighbours=neighbours)
        assert setting == found.setting


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"settings": []}, "at least one"),
        ({"settings": "abc"}, "a list of what to try"),
        ({"settings": 3}, "a list of what to try"),
        ({"run": 3}, "run must be a function"),
        ({"run": lambda setting: (setting, 1)}, r"called as run\(setting, draws\)"),
        ({"run": lambda setting, draws, table: (setting, draws, table)}, "make it take these two arguments"),
        ({"run": lambda *, setting, draws: (setting, draws)}, "make it take these two arguments"),
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"gamma": 1}, "gamma must be at least"),
        ({"gamma": 0}, "gamma must be positive"),
        ({"eta": 2, "gamma": 0.1}, "eta must be above"),
        ({"eta": "x", "gamma": 0.1}, "eta must be a finite number"),
        ({"eta": 0, "gamma": 0.1, "good_enough": 3}, "geometric law"),
        ({"good_enough": float("inf")}, "good_enough must be a finite number"),
        ({"good_enough": float("nan")}, "good_enough must be a finite number"),
        ({"neighbours": "other"}, "neighbours"),
        ({"ledger": 3}, "ledger must keep a budget"),
    ],
)
def test_what_can_be_refused_is_refused_before_anything_is_spent(changed: dict, words: str) -> None:
    """In one sentence; and no run begins."""
    book = Book()

    def run(*_: object) -> None:
        raise AssertionError

    args = {
        "run": run,
        "settings": [1, 2, 3, 4, 5],
        "epsilon": 1,
        "neighbours": "add-remove",
        "ledger": book,
        **changed,
    }
    with pytest.raises((ValueError, TypeError), match=words):
        dps.tuning.tune_privately(**args)
    assert [] == book.spends
