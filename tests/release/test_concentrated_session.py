"""Draws that were paid for by a rho: Gaussian noise at a rho, and all others at an epsilon by their price."""

from __future__ import annotations

import ast
import copy
import math
import os
import pickle
import signal
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit import loss_of_transcript, rho_between
from dpselect.audit.scripted_noise import ScriptedNoise, transcripts
from dpselect.kernel.prices import bounded_range_price, geometric_price, laplace_price, pure_price
from dpselect.kernel.ranks import Ranks
from dpselect.kernel.rho_conversion import rho_within
from dpselect.release import session as draws_module
from dpselect.release.concentrated_session import ConcentratedSession
from dpselect.release.open_session import session_factory_of
from dpselect.release.session import Session
from dpselect.release.threshold_rules import threshold_rules

EIGHTH, QUARTER, HALF = Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)
PROMISE = dps.Guarantee.from_rho(QUARTER, 1e-6, "add-remove")
ONE = dps.mechanisms.SquaredBound(1)
FLIP = dps.mechanism("permute-and-flip")
SUMS = np.array([[5, -3], [2**40, 0]])


class Watched(ScriptedNoise):
    """Outcomes that note the variances, and add no noise."""

    def __init__(self) -> None:
        super().__init__()
        self.variances: list[Fraction] = []

    def gaussian(self, values, variance):
        """Return them as they are."""
        self.variances.append(variance)
        return values


@pytest.fixture
def watched():
    """A session that notes what was drawn."""
    outcomes = Watched()
    session_factory = session_factory_of(lambda: outcomes)
    session_factory.variances = outcomes.variances
    return session_factory


def test_the_variance_is_the_squared_bound_over_twice_the_rho(watched) -> None:
    """Exactly, for every draw, and rhos add up exactly."""
    with watched(PROMISE) as draws:
        assert np.array_equal(SUMS, draws.gaussian(SUMS, EIGHTH, dps.mechanisms.SquaredBound(Fraction(9, 2))))
        draws.gaussian(values=SUMS, rho=0.1, bound=ONE)
        assert Fraction(1, 40) == draws.remaining
        draws.gaussian(SUMS, draws.remaining, ONE)
        assert 0 == draws.remaining
        with pytest.raises(dps.PrivacyError, match="asks for rho 1/1000 and 0 is left"):
            draws.gaussian(SUMS, Fraction(1, 1000), ONE)
    assert [18, 5, 20] == watched.variances


def test_an_overdraft_draws_nothing(watched) -> None:
    """The message says what is left, and what is left stays."""
    with watched(PROMISE) as draws:
        with pytest.raises(dps.PrivacyError, match="asks for rho 1/3 and 1/4 is left of what was paid, at most 1/4"):
            draws.gaussian(SUMS, Fraction(1, 3), ONE)
        assert QUARTER == draws.remaining
    assert not watched.variances


def test_records_of_a_person_move_the_sums_as_far_as_they_are_many(watched) -> None:
    """Of m records the share is rho / m^2: with all of it drawn, m records cost what was paid, exactly."""
    with watched(PROMISE, per_person=5) as draws:
        assert QUARTER / 25 == draws.remaining
        draws.gaussian(SUMS, draws.remaining, ONE)
    (variance,) = watched.variances
    assert Fraction(5**2) / (2 * variance) == QUARTER


@pytest.mark.parametrize(("records", "count"), [(1, 1), (3, 1), (4, 3)])
def test_a_transcript_of_persons_costs_what_was_paid(records: int, count: int) -> None:
    """All records of a person come or go, in draws that follow what was released before."""

    def release(counts):
        def run(outcomes) -> None:
            with session_factory_of(lambda: outcomes)(PROMISE, per_person=records, count=count) as draws:
                share = draws.remaining / (3 * count)
                for _ in range(count):
                    first = draws.gaussian(counts, 2 * share, dps.mechanisms.SquaredBound(2))
                    # The second question weighs columns by what the first answered.
                    chosen = int(draws.uniform(np.array([counts.size]))[0])
                    weight = 1 + int(first[chosen] % 5)
                    draws.gaussian(counts[:1] * weight, share, dps.mechanisms.SquaredBound(weight**2))

        return run

    here, there = np.array([40, 12, 7]), np.array([40 + records, 12 + records, 7])
    for pick in (None, *(np.random.default_rng(seed).integers for seed in range(5))):
        parts = rho_between(release(here), release(there), pick=pick)
        assert 2 * count == len(parts)
        assert sum(parts) == count * QUARTER


