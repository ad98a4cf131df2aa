"""The public rules of a stream of questions against a threshold: prices, rates, and values in ticks.

Proof that a transcript within these rules is private: ``threshold_rules.md``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.kernel.bound import require_rate
from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import neighbours as relation
from dpselect.kernel.numbers import Epsilon, exact_epsilon, exact_positive, whole
from dpselect.kernel.units import TICK_CLIP, TICKS

INTEGER, REAL = "integer", "real"
# Values of real questions are clipped at 2^30 units, integers at 2^61; thresholds lie within half of that.
_CLIPS = {INTEGER: TICK_CLIP, REAL: 2**30 * TICKS}
# The share of epsilon for the threshold is a multiple of this.
_SHARES = 2**10


@dataclass(frozen=True)
class Level:
    """One price of a positive answer.

    Attributes:
        margin: how far above the threshold a noisy value must be, in ticks; 0 for the last level.
        price: what a positive answer of this level costs.
        rate: of the noise of a question at this level.
    """

    margin: int
    price: Fraction
    rate: Fraction


@dataclass(frozen=True)
class ThresholdRules:
    """The rules of a stream, which are public before its first question.

    Attributes:
        guarantee: of the whole stream.
        kind: ``"integer"`` or ``"real"`` values.
        tick: of a value, in its own units.
        rate: of the noise that raises the threshold.
        budget: what is left of epsilon for positive answers.
        levels: cheapest first; the last is the full price.
        line: the threshold in ticks of questions that bring none of their own, or ``None``.
    """

    guarantee: Guarantee
    kind: str
    tick: Fraction
    rate: Fraction
    budget: Fraction
    levels: tuple[Level, ...]
    line: int | None = None

    def require_paid(self) -> None:
        """Refuse rules whose noise and prices cost more than their guarantee (``PrivacyError``)."""
        span = self.levels[-1].price / self.levels[-1].rate
        prices = [level.price for level in self.levels]
        # One neighbour moves a value by half of what two values move apart, or more.
        cost = self.budget + self.rate * span / 2
        even = span >= _moves(self.kind, Fraction(1), 1)[1] and all(
            level.margin >= 0 and level.rate * span == level.price > 0 for level in self.levels
        )
        if not even or prices != sorted(prices) or prices[-1] > self.budget or cost > self.guarantee.epsilon:
            raise PrivacyError("These rules cost more than their guarantee: use dpselect.above_threshold.")

    def value_ticks(self, value: Any) -> int:
        """Return a private value in ticks, clipped; messages do not show it.

        Raises:
            TypeError, ValueError: not a number of the public kind, or NaN.
        """
        clip, exact = _CLIPS[self.kind], _number(value, "value", self.kind)
        if isinstance(exact, float):
            return clip if exact > 0 else -clip
        return min(max(math.floor(exact / self.tick), -clip), clip)

    def threshold_ticks(self, threshold: Any) -> int:
        """Return a public threshold in ticks.

        Raises:
            TypeError, ValueError: not a number of the public kind, or too large.
        """
        most = _CLIPS[self.kind] // 2
        exact = _number(threshold, "threshold", self.kind)
        if isinstance(exact, float) or not -most <= exact / self.tick <= most:
            raise InputError(f"threshold must be at most {float(most * self.tick):.6g} in size: pass a smaller one.")
        return math.floor(exact / self.tick)

    def in_units(self, ticks: int) -> int | Fraction:
        """Return a number of ticks in the units of values."""
        return ticks if self.kind == INTEGER else ticks * self.tick

    @property
    def most(self) -> int:
        """Return how far from a threshold values are told apart, in ticks: beyond that they may be clipped."""
        return _CLIPS[self.kind] // 2


def threshold_rules(
    epsilon: Epsilon,
    *,
    positives: int,
    sensitivity: Epsilon,
    kind: str,
    range_bound: int,
    neighbours: str,
    levels: Sequence[tuple[Epsilon, Epsilon]],
    share: Epsilon | None,
) -> ThresholdRules:
    """Return the rules, or refuse what has none; arguments as :func:`dpselect.above_threshold`."""
    guarantee = Guarantee(exact_epsilon(epsilon), relation(neighbours))
    count = whole(positives, "positives", "how many questions may be answered above at the full price")
    if kind not in _CLIPS:
        raise InputError(f"kind is 'integer' or 'real', not {kind!r}: integers are exact, and floats need 'real'.")
    if type(range_bound) is not int or range_bound not in (1, 2):
        raise InputError("range_bound must be 1 or 2: 1 only if a record moves all questions in the same direction.")
    bound = exact_positive(sensitivity, "sensitivity")
    if kind == INTEGER and bound < 1:
        raise InputError("Integers move by 1 or not at all: pass a sensitivity of at least 1, or kind='real'.")
    move, span = _moves(kind, bound, range_bound)
    part = _share(range_bound * count) if share is None else exact_positive(share, "share")
    if part >= 1:
        raise InputError("share must be below 1: the rest of epsilon pays for the answers.")
    budget = guarantee.epsilon * (1 - part)
    full, tick = budget / count, Fraction(1) if kind == INTEGER else bound / TICKS
    prices = [*_cheaper(levels, tick, full, _CLIPS[kind] // 4), (0, full)]
    rules = ThresholdRules(
        guarantee,
        kind,
        tick,
        guarantee.epsilon * part / move,
        budget,
        tuple(Level(margin, price, price / span) for margin, price in prices),
    )
    for rate in (rules.rate, *(level.rate for level in rules.levels)):
        require_rate(rate)
    return rules


def _moves(kind: str, sensitivity: Fraction, range_bound: int) -> tuple[int, int]:
    """Return the most that one neighbour moves a value, and by how much two values may move apart, in ticks."""
    if kind == INTEGER:
        return math.floor(sensitivity), range_bound * math.floor(sensitivity)
    # As ``kernel.units.floor_ticks``: half a tick for the rounding of a caller, and the floor.
    return TICKS + 1, range_bound * TICKS + 2


def _share(answers: int) -> Fraction:
    """Return the share of epsilon for the threshold with which the noises differ least, to a public fraction."""
    return Fraction(max(1, round(_SHARES / (1 + answers ** (2 / 3)))), _SHARES)


def _cheaper(
    levels: Sequence[tuple[Epsilon, Epsilon]], tick: Fraction, full: Fraction, most: int
) -> list[tuple[int, Fraction]]:
    """Return (margin in ticks, price) of every level before the last."""
    prices = list[tuple[int, Fraction]]()
    for level in levels:
        try:
            margin, share = level
        except (TypeError, ValueError):
            raise InputError("levels lists pairs (margin, share of the full price), such as [(20, 0.5)].") from None
        ticks = math.ceil(exact_positive(margin, "a margin of levels") / tick)
        part = exact_positive(share, "a share of levels")
        if part >= 1 or ticks > most:
            raise InputError(
                "A level costs a share below 1 of the full price, and its margin is not beyond all values."
            )
        prices.append((ticks, part * full))
    if prices != sorted(prices, key=lambda each: each[1]):
        raise InputError("levels go from the cheapest to the most expensive: sort them by their share.")
    return prices


def _number(number: Any, name: str, kind: str) -> int | Fraction | float:
    """Return a number exactly, a float as the binary number it is; of floats only infinities stay."""
    plain = number.item() if isinstance(number, np.generic) else number
    if isinstance(plain, bool) or not isinstance(plain, (int,) if kind == INTEGER else (int, float, Fraction)):
        wanted = "an integer, or ask for kind='real'" if kind == INTEGER else "a number"
        raise InputTypeError(f"{name} must be {wanted}.")
    if not isinstance(plain, float):
        return plain
    if math.isnan(plain):
        raise InputError(f"{name} must be a number: let the query give one on every database.")
    return plain if math.isinf(plain) else Fraction(plain)
