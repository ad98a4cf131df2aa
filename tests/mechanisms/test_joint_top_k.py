"""Joint top k: how far one record moves a list, the exact loss, tight families, and what is refused."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise
from dpselect.mechanisms.joint_top_k import joint_log_pmf, joint_pmf, joint_question, public_clip
from dpselect.release.open_session import open_session, session_factory_of


def shortfalls(scores, k):
    """Of every ordered list, by the definition."""
    best = sorted(scores, reverse=True)
    return [max(best[i] - scores[r] for i, r in enumerate(s)) for s in itertools.permutations(range(len(scores)), k)]


@pytest.mark.parametrize("moves", [(0, 1), (-1, 0, 1)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_span_is_what_is_charged(moves, k):
    """Every table of up to four scores: moves of all lists lie in an interval of length S, and of no less.

    For one candidate the best score is common to all lists.
    """
    spread = 0
    for scores in itertools.product(range(3), repeat=min(k + 1, 4)):
        before = shortfalls(scores, k)
        for step in itertools.product(moves, repeat=len(scores)):
            after = shortfalls([a + b for a, b in zip(scores, step, strict=True)], k)
            moved = [a - b for a, b in zip(after, before, strict=True)]
            spread = max(spread, max(moved) - min(moved))

    range_bound = len(moves) - 1
    asked = joint_question(dps.Scores(np.zeros(4, dtype=int), 1, range_bound=range_bound), k, 1)
    assert spread == 1 / asked.rate == range_bound * (1 if k == 1 else 2)


def exact_law(scores, k, base, clip):
    """Weights base^-shortfall, over the rationals."""
    weights = [1 / base ** min(short, clip) for short in shortfalls(scores, k)]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("pairs", [150, pytest.param(3000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("range_bound", [1, 2])
def test_no_list_loses_more_than_epsilon(range_bound, pairs):
    """Exactly, over the rationals: random neighbours, clips of 2, 5 and none."""
    some = np.random.default_rng(range_bound)
    for _ in range(pairs):
        k = int(some.choice([1, 2, 2, 3]))
        m = int(some.integers(k, 6 if k < 3 else 5))
        base, clip = Fraction(int(some.choice([11, 15, 20, 30])), 10), int(some.choice([2, 5, 99]))
        here = some.integers(0, 8, m).tolist()
        there = [c + int(d) for c, d in zip(here, some.integers(-(range_bound - 1), 2, m), strict=True)]
        limit = base ** (range_bound * (1 if k == 1 else 2))
        pair = zip(exact_law(here, k, base, clip), exact_law(there, k, base, clip), strict=True)
        assert all(p <= limit * q and q <= limit * p for p, q in pair)


@pytest.mark.parametrize(
    "range_bound, here, there",
    [(1, [100, 50, 49], [101, 50, 50]), (2, [100, 50, 48], [101, 49, 49])],
)
@pytest.mark.parametrize("m", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_directed_family_is_tight(range_bound, here, there, m):
    """At epsilon 1/2 the second before the first loses nearly everything: no smaller span would do.

    The laws are summed by hand: a list is likely by its shortfall, and most are of the first and one of the last.
    """
    pair = [
        joint_question(
            dps.Scores(np.array([*s, *[s[-1]] * (m - 3)]), 1, range_bound=range_bound), 2, Fraction(range_bound)
        )
        for s in (here, there)
    ]
    if m > 200:
        logs = []
        for asked in pair:
            ticks, rate = asked.ticks, float(asked.rate)
            best = np.sort(ticks)[::-1][:2]
            short = np.maximum(best[0] - ticks[:, None], best[1] - ticks[None, :])
            weights = np.exp(-rate * np.minimum(short, asked.clip))
            logs.append(-rate * min(short[1, 0], asked.clip) - math.log(weights.sum() - np.trace(weights)))
        loss = abs(logs[0] - logs[1])
    else:
        place = list(itertools.permutations(range(m), 2)).index((1, 0))
        loss = abs(np.subtract(*(joint_log_pmf(asked)[place] for asked in pair)))

    assert (0.999 if m > 200 else 0.99) * range_bound < loss <= range_bound


def test_the_clip_does_not_depend_on_the_data():
    """A clip for as many candidates as were seen would jump with one record, and so would every list beyond it."""
    here, there, epsilon = [1000, 0, 0], [1000, 1, 0], Fraction(1, 2)
    asked = [joint_question(dps.Scores(np.array(s), 1, range_bound=1), 2, epsilon) for s in (here, there)]
    seen = [replace(a, clip=public_clip(int((a.ticks > 0).sum()), 2, a.rate)) for a in asked]
    loss, faulty = (np.abs(joint_log_pmf(x) - joint_log_pmf(y)).max() for x, y in (asked, seen))

    assert loss <= epsilon < 1 < faulty


def test_the_law_is_that_of_the_definition():
    """Names, probabilities and the rate of both range bounds."""
    for range_bound, span in ((1, 2), (2, 4)):
        scores = dps.Scores([7, 5, 5, 0], Fraction(3, 2), ["a", "b", "c", "d"], range_bound=range_bound, kind="integer")
        law = dps.accuracy.joint_pmf(scores, 3, epsilon=2)
        weights = np.exp(-2 / (span * 1.5) * np.array(shortfalls([7, 5, 5, 0], 3)))

        assert list(law) == list(itertools.permutations("abcd", 3))
        np.testing.assert_allclose(list(law.values()), weights / weights.sum())


def test_beyond_the_clip_almost_nothing_is_lost():
    """All lists beyond it weigh less than 2^-60 of the best, whatever the scores."""
    for m, k, rate in ((10, 3, Fraction(1, 3)), (10**6, 20, Fraction(1, 40)), (5, 5, Fraction(10))):
        clip = public_clip(m, k, rate)
        assert k * math.log(m) - float(rate) * clip < -60 * math.log(2)


@pytest.mark.parametrize(("m", "k"), [(2, 1), (3, 2), (10, 3)])
def test_the_clip_counts_every_candidate(m, k):
    """Below it m^k lists could weigh more than 2^-60 of the best together: it is no larger than that, plus one."""
    asked = joint_question(dps.Scores(np.zeros(m, dtype=np.int64), 1, range_bound=1), k, Fraction(1, 100))
    least = (k * math.log(m) + 60 * math.log(2)) / float(asked.rate)

    assert least <= asked.clip <= least + 2


def test_it_is_refused_before_anything_is_known():
    """Real scores, several sensitivities, and draws that would be too large: by public facts, in one sentence."""
    with pytest.raises(ValueError, match="integer scores with one constant sensitivity"):
        joint_question(dps.Scores([1.0, 2.0], 1), 1, 1)
    with pytest.raises(ValueError, match="integer scores with one constant sensitivity"):
        joint_question(dps.Scores([1, 2], dps.sensitivity.constant([1.0, 2.0]), kind="integer"), 1, 1)
    with pytest.raises(ValueError, match="shortfalls, and 1000000 are allowed: ask for fewer"):
        joint_question(dps.Scores(np.arange(100), 1), 10, Fraction(1, 10**4))
    with pytest.raises(ValueError, match="at most 10000 candidates: ask for fewer"):
        joint_question(dps.Scores(np.zeros(20_000, dtype=int), 1), 10_001, 10**6)
    with pytest.raises(ValueError, match="ordered lists: take fewer candidates"):
        joint_pmf(dps.Scores(np.arange(100), 1), 4, epsilon=1)


def test_a_joint_draw_pays_once_and_has_bounded_range():
    """One draw for the whole list, whose price is epsilon^2 / 8 where rhos are added."""
    asked = joint_question(dps.Scores(np.array([9, 5, 1, 0]), 1), 2, 1)
    replay = ScriptedNoise((3,))
    with session_factory_of(lambda: replay)(dps.Guarantee(1, "add-remove")) as draws:
        assert draws.joint(asked) == [1, 0]
        assert draws.remaining == 0
        with pytest.raises(dps.PrivacyError):
            draws.joint(asked)

    assert asked.guarantee.bounded_range
    assert replay.log_chance == joint_log_pmf(asked)[3]
    with open_session(dps.Guarantee(1, "add-remove")) as draws:
        assert len(set(draws.joint(asked))) == 2


def test_a_transcript_of_a_joint_draw_loses_what_its_law_does():
    """The worst list between two neighbours, at most epsilon."""
    some = np.random.default_rng(0).integers
    run = lambda counts, draws: draws.joint(joint_question(dps.Scores(counts, 1, range_bound=1), 2, 1))  # noqa: E731
    here, there = np.array([9, 5, 4, 4]), np.array([10, 5, 5, 5])
    loss = dps.audit.loss_of_transcript(run, here, there, dps.Guarantee(1, "add-remove"), some)

    laws = [joint_log_pmf(joint_question(dps.Scores(c, 1, range_bound=1), 2, 1)) for c in (here, there)]
    assert 0.5 < float(loss) == pytest.approx(np.abs(laws[0] - laws[1]).max(), rel=1e-6)
    assert loss <= 1
