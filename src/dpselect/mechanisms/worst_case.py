"""The error of a choice, or a list, on the worst of all databases: exact, and a function of public facts alone.

The error of a choice is how far the score of the winner lies below the best score; that of a list, how far the worst
winner lies below the k-th best candidate; that of a joint list, the most by which any place lies below the candidate
that belongs there. Proof: ``worst_case.md``.

References: McSherry and Talwar 2007 (the bound that these figures replace); McKenna and Sheldon 2020.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import LEAST, Epsilon, exact_positive, whole
from dpselect.kernel.units import TICK_CLIP, TICKS
from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.error_bound import ErrorBound, NoBound, exact_chance, reason_unknown, with_chance
from dpselect.mechanisms.gaps import GAP_CLIP
from dpselect.mechanisms.registry import require_mechanism
from dpselect.mechanisms.scaling import scale
from dpselect.mechanisms.worst_tails import Tail, chance, decimal_above, exponential, gumbel, least_exponent, worst_mean
from dpselect.scores.grouped_scores import CandidateSource
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import constant

# The noise by which a mechanism ranks, and how it makes a list unless another method is named.
_NOISE: Mapping[str, Tail] = {"exponential": gumbel, "permute-and-flip": exponential}
_LISTS = {"exponential": "peeling", "permute-and-flip": "one-shot"}
_METHODS = ("one-shot", "peeling", "joint")
# Of a list that is made so no worst error is known.
_UNKNOWN_WORST = ("permute-and-flip", "peeling")
# What rounding takes of a gap of real scores: a share, and from differences between two gaps some ticks.
_ROUNDING, _TWO_GAPS = 1 - Fraction(1, 2**49), 2
# Joint lists treat all errors as one where together they have less than this chance.
_JOINT_FLOOR = Fraction(1, 2**60)
_SIX_DIGITS = Context(prec=6, rounding=ROUND_CEILING)
_MOST_EPSILON = Fraction(10**300)


@dataclass(frozen=True)
class WorstCase:
    """Facts that decide the worst error of a selection at each epsilon. All of them are public.

    Attributes:
        candidates: how many there are.
        k: how many are named.
        mechanism: ``"permute-and-flip"`` or ``"exponential"``.
        method: how a list is made, ``""`` for one choice.
        sensitivity: how far one neighbour moves one score at most.
        range_bound: 1 when one added record moves all scores the same way, else 2.
        kind: of the scores, ``"integer"`` or ``"real"``.
    """

    candidates: int
    k: int
    mechanism: str
    method: str
    sensitivity: Fraction
    range_bound: int
    kind: str

    @classmethod
    def of(
        cls,
        candidates: Any,
        k: Any = 1,
        mechanism: Any = "permute-and-flip",
        method: Any = None,
        sensitivity: Any = 1,
        range_bound: Any = 2,
        kind: Any = "real",
    ) -> WorstCase:
        """Return the case of these public facts.

        Raises:
            ValueError, TypeError: a bad number, name or kind; a case of which no worst error is known.
        """
        count = whole(candidates, "candidates", "how many there are")
        if whole(k, "k", "how many candidates to name") > count:
            raise InputError(f"k is {k} and there are {count} candidates: ask for at most that many.")
        name = mechanism if isinstance(mechanism, str) else require_mechanism(mechanism).name
        if name not in _NOISE:
            raise InputError(
                f"No exact worst error is known for {name}: name exponential or permute-and-flip, or use "
                "dpselect.accuracy.expected_error on public data."
            )
        if isinstance(range_bound, bool) or range_bound not in (1, 2):
            raise InputError("range_bound is 1 (all scores move the same way) or 2.")
        if kind not in ("integer", "real"):
            raise InputError('kind is "integer" or "real".')
        bound = constant(sensitivity).ceiling
        return cls(count, int(k), name, _method(name, int(k), method, kind), Fraction(bound), int(range_bound), kind)

    def epsilon_for(self, error: Epsilon, probability: Epsilon) -> float:
        """Return the least epsilon, rounded up, at which the error is below ``error`` with this probability.

        It is 0 where any epsilon will do.

        Raises:
            ValueError: no epsilon is enough.
        """
        exponent = self._least_epsilon(probability)
        if not exponent:
            return 0.0
        reach = self._reach(exact_positive(error, "error"))
        if reach <= 0:
            raise InputError(
                f"Real scores are distinguished in steps of 2^-20 of the sensitivity: allow an error above "
                f"{float(_TWO_GAPS * self.sensitivity / TICKS):.6g}."
            )
        epsilon = exponent / reach
        if epsilon > _MOST_EPSILON:
            raise InputError("That takes an epsilon beyond 10^300: allow a larger error, or a smaller probability.")
        return rounded_up(max(epsilon, LEAST))

    def chance(self, epsilon: Fraction, error: Epsilon) -> float:
        """Return the worst probability that the error is at least ``error``, rounded up."""
        reach = max(self._reach(exact_positive(error, "error")), Fraction(0))
        exponent = epsilon * reach
        if self.method == "joint":
            exponent = min(exponent, self._deepest)
        raised = float(chance(self._tail, *self._beaten, exponent))
        # A list of everything cannot be wrong, but a joint list may have it in another order.
        return min(1.0, math.nextafter(raised, 1.0)) if self._beaten[1] else 0.0

    def error(self, epsilon: Fraction, probability: Epsilon) -> float:
        """Return the least error, rounded up, that is not reached with this probability; infinite where there is none.

        Between integers it is an integer.
        """
        exponent = self._least_epsilon(probability)
        if self.kind == "integer":
            least = max(1, math.ceil(exponent * self._span / epsilon))
            return least if least <= 2 * TICK_CLIP else math.inf
        ticks = exponent * self._span / epsilon
        if ticks > GAP_CLIP * TICKS - self._slack:
            return math.inf
        behind = max(ticks + self._slack, Fraction(1)) * self.sensitivity / TICKS / _ROUNDING
        return rounded_up(max(behind, LEAST))

    def expected_error(self, epsilon: Fraction) -> float:
        """Return what the expected error of one choice is at most, rounded up."""
        unit = Fraction(1) if self.kind == "integer" else self.sensitivity / TICKS / _ROUNDING
        return rounded_up(worst_mean(self.candidates) * self._span * unit / epsilon)

    @cached_property
    def _tail(self) -> Tail:
        return _NOISE[self.mechanism]

    @cached_property
    def _beaten(self) -> tuple[int, Decimal]:
        """Return how many must win, and how many others they compete with at worst."""
        if self.method == "joint":
            return 1, decimal_above(math.perm(self.candidates, self.k) - 1)
        return self.k, Decimal(self.candidates - self.k)

    @cached_property
    def _span(self) -> Fraction:
        """Return what epsilon is divided by for a gap of one integer, or of one tick between real scores."""
        lists = 2 if self.method == "joint" else self.k
        if self.kind == "integer":
            return lists * self.range_bound * self.sensitivity
        return Fraction(lists * (self.range_bound * TICKS + 3))

    @property
    def _slack(self) -> int:
        # The best candidate itself has no gap, and floors only push the others further away.
        return 0 if self.k == 1 else _TWO_GAPS

    @cached_property
    def _deepest(self) -> Fraction:
        """Return the exponent beyond which a joint list tells no errors apart."""
        return least_exponent(gumbel, *self._beaten, 1 - _JOINT_FLOOR)

    def _reach(self, error: Fraction) -> Fraction:
        """Return the exponent that each unit of epsilon puts between two scores that lie so far apart."""
        if self.kind == "integer":
            return math.ceil(error) / self._span
        ticks = min(error / self.sensitivity * _ROUNDING, Fraction(GAP_CLIP)) * TICKS
        return (ticks - self._slack) / self._span

    def _least_epsilon(self, probability: Epsilon) -> Fraction:
        exact = exact_chance(probability)
        if self.method == "joint" and 1 - exact < _JOINT_FLOOR:
            raise InputError(
                "With a chance of 2^-60 a joint list may be any list: ask for a probability of at most that."
            )
        return least_exponent(self._tail, *self._beaten, exact)


@dataclass(frozen=True)
class WorstCaseBound(ErrorBound):
    """A bound on the error of a choice, or of a list, whatever the data.

    The error is that of scores as they are clipped in public: integers beyond 2^61 in size count as 2^61, and real
    numbers beyond 2^53 (or 2^32 sensitivities, if that is more) as that. Of two beyond, neither is behind the other.

    Attributes:
        case: what was public about it.
        epsilon: of the whole release.
    """

    case: WorstCase
    epsilon: Fraction

    def tail(self, error: Epsilon) -> float:
        """Return the largest probability, over all databases, that the error is at least ``error``; rounded up.

        Raises:
            ValueError, TypeError: the error is not a positive number.
        """
        return self.case.chance(self.epsilon, error)

    def at(self, probability: Epsilon = 0.95) -> float:
        """Return what the error stays below with this probability, whatever the data; rounded up.

        An integer between integer scores. Infinite where real scores are clipped before the mechanism tells them
        apart.

        Raises:
            ValueError, TypeError: the probability is not between 0 and 1.
        """
        return self.case.error(self.epsilon, probability)

    def expected_error(self) -> float:
        """Return what the expected error of one choice is at most, whatever the data; rounded up.

        Some database has it by the exponential mechanism (``is_attained``), and permute-and-flip is never worse.

        Raises:
            ValueError: a list, for which it is not known.
        """
        if self.case.k > 1:
            raise InputError("The worst expected error is known for one choice only: use tail or at.")
        return self.case.expected_error(self.epsilon)

    @property
    def names(self) -> int:
        """Return among how many public candidates was chosen."""
        return self.case.candidates

    @property
    def is_attained(self) -> bool:
        """Return whether :meth:`expected_error` is the worst itself, and not only an upper bound."""
        return self.case.mechanism == "exponential"

    def _sentence(self, probability: Epsilon, unit: str) -> str:
        if self.case.k == self.case.candidates and self.case.method != "joint":
            return "all candidates are named, so only their order can be wrong"
        least = self.at(probability)
        share = with_chance(probability)
        if math.isinf(least):
            return f"nothing can be said {share}"
        measure = f"less than {_rounded_up(least)}{unit and ' '}{unit} behind"
        if least == 1 and self.case.kind == "integer":
            measure = "as good as"
        if self.case.k == 1:
            return f"{measure} the best {share}"
        if self.case.method == "joint":
            return f"every place {measure} the candidate that belongs there {share}"
        return f"each {measure} the {ordinal(self.case.k)} best {share}"


def _rounded_up(number: float) -> str:
    """Return a whole number as it is, and another one with three digits that are not below it."""
    if number == int(number):
        return f"{number:g}"
    return f"{Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(number)):g}"


def error_bound_of(
    scores: Scores, k: int, epsilon: Fraction, mechanism: Mechanism, method: str, candidates: int | None = None
) -> ErrorBound:
    """Return how wrong a release of such scores may be, or why no exact worst case is known.

    Only public facts of the scores have a part in it: their number, kind, bound and range bound.

    Args:
        method: how a list is made; of no meaning for one choice.
        candidates: their public number, where it is not that of the scores.
    """
    bound = scores.sensitivity.ceiling
    unit = isinstance(mechanism, UnitMechanism) and mechanism.effective is scale and mechanism.name in _NOISE
    # Somebody's own mechanism may bear a name that is taken, where no release asks for its name.
    unit = unit and mechanism.sampler.name == mechanism.name
    if not unit or math.isinf(bound) or (k > 1 and (mechanism.name, method) == _UNKNOWN_WORST):
        return NoBound(reason_unknown(scores, k, mechanism))
    kind = "integer" if scores.values.dtype.kind == "i" else "real"
    number, name = len(scores) if candidates is None else candidates, mechanism.name
    how = _method(name, k, method, kind)
    return WorstCaseBound(_case(number, k, name, how, bound, scores.range_bound, kind), epsilon)


@lru_cache(maxsize=64)
def _case(number: int, k: int, name: str, how: str, bound: float, range_bound: int, kind: str) -> WorstCase:
    """Return the case of public facts that were looked at: one for all releases that share them."""
    return WorstCase(number, k, name, how, Fraction(bound), range_bound, kind)


def error_bound_of_source(
    source: CandidateSource, k: int, epsilon: Fraction, mechanism: Mechanism, method: str
) -> ErrorBound:
    """Return how wrong a release from a source may be: none is known where the number of candidates is counted."""
    example, number = source.example(), getattr(source, "known", None)
    if example is None:
        return NoBound(reason_unknown(None, k, mechanism))
    if number is None:
        return NoBound("how many candidates there are is counted in the table; name their domain and there is one")
    return error_bound_of(example, k, epsilon, mechanism, method, number)


def rounded_up(number: Fraction) -> float:
    """Return a number of six digits that is not below a number, and that is what it prints: 0.1 for 1/10."""
    if not number:
        return 0.0
    return float(_SIX_DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator)))


def ordinal(k: int) -> str:
    """Return the place of a candidate in words: 1st, 2nd, 13th."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th") if k // 10 % 10 != 1 else "th"
    return f"{k}{ending}"


def _method(mechanism: str, k: int, method: Any, kind: str) -> str:
    """Return how a list is made, or refuse a list of which no worst error is known."""
    if method is not None and method not in _METHODS:
        raise InputError(f"The method {method!r} does not exist: pass one of {', '.join(_METHODS)}.")
    if k == 1:
        return ""
    if (mechanism, method) == _UNKNOWN_WORST:
        raise InputError(
            "No exact worst error is known for permute-and-flip with peeling: name the method one-shot, or the "
            "exponential mechanism."
        )
    if method == "joint" and mechanism != "exponential":
        raise InputError("A joint list is drawn by the exponential mechanism: name that.")
    if method == "joint" and kind != "integer":
        raise InputError('A joint list is made of integer scores: say kind="integer".')
    return method or _LISTS[mechanism]