def test_each_of_several_releases_has_its_rho() -> None:
    """No draw is part of two of them."""
    with dps.open_session(PROMISE, count=2) as draws:
        assert 2 * QUARTER == draws.remaining
        with pytest.raises(dps.PrivacyError, match="asks for rho 1/2 and 1/2 is left of what was paid, at most 1/4"):
            draws.gaussian(SUMS, Fraction(1, 2), ONE)
        draws.gaussian(SUMS, Fraction(1, 5), ONE)
        draws.gaussian(SUMS, Fraction(1, 5), ONE)
        assert Fraction(1, 20) == draws.remaining


PAIR = dps.Scores([3, 1], sensitivity=1)
EXPONENTIAL = dps.mechanism("exponential")
HALF_SHARE = [Fraction(1, 2)]
RULES = threshold_rules(
    EIGHTH, positives=1, sensitivity=1, kind="integer", range_bound=1, neighbours="add-remove", levels=(), share=None
)
LAW = dps.tuning.tuning_plan(4, epsilon=1).law
BOUND = dps.mechanisms.Bound
CLIPPED = dps.mechanism("smooth-noisy-max", noise="exponential", delta=1e-6)
# A draw at an eighth of epsilon, and what it is worth in rho for one record.
PRICED = {
    "choose": (lambda draws: draws.choose(PAIR, EIGHTH), laplace_price(EIGHTH)),
    "choose by noise": (
        lambda draws: draws.choose(PAIR, EIGHTH, mechanism=dps.mechanism("noisy-max-laplace")),
        laplace_price(EIGHTH),
    ),
    "exponential": (lambda draws: draws.choose(PAIR, EIGHTH, mechanism=EXPONENTIAL), bounded_range_price(EIGHTH)),
    "a moving scale": (
        lambda draws: draws.choose(PAIR, EIGHTH, mechanism=dps.mechanism("smooth-noisy-max")),
        pure_price(EIGHTH),
    ),
    "peeling": (lambda draws: draws.top_k(PAIR, 2, EIGHTH), 2 * laplace_price(EIGHTH / 2)),
    "one pass": (lambda draws: draws.top_k(PAIR, 2, EIGHTH, method="one-shot"), laplace_price(EIGHTH)),
    "joint": (
        lambda draws: draws.top_k(
            dps.Scores([3, 1], 1, kind="integer"), 2, EIGHTH, mechanism=EXPONENTIAL, method="joint"
        ),
        bounded_range_price(EIGHTH),
    ),
    "choose_rows": (
        lambda draws: draws.choose_rows(np.array([[3, 1]]), np.ones((1, 2), bool), EIGHTH, BOUND(1)),
        laplace_price(EIGHTH),
    ),
    "counts": (lambda draws: draws.counts(SUMS, EIGHTH, BOUND(1)), pure_price(EIGHTH)),
    "counts that move far": (lambda draws: draws.counts(SUMS, EIGHTH, BOUND(9)), geometric_price(EIGHTH / 9, 9)),
    "counts that move by less than two": (
        lambda draws: draws.counts(SUMS, EIGHTH, BOUND(Fraction(7, 4))),
        geometric_price(EIGHTH * 4 / 7, 1),
    ),
    "threshold": (lambda draws: draws.threshold(RULES), pure_price(EIGHTH)),
    "joint_quantiles": (
        lambda draws: draws.joint_quantiles(np.array([3, 1]), HALF_SHARE, EIGHTH, 4),
        bounded_range_price(EIGHTH),
    ),
    "halving": (
        lambda draws: draws.halving(Ranks(np.array([0]), np.array([3]), 2), [Fraction(1, 3), Fraction(1, 2)], EIGHTH),
        2 * bounded_range_price(EIGHTH / 2),
    ),
    "one quantile": (
        lambda draws: draws.halving(Ranks(np.array([0]), np.array([3]), 2), HALF_SHARE, EIGHTH),
        bounded_range_price(EIGHTH),
    ),
    "ledger": (
        lambda draws: dps.select(PAIR, epsilon=EIGHTH, mechanism=FLIP, ledger=draws),
        laplace_price(EIGHTH),
    ),
    "spend": (lambda draws: draws.spend(dps.Guarantee(EIGHTH, "add-remove"), count=3), 3 * pure_price(EIGHTH)),
    "spend of a rho": (
        lambda draws: draws.spend(dps.Guarantee.from_rho(EIGHTH / 8, 1e-6, "add-remove")),
        EIGHTH / 8,
    ),
    "one_of_many": (lambda draws: draws.best_of_runs(lambda _: (0, 0), EIGHTH, LAW), pure_price(EIGHTH)),
}


