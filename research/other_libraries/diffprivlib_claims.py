"""What is audited of diffprivlib: its mechanisms that choose, and its quantiles, through public arguments only.

A mechanism that uses one uniform number is not sampled: it is asked for its choice at the numbers j / 2^53 that the
generator can return, so that its law is known exactly, with all rounding.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.audit.privacy_loss import PrivacyLoss, privacy_loss_of_pmf
from dpselect.audit.universe import Universe, metric_space, multisets, score_vectors
from research.other_libraries.finding import Check, Outcome
from research.other_libraries.laws import noisy_max, smallest_broken
from research.other_libraries.rules import selection

NOT_TESTED = (
    "Its learners, statistics and mechanisms that add noise: only what chooses is audited.",
    "The low bits of the numbers that quantile returns: the unit interval that holds each is compared.",
    "PermuteAndFlip beyond what draws can show: it uses many uniform numbers, so its law is not enumerated.",
    "Bounds that are not passed, which it warns about; random_state as an integer.",
)
_NUMBERS = 2**53
_EPSILON = 1.0
_MOST_GAP, _MOST_RECORDS = 100, 2**13
_LENGTH = 4
_CLOSE = 0.1


class _Chosen(random.SystemRandom):
    """The generator that diffprivlib accepts as its own, returning the number that is asked about."""

    value = 0.0

    def random(self) -> float:
        return self.value


def checks() -> list[Check]:
    """Return every check."""
    small = "utilities from 0 to 3"
    return [
        Check("Exponential", small, lambda: _exponential(False, (-1, 0, 1))),
        Check("Exponential", f"{small}, monotonic=True", lambda: _exponential(True, (0, 1))),
        Check("Exponential", "two utilities, ever farther apart", _far_apart),
        Check("PermuteAndFlip", small, lambda: _permute_and_flip(False, (-1, 0, 1))),
        Check("PermuteAndFlip", f"{small}, monotonic=True", lambda: _permute_and_flip(True, (0, 1))),
        Check("ExponentialCategorical", "words on a line", _words_on_a_line),
        Check("ExponentialCategorical", "two close words, and others", _two_kinds_of_words),
        Check("ExponentialHierarchical", "two branches of two words", _hierarchy),
        *(
            Check("tools.quantile", f"quant = {share}, records in (0, {_LENGTH})", _bound(_quantile, share))
            for share in (0.5, 0.25)
        ),
        Check("tools.quantile", "every record at the lower bound", _equal_records),
        Check("tools.quantile", "a record that is NaN", _not_a_number),
    ]


def _bound(check: Callable[..., Outcome], *arguments: Any) -> Callable[[], Outcome]:
    return lambda: check(*arguments)


def exact_law(choose: Callable[[float], Any]) -> dict[Any, float]:
    """Return the law of a choice by one uniform number j / 2^53, j = 0 .. 2^53 - 1.

    Every outcome belongs to one run of these numbers, one after the other, as it does where probabilities are added
    up in order: so the end of each run is found by halving.
    """
    law: dict[Any, float] = {}
    start = 0
    while start < _NUMBERS:
        outcome = choose(start / _NUMBERS)
        last, beyond = start, _NUMBERS
        while beyond - last > 1:
            middle = (last + beyond) // 2
            last, beyond = (middle, beyond) if choose(middle / _NUMBERS) == outcome else (last, middle)
        law[outcome] = law.get(outcome, 0.0) + (last - start + 1) / _NUMBERS
        start = last + 1
    return law


def _law_of(make: Callable[[Any], Callable[[], Any]]) -> dict[Any, float]:
    chosen = _Chosen()
    draw = make(chosen)

    def choose(value: float) -> Any:
        chosen.value = value
        return draw()

    return exact_law(choose)


def _exponential_law(utilities: Iterable[int], monotonic: bool) -> dict[Any, float]:
    from diffprivlib.mechanisms import Exponential

    listed = [int(utility) for utility in utilities]
    return _law_of(
        lambda numbers: (
            Exponential(
                epsilon=_EPSILON, sensitivity=1, utility=listed, monotonic=monotonic, random_state=numbers
            ).randomise
        )
    )


def _said(loss: PrivacyLoss, how: str) -> Outcome:
    computed = f"{how}; worst loss {loss.worst:.6g} {loss.attained}, {loss.pairs} pairs"
    needs = "" if loss.holds else f"; (epsilon, delta) needs delta {loss.delta:.3g}"
    return Outcome(f"epsilon = {_EPSILON:g}", computed + needs, loss.holds)


def _exponential(monotonic: bool, moves: tuple[int, ...]) -> Outcome:
    loss = smallest_broken(
        [score_vectors(2, 3, moves), score_vectors(3, 3, moves)],
        lambda scores: _exponential_law(scores, monotonic),
        Fraction(_EPSILON),
    )
    return _said(loss, "law at all 2^53 numbers")


def _far_apart() -> Outcome:
    """Search for the least gap at which rounding makes an outcome impossible on one of two neighbours."""
    for gap in range(_MOST_GAP):
        pairs = [(gap, 1), (gap + 1, 0)]
        laws = [_exponential_law(pair, False) for pair in pairs]
        loss = privacy_loss_of_pmf(laws.__getitem__, _two(*map(str, pairs)), epsilon=Fraction(_EPSILON))
        if math.isinf(loss.worst):
            break
    return _said(loss, f"law at all 2^53 numbers, utilities up to {gap + 1}")


def _two(one: str, two: str) -> Universe:
    """Return two neighbours, named."""
    space = metric_space([[0, 1], [1, 0]])
    return Universe(space.name, space.relation, space.near, space.database, lambda x: (one, two)[x], space.sizes)


def _permute_and_flip(monotonic: bool, moves: tuple[int, ...]) -> Outcome:
    from diffprivlib.mechanisms import PermuteAndFlip

    example = [3, 2, 0]
    mechanism = PermuteAndFlip(epsilon=_EPSILON, sensitivity=1, utility=example, monotonic=monotonic)
    rate = Fraction(_EPSILON) / (1 if monotonic else 2)
    return selection(
        mechanism.randomise,
        example,
        {name: noisy_max(name, rate) for name in ("permute-and-flip", "exponential")},
        [score_vectors(2, 3, moves), score_vectors(3, 3, moves)],
        epsilon=_EPSILON,
    )


def _words(utilities: list[tuple[str, str, float]], words: list[str]) -> PrivacyLoss:
    """Return the loss of the categorical mechanism, where any word is every other word's neighbour."""
    from diffprivlib.mechanisms import ExponentialCategorical

    def law(x: int) -> dict[Any, float]:
        def make(numbers: Any) -> Callable[[], Any]:
            mechanism = ExponentialCategorical(epsilon=_EPSILON, utility_list=utilities, random_state=numbers)
            return lambda: mechanism.randomise(words[x])

        return _law_of(make)

    return privacy_loss_of_pmf(law, _all_near(words), epsilon=Fraction(_EPSILON))


