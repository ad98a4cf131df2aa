"""Ordered lists drawn at once: counted right, uniform within a shortfall, and in all by their law."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from dpselect import audit
from dpselect.kernel.bernoulli_exp import exponential_between
from dpselect.kernel.samplers import joint as lists

SCORES = np.array([1, 5, 4, 4])


def shortfall(ticks, chosen):
    """The most that any place does worse than it could."""
    best = sorted(ticks, reverse=True)
    return max(best[i] - ticks[r] for i, r in enumerate(chosen))


def law(ticks, k, rate, clip):
    """By the definition, over all lists."""
    every = list(itertools.permutations(range(len(ticks)), k))
    weights = [math.exp(-float(rate) * min(shortfall(ticks, chosen), clip)) for chosen in every]
    return {chosen: weight / sum(weights) for chosen, weight in zip(every, weights, strict=True)}


def test_lists_are_counted_by_their_shortfall():
    """Against enumeration, with ties, and with a clip below and above the largest shortfall."""
    some = np.random.default_rng(1)
    for _ in range(60):
        m = int(some.integers(1, 7))
        k, clip = int(some.integers(1, min(m, 4) + 1)), int(some.integers(1, 9))
        ticks = some.integers(0, 7, m)
        shortfalls, within = lists.levels(np.sort(ticks)[::-1], k, clip)
        counts = lists._differences([math.prod(lists.free(row)) for row in within])

        every = Counter(min(shortfall(ticks.tolist(), s), clip) for s in itertools.permutations(range(m), k))
        assert dict(zip(shortfalls, counts, strict=True)) == every


def test_lists_of_one_shortfall_are_equally_likely(entropy):
    """Every one is drawn, none too often: an exact test of each level."""
    ticks = np.array([5, 4, 4, 2, 1])
    shortfalls, within = lists.levels(ticks, 2, 3)
    for level, short in enumerate(shortfalls):
        before = within[level - 1] if level else [0, 1]
        every = [s for s in itertools.permutations(range(5), 2) if min(shortfall(ticks.tolist(), s), 3) == short]
        uniform = dict.fromkeys(every, 1 / len(every))
        verdict = audit.sampler(
            lambda before=before, level=level: tuple(lists._list(before, within[level], entropy)), uniform, draws=1000
        )
        assert verdict.is_accepted, str(verdict)


@pytest.mark.parametrize("clip, draws", [(2, 2048), (50, 2048), pytest.param(50, 10**5, marks=pytest.mark.slow)])
def test_lists_follow_their_law(clip, draws, entropy):
    """Accepted, and rejected at 0.7 and 1.3 of the rate, and at twice the rate, which is that of half the span."""
    rate, ticks = Fraction(1), SCORES.tolist()
    against = {str(f): law(ticks, 2, f * rate, clip) for f in (0.7, 1.3, 2)}
    draw = partial(lists.joint, SCORES, 2, rate, clip, entropy)
    verdict = audit.sampler(lambda: tuple(draw()), law(ticks, 2, rate, clip), against=against, draws=draws)

    assert verdict.is_accepted, str(verdict)


@pytest.mark.parametrize("k", [1, 3, 4])
def test_one_place_and_all_places(k, entropy):
    """k = 1 is the exponential mechanism, and k = m orders everybody."""
    chances = law(SCORES.tolist(), k, Fraction(1), 9)
    verdict = audit.sampler(lambda: tuple(lists.joint(SCORES, k, Fraction(1), 9, entropy)), chances, draws=1000)

    assert verdict.is_accepted, str(verdict)
    if k == 1:
        weights = np.exp(SCORES - 5.0)
        np.testing.assert_allclose([chances[i,] for i in range(4)], weights / weights.sum())


@pytest.mark.parametrize(
    "ticks",
    [
        np.zeros(300, dtype=np.int64),
        np.array([2**61, -(2**61)] * 150),
        np.arange(300) ** 3 - 2**53,
        np.full(300, 2**60) + np.arange(300),
    ],
    ids=["equal", "ends", "cubes", "near the end"],
)
@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(1, 300), Fraction(10**300)])
def test_hostile_numbers_give_lists(ticks, rate, entropy):
    """Counts of hundreds of digits; ticks at both ends; rates beyond floats."""
    clip = math.ceil((40 * math.log(300) + 42) / min(float(rate), 1e250)) + 1
    chosen = lists.joint(ticks, 40, rate, clip, entropy)

    assert len(set(chosen)) == 40
    assert all(0 <= place < 300 for place in chosen)
    if rate > 1:
        assert ticks[chosen].tolist() == np.sort(ticks)[::-1][:40].tolist()


def test_every_length_is_above_its_mass_and_what_is_sure_below(monkeypatch):
    """Counts of a thousand digits: an exact comparison with an enclosure of what each length must cover."""
    rate, m, k = Fraction(1, 7), 10**6, 300
    counts = [math.perm(m, k) // 10**j for j in range(0, 600, 50)]
    shortfalls = [30 * j for j in range(len(counts))]
    lines = []
    monkeypatch.setattr(lists, "accumulate", lambda lengths: lines.append(lengths) or itertools.accumulate(lengths))
    lists._level(counts, shortfalls, rate, lambda count: bytes(count))

    logs = [math.log(count) - short / 7 for count, short in zip(counts, shortfalls, strict=True)]
    scale = Fraction(2) ** (60 - math.ceil(max(logs) / math.log(2)))
    for length, count, short in zip(lines[0], counts, shortfalls, strict=True):
        low, high = exponential_between(rate * short, 60) if short else (1, 1)
        assert length >= count * scale * high
        assert (length - 1) / (1 + Fraction(lists._SLACK)) * (1 - Fraction(lists._SLACK)) <= count * scale * low
