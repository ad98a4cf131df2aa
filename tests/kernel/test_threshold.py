"""A bar with one secret: the joint law of several heights, copies refused, numbers at the end of their range."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from dpselect import audit
from dpselect.kernel.samplers.threshold import GeometricThreshold
from tests.release.threshold_law import Answer, law

RAISED, ASKED, VALUES = Fraction(1, 2), Fraction(1, 3), (1, -1)


def joint(factor: float, redrawn: bool = False) -> dict[tuple[int, int], float]:
    """The law of two answers, -1 for below, heights put together from 2 on."""
    raised, power = (math.exp(-factor * float(rate)) for rate in (RAISED, ASKED))

    def chance(first: Answer, second: Answer) -> float:
        if redrawn:
            pairs = zip(VALUES, (first, second), strict=True)
            return math.prod(float(law([value], [answer], raised, [(0, power)])) for value, answer in pairs)
        return float(law(VALUES, (first, second), raised, [(0, power)]))

    answers: tuple[Answer, ...] = (None, (0, 0), (0, 1), (0, None))
    table = np.array([[chance(first, second) for second in answers] for first in answers])
    # From "any height" to "2 and more".
    table[3] -= table[1] + table[2]
    table[:, 3] -= table[:, 1] + table[:, 2]
    return {(i - 1, j - 1): float(table[i, j]) for i in range(4) for j in range(4)}


def answers_of(stream) -> tuple[int, int]:
    """What one bar says of the values, as in the law."""
    bar = GeometricThreshold(RAISED, stream)
    first, second = (-1 if (height := bar.margin(value, ASKED)) is None else min(height, 2) for value in VALUES)
    return first, second


@pytest.mark.parametrize("draws", [2_500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_heights_follow_their_joint_law(draws: int, entropy) -> None:
    """Accepted, and rejected at 0.7 and 1.3 of the rates, and where each question has a secret of its own."""
    against = {"0.7": joint(0.7), "1.3": joint(1.3), "a secret for each question": joint(1, redrawn=True)}
    verdict = audit.sampler(partial(answers_of, lambda: entropy), joint(1), against=against, draws=draws)

    assert verdict.is_accepted, str(verdict)


def test_a_number_at_the_bar_reaches_it() -> None:
    """Equal is above: with rates so large that every noise is 0."""
    stream = lambda: np.random.Generator(np.random.Philox(1)).bytes  # noqa: E731
    bar = GeometricThreshold(Fraction(1000), stream)

    assert [None, 0, 1] == [bar.margin(distance, Fraction(1000)) for distance in (-1, 0, 1)]


@pytest.mark.parametrize("distance", [2**61 + 2**60 + 2**59, -(2**61) - 2**60 - 2**59])
def test_the_farthest_numbers_do_not_wrap(distance: int, entropy) -> None:
    """At the smallest rates."""
    rate = Fraction(1, 2**40 - 1)
    height = GeometricThreshold(rate, lambda: entropy).margin(distance, rate)

    assert height is None if distance < 0 else abs(height - distance) < 2**50


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_bar_is_never_copied(again, entropy) -> None:
    """Two with one secret would answer twice; and its repr does not show it."""
    bar = GeometricThreshold(Fraction(1), lambda: entropy)

    with pytest.raises(TypeError, match="never copied"):
        again(bar)
    assert repr(bar) == "GeometricThreshold()"