@pytest.mark.parametrize(("draw", "price"), PRICED.values(), ids=PRICED)
def test_a_rho_pays_for_draws_at_an_epsilon(draw, price) -> None:
    """Each at the price of what it is, and so do parts and attempts of it."""
    with dps.open_session(PROMISE) as draws:
        draw(draws)
        assert QUARTER - price == draws.remaining
        with draws.disjoint(2) as (one, two):
            draw(one)
            assert (QUARTER - 2 * price, QUARTER - price) == (one.remaining, two.remaining)
        with draws.attempts() as attempt:
            draw(attempt())
        assert QUARTER - 3 * price == draws.remaining


WITH_DELTA = {
    "keys": lambda draws: draws.keys(np.array([3]), EIGHTH, 1e-7, BOUND(1)),
    "choose": lambda draws: draws.choose(PAIR, EIGHTH, mechanism=CLIPPED),
    "spend": lambda draws: draws.spend(dps.Guarantee(EIGHTH, "add-remove", 1e-7)),
}


@pytest.mark.parametrize("draw", WITH_DELTA.values(), ids=WITH_DELTA)
def test_a_rho_pays_for_no_delta(draw) -> None:
    """Nothing is taken, from parts either."""
    with dps.open_session(PROMISE) as draws:
        with draws.disjoint(2) as parts, pytest.raises(dps.PrivacyError, match="for which no rho pays"):
            draw(parts[1])
        with pytest.raises(dps.PrivacyError, match="for which no rho pays"):
            draw(draws)
        assert QUARTER == draws.remaining


@pytest.mark.parametrize("draw", ["counts", "choose"])
def test_an_overdraft_at_an_epsilon_is_refused(draw) -> None:
    """In rho, as it was paid for; and other neighbours are."""
    with dps.open_session(PROMISE) as draws:
        ask = {
            "counts": lambda epsilon, nb: draws.counts(SUMS, epsilon, BOUND(1, nb)),
            "choose": lambda epsilon, nb: draws.choose(dps.Scores([3, 1], 1, neighbours=nb), epsilon),
        }[draw]
        with pytest.raises(dps.PrivacyError, match="asks for rho .* and 1/4 is left"):
            ask(1, "add-remove")
        with pytest.raises(dps.PrivacyError, match="and this draw edge ones"):
            ask(EIGHTH, "edge")
        assert QUARTER == draws.remaining


@pytest.mark.parametrize("mechanism", [None, FLIP, EXPONENTIAL])
def test_the_epsilon_of_a_rho_is_the_largest_that_fits(mechanism) -> None:
    """For one record and for persons, and all of what is left can be drawn with it."""
    for people in (1, 3):
        with dps.open_session(dps.Guarantee.from_rho(QUARTER, 1e-6, "person"), per_person=people) as draws:
            epsilon = draws.epsilon_within(draws.remaining, mechanism=mechanism)
            scores = dps.Scores([3, 1], 1, neighbours="person")
            more = epsilon * (1 + Fraction(3, 10**9))

            def ask(at, draws=draws, scores=scores) -> None:
                if mechanism is None:
                    draws.spend(dps.Guarantee(at, "person"))
                else:
                    draws.choose(scores, at, mechanism=mechanism)

            with pytest.raises(dps.PrivacyError, match="is left of what was paid"):
                ask(more)
            ask(epsilon)
            assert 0 <= draws.remaining < QUARTER / 10**8


def test_draws_at_an_epsilon_cost_persons_what_their_epsilon_does() -> None:
    """Of m records the price of m epsilon, and no more than parts of them do together."""
    with dps.open_session(dps.Guarantee.from_rho(2, 1e-6, "person"), per_person=3) as draws:
        before = draws.remaining
        draws.choose(dps.Scores([3, 1], 1, neighbours="person"), Fraction(1, 3))
        assert laplace_price(Fraction(1)) == 9 * (before - draws.remaining)
        before = draws.remaining
        draws.counts(SUMS, Fraction(2, 3), BOUND(2, "person"))
        assert geometric_price(Fraction(1, 3), 6) == 9 * (before - draws.remaining)
        with draws.per_record() as own, own.disjoint(2) as parts:
            before = own.remaining
            parts[0].choose(PAIR, Fraction(1, 3), mechanism=EXPONENTIAL)
            assert bounded_range_price(Fraction(1)) == 9 * (before - parts[0].remaining)
    # One record in each of three parts, or two and one, cost at most three in one.
    for price in (pure_price, laplace_price, bounded_range_price):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(9)):
            assert price(epsilon) + price(2 * epsilon) <= price(3 * epsilon) * (1 + Fraction(1, 10**8))


