"""A stream of questions against a threshold: exact losses, prices, errors, endings, and all that is refused."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import math
import os
import pickle
import random
import signal
import threading
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import Script, ScriptedNoise, log_chance_of, transcripts
from dpselect.kernel.samplers.threshold import GeometricThreshold
from dpselect.release.above_threshold import stream_of
from dpselect.release.open_session import session_factory_of
from dpselect.release.system_noise import SystemNoise
from dpselect.release.threshold_rules import ThresholdRules, threshold_rules
from tests.release.threshold_law import law

HALF = Fraction(1, 2)


def rules_of(epsilon=2, **changes) -> ThresholdRules:
    """Rules with a threshold of 0."""
    usual = {
        "positives": 1,
        "sensitivity": 1,
        "kind": "integer",
        "range_bound": 1,
        "neighbours": "add-remove",
        "levels": (),
        "share": None,
    }
    return threshold_rules(epsilon, **(usual | changes))


def asked(rules: ThresholdRules, values: Sequence[object], replay: ScriptedNoise) -> list[str]:
    """Ask until the stream ends."""
    stream = stream_of(rules, session_factory=session_factory_of(lambda: replay))
    return [str(stream.ask(value, 0)) for value in values if not stream.has_ended]


def worst_loss(rules: ThresholdRules, values: Sequence[object], others: Sequence[object]) -> float:
    """The largest log-ratio of any transcript of one database and its neighbour."""
    return max(
        abs(chance - log_chance_of(lambda replay: asked(rules, others, replay), script))
        for script, chance in transcripts(lambda replay: asked(rules, values, replay))
    )


# name: rules, and the moves of one neighbour, in values.
UNIVERSES = {
    "one direction": (rules_of(), (0, 1)),
    "both directions": (rules_of(range_bound=2), (-1, 0, 1)),
    "two answers": (rules_of(positives=2), (0, 1)),
    "two levels": (rules_of(levels=[(2, HALF)]), (0, 1)),
    "two levels, both directions": (rules_of(range_bound=2, levels=[(2, HALF)]), (-1, 0, 1)),
    "sensitivity 2": (rules_of(sensitivity=2.5, range_bound=2), (-2, 0, 2)),
}


@pytest.mark.parametrize("name", UNIVERSES)
def test_no_transcript_loses_more_than_epsilon(name: str) -> None:
    """All transcripts of three questions, by the code itself, with exact chances; gaps at and above the threshold."""
    rules, moves = UNIVERSES[name]
    drawn = random.Random(21)
    databases = [[drawn.randint(-2, 1) for _ in range(3)] for _ in range(3)]
    neighbours = [*itertools.product(moves, repeat=3)][1:]

    worst = max(
        worst_loss(rules, values, [value + move for value, move in zip(values, each, strict=True)])
        for values in databases
        for each in drawn.sample(neighbours, min(len(neighbours), 6))
    )
    assert 0.5 * 2 < worst <= 2 + 1e-9


@pytest.mark.parametrize(
    ("rules", "move", "turned"),
    [
        (rules_of(), 1, 0),
        (rules_of(range_bound=2), 1, -1),
        (rules_of(range_bound=2, sensitivity=3), 3, -3),
        (rules_of(positives=2), 1, 0),
        (rules_of(range_bound=2, levels=[(4, HALF)]), 1, -1),
    ],
)
def test_a_chain_of_questions_loses_nearly_epsilon(rules: ThresholdRules, move: int, turned: int) -> None:
    """Many at the threshold that rise and are below, then those above that stay or fall: the bound is tight."""
    positives = 2 if rules.levels[-1].price < rules.budget else 1
    values = [2] * 60 + [-40] * positives
    # Below at every level; then below at the cheaper ones, and exactly at the bar at the last.
    script = (0,) * (60 * len(rules.levels)) + ((0,) * (len(rules.levels) - 1) + (1,)) * positives
    others = [value + move for value in values[:60]] + [value + turned for value in values[60:]]

    chances = [log_chance_of(lambda replay, v=v: asked(rules, v, replay), script) for v in (values, others)]
    assert 0.99 * 2 < chances[0] - chances[1] <= 2 + 1e-9


def test_clear_answers_lose_what_they_cost() -> None:
    """Three at half the price of two: after a chain below they lose epsilon, nearly all of it and no more."""
    rules = rules_of(positives=2, levels=[(4, HALF)])
    values, script = [2] * 60 + [-40] * 3, (0,) * 120 + (1,) * 3

    chances = [
        log_chance_of(lambda replay, v=v: asked(rules, v, replay), script)
        for v in (values, [value + 1 for value in values[:60]] + values[60:])
    ]
    paid = rules.guarantee.epsilon - rules.levels[-1].price / 2
    assert 0.99 * paid < chances[0] - chances[1] <= paid + 1e-9


def test_real_values_pay_for_their_ticks() -> None:
    """Values that sit just above and just below ticks move by one tick more, and the rates allow for it."""
    ticks = 2**20
    for range_bound in (1, 2):
        rules = rules_of(kind="real", sensitivity=Fraction(3, 10), range_bound=range_bound)
        assert rules.rate * (ticks + 1) + rules.levels[0].rate * (range_bound * ticks + 2) == 2
        moved = [rules.value_ticks(low + 0.3) - rules.value_ticks(low) for low in np.linspace(-1e3, 1e3, 999)]
        assert {*moved} <= {ticks - 1, ticks, ticks + 1}


def losses(kind: str, gap: bool, levels: int, tries: int, drawn: random.Random) -> tuple[int, float]:
    """How many transcripts there were, and the largest loss over what was paid, by the definition and rational."""
    worst, count = 0.0, 0
    for _ in range(tries):
        bound = drawn.choice([1, 2])
        span = bound if kind == "one direction" else 2 * bound
        rise, power = (Fraction(drawn.choice([11, 13, 20]), 10) for _ in range(2))
        table = [(0, 1 / power)] if levels == 1 else [(drawn.choice([1, 3]), 1 / power), (0, 1 / power**2)]
        length = drawn.randint(1, 4)
        values = [drawn.randint(-3, 3) for _ in range(length)]
        steps = (0, bound) if kind == "one direction" else (-bound, 0, bound)
        others = [value + drawn.choice(steps) for value in values]
        answers = [None, *((j, drawn.randint(0, 2) + table[j][0] if gap else None) for j in range(levels))]
        for transcript in itertools.product(answers, repeat=length):
            chances = [law(each, transcript, 1 / rise, table) for each in (values, others)]
            paid = math.prod((table[each[0]][1] ** -span for each in transcript if each), start=rise**bound)
            if not all(chances):
                assert not any(chances)
                continue
            ratio = max(chances[0] / chances[1], chances[1] / chances[0])
            assert ratio <= paid, (values, others, transcript)
            worst, count = max(worst, math.log(ratio) / math.log(paid)), count + 1
    return count, worst


@pytest.mark.parametrize("tries", [2, pytest.param(90, marks=pytest.mark.slow)])
def test_every_transcript_by_the_definition(tries: int) -> None:
    """In rational numbers: both range bounds, with and without gaps, one and two levels; the long run reaches 1."""
    drawn = random.Random(3)
    cells = [*itertools.product(("one direction", "both directions"), (False, True), (1, 2))]
    results = [losses(*cell, tries, drawn) for cell in cells]

    assert all(worst <= 1 for _, worst in results)
    if tries > 2:
        assert sum(count for count, _ in results) > 10_000
        assert all(worst > 0.999 for _, worst in results)


def test_the_code_has_the_law_of_the_definition() -> None:
    """Chances that the code is replayed with are those of the independent law, levels and gaps included."""
    rules = rules_of(positives=2, range_bound=2, levels=[(2, HALF)])
    raised, *powers = (math.exp(-rate) for rate in (rules.rate, *(level.rate for level in rules.levels)))
    table = [*zip((2, 0), powers, strict=True)]
    values = (1, -1, 0)
    heights = {(0, 0): None, (1,): (0, 2), (2,): (0, 5), (0, 1): (1, 0), (0, 2): (1, 3)}
    for answers in itertools.product(heights, repeat=3):
        transcript = [heights[each] for each in answers]
        paid = sum(1 if each is not None and each[0] == 0 else 2 * (each is not None) for each in transcript[:2])
        if paid > 2:
            continue
        script: Script = sum(answers, ())
        chance = log_chance_of(lambda replay: asked(rules, values, replay), script)
        assert math.isclose(chance, math.log(law(values, transcript, raised, table)), abs_tol=1e-9)


def test_clear_answers_cost_their_share() -> None:
    """Half for a clear one, so that three come out of two; the unclear one costs all."""
    with dps.above_threshold(100, epsilon=50, positives=2, levels=[(1000, HALF)]) as stream:
        full = stream.rules.levels[-1].price
        answers = [stream.ask(value) for value in (10**6, 10**6, 0, 500)]

        assert [0, 0, None, 1] == [answer.level for answer in answers]
        assert [full / 2, full / 2, 0, full] == [answer.paid for answer in answers]
        assert stream.has_ended
        assert 0 == stream.remaining_epsilon
    assert abs(answers[0].gap - (10**6 - 100)) < 100
    assert answers[2].gap is None


def test_the_whole_is_paid_before_the_first_question(tmp_path) -> None:
    """Once, whatever is asked, and nothing is given back."""
    ledger = dps.Ledger.open(tmp_path / "counts.ledger", epsilon=3)
    stream = dps.above_threshold(10, epsilon=2, ledger=ledger)
    assert 1 == ledger.remaining.epsilon
    stream.ask(-50)
    stream.end()

    assert 1 == ledger.remaining.epsilon
    with pytest.raises(dps.BudgetError):
        dps.above_threshold(10, epsilon=2, ledger=ledger)


def test_what_is_spent_answers_nothing_more() -> None:
    """Not below either: another stream is another spend."""
    stream = dps.above_threshold(0, epsilon=50)
    assert "above" == str(stream.ask(10**9))

    for value in (10**9, -(10**9)):
        with pytest.raises(dps.PrivacyError, match="ended and answers nothing more"):
            stream.ask(value)
    stream.end()


@pytest.mark.parametrize(
    ("kind", "value", "threshold", "sentence"),
    [
        ("integer", 1.0, 5, "value must be an integer"),
        ("integer", True, 5, "value must be an integer"),
        ("integer", None, 5, "value must be an integer"),
        ("real", math.nan, 5, "give one on every database"),
        ("real", "1", 5, "value must be a number"),
        ("real", 1.0, math.inf, "threshold must be at most"),
        ("integer", 1, 2**61, "threshold must be at most"),
        ("integer", 1, 0.5, "threshold must be an integer"),
        ("integer", 1, None, "pass threshold="),
    ],
)
def test_a_refused_question_uses_nothing_up(kind, value, threshold, sentence: str, monkeypatch) -> None:
    """No coin is thrown, nothing is taken, the message does not show the value."""
    stream = dps.above_threshold(None, epsilon=1, kind=kind)
    left = stream.remaining_epsilon
    monkeypatch.setattr(GeometricThreshold, "margin", lambda *_: pytest.fail("a coin was thrown"))

    with pytest.raises((TypeError, ValueError, dps.PrivacyError), match=sentence):
        stream.ask(value, threshold)
    assert left == stream.remaining_epsilon
    assert not stream.has_ended


@pytest.mark.parametrize("positives", [1, 3])
def test_a_question_that_crashes_stays_paid(positives: int, monkeypatch) -> None:
    """Its coins may have fallen: the answer at the highest price is gone, and with the last of them the stream."""
    stream = dps.above_threshold(0, epsilon=1, positives=positives)
    full, left = stream.rules.levels[-1].price, stream.remaining_epsilon

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(GeometricThreshold, "margin", stopped)
        with pytest.raises(KeyboardInterrupt):
            stream.ask(5)
    assert left - full == stream.remaining_epsilon
    if positives == 1:
        with pytest.raises(dps.PrivacyError):
            stream.ask(5)
    else:
        assert str(stream.ask(-(10**6))) == "below"


def test_a_question_inside_a_question_finds_what_is_left(monkeypatch) -> None:
    """A signal asks in the midst of one: refused while the last positive is under way, and possible afterwards."""
    stream, usual, said = dps.above_threshold(0, epsilon=50), GeometricThreshold.margin, []

    def interrupted(bar: GeometricThreshold, *question: object) -> int | None:
        if not said:
            with pytest.raises(dps.PrivacyError, match="under way") as refused:
                said.append(0) or stream.ask(5)
            said.append(str(refused.value))
        return usual(bar, *question)

    monkeypatch.setattr(GeometricThreshold, "margin", interrupted)
    assert "below" == str(stream.ask(-(10**6)))
    assert 2 == len(said)
    assert "above" == str(stream.ask(10**6))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_stream_is_never_copied(again) -> None:
    """Two with one secret would answer twice; and its repr shows public facts only."""
    stream = dps.above_threshold(0, epsilon=1)

    with pytest.raises(TypeError, match="never copied"):
        again(stream)
    assert "SparseVector(Guarantee(epsilon=1, neighbours='add-remove'), remaining=" in repr(stream)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_answers_nothing() -> None:
    """It holds the same secret."""
    stream = dps.above_threshold(0, epsilon=1)
    # Another thread holds the lock for good in the child.
    taken, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        with stream._lock:
            taken.set()
            go_on.wait()

    holding = threading.Thread(target=hold)
    holding.start()
    taken.wait()
    child = os.fork()
    if not child:
        signal.alarm(5)
        try:
            stream.ask(1)
        except dps.PrivacyError:
            os._exit(7)
        os._exit(1)
    go_on.set()
    holding.join()
    assert 7 == os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_threads_share_what_was_paid() -> None:
    """Four of them ask for as much as they can get: three answers were paid for."""
    stream, answers = dps.above_threshold(0, epsilon=50, positives=3), []

    def ask() -> None:
        for _ in range(5):
            try:
                answers.append(str(stream.ask(10**6)))
            except dps.PrivacyError:
                return

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ["above"] * 3 == answers


def test_a_stream_ends_with_its_draws() -> None:
    """It takes all of its epsilon from them, and a part or an attempt ends its own."""
    with dps.open_session(dps.Guarantee(3, "add-remove")) as draws:
        stream = draws.threshold(rules_of(2))
        assert 1 == draws.remaining
        with draws.disjoint(2) as parts:
            inner = parts[0].threshold(rules_of(1))
            assert "below" == str(inner.ask(-(10**6), 0))
        with pytest.raises(dps.PrivacyError):
            inner.ask(1, 0)
        assert "below" == str(stream.ask(-(10**6), 0))
        with pytest.raises(dps.PrivacyError, match="is left of what was paid"):
            draws.threshold(rules_of(2))
    with pytest.raises(dps.PrivacyError, match="has ended"):
        stream.ask(1, 0)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"positives": 0}, "positives must be an integer of at least 1"),
        ({"positives": 1.5}, "positives must be an integer of at least 1"),
        ({"sensitivity": 0.5}, "at least 1, or kind='real'"),
        ({"sensitivity": 0}, "sensitivity must be positive"),
        ({"kind": "float"}, "kind is 'integer' or 'real'"),
        ({"range_bound": 1.0}, "range_bound must be 1 or 2"),
        ({"range_bound": 3}, "range_bound must be 1 or 2"),
        ({"neighbours": "nobody"}, "neighbours"),
        ({"share": 1}, "share must be below 1"),
        ({"levels": [5]}, "levels lists pairs"),
        ({"levels": [(5, 1)]}, "share below 1"),
        ({"levels": [(2**60, 0.5)]}, "not beyond all values"),
        ({"levels": [(1, 0.5), (5, 0.25)]}, "cheapest to the most expensive"),
        ({"epsilon": Fraction(1, 2**45)}, "too small"),
        ({"threshold": 2**61}, "threshold must be at most"),
    ],
)
def test_bad_rules_are_refused_before_the_spend(changes: dict[str, object], sentence: str) -> None:
    """In one sentence that says what to do."""
    with (
        dps.budget(epsilon=1) as book,
        pytest.raises((TypeError, ValueError), match=sentence),
    ):
        dps.above_threshold(**({"threshold": 0, "epsilon": 1} | changes))
    assert 1 == book.remaining.epsilon


@pytest.mark.parametrize("kind", ["integer", "real"])
@pytest.mark.parametrize("size", [2**53 + 1, 2**60, 2**200, 10**308])
def test_hostile_values_are_answered(kind: str, size: int) -> None:
    """However large, in either direction: clipped, never refused."""
    with dps.above_threshold(0, epsilon=50, kind=kind, positives=4) as stream:
        exact = (size, Fraction(size), float(size), math.inf) if kind == "real" else (size,)
        for value in exact:
            assert "above" == str(stream.ask(value))
            assert stream.has_ended or "below" == str(stream.ask(-value))


@pytest.mark.parametrize("epsilon", [10**300, Fraction(1, 2**30)])
def test_the_largest_and_small_epsilons_answer(epsilon: object) -> None:
    """Coins of any rate that is not refused."""
    stream = dps.above_threshold(0, epsilon=epsilon, positives=2)

    assert "above" == str(stream.ask(2**61))
    assert stream.error_bound(3).above() < 2**60
    assert "below" == str(stream.ask(-(2**61)))


def test_neighbouring_integers_beyond_two_to_the_53_are_told_apart() -> None:
    """Also NumPy's; a subnormal float is a number."""
    stream = dps.above_threshold(2**53 + 1, epsilon=4000, positives=2)

    assert ["below", "above"] == [str(stream.ask(value)) for value in (2**53, np.int64(2**53 + 1))]
    assert "above" == str(
        dps.above_threshold(0, epsilon=400, kind="real", sensitivity=1e-300).ask(np.float32(5e-324 + 1))
    )
    assert 0 == rules_of(kind="real").value_ticks(5e-324)


