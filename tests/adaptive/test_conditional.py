"""Conditionals at labelled places of a program of one's own: two places, one of them asked for every block."""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.adaptive import Conditional, Metafeature, learn_conditionals
from dpselect.audit.scripted_noise import ScriptedNoise, log_chance_of, transcripts
from dpselect.release.open_session import open_session, session_factory_of

TENTH = Fraction(1, 10)
WIDTH = Conditional(
    "width", ["narrow", "wide"], [Metafeature("total", lambda x: int(x.sum()), sensitivity=1, scale="log")]
)
SPREAD = Conditional(
    "spread",
    ["even", "cells"],
    [
        Metafeature("roughness", lambda x: int(np.abs(np.diff(x)).sum()), sensitivity=2, scale="log"),
        Metafeature("cells", len, public=True),
    ],
)


def blocks(counts, epsilon, places, session_factory=open_session, factor=1):
    """Counts in blocks: how wide they are is decided once, and in every block whether its total is spread evenly."""
    with session_factory(dps.Guarantee(epsilon, "add-remove"), mechanism="blocks") as draws:
        width = {"narrow": 2, "wide": 4}[places["width"].decide(counts, draws, factor * epsilon * TENTH)]
        parts = counts.reshape(-1, width)
        with draws.disjoint(len(parts)) as each_draws:
            return np.concatenate(
                [one(part, epsilon, places["spread"], own) for part, own in zip(parts, each_draws, strict=True)]
            )


def one(part, epsilon, place, draws):
    """One block, with what its part of the draws has left."""
    if place.decide(part, draws, epsilon * TENTH) == "even":
        total = draws.counts(np.array([part.sum()]), draws.remaining, dps.mechanisms.Bound(1))[0]
        return np.full(part.size, total / part.size)
    return draws.counts(part, draws.remaining, dps.mechanisms.Bound(1)).astype(float)


def off(counts, estimate):
    """Mean absolute error."""
    return float(np.abs(estimate - counts).mean())


PUBLIC = {
    "flat few": np.full(8, 3),
    "flat many": np.full(8, 500),
    "rough few": np.array([0, 9, 0, 9, 0, 9, 0, 9]),
    "rough many": np.array([0, 900, 0, 900, 0, 900, 0, 900]),
}


@functools.cache
def trained(repetitions: int = 6):
    """Both places, learned; how well is another matter than what they cost."""
    return learn_conditionals(blocks, [WIDTH, SPREAD], PUBLIC, [1], off, repetitions=repetitions)


@pytest.mark.slow
def test_what_is_learned_is_used() -> None:
    """Flat blocks are spread evenly and rough ones counted cell by cell, by noisy roughness alone."""
    with dps.open_session(dps.Guarantee(50, "add-remove")) as draws:
        place = trained(40)["spread"]
        assert "cells" == place.decide(np.array([0, 900, 0, 900]), draws, 20)
        assert "even" == place.decide(np.array([500, 500, 500, 500]), draws, 20)


def test_a_program_pays_once_for_all_its_places() -> None:
    """One spend, whatever is decided, and an answer of the right shape."""
    with dps.budget(epsilon=1) as book:
        answer = blocks(np.full(8, 400), Fraction(1), trained())

        assert (1, 1) == (book.totals.epsilon, len(book.events))
    assert (8,) == answer.shape


def test_learning_spends_nothing() -> None:
    """Databases are public: the budget around is left alone."""
    with dps.budget(epsilon=1) as book:
        learn_conditionals(blocks, [WIDTH, SPREAD], PUBLIC, [1], off, repetitions=2, rounds=1)

        assert 0 == book.totals.epsilon


def losses(lines, factor: int = 1):
    """The log-ratio of every transcript of the program on small lines and their neighbours, by replay."""

    def run(counts):
        return lambda replay: blocks(
            np.array(counts), Fraction(1), trained(), session_factory_of(lambda: replay), factor
        )

    for line in lines:
        every = list(transcripts(run(line), released=(-3, 6)))
        for cell in range(4):
            more = np.array(line)
            more[cell] += 1
            for script, chance in every:
                yield abs(chance - log_chance_of(run(more), script, released=(-3, 6)))