# Draws, and a pair of inputs on which they are nearly at their worst.
WORST = {
    "permute-and-flip": (lambda draws, v: draws.choose(dps.Scores(v, 1, kind="integer"), HALF), [1, 0], [0, 1]),
    "exponential": (
        lambda draws, v: draws.choose(dps.Scores(v, 1, kind="integer"), HALF, mechanism=EXPONENTIAL),
        [1, 0],
        [0, 1],
    ),
    "peeling": (
        lambda draws, v: draws.top_k(dps.Scores(v, 1, kind="integer"), 2, HALF, mechanism=EXPONENTIAL),
        [1, 1, 0, 0],
        [0, 0, 1, 1],
    ),
    "one pass": (
        lambda draws, v: draws.top_k(dps.Scores(v, 1, kind="integer"), 1, HALF, method="one-shot"),
        [1, 0],
        [0, 1],
    ),
    "joint": (
        lambda draws, v: draws.top_k(dps.Scores(v, 1, kind="integer"), 1, HALF, mechanism=EXPONENTIAL, method="joint"),
        [1, 0],
        [0, 1],
    ),
    "counts": (lambda draws, v: draws.counts(np.array(v), HALF, BOUND(1)), [3, 1], [3, 2]),
    "counts that move far": (lambda draws, v: draws.counts(np.array(v), HALF, BOUND(9)), [3, 1], [3, 10]),
    "gaussian": (lambda draws, v: draws.gaussian(np.array(v), EIGHTH, ONE), [3, 1], [3, 2]),
}


@pytest.mark.parametrize(("draw", "here", "there"), WORST.values(), ids=WORST)
def test_no_transcript_costs_more_than_its_draw_took_and_the_worst_nearly_as_much(draw, here, there) -> None:
    """Replayed on neighbours."""
    taken = []

    def release(values):
        def run(outcomes) -> None:
            with session_factory_of(lambda: outcomes)(PROMISE) as draws:
                draw(draws, values)
                taken.append(PROMISE.rho - draws.remaining)

        return run

    spent = max(sum(rho_between(release(x), release(y))) for x, y in ((here, there), (there, here)))
    assert 0.9 * taken[0] < spent <= taken[0]


def chooses_and_measures(records, draws) -> list[int]:
    """Choose a column, measure it, and choose and measure again by what came out; a third of what is left each time."""
    model = np.zeros(records.size, dtype=np.int64)
    for rounds in (3, 2, 1):
        scores = dps.Scores(np.abs(records - model), 1, kind="integer")
        epsilon = draws.epsilon_within(draws.remaining / rounds / 2, mechanism=EXPONENTIAL)
        at = draws.choose(scores, epsilon, mechanism=EXPONENTIAL)
        model[at] = draws.gaussian(records[at : at + 1], draws.remaining / (2 * rounds - 1), ONE)[0]
    return model.tolist()


@pytest.mark.parametrize("column", range(3))
def test_choose_and_measure_under_one_rho(column: int) -> None:
    """The loop that synthesisers run: whatever the transcript, it costs at most what was paid."""
    here, worst = np.array([9, 7, 2]), 0.0
    there = here + np.eye(3, dtype=np.int64)[column]
    for seed in range(20):
        cost = loss_of_transcript(
            chooses_and_measures,
            here,
            there,
            PROMISE,
            np.random.default_rng(seed).integers,
        )
        worst = max(worst, float(cost))
        assert cost <= PROMISE.rho
    assert worst > 0.2 * float(PROMISE.rho)


def test_runs_of_a_search_pay_an_epsilon() -> None:
    """Within the price of the search, and no Gaussian noise."""
    seen = []

    def run(draws):
        seen.append((type(draws), draws.remaining))
        draws.gaussian(SUMS, EIGHTH, ONE)

    with dps.open_session(PROMISE) as draws:
        assert draws.best_of_runs(run, HALF, LAW) is None
        assert QUARTER - pure_price(HALF) == draws.remaining
    assert {(Session, LAW.epsilon_of_run(HALF))} == {*seen}