def _all_near(words: list[str]) -> Universe:
    space = metric_space(1 - np.eye(len(words), dtype=np.int64), "substitution")
    return Universe(space.name, space.relation, space.near, space.database, words.__getitem__, space.sizes)


def _words_on_a_line() -> Outcome:
    words = ["a", "b", "c"]
    utilities = [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 2.0)]
    return _said(_words(utilities, words), "law at all 2^53 numbers")


def _two_kinds_of_words() -> Outcome:
    """Search for a table whose sums are equal at epsilon / 2 and differ at epsilon, by its number of words.

    Two words are close to each other, the others at a distance d of each other, and 1 is between the two kinds: d is
    such that every word's sum of e^(-epsilon distance / 2) is the same.
    """
    near, far = math.exp(-_EPSILON * _CLOSE / 2), math.exp(-_EPSILON / 2)
    for others in range(1, 4):
        first, second = ["a1", "a2"], [f"b{i + 1}" for i in range(others)]
        # near + others far = 2 far + (others - 1) e^(-epsilon d / 2), solved for d; one other word has no such d.
        shared = (near + (others - 2) * far) / (others - 1) if others > 1 else near
        distance = -2 * math.log(shared) / _EPSILON
        utilities = [("a1", "a2", _CLOSE)] + [(a, b, 1.0) for a in first for b in second]
        utilities += [(a, b, distance) for i, a in enumerate(second) for b in second[i + 1 :]]
        loss = _words(utilities, first + second)
        if not loss.holds:
            break
    how = f"law at all 2^53 numbers; {2 + others} words, distances {_CLOSE} (a-a), 1 (a-b) and {distance:.4g} (b-b)"
    return _said(loss, how)