@pytest.mark.parametrize(
    "lines",
    [[[2, 0, 0, 1]], pytest.param([[0, 0, 0, 0], [2, 0, 0, 1], [0, 3, 0, 0]], marks=pytest.mark.slow)],
    ids=len,
)
def test_the_whole_program_keeps_epsilon_on_every_transcript(lines: list[list[int]]) -> None:
    """Both places and all draws of all blocks together, whatever the places decide."""
    worst = max(losses(lines))

    assert worst <= 1 + 1e-9
    assert worst > 0.9


def test_a_place_that_would_overdraw_is_refused() -> None:
    """Twenty times its price is more than was paid: nothing is drawn."""
    replay = ScriptedNoise()
    with pytest.raises(dps.PrivacyError, match="is left of what was paid"):
        blocks(np.full(8, 3), Fraction(1), trained(), session_factory_of(lambda: replay), 20)
    assert not replay.asked


def test_understated_sensitivities_show() -> None:
    """A fact that moves by four, declared as one, breaks the promise, and the replay says so."""
    quick = Conditional("width", WIDTH.branches, [Metafeature("total", lambda x: 4 * int(x.sum()), sensitivity=1)])
    wrong = {
        **trained(),
        "width": Conditional("width", quick.branches, quick.metafeatures, models=trained()["width"].models),
    }

    def run(counts):
        return lambda replay: blocks(np.array(counts), Fraction(1), wrong, session_factory_of(lambda: replay))

    chances = transcripts(run([0, 0, 0, 0]), released=(-3, 6))
    worst = max(abs(chance - log_chance_of(run([1, 0, 0, 0]), script, released=(-3, 6))) for script, chance in chances)
    assert worst > 1.05
    assert math.isfinite(worst)


def test_public_facts_cost_nothing() -> None:
    """A place that reads released values or public sizes needs no epsilon."""
    free = Conditional("end", ["stop", "go on"], [Metafeature("size", float, public=True)])

    def program(size, epsilon, places):
        with dps.open_session(dps.Guarantee(epsilon, "add-remove")) as draws:
            return places["end"].decide(size, draws), draws.remaining

    learned = learn_conditionals(
        program, [free], {"low": 1, "high": 9}, [1], lambda size, answer: 1 + ((answer[0] == "stop") != (size < 5))
    )
    assert [("stop", 1), ("go on", 1)] == [program(size, Fraction(1), learned) for size in (1, 9)]


def test_refusals() -> None:
    """Before anything is drawn, in one sentence."""
    size = Metafeature("size", len, sensitivity=1)
    with pytest.raises(ValueError, match="needs a label"):
        Conditional("", ["a", "b"], [size])
    with pytest.raises(ValueError, match="at least two branches"):
        Conditional("L1", ["a"], [size])
    with pytest.raises(ValueError, match="two branches of one name"):
        Conditional("L1", ["a", "b", "a"], [size])
    with pytest.raises(TypeError, match="at least one Metafeature"):
        Conditional("L1", ["a", "b"], [])
    with dps.open_session(dps.Guarantee(1, "add-remove")) as draws:
        with pytest.raises(ValueError, match="'spread' is not trained: pass it to learn_conditionals"):
            SPREAD.decide(np.zeros(4), draws, 1)
        with pytest.raises(dps.PrivacyError, match=r"'spread' reads what is not public: pass decide\(..., epsilon=\)"):
            trained()["spread"].decide(np.zeros(4), draws)
        assert 1 == draws.remaining
    unasked = Conditional("L3", ["a", "b"], [size])
    with pytest.raises(ValueError, match="No run asked the place 'L3'"):
        learn_conditionals(blocks, [WIDTH, SPREAD, unasked], PUBLIC, [1], off, repetitions=1, rounds=1)
    with pytest.raises(ValueError, match="each with a label of its own"):
        learn_conditionals(blocks, [WIDTH, WIDTH], PUBLIC, [1], off)
    with pytest.raises(ValueError, match="Pass public databases and epsilons"):
        learn_conditionals(blocks, [WIDTH], {}, [1], off)
    with pytest.raises(ValueError, match="A loss is a number of at least 0"):
        learn_conditionals(blocks, [WIDTH, SPREAD], PUBLIC, [1], lambda *_: float("nan"))


def test_metafeatures_need_different_names() -> None:
    """As in a choice maker: the second would be paid for and overwrite the first."""
    rows = Metafeature("rows", len, sensitivity=1)
    with pytest.raises(ValueError, match=r"'size': branches need different names, and so do metafeatures\."):
        Conditional("size", ["few", "many"], [rows, Metafeature("rows", sum, sensitivity=2)])