def test_whatever_draws_takes_its_price_by_a_method_that_prices_it() -> None:
    """Every method of pure draws that asks for an outcome takes an epsilon first, so none is free for a rho."""
    free = {"__init__", "uniform", "disjoint", "per_record", "attempts", "_one_of_many"}
    tree = ast.parse(Path(draws_module.__file__).read_text(encoding="utf-8"))
    (draws,) = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == "Session")
    drawing = 0
    for method in (each for each in draws.body if isinstance(each, ast.FunctionDef) and each.name not in free):
        names = {each.attr for each in ast.walk(method) if isinstance(each, ast.Attribute)}
        drawing += "_outcomes" in names
        assert "_outcomes" not in names or names & {"_take", "_pay"}, method.name
    assert drawing > 10
    assert ConcentratedSession._take is not Session._take
    assert ConcentratedSession.counts is not Session.counts


def test_an_epsilon_pays_for_no_gaussian_noise() -> None:
    """It has an epsilon at any delta only, so it is never pure."""
    with dps.open_session(dps.Guarantee(1, "add-remove")) as draws:
        with pytest.raises(dps.PrivacyError, match="open with Guarantee.from_rho"):
            draws.gaussian(values=SUMS, rho=EIGHTH, bound=ONE)
        assert 1 == draws.remaining


def test_what_refuses_does_so_before_anything_is_taken() -> None:
    """Plain bad input, other neighbours, and noise that would not fit."""
    with dps.open_session(PROMISE) as draws:
        for bad, message in (
            (lambda: draws.gaussian(SUMS, 0, ONE), "rho must be positive"),
            (lambda: draws.gaussian(SUMS, -1, ONE), "rho must be positive"),
            (lambda: draws.gaussian(SUMS, math.nan, ONE), "rho must be positive"),
            (lambda: draws.gaussian(SUMS, True, ONE), "rho must be a number"),
            (lambda: draws.gaussian(SUMS, EIGHTH, 1), "must be a SquaredBound"),
            (lambda: draws.gaussian(SUMS, EIGHTH, dps.mechanisms.Bound(1)), "must be a SquaredBound"),
            (lambda: draws.gaussian(SUMS, Fraction(1, 2**81), ONE), "rho is too small"),
            (lambda: draws.gaussian(SUMS, EIGHTH, dps.mechanisms.SquaredBound(2**78)), "rho is too small"),
            (lambda: draws.gaussian(SUMS / 3, EIGHTH, ONE), "integer"),
            (lambda: draws.gaussian(SUMS, EIGHTH, dps.mechanisms.SquaredBound(1, "edge")), "and this draw edge ones"),
        ):
            with pytest.raises((TypeError, ValueError, dps.PrivacyError), match=message):
                bad()
        assert QUARTER == draws.remaining


def test_sums_are_clipped_before_they_could_overflow() -> None:
    """Beyond 2^61 every sum is 2^61; the widest noise fits beside it."""
    with dps.open_session(dps.Guarantee.from_rho(200, 1e-6, "add-remove")) as draws:
        ends = draws.gaussian(np.array([-(2**63), 2**63 - 1]), 100, dps.mechanisms.SquaredBound(1))
        assert [-(2**61), 2**61] == ends.tolist()
        wide = draws.gaussian(np.full(1000, 2**63 - 1), 1, dps.mechanisms.SquaredBound(2**80))
    assert (np.abs(wide - 2**61) < 2**45).all()


def test_the_spend_is_durable_before_the_block_runs(tmp_path) -> None:
    """A ledger that adds rhos reads it back from its file, and refuses what does not fit."""
    epsilon, delta = Fraction(1), Fraction(1, 10**6)
    promise = dps.Guarantee.from_rho(rho_within(epsilon, delta) / 2, delta, "add-remove")
    path = tmp_path / "budget"
    book = dps.Ledger.open(path, epsilon=epsilon, delta=delta, rule="rho")
    for spends in (1, 2):
        with dps.open_session(promise, mechanism="gaussian", ledger=book) as draws:
            assert spends == dps.Ledger.read(path).totals.spends
            draws.gaussian(SUMS, draws.remaining, ONE)
    with pytest.raises(dps.BudgetError), dps.open_session(promise, ledger=book):
        pytest.fail("the session opened")
    assert dps.Ledger.read(path).totals.rho == rho_within(epsilon, delta)