@pytest.mark.parametrize("levels", [(), [(10, HALF)]])
def test_errors_are_least_and_hold(levels) -> None:
    """The exact probability, over the secret, is within the statement; one tick nearer the bound would not be."""
    rules, questions = rules_of(1, positives=3, range_bound=2, levels=levels), 100
    stated = dps.accuracy.threshold_bound(epsilon=1, positives=3, questions=questions, levels=levels)
    raised = math.exp(-rules.rate)
    powers = [(level.margin, math.exp(-level.rate)) for level in rules.levels]

    def wrong_above(short: int) -> float:
        return sum(
            (1 - raised)
            * raised**rho
            * (1 - math.prod(1 - power ** (short + margin + rho) for margin, power in powers) ** questions)
            for rho in range(2000)
        )

    def union(short: int) -> float:
        means = [power ** (short + margin) * (1 - raised) / (1 - raised * power) for margin, power in powers]
        return questions * sum(means)

    above, below = stated.above(), stated.below()
    assert raised ** (above + 1) <= 0.025 < raised**above
    assert union(below) <= 0.025 < union(below - 1)
    assert 0.8 * 0.025 < wrong_above(below) <= 0.025


def test_simulated_streams_err_as_rarely_as_stated(entropy) -> None:
    """At the stated distances, by the code itself: at most 20 %, and not much more rarely."""
    rules, questions, wrong, runs = rules_of(1, positives=2), 20, 0, 150
    stated = dps.accuracy.threshold_bound(epsilon=1, positives=2, questions=questions, range_bound=1)
    above, below = stated.above(0.8), stated.below(0.8)
    for _ in range(runs):
        stream = stream_of(rules, session_factory=session_factory_of(lambda: SystemNoise(lambda: entropy)))
        answers = [stream.ask(-below, 0).above for _ in range(questions) if not stream.has_ended]
        wrong += any(answers) or not stream.ask(above, 0).above

    assert 0.04 * runs < wrong < 0.2 * runs


