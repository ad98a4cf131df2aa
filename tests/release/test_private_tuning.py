"""One of a secret number of runs: its exact law, what it costs, and that nothing of the others is left."""

from __future__ import annotations

import gc
import logging
import math
import re
import subprocess
import sys
import threading
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise, transcripts
from dpselect.kernel.run_count import RunCount
from dpselect.release.open_session import session_factory_of
from dpselect.release.private_tuning import Run, released_run
from tests.release.counted import Counted

LAW = RunCount(Fraction(1, 10), cap=3)
PROMISE = dps.Guarantee(2, "add-remove")
ONE = dps.mechanisms.Bound(1)


def three(draws: dps.tuning.Session, scores: list[int]) -> tuple[str, int]:
    """One of three names, drawn with all that there is; the last one is the best result."""
    votes = dps.Scores(scores, sensitivity=1, kind="integer")
    winner = draws.choose(votes, draws.remaining, mechanism=dps.mechanism("exponential"))
    return "abc"[winner], winner


def law_of(run: Callable, law: RunCount, epsilon: Fraction) -> dict[str, float]:
    """The exact law of what is returned, summed over every number of runs and every outcome of every run."""
    chances, returned = Counter(), []

    def search(outcomes: ScriptedNoise) -> None:
        with session_factory_of(lambda: outcomes)(dps.Guarantee(epsilon, "add-remove")) as draws:
            returned.append(repr(draws.best_of_runs(run, epsilon, law)))

    for _, log_chance in transcripts(search):
        chances[returned[-1]] += math.exp(log_chance)
    assert abs(sum(chances.values()) - 1) < 1e-9
    return chances