def test_a_session_pays() -> None:
    """The budget of the block around is used where no ledger is named, and what it refuses opens no session."""
    with dps.budget(epsilon=4, delta=1e-6, rule="rho") as book:
        with dps.open_session(PROMISE) as draws:
            draws.gaussian(SUMS, EIGHTH, ONE)
        assert QUARTER == book.totals.rho
        with pytest.raises(dps.BudgetError), dps.open_session(PROMISE, count=9):
            pytest.fail("the session opened")
    with dps.budget(epsilon=3), pytest.raises(dps.BudgetError), dps.open_session(PROMISE):
        pytest.fail("the session opened")


def test_parts_cost_what_the_most_expensive_one_takes() -> None:
    """A record is in one of them."""
    with dps.open_session(PROMISE) as draws:
        with draws.disjoint(2) as (one, two):
            one.gaussian(SUMS, EIGHTH, ONE)
            two.gaussian(SUMS, Fraction(1, 5), ONE)
            with pytest.raises(dps.PrivacyError, match="asks for rho 1/4 and 1/20 is left"):
                two.gaussian(SUMS, QUARTER, ONE)
            with pytest.raises(dps.PrivacyError, match="Parts of this budget are in use"):
                draws.gaussian(SUMS, EIGHTH, ONE)
        assert Fraction(1, 20) == draws.remaining


def test_a_door_that_was_closed_gives_nothing() -> None:
    """Whoever keeps the draws has nothing to draw with."""
    with dps.open_session(PROMISE) as draws:
        assert f"Session(remaining={QUARTER})" == repr(draws)
    assert 0 == draws.remaining
    with pytest.raises(dps.PrivacyError, match="has ended"):
        draws.gaussian(SUMS, EIGHTH, ONE)


@pytest.mark.parametrize("again", [copy.deepcopy, pickle.dumps])
def test_what_is_left_is_never_copied(again) -> None:
    """It would be drawn twice."""
    with dps.open_session(PROMISE) as draws, pytest.raises(TypeError, match="never copied"):
        again(draws)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_another_process_has_nothing() -> None:
    """A fork holds the same object, and would draw the same budget again."""
    with dps.open_session(PROMISE) as draws:
        child = os.fork()
        if not child:
            try:
                draws.gaussian(SUMS, EIGHTH, ONE)
            except dps.PrivacyError:
                os._exit(7)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert 7 == os.waitstatus_to_exitcode(status)
        draws.gaussian(SUMS, QUARTER, ONE)


def test_threads_together_take_no_more_than_there_is() -> None:
    """Eight threads ask for a twentieth each as often as they can: five get it."""
    taken, middleware = [], threading.Barrier(8)
    with dps.open_session(PROMISE) as draws:

        def ask() -> None:
            middleware.wait()
            for _ in range(4):
                try:
                    draws.gaussian(SUMS, Fraction(1, 20), ONE)
                except dps.PrivacyError:
                    continue
                taken.append(1)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert 5 == len(taken)


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no such signal here")
def test_a_signal_that_draws_in_the_midst_of_a_draw_is_refused(monkeypatch) -> None:
    """What is left is written by one of them only."""
    refused = []
    with dps.open_session(PROMISE) as draws:

        def handler(*_: object) -> None:
            with pytest.raises(dps.PrivacyError, match="under way") as error:
                draws.gaussian(SUMS, EIGHTH, ONE)
            refused.append(error)

        after = draws._allowance._after
        before = signal.signal(signal.SIGUSR1, handler)
        try:
            monkeypatch.setattr(
                type(draws._allowance),
                "_after",
                lambda *args: (signal.raise_signal(signal.SIGUSR1), after(*args[1:]))[1],
            )
            draws.gaussian(SUMS, EIGHTH, ONE)
        finally:
            signal.signal(signal.SIGUSR1, before)
        assert EIGHTH == draws.remaining
    assert refused


def test_every_transcript_of_a_replay_has_its_chance() -> None:
    """Released sums follow the law of the noise, and all of them are one distribution."""

    def run(outcomes) -> None:
        with session_factory_of(lambda: outcomes)(PROMISE) as draws:
            draws.gaussian(np.array([1]), QUARTER, ONE)

    chances = [math.exp(log) for _, log in transcripts(run, released=tuple(range(-12, 15)))]
    assert abs(sum(chances) - 1) < 1e-12
    law = np.exp(-(np.arange(-13, 14) ** 2) / 4)
    assert np.allclose(chances, law / law.sum(), rtol=1e-9) or np.allclose(sorted(chances), sorted(law / law.sum()))