def test_errors_in_words_and_in_units() -> None:
    """Real values are stated in their units; too small an epsilon is refused."""
    whole, real = (dps.accuracy.threshold_bound(epsilon=1, questions=9, kind=kind) for kind in ("integer", "real"))

    assert whole.above() - 1 < real.above() < whole.above() + 1.01
    assert whole.describe().startswith("with probability 0.95, whatever the data: no value ")
    assert whole.describe() == dps.above_threshold(0, epsilon=1).error_bound(9).describe()
    with pytest.raises(ValueError, match="too small for a statement"):
        dps.accuracy.threshold_bound(epsilon=Fraction(1, 2**18), questions=9, kind="real").at(1 - Fraction(1, 10**299))
    with pytest.raises(ValueError, match="probability must be below 1"):
        dps.accuracy.threshold_bound(epsilon=1, questions=9).at(1)
    with pytest.raises(ValueError, match="questions must be"):
        dps.accuracy.threshold_bound(epsilon=1, questions=0)


def test_an_answer_is_true_if_it_is_above() -> None:
    """So that a stream may be asked in a condition."""
    with dps.above_threshold(1000, epsilon=50, positives=2, range_bound=1) as stream:
        assert not stream.ask(0)
        assert stream.ask(2000)


def test_rules_of_a_stream_stay_what_was_paid_for() -> None:
    """They are read only; rules that cost more than their guarantee are refused before anything is taken."""
    stream = dps.above_threshold(0, epsilon=1)
    with pytest.raises(AttributeError):
        stream.rules = rules_of(100)
    rules = rules_of(positives=2, levels=[(3, HALF)])
    dear = dataclasses.replace(rules.levels[-1], price=rules.levels[-1].price / 9)
    with dps.open_session(dps.Guarantee(2, "add-remove")) as draws:
        for changed in (
            {"budget": rules.budget + 2},
            {"rate": rules.rate * 9},
            {"levels": (*rules.levels[:-1], dear)},
            {"levels": (dear,)},
            {"levels": rules.levels[::-1]},
            {"budget": rules.levels[-1].price / 2},
        ):
            with pytest.raises(dps.PrivacyError, match="cost more than their guarantee"):
                draws.threshold(dataclasses.replace(rules, **changed))
        assert 2 == draws.remaining
        assert "above" == str(draws.threshold(rules).ask(10**6, 0))
