"""The door: nothing is drawn before it is paid for, and never more than was paid."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise
from dpselect.release.open_session import session_factory_of
from dpselect.release.partition import IntervalCandidates
from dpselect.release.questions import countable, question
from tests.chance import accept

VOTES = dps.Scores([5, 3, 3], sensitivity=1, kind="integer", range_bound=1)
ONE = dps.mechanisms.Bound(1)
PROMISE = dps.Guarantee(1, "add-remove")
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)

DRAWS = {
    "choose": lambda draws, epsilon: draws.choose(VOTES, epsilon),
    "top_k": lambda draws, epsilon: draws.top_k(VOTES, 2, epsilon),
    "rows": lambda draws, epsilon: draws.choose_rows(np.array([[3, 1]]), np.ones((1, 2), dtype=bool), epsilon, ONE),
    "counts": lambda draws, epsilon: draws.counts(np.array([7, 8]), epsilon, ONE),
}
every_draw = pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)


class Book:
    """A ledger that notes what it was asked."""

    def __init__(self) -> None:
        self.spends: list[tuple] = []

    def spend(self, guarantee, /, *, mechanism: str, count: int = 1, note: str = "") -> None:
        """Note it."""
        self.spends.append((guarantee.epsilon, mechanism, count, note))


@pytest.fixture
def watched():
    """A door behind which somebody counts how often something was drawn."""
    replay = ScriptedNoise()
    session_factory = session_factory_of(lambda: replay)
    session_factory.replay = replay
    return session_factory


@every_draw
def test_a_draw_beyond_what_was_paid_is_refused_and_nothing_is_drawn(draw, watched) -> None:
    """The message says what is left, and what is left stays."""
    with watched(PROMISE) as draws:
        with pytest.raises(dps.PrivacyError, match="asks for epsilon 50 and 1 is left"):
            draw(draws, 50)
        assert 1 == draws.remaining
    assert not watched.replay.asked


@every_draw
def test_draws_add_up_exactly(draw) -> None:
    """Three thirds are one, and then nothing is left; a fourth draw, however small, is refused."""
    with dps.open_session(PROMISE) as draws:
        for _ in range(3):
            draw(draws, THIRD)
        assert 0 == draws.remaining
        with pytest.raises(dps.PrivacyError, match="0 is left"):
            draw(draws, Fraction(1, 10**9))


@every_draw
def test_a_door_that_was_closed_gives_nothing(draw) -> None:
    """Whoever keeps the object has nothing to draw with."""
    with dps.open_session(PROMISE) as draws:
        pass
    with pytest.raises(dps.PrivacyError, match="has ended"):
        draw(draws, THIRD)


def test_a_draw_that_is_refused_for_another_reason_costs_nothing() -> None:
    """Plain bad input is found before the price is taken."""
    with dps.open_session(PROMISE) as draws:
        for bad in (
            lambda: draws.choose(VOTES, -1),
            lambda: draws.top_k(VOTES, 4, HALF),
            lambda: draws.counts(np.array([0.5]), HALF, ONE),
            lambda: draws.counts(np.array([1]), HALF, 1),
            lambda: draws.counts(np.array([1]), Fraction(1, 2**50), ONE),
            lambda: draws.choose(VOTES, HALF, mechanism="exponentially"),
        ):
            with pytest.raises((ValueError, TypeError)):
                bad()
        assert 1 == draws.remaining


def test_other_neighbours_are_refused() -> None:
    """What was paid for one relation draws for no other."""
    edges = dps.Scores([5, 3], sensitivity=1, neighbours="edge")
    with dps.open_session(PROMISE) as draws:
        with pytest.raises(dps.PrivacyError, match="protects add-remove neighbours, and this draw edge ones"):
            draws.choose(edges, HALF)
        with pytest.raises(dps.PrivacyError, match="use one"):
            draws.counts(np.array([1]), HALF, dps.mechanisms.Bound(1, "edge"))
        assert 1 == draws.remaining


def test_the_spend_is_recorded_once_before_the_block_runs() -> None:
    """With the name, the count and the note."""
    book = Book()
    with dps.open_session(
        dps.Guarantee(HALF, "add-remove"), mechanism="mine", ledger=book, count=2, note="why"
    ) as draws:
        assert [(HALF, "mine", 2, "why")] == book.spends
        assert 1 == draws.remaining
    assert 1 == len(book.spends)


def test_a_door_that_is_not_entered_costs_nothing_and_one_block_has_it() -> None:
    """The spend is that of the block; a second block with the same door is refused, and pays nothing."""
    book = Book()
    session_factory = dps.open_session(PROMISE, mechanism="twice", ledger=book)
    assert not book.spends
    with session_factory, pytest.raises(dps.PrivacyError, match="open another"), session_factory:
        pass
    with pytest.raises(dps.PrivacyError, match="open another"), session_factory:
        pass

    assert 1 == len(book.spends)


def test_what_a_ledger_refuses_opens_no_door() -> None:
    """The block does not run."""
    with dps.budget(epsilon=HALF), pytest.raises(dps.BudgetError), dps.open_session(PROMISE):
        pytest.fail("the session opened")


def test_a_session_pays() -> None:
    """The budget of the block around is used where no ledger is named."""
    with dps.budget(epsilon=1) as book:
        with dps.open_session(PROMISE) as draws:
            draws.choose(VOTES, 1)
        assert 1 == book.totals.epsilon


def test_records_of_one_person_share_what_was_paid() -> None:
    """Draws protect records: of three records each has a third."""
    with dps.open_session(PROMISE, per_person=3) as draws:
        assert THIRD == draws.remaining


def test_draws_of_records_take_the_share_of_one_record_of_a_person() -> None:
    """They protect records, and what they take is gone from the whole; elsewhere nothing says how many share it."""
    with dps.open_session(dps.Guarantee(3, "person"), per_person=3) as draws:
        with pytest.raises(dps.PrivacyError, match="protects person neighbours, and this draw add-remove ones"):
            draws.counts(np.array([3]), THIRD, ONE)
        with draws.per_record() as own:
            assert 1 == own.remaining
            own.counts(np.array([3]), THIRD, ONE)
            with pytest.raises(dps.PrivacyError, match="asks for epsilon 1 "):
                own.choose(VOTES, 1)
            with pytest.raises(dps.PrivacyError, match="Parts of this budget are in use"):
                draws.counts(np.array([3]), THIRD, dps.mechanisms.Bound(1, "person"))
        assert 2 * THIRD == draws.remaining
        with pytest.raises(dps.PrivacyError, match="has ended"):
            own.choose(VOTES, THIRD)
    with (
        dps.open_session(PROMISE) as draws,
        pytest.raises(dps.PrivacyError, match="pay for persons"),
        draws.per_record(),
    ):
        pytest.fail("these draws protect records already")


def test_parts_cost_what_the_most_expensive_one_takes() -> None:
    """Parts that share no record draw side by side."""
    with dps.open_session(PROMISE) as draws:
        with draws.disjoint(3) as (one, two, three):
            one.choose(VOTES, HALF)
            two.counts(np.array([3]), THIRD, ONE)
            two.choose(VOTES, THIRD)
            assert (HALF, THIRD, 1) == (one.remaining, two.remaining, three.remaining)
        assert THIRD == draws.remaining
        for part in (one, two, three):
            with pytest.raises(dps.PrivacyError, match="has ended"):
                part.choose(VOTES, Fraction(1, 100))


def test_parts_of_parts_pay_along_their_path() -> None:
    """As the nodes of a tree do: a path never has more than the whole."""
    with dps.open_session(PROMISE) as draws:
        with draws.disjoint(2) as (left, right):
            left.choose(VOTES, HALF)
            with left.disjoint(2) as (leaf, other):
                leaf.choose(VOTES, HALF)
                with pytest.raises(dps.PrivacyError):
                    other.choose(VOTES, 1)
            right.choose(VOTES, 1)
        assert 0 == draws.remaining


def test_the_whole_waits_for_its_parts() -> None:
    """Otherwise a record would pay twice: in its part and in the whole."""
    with dps.open_session(PROMISE) as draws, draws.disjoint(2) as parts:
        with pytest.raises(dps.PrivacyError, match="Parts of this budget are in use"):
            draws.choose(VOTES, Fraction(1, 10))
        with pytest.raises(dps.PrivacyError, match="Parts of this budget are in use"), draws.disjoint(2):
            pass
        assert 1 == parts[0].remaining


def test_what_parts_took_is_gone_when_the_block_fails() -> None:
    """An error inside gives nothing back."""
    with dps.open_session(PROMISE) as draws:
        with suppress(ZeroDivisionError), draws.disjoint(2) as (one, _):
            one.choose(VOTES, HALF)
            raise ZeroDivisionError
        assert HALF == draws.remaining


@pytest.mark.parametrize("neighbours", ["substitution", "edge", "family"])
def test_a_changed_record_may_be_in_two_parts(neighbours: str) -> None:
    """Parallel composition is for records that come or go."""
    with (
        dps.open_session(dps.Guarantee(1, neighbours)) as draws,
        pytest.raises(dps.PrivacyError, match="add-remove and person neighbours only"),
        draws.disjoint(2),
    ):
        pass


def test_attempts_share_one_price() -> None:
    """Each has all that is left, because at most one result goes anywhere."""
    with dps.open_session(PROMISE) as draws:
        with draws.attempts() as attempt:
            attempt().choose(VOTES, HALF)
            attempt().choose(VOTES, HALF)
            with pytest.raises(dps.PrivacyError):
                attempt().choose(VOTES, 2)
        assert HALF == draws.remaining


def test_releases_inside_are_paid_from_what_is_left() -> None:
    """``paying`` makes the draws the budget of every release in the block; so does ``ledger=draws``."""
    flip = dps.mechanism("permute-and-flip")
    with dps.budget(epsilon=1) as book, dps.open_session(PROMISE) as draws:
        with draws.use_accountant():
            dps.select(VOTES, epsilon=HALF, mechanism=flip)
            with pytest.raises(dps.PrivacyError, match="1/2 is left"):
                dps.select(VOTES, epsilon=1, mechanism=flip)
        dps.histograms.identity([1, 2], epsilon=HALF, ledger=draws)
        with pytest.raises(dps.PrivacyError, match="0 is left"):
            dps.histograms.identity([1, 2], epsilon=HALF, ledger=draws)
        assert 1 == book.totals.spends


def test_a_release_with_a_delta_cannot_be_paid_from_pure_epsilon() -> None:
    """There is nothing to take the delta from."""
    with dps.open_session(PROMISE) as draws, pytest.raises(dps.PrivacyError, match="no delta"):
        draws.spend(dps.Guarantee(HALF, "add-remove", 1e-6))


def test_threads_together_take_no_more_than_there_is() -> None:
    """Sixteen threads ask for a fifth each as often as they can: five get it."""
    taken, middleware = [], threading.Barrier(16)
    with dps.open_session(PROMISE) as draws:

        def ask() -> None:
            middleware.wait()
            for _ in range(5):
                try:
                    draws.choose(VOTES, Fraction(1, 5))
                except dps.PrivacyError:
                    continue
                taken.append(1)

        threads = [threading.Thread(target=ask) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert 5 == len(taken)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_another_process_has_nothing() -> None:
    """A fork holds the same object, and would draw the same budget again."""
    with dps.open_session(PROMISE) as draws:
        child = os.fork()
        if not child:
            try:
                draws.choose(VOTES, HALF)
            except dps.PrivacyError:
                os._exit(7)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert 7 == os.waitstatus_to_exitcode(status)
        draws.choose(VOTES, 1)


@pytest.mark.parametrize("again", [copy.deepcopy, pickle.dumps])
def test_a_copy_would_be_money_from_nowhere(again) -> None:
    """So there is none, and a shallow one shares what is left."""
    with dps.open_session(PROMISE) as draws:
        with pytest.raises(TypeError, match="never copied"):
            again(draws)
        copy.copy(draws).choose(VOTES, HALF)
        assert HALF == draws.remaining


def test_a_bound_is_never_a_bare_number() -> None:
    """It says of whom it speaks, and adds up over lists."""
    assert (6, "edge") == (
        dps.mechanisms.Bound(2, "edge").times(3).total,
        dps.mechanisms.Bound(2, "edge").times(3).neighbours.value,
    )
    for bad in (0, -1):
        with pytest.raises(ValueError, match="positive"):
            dps.mechanisms.Bound(bad)


def test_unsound_calibrations_do_not_draw() -> None:
    """They have laws, and no guarantee."""
    fenced = dps.mechanism("smooth-noisy-max", calibration="chaves-2024", unsound="reproduction")
    with dps.open_session(PROMISE) as draws:
        with pytest.raises(dps.PrivacyError, match="not private"):
            draws.choose(VOTES, HALF, mechanism=fenced)
        assert 1 == draws.remaining


def test_counts_are_clipped_before_they_could_overflow() -> None:
    """Beyond 2^61 every count is 2^61; no size of a count decides whether there is an answer."""
    with dps.open_session(dps.Guarantee(200, "add-remove")) as draws:
        ends = draws.counts(np.array([-(2**63), 2**63 - 1]), 100, ONE)
        huge = draws.counts(np.array([2**64 - 1], dtype=np.uint64), 100, ONE)
    assert [-(2**61), 2**61] == ends.tolist()
    assert [2**61] == huge.tolist()


def test_nothing_private_is_shown() -> None:
    """A repr tells what is left of what was paid, which is public."""
    with dps.open_session(PROMISE) as draws:
        draws.choose(VOTES, HALF)
        assert "Session(remaining=1/2)" == repr(draws)


def test_an_attempt_is_not_begun_after_its_block() -> None:
    """It would be paid for by nobody."""
    with dps.open_session(PROMISE) as draws:
        with draws.attempts() as attempt:
            pass
        with pytest.raises(dps.PrivacyError, match="these attempts has ended"):
            attempt()
        assert 1 == draws.remaining


def test_blocks_that_are_left_in_the_wrong_order_give_nothing_back() -> None:
    """What parts of parts took counts when the outer block ends first, and the inner one revives nothing."""
    with dps.open_session(PROMISE) as draws:
        outer = draws.disjoint(1)
        (part,) = outer.__enter__()
        inner = part.disjoint(1)
        (leaf,) = inner.__enter__()
        leaf.choose(VOTES, HALF)
        outer.__exit__(None, None, None)
        assert HALF == draws.remaining
        with pytest.raises(dps.PrivacyError, match="has ended"):
            leaf.choose(VOTES, HALF)
        inner.__exit__(None, None, None)
        assert (HALF, 0) == (draws.remaining, part.remaining)


def test_a_block_that_is_left_late_opens_no_door_again() -> None:
    """Parts end with the door, and leaving their block afterwards gives nothing back."""
    with dps.open_session(PROMISE) as draws:
        late = draws.disjoint(1)
        (part,) = late.__enter__()
    with pytest.raises(dps.PrivacyError, match="has ended"):
        part.choose(VOTES, HALF)
    late.__exit__(None, None, None)
    assert 0 == draws.remaining


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_another_process_begins_no_attempt() -> None:
    """What it is lent would be its own."""
    with dps.open_session(PROMISE) as draws, draws.attempts() as attempt:
        child = os.fork()
        if not child:
            try:
                attempt().choose(VOTES, HALF)
            except dps.PrivacyError:
                os._exit(7)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert 7 == os.waitstatus_to_exitcode(status)


def test_releases_that_were_counted_are_drawn_one_by_one() -> None:
    """A ledger that adds rhos counts two halves as a quarter; a whole would be a half."""
    with dps.open_session(dps.Guarantee(HALF, "add-remove"), count=2) as draws:
        with pytest.raises(dps.PrivacyError, match="asks for epsilon 1 "):
            draws.choose(VOTES, 1)
        draws.choose(VOTES, THIRD)
        draws.choose(VOTES, THIRD)
        assert Fraction(1, 6) == draws.remaining
        with pytest.raises(dps.PrivacyError, match="1/6 is left"):
            draws.choose(VOTES, THIRD)
        draws.choose(VOTES, Fraction(1, 6))
    with dps.open_session(dps.Guarantee(HALF, "add-remove"), count=5, per_person=2) as draws:
        assert Fraction(5, 4) == draws.remaining
        draws.top_k(VOTES, 3, Fraction(3, 4))
        assert HALF == draws.remaining
        with draws.disjoint(2) as parts:
            parts[0].choose(VOTES, Fraction(1, 8))
            parts[1].choose(VOTES, Fraction(1, 5))
            assert (Fraction(3, 8), Fraction(3, 10)) == tuple(part.remaining for part in parts)
        assert Fraction(3, 10) == draws.remaining


def test_bounded_range_pays_for_draws_that_have_it() -> None:
    """A ledger that adds rhos counts a quarter of what another draw costs."""
    ranged = dps.Guarantee(1, "add-remove", bounded_range=True)
    exponential = dps.mechanism("exponential")
    with dps.open_session(ranged, count=2) as draws:
        for other in (
            lambda: draws.choose(VOTES, 1),
            lambda: draws.counts(np.array([1]), 1, ONE),
            lambda: draws.spend(PROMISE),
        ):
            with pytest.raises(dps.PrivacyError, match="bounded range"):
                other()
        draws.choose(VOTES, HALF, mechanism=exponential)
        assert 1 == draws.remaining
        dps.select(VOTES, epsilon=1, mechanism=exponential, ledger=draws)
        assert 0 == draws.remaining


@pytest.mark.parametrize("bad", [0, -1, 1.5, float("nan"), True, Fraction(1, 2), "2"])
def test_counts_of_releases_and_records_are_whole(bad) -> None:
    """Nothing is paid, and a number that is none takes and lends nothing."""
    book = Book()
    for wrong in ({"count": bad}, {"per_person": bad}):
        with pytest.raises(ValueError, match="integer of at least 1"), dps.open_session(PROMISE, ledger=book, **wrong):
            pytest.fail("the session opened")
    assert not book.spends
    with dps.open_session(PROMISE) as draws:
        with pytest.raises(ValueError, match="integer of at least 1"):
            draws.spend(PROMISE, count=bad)
        assert 1 == draws.remaining


def test_scores_of_rows_are_clipped_before_they_could_overflow() -> None:
    """As counts are: a gap never turns around."""
    rows = np.array([[-(2**63), 2**63 - 1], [2**63 - 1, -(2**63)]])
    with dps.open_session(dps.Guarantee(100, "add-remove")) as draws:
        winners = draws.choose_rows(rows, np.ones((2, 2), dtype=bool), 100, ONE)
    assert [1, 0] == winners.tolist()


def test_rows_of_what_is_not_a_number_are_refused_unpaid() -> None:
    """In integers it is the least there is, and its gap would wrap around: a certain head."""
    with dps.open_session(PROMISE) as draws:
        with pytest.raises(ValueError, match="NaN"):
            draws.choose_rows(np.array([[5.0, np.nan]]), np.ones((1, 2), dtype=bool), 1, ONE)
        assert 1 == draws.remaining


def test_costs_of_a_partition_are_integers_that_fit() -> None:
    """Noise that is added to floats is rounded with them, and the most expensive interval must not wrap around."""
    line = IntervalCandidates(2, np.array([0, 1, 0]), np.array([1, 2, 2]))
    with dps.open_session(PROMISE) as draws, pytest.raises(TypeError, match="integers"):
        draws.partition(line, np.array([0.5, 0.5, 0.7]), 1, ONE)
    for _ in range(100):
        with dps.open_session(PROMISE) as draws:
            assert [0, 1, 2] == draws.partition(line, np.array([0, 0, 2**63 - 1]), Fraction(1, 50), ONE).tolist()


@pytest.mark.parametrize(
    "valid",
    [
        np.ones((2, 2), dtype=bool),
        np.ones(2, dtype=bool),
        np.ones((1, 2), dtype=int),
        np.zeros((1, 2), dtype=bool),
        [[True, True]],
    ],
    ids=["two rows", "no rows", "integers", "none", "a list"],
)
def test_rows_and_their_candidates_fit_before_they_cost(valid) -> None:
    """Shapes and candidates are public, so that what cannot be drawn is refused unpaid."""
    with dps.open_session(PROMISE) as draws:
        with pytest.raises(ValueError, match="valid must say of every candidate"):
            draws.choose_rows(np.array([[5, 3]]), valid, 1, ONE)
        assert 1 == draws.remaining


def test_every_interval_has_a_cost_before_they_cost() -> None:
    """A list that is too short would fail after the price was taken."""
    line = IntervalCandidates(2, np.array([0, 1, 0]), np.array([1, 2, 2]))
    with dps.open_session(PROMISE) as draws:
        with pytest.raises(ValueError, match="one cost per candidate"):
            draws.partition(line, np.array([0, 1]), 1, ONE)
        assert 1 == draws.remaining


def test_half_a_winner_is_not_half_the_price() -> None:
    """One winner is drawn at the full rate."""
    asked = question(VOTES, Fraction(1), dps.mechanism("permute-and-flip"))
    with dps.open_session(PROMISE) as draws:
        for bad in (0.5, 0, 4):
            with pytest.raises(ValueError, match="k "):
                draws.draw(asked, bad)
        assert 1 == draws.remaining


@every_draw
def test_a_draw_after_the_block_is_told_that_it_has_ended(draw) -> None:
    """And not that nothing is left: of the whole, of a part, and where parts are begun."""
    with dps.open_session(PROMISE) as draws, draws.disjoint(2) as (part, _):
        pass
    for ended in (draws, part):
        with pytest.raises(dps.PrivacyError, match="The block of this budget has ended: draw inside it"):
            draw(ended, 1)
    with pytest.raises(dps.PrivacyError, match="The block of this budget has ended"), draws.disjoint(2):
        pass


@pytest.mark.parametrize("parts", [0, -1, True, 2.0, None])
def test_parts_are_a_number_of_at_least_one(parts) -> None:
    """Refused before anything is lent: the whole draws on."""
    with dps.open_session(PROMISE) as draws:
        with pytest.raises(ValueError, match="parts must be an integer of at least 1"), draws.disjoint(parts):
            pass
        assert draws.choose(VOTES, 1) in range(3)


def test_a_slip_at_the_door_names_opened() -> None:
    """Not the function that made it."""
    with pytest.raises(TypeError, match=r"^open_session\(\) got an unexpected keyword argument 'eps'"):
        dps.open_session(PROMISE, eps=1)
    with pytest.raises(TypeError, match=r"^open_session\(\) missing 1 required positional argument"):
        dps.open_session()


LONG = [2**70, -(2**70), 3]


@pytest.mark.parametrize("values", [LONG, [2**63, -1, 3], np.array(LONG, dtype=object), [[2**63], [-5], [3]]])
def test_integers_of_any_length_are_counted(values) -> None:
    """Clipped at 2^61, as integers of 64 bits are, and in their shape."""
    clipped = countable(values)

    assert clipped.dtype == np.int64
    assert np.shape(values) == clipped.shape
    assert [min(max(int(each), -(2**61)), 2**61) for each in np.ravel(np.array(values, dtype=object))] == [
        *clipped.flat
    ]


@pytest.mark.parametrize("values", [[1.0, 2], [], np.array([1, None]), [2**70, 0.5], ["1"], np.array([0.5])])
def test_what_is_not_integers_is_not_counted(values) -> None:
    """By its type, and before it costs."""
    with dps.open_session(PROMISE) as draws:
        with pytest.raises(TypeError, match="Only integers get exact noise"):
            draws.counts(values, 1, ONE)
        assert 1 == draws.remaining


@pytest.mark.parametrize("mask", [False, True])
def test_a_masked_array_is_refused_whether_or_not_it_masks(mask: bool) -> None:
    """What a mask hides would be counted, and whether it hides anything is private."""
    with pytest.raises(TypeError, match="without a mask"):
        countable(np.ma.masked_array([1, 2], mask=[mask, False]))


@pytest.mark.chance(1e-6)
@pytest.mark.parametrize("name", ["smooth-noisy-max", "permute-and-flip", "exponential", "local-dampening-t"])
def test_parts_that_share_no_record_are_answered_at_once(name: str) -> None:
    """They cost what the most expensive question costs; each has the law of its own, not of 0.7 or 1.3 epsilon."""
    mechanism = dps.mechanism(name)
    scores = [dps.Scores([3, 1, 0], 1, kind="integer"), dps.Scores([0, 0, 2], 2, kind="integer")]
    with dps.open_session(dps.Guarantee(2, "add-remove")) as draws:
        asked = [
            draws.prepare(each, epsilon, mechanism=mechanism) for each, epsilon in zip(scores, (1, 2), strict=True)
        ]
        assert 2 == draws.remaining
        won = draws.answer_disjoint(asked, np.tile([0, 1, 1], 8192))
        assert 0 == draws.remaining
    for row, places, epsilon in ((0, [0], 1), (1, [1, 2], 2)):
        law, *wrong = (
            dict(enumerate(mechanism.pmf(scores[row], Fraction(epsilon) * factor).tolist()))
            for factor in (1, Fraction(7, 10), Fraction(13, 10))
        )
        drawn = iter(np.concatenate([won[place::3] for place in places]).tolist())
        accept(dps.audit.sampler(drawn.__next__, law, against=dict(zip(("0.7", "1.3"), wrong, strict=True))))


def test_parts_answered_at_once_are_refused_before_they_cost() -> None:
    """Too expensive, for other neighbours, of two mechanisms, for parts that ask nothing."""
    votes = dps.Scores([3, 1, 0], 1, kind="integer")
    smooth = dps.mechanism("smooth-noisy-max")
    with dps.open_session(PROMISE) as draws:
        one = draws.prepare(votes, 1, mechanism=smooth)
        for asked, which, error in (
            ([draws.prepare(votes, 2, mechanism=smooth)], [0], dps.PrivacyError),
            ([one, draws.prepare(votes, 1)], [0, 1], ValueError),
            ([one, draws.prepare(dps.Scores([1, 2], 1), 1, mechanism=smooth)], [0], ValueError),
            ([one], [], ValueError),
            ([one], [1], ValueError),
            ([one], [-1], ValueError),
            ([], [], ValueError),
        ):
            with pytest.raises(error):
                draws.answer_disjoint(asked, np.array(which, dtype=np.int64))
            assert 1 == draws.remaining
    with dps.open_session(dps.Guarantee(1, "substitution")) as draws:
        other = draws.prepare(dps.Scores([3, 1], 1, neighbours="substitution"), 1)
        with pytest.raises(dps.PrivacyError, match="add-remove"):
            draws.answer_disjoint([other], np.array([0]))


def test_uniform_integers_beyond_a_word_are_refused() -> None:
    """Drawing them by words of 32 bits would never end."""
    with dps.open_session(PROMISE) as draws:
        assert 0 <= draws.uniform(np.array([2**32]))[0] < 2**32
        with pytest.raises(ValueError, match="at most 2\\^32"):
            draws.uniform(np.array([5, 2**32 + 1]))