@pytest.mark.parametrize(
    "here, there", [([3, 0, 1], [2, 1, 0]), pytest.param([9, 0, 5], [8, 1, 4], marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("good_enough", [None, Fraction(1)])
def test_what_is_returned_loses_at_most_the_price(
    good_enough: Fraction | None, here: list[int], there: list[int]
) -> None:
    """Over every transcript of neighbours, for the best run and for the first that is good enough."""
    law = RunCount(Fraction(1, 10), good_enough=good_enough, cap=3)
    both = [law_of(lambda draws, scores=scores: three(draws, scores), law, Fraction(2)) for scores in (here, there)]
    assert set(both[0]) == set(both[1])
    worst = max(abs(math.log(both[0][key] / both[1][key])) for key in both[0])

    assert 0.5 < worst <= 2


def test_the_best_run_has_the_law_of_the_best_of_k() -> None:
    """f(q< + q) - f(q<), with f the generating function of the number of runs."""
    drawn = law_of(lambda draws: three(draws, [3, 0, 1]), LAW, Fraction(2))
    of_run = LAW.epsilon_of_run(Fraction(2))
    votes = dps.Scores([3, 0, 1], sensitivity=1, kind="integer")
    ends = np.append(0, np.cumsum(dps.mechanism("exponential").pmf(votes, of_run)))
    expected = np.diff([sum(p * end**k for k, p in enumerate(LAW.chances(), 1)) for end in ends])

    for winner, chance in enumerate(expected):
        assert abs(drawn[repr(Run("abc"[winner], winner))] - chance) < 1e-9


def test_the_whole_price_is_taken_before_the_number_of_runs_is_drawn() -> None:
    """And no more afterwards, however many runs there were."""
    seen = []

    class Watched(Counted):
        def runs(self, law: RunCount) -> int:
            seen.append(opened.remaining)
            return super().runs(law)

    for count in (1, 4):
        with session_factory_of(lambda count=count: Watched(count))(PROMISE) as opened:
            opened.best_of_runs(lambda draws: three(draws, [3, 0, 1]), Fraction(3, 2), LAW)
            assert Fraction(1, 2) == opened.remaining
    assert [Fraction(1, 2)] * 2 == seen


def test_each_run_has_its_epsilon_and_not_a_bit_more() -> None:
    """A second draw, however small, fails the run."""
    left = []

    def run(draws: dps.tuning.Session) -> tuple[str, int]:
        left.append(draws.remaining)
        return three(draws, [3, 0, 1])

    def greedy(draws: dps.tuning.Session) -> tuple[str, int]:
        three(draws, [3, 0, 1])
        return "more", int(draws.counts(np.array([1]), Fraction(1, 10**6), ONE)[0])

    with session_factory_of(lambda: Counted(3))(PROMISE) as draws:
        assert draws.best_of_runs(run, 1, LAW) is not None
        assert [LAW.epsilon_of_run(Fraction(1))] * 3 == left
        assert draws.best_of_runs(greedy, 1, LAW) is None


def test_a_run_cannot_draw_from_what_is_left_around_it() -> None:
    """Neither from the draws that it was started from, nor in another search of theirs."""
    with dps.open_session(PROMISE) as outer:
        for other in (
            lambda _: ("", int(outer.counts(np.array([1]), Fraction(1, 2), ONE)[0])),
            lambda _: outer.best_of_runs(lambda draws: three(draws, [0, 0, 0]), Fraction(1, 4), LAW),
        ):
            assert outer.best_of_runs(other, Fraction(1, 2), LAW) is None
        assert 1 == outer.remaining


def test_draws_that_a_run_hands_on_are_empty() -> None:
    """In its result, or to a later run."""
    handed: list[dps.tuning.Session] = []

    def run(draws: dps.tuning.Session) -> tuple[dps.tuning.Session, int]:
        handed.append(draws)
        for earlier in handed[:-1]:
            with pytest.raises(dps.PrivacyError, match="has ended"):
                earlier.counts(np.array([1]), 1e-3, ONE)
        return draws, 1

    with session_factory_of(lambda: Counted(3))(PROMISE) as draws:
        winner = draws.best_of_runs(run, 1, LAW)
        assert handed[0] is winner.result
        with pytest.raises(dps.PrivacyError, match="has ended"):
            winner.result.counts(np.array([1]), 1e-3, ONE)


def test_runs_are_pure_and_have_no_bounded_range() -> None:
    """A delta that was paid for is not theirs, and the promise of bounded range would be false."""
    delta = dps.Guarantee(2, "add-remove", Fraction(1, 100))

    def leaking(draws: dps.tuning.Session) -> tuple[str, int]:
        draws.spend(dps.Guarantee(draws.remaining, "add-remove", Fraction(1, 1000)))
        return "", 1

    with dps.open_session(delta) as draws:
        assert draws.best_of_runs(leaking, 1, LAW) is None
    with (
        dps.open_session(dps.Guarantee(2, "add-remove", bounded_range=True)) as draws,
        pytest.raises(dps.PrivacyError, match="bounded range"),
    ):
        draws.best_of_runs(lambda draws: three(draws, [0, 0, 0]), 1, LAW)


def test_releases_inside_a_run_pay_from_it_and_no_ledger_counts_them() -> None:
    """The budget around sees one spend, whatever the number of runs."""
    votes = dps.Scores([3, 0, 1], sensitivity=1, kind="integer")
    mechanism = dps.mechanism("exponential")

    def run(own: dps.tuning.Session) -> tuple[Any, int]:
        return dps.select(votes, epsilon=own.remaining, mechanism=mechanism).value, 5

    with dps.budget(epsilon=1):
        with session_factory_of(lambda: Counted(4))(dps.Guarantee(1, "add-remove")) as draws:
            assert draws.best_of_runs(run, 1, LAW).score == 5
        with pytest.raises(dps.BudgetError):
            dps.select(votes, epsilon=Fraction(1, 10**6), mechanism=mechanism)


def test_ties_go_to_the_first_and_scores_are_compared_exactly() -> None:
    """Integers beyond what floats tell apart, fractions, infinities, NumPy's numbers."""
    for scores, best in (
        ([2**60, 2**60 + 1, 2**60], 1),
        ([Fraction(1, 3), 1 / 3, Fraction(1, 3)], 0),
        ([1, 1.0, Fraction(1)], 0),
        ([np.float32(1.5), np.int64(2), -math.inf], 1),
        ([5, math.inf, 10**400], 1),
        ([math.nan, -math.inf, "9"], 1),
        ([None, 3 + 0j, -7], 2),
    ):
        waiting = iter(enumerate(scores))
        assert best == released_run(lambda waiting=waiting: next(waiting), 3, None).result


def test_a_run_that_raises_is_the_worst_of_all() -> None:
    """Whatever it raises, and whatever else it returns; the others go on."""

    def raising(kind: type[BaseException]) -> Callable:
        attempts = iter(range(9))

        def run() -> tuple[str, float]:
            if next(attempts) == 0:
                raise kind("secret")
            return "fine", -1e300

        return run

    for kind in (ValueError, MemoryError, RecursionError, SystemExit, dps.PrivacyError, StopIteration):
        assert released_run(raising(kind), 2, None) == Run("fine", -1e300)
        assert released_run(raising(kind), 1, None) is None
    for nothing in (None, 3, ("a",), ("a", "b"), ("a", 1, 2)):
        assert released_run(lambda nothing=nothing: nothing, 3, None) is None


def test_the_first_good_enough_run_is_returned_and_none_otherwise() -> None:
    """Not the best; and no run after it."""
    scores = [1, 5, 9]
    begun = []

    def run() -> tuple[int, int]:
        begun.append(1)
        return len(begun), scores[len(begun) - 1]

    assert released_run(run, 3, Fraction(4)) == Run(2, 5)
    assert 2 == len(begun)
    begun.clear()
    assert released_run(run, 3, Fraction(10)) is None


def test_runs_print_log_and_warn_nothing(capfd, caplog) -> None:
    """And what was there before is there again, also after an error."""
    from tqdm import tqdm

    out, level = sys.stdout, logging.root.manager.disable

    def loud() -> tuple[str, int]:
        print("run")
        print("run", file=sys.stderr)
        warnings.warn("run", UserWarning, stacklevel=1)
        logging.getLogger("dpselect").critical("run")
        for _ in tqdm(range(3), disable=None):
            pass
        return "quiet", 1

    def raising() -> None:
        loud()
        raise ValueError("run")

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert released_run(loud, 3, None) == Run("quiet", 1)
        assert released_run(raising, 3, None) is None
    assert ([], ("", ""), []) == (seen, tuple(capfd.readouterr()), caplog.records)
    assert (out, level) == (sys.stdout, logging.root.manager.disable)


def test_an_interrupt_is_not_swallowed() -> None:
    """The user may stop."""

    def stopped() -> None:
        raise KeyboardInterrupt

    with dps.open_session(PROMISE) as draws:
        with pytest.raises(KeyboardInterrupt):
            draws.best_of_runs(lambda _: stopped(), 1, LAW)
        assert 1 == draws.remaining


class Loud:
    """A result that warns and prints when it ends; with a cycle, when garbage is collected."""

    def __init__(self, cycle: bool) -> None:
        self.itself = self if cycle else None

    def __del__(self) -> None:
        print("lost")
        warnings.warn("lost", ResourceWarning, stacklevel=1)


@pytest.mark.parametrize("cycle", [False, True])
@pytest.mark.parametrize("good_enough", [None, Fraction(2)])
def test_what_losing_runs_leave_behind_ends_in_silence(good_enough: Fraction | None, cycle: bool, capsys) -> None:
    """Three of four results end within the search; the one that is returned ends with whoever has it."""
    scores = iter([0, 1, 2, 1])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        best = released_run(lambda: (Loud(cycle), next(scores)), 4, good_enough)
        gc.collect()
        assert [] == seen
        assert "" == capsys.readouterr().out
        assert best is not None
        del best
        gc.collect()
    assert 1 == len(seen)


def test_two_searches_at_once_are_silent_until_the_last_has_ended(capsys) -> None:
    """What they print, log and warn is the process's: the first that ends leaves the other one silent."""
    out, level, inside, ended = sys.stdout, logging.root.manager.disable, threading.Event(), threading.Event()

    def long() -> tuple[str, int]:
        inside.set()
        assert ended.wait(10)
        print("a losing run")
        assert logging.root.manager.disable >= logging.CRITICAL
        return "long", 1

    def short() -> tuple[str, int]:
        thread.start()
        assert inside.wait(10)
        return "short", 1

    results = []
    thread = threading.Thread(target=lambda: results.append(released_run(long, 1, None)))
    assert Run("short", 1) == released_run(short, 1, None)
    ended.set()
    thread.join()

    assert [Run("long", 1)] == results
    assert "" == capsys.readouterr().out
    assert (out, level) == (sys.stdout, logging.root.manager.disable)


def test_an_interrupt_shows_neither_how_many_runs_there_were_nor_the_best() -> None:
    """Its traceback holds no frame of the search but the outermost, and no error that a run caught."""
    begun = []

    def stopped(_: dps.tuning.Session) -> tuple[str, int]:
        begun.append(1)
        if len(begun) < 3:
            return "a run that leads", 7
        try:
            raise ValueError("caught by the run")
        except ValueError:
            raise KeyboardInterrupt from None

    with session_factory_of(lambda: Counted(41))(PROMISE) as draws, pytest.raises(KeyboardInterrupt) as caught:
        draws.best_of_runs(stopped, 1, LAW)
    error = caught.value
    assert error.__context__ is None
    shown = [(frame.f_code.co_name, frame.f_locals) for frame, _ in traceback.walk_tb(error.__traceback__)]
    shown = [(name, names) for name, names in shown if not name.startswith("test_")]
    assert ["best_of_runs"] == [name for name, _ in shown]
    assert {"self", "run", "epsilon", "law", "total", "of_run"} == set(shown[0][1])
    # Addresses of objects may hold any digits.
    assert "41" not in re.sub("0x[0-9a-f]+", "", repr(shown))
    assert "leads" not in repr(shown)


def test_a_law_is_made_of_exact_numbers_and_nothing_else_is_paid_for() -> None:
    """Floats stand for what is written; what is no law is refused before the price is taken."""
    assert RunCount(Fraction(1, 10), Fraction(1, 2)) == RunCount(0.1, 0.5)
    assert Fraction(3, 10) == RunCount(0.1, good_enough=0.3).good_enough
    with pytest.raises(TypeError, match="gamma must be a finite number"):
        RunCount(math.nan)
    with dps.open_session(PROMISE) as draws:
        with pytest.raises(TypeError, match="law must be the law"):
            draws.best_of_runs(lambda _: (1, 1), 1, dps.tuning.tuning_plan(3, epsilon=1).law)
        assert 2 == draws.remaining


@pytest.mark.parametrize(
    "program",
    [
        "from dpselect.release.private_tuning import silence\nwith silence():\n    print(1)",
        "import dpselect.cli.exit_status as exit_status\nexit_status.silence()\nprint(1)\nexit_status.silence()",
    ],
    ids=["search", "command"],
)
def test_silence_leaves_no_file_for_the_interpreter_to_close(program: str) -> None:
    """Python, which shows every warning here, has none of it; nothing is printed either."""
    run = subprocess.run([sys.executable, "-X", "dev", "-c", program], capture_output=True, text=True, check=True)
    assert ("", "") == (run.stdout, run.stderr)