def _hierarchy() -> Outcome:
    from diffprivlib.mechanisms import ExponentialHierarchical

    words = ["a", "b", "c", "d"]

    def law(x: int) -> dict[Any, float]:
        def make(numbers: Any) -> Callable[[], Any]:
            mechanism = ExponentialHierarchical(
                epsilon=_EPSILON, hierarchy=[["a", "b"], ["c", "d"]], random_state=numbers
            )
            return lambda: mechanism.randomise(words[x])

        return _law_of(make)

    return _said(privacy_loss_of_pmf(law, _all_near(words), epsilon=Fraction(_EPSILON)), "law at all 2^53 numbers")


def _interval_law(share: float) -> Callable[[Any, Fraction], dict[Any, float]]:
    """Return the law of the unit interval that holds the answer, records being integers: by Smith's density."""

    def law(records: Any, factor: Fraction = Fraction(1)) -> dict[Any, float]:
        data = np.asarray(records)
        below = np.array([(data <= cell).sum() for cell in range(_LENGTH)])
        weights = np.exp(-_EPSILON * float(factor) / 2 * np.abs(below - share * data.size))
        return dict(enumerate((weights / weights.sum()).tolist()))

    return law


def _quantile(share: float) -> Outcome:
    from diffprivlib.tools import quantile

    records = [1, 1, 2, 3]
    return selection(
        lambda: min(math.floor(quantile(records, share, epsilon=_EPSILON, bounds=(0, _LENGTH))), _LENGTH - 1),
        records,
        {"the exponential mechanism's density": _interval_law(share)},
        [multisets(range(1, _LENGTH), most) for most in (1, 2, 6)],
        epsilon=_EPSILON,
    )


def _answer(records: list[float]) -> str:
    """Return what kind of answer the median of records in (0, 1) has."""
    from diffprivlib.tools import quantile

    try:
        with np.errstate(all="ignore"):
            return "NaN" if math.isnan(quantile(records, 0.5, epsilon=_EPSILON, bounds=(0, 1))) else "a number"
    except RuntimeError:
        return "RuntimeError"


def _kinds(one: list[float], two: list[float], words: tuple[str, str]) -> Outcome:
    """Compare two databases by the kind of answer, which was the same in 64 calls of each."""
    kinds = [{_answer(records) for _ in range(64)} for records in (one, two)]
    answers = [" or ".join(sorted(kind)) for kind in kinds]
    broken = not kinds[0] & kinds[1]
    verb = "always (64 calls)" if broken else "(64 calls)"
    computed = f"{words[0]}: {verb} {answers[0]}; {words[1]}: {verb} {answers[1]}"
    return Outcome(f"epsilon = {_EPSILON:g}", computed, not broken)


def _equal_records() -> Outcome:
    """Find by halving the least number of records, all at the lower bound, that has no answer."""
    last, beyond = 1, _MOST_RECORDS
    if _answer([0.0] * beyond) == "a number":
        return _kinds([0.0] * (beyond - 1), [0.0] * beyond, (f"{beyond - 1} zeros", f"{beyond} zeros"))
    while beyond - last > 1:
        middle = (last + beyond) // 2
        last, beyond = (middle, beyond) if _answer([0.0] * middle) == "a number" else (last, middle)
    return _kinds([0.0] * last, [0.0] * beyond, (f"{last} zeros", f"{beyond} zeros"))


def _not_a_number() -> Outcome:
    return _kinds([0.5], [0.5, math.nan], ("one record", "one more, which is NaN"))
