"""Top 2 by permute-and-flip with one random order for both picks: every single pick is right, the pair is not."""

import itertools
import math
from fractions import Fraction

import numpy as np

from dpselect import Scores, audit, mechanism
from dpselect.audit.privacy_loss import top_k_log_pmf

DETECTOR = "sampler"
SCORES, EPSILON = (3, 2, 1, 0), 2
MECHANISM = mechanism("permute-and-flip")


def pick(order: list[int], left: list[int], draw: np.random.Generator) -> int:
    """Visit candidates in that order, flip their coins, return the first head."""
    best = max(SCORES[i] for i in left)
    return next(i for i in order if i in left and draw.random() < math.exp(-(best - SCORES[i]) * EPSILON / 2 / 2))


def test_of(reuse: bool) -> str:
    """Return what the sampler test says of the pair against the peeled law; "" when it is believed."""
    draw = np.random.default_rng(3)

    def two() -> tuple[int, ...]:
        order = draw.permutation(4).tolist()
        first = pick(order, [0, 1, 2, 3], draw)
        again = order if reuse else draw.permutation(4).tolist()
        return first, pick(again, [i for i in range(4) if i != first], draw)

    unit = MECHANISM.effective(Scores(SCORES, 1))
    law = np.exp(top_k_log_pmf(MECHANISM, unit, 2, Fraction(EPSILON)))
    verdict = audit.sampler(
        two, dict(zip(itertools.permutations(range(4), 2), law.tolist(), strict=True)), draws=40_000
    )
    return "" if verdict.is_accepted else str(verdict)


def detect() -> str:
    """The order is reused."""
    return test_of(reuse=True)


def repaired() -> str:
    """A fresh order for every pick."""
    return test_of(reuse=False)
