"""The only object that draws: it turns questions into integers and a rate, takes the price, and gets an outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.budget import Allowance, paying_from
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.guarantee import Guarantee, exact_epsilon
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.units import TICK_CLIP, Bound, floor_ticks, require_rate
from dpselect.mechanisms.kinds import Mechanism, require_grouped, require_mechanism
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.mechanisms.sampler import Sampler
from dpselect.release.outcomes import Outcomes
from dpselect.release.partition import Candidates
from dpselect.scores.grouped import GroupedScores
from dpselect.scores.scores import Scores, require_scores

Integers = NDArray[np.int64]
_DEFAULT = permute_and_flip()


@dataclass(frozen=True, repr=False, eq=False)
class Question:
    """A selection that is ready to be drawn: nothing about it can be refused any more but its price.

    Attributes:
        sampler, ticks, rate: what is drawn.
        share: the epsilon of one winner.
        neighbours: whom the scores protect.
    """

    sampler: Sampler
    ticks: Integers
    rate: Fraction
    share: Fraction
    neighbours: Neighbours

    def __repr__(self) -> str:
        return f"Question(share={self.share})"


def question(scores: Scores, share: Fraction, mechanism: Mechanism) -> Question:
    """Return a question at this epsilon for each winner, or refuse what has no guarantee or lacks a public fact."""
    mechanism.guarantee(scores, share)
    ticks, rate = mechanism.prepared(scores, share)
    return Question(mechanism.sampler, ticks, rate, share, scores.neighbours)


class Draws:
    """What was opened by paying: private answers, each at an epsilon of its own, together at most what was paid.

    Every method that has an ``epsilon`` takes it from what is left, before anything is drawn, and raises
    ``PrivacyError`` when less is left: then nothing was drawn. Whatever else it raises is raised before that.
    """

    __slots__ = ("_allowance", "_outcomes")

    def __init__(self, allowance: Allowance, outcomes: Outcomes) -> None:
        self._allowance, self._outcomes = allowance, outcomes

    @property
    def left(self) -> Fraction:
        """Return the epsilon that is left of what was paid."""
        return self._allowance.left

    def choose(self, scores: Scores, epsilon: Any, *, mechanism: Mechanism | None = None) -> int:
        """Return the position of the winner of one selection; permute-and-flip unless a mechanism is named.

        Raises:
            PrivacyError: epsilon is beyond what is left; the scores protect other neighbours; the mechanism needs a
                public fact that they lack.
            ValueError, TypeError: as ``dpselect.select``.
        """
        return self.top_k(scores, 1, epsilon, mechanism=mechanism)[0]

    def top_k(self, scores: Scores, k: int, epsilon: Any, *, mechanism: Mechanism | None = None) -> list[int]:
        """Return the positions of k winners, drawn one after the other at epsilon / k each.

        Raises:
            PrivacyError, ValueError, TypeError: as :meth:`choose`; k is not from 1 to the number of candidates.
        """
        k, total = require_count(k, len(require_scores(scores))), exact_epsilon(epsilon)
        return self.answer(question(scores, total / k, _named(mechanism)), k)

    def answer(self, question: Question, k: int) -> list[int]:
        """Return the positions of k winners of a question that was prepared before: :meth:`top_k` at k shares."""
        self._require(question.neighbours)
        self._allowance.take(question.share * k)
        return self._outcomes.winners(question.sampler, question.ticks, question.rate, k)

    def top_k_grouped(
        self, grouped: GroupedScores, k: int, epsilon: Any, *, mechanism: Mechanism | None = None
    ) -> list[tuple[int, int]]:
        """Return k winners as (group, ordinal in it), drawn one after the other at epsilon / k each.

        Raises:
            PrivacyError, ValueError, TypeError: as :meth:`top_k`; a mechanism that cannot draw among groups.
        """
        k, total, mechanism = require_count(k, int(grouped.counts.sum())), exact_epsilon(epsilon), _named(mechanism)
        require_grouped(mechanism)
        asked = question(grouped.scores, total / k, mechanism)
        self._require(asked.neighbours)
        self._allowance.take(total)
        return self._outcomes.grouped(asked.sampler, asked.ticks, grouped.counts, asked.rate, k)

    def choose_rows(
        self, values: NDArray[np.float64] | Integers, valid: NDArray[np.bool_], epsilon: Any, bound: Bound
    ) -> Integers:
        """Return the winner of every row of scores by permute-and-flip, among its valid candidates, shape (rows,).

        A neighbour changes one row, and moves all its scores the same way, each by the bound at most: what one record
        more does to counts. Rows cost epsilon together.

        Args:
            values: shape (rows, m). valid: the same shape, at least one in every row. bound: of one score.
        """
        total = exact_epsilon(epsilon)
        self._require(bound.neighbours)
        ticks, rate = _row_ticks(values, total, bound)
        self._allowance.take(total)
        return self._outcomes.rows(ticks, valid, rate)

    def counts(self, values: Integers, epsilon: Any, bound: Bound) -> Integers:
        """Return integers plus exact two-sided geometric noise, of their shape.

        Args:
            values: any shape; sizes beyond 2^61 are clipped.
            bound: how far one neighbour moves them, all moves added up.

        Raises:
            ValueError: epsilon / bound is 2^-40 or less.
            TypeError: values that are not integers; a bare number as bound.
        """
        total, rate = self._rate(epsilon, bound)
        integers = np.asarray(values)
        if integers.dtype.kind not in "iub":
            raise TypeError("Only integers get exact noise: pass an array of integers.")
        self._allowance.take(total)
        return self._outcomes.noisy(_clipped(integers), rate)

    def partition(self, candidates: Candidates, costs: Integers, epsilon: Any, bound: Bound) -> Integers:
        """Return the edges of the partition of least noisy cost; one record moves the cost of an interval by ``bound``.

        Noise is scaled to two of them: the interval that is kept may rise while the one it is compared with falls.
        """
        total, rate = self._rate(epsilon, bound.times(2))
        self._allowance.take(total)
        return self._outcomes.partition(candidates, costs, rate)

    def uniform(self, bounds: Integers) -> Integers:
        """Return independent uniform integers in [0, bound): they see no data and cost nothing."""
        return self._outcomes.uniform(bounds)

    @contextmanager
    def disjoint(self, parts: int) -> Iterator[list[Draws]]:
        """Draw from several parts of the data that share no record: together they cost what one of them costs at most.

        That they share none is the caller's claim, and so is that what decides who is in which part was released or
        is public.

        Raises:
            PrivacyError: neighbours other than add-remove.
        """
        with self._allowance.disjoint(parts) as lent:
            yield [Draws(each, self._outcomes) for each in lent]

    @contextmanager
    def attempts(self) -> Iterator[Callable[[], Draws]]:
        """Draw until an attempt can be used: each has all that is left, and the result of one at most goes anywhere."""
        with self._allowance.attempts() as lend:
            yield lambda: Draws(lend(), self._outcomes)

    def paying(self) -> AbstractContextManager[None]:
        """Let every release inside the block pay from what is left here, instead of a ledger."""
        return paying_from(self)

    def spend(self, guarantee: Guarantee, /, *, mechanism: str = "", count: int = 1, note: str = "") -> None:
        """Pay for ``count`` releases with this guarantee from what is left, so that these draws serve as ``ledger=``.

        Raises:
            PrivacyError: less is left, other neighbours, or a delta.
        """
        del mechanism, note
        self._require(guarantee.neighbours)
        if guarantee.delta:
            raise PrivacyError("This budget has no delta: release with pure epsilon, or pay for it by itself.")
        self._allowance.take(guarantee.epsilon * count)

    def close(self) -> None:
        """Leave nothing to draw with."""
        self._allowance.close()

    def __repr__(self) -> str:
        return f"Draws(left={self.left})"

    def _rate(self, epsilon: Any, bound: Bound) -> tuple[Fraction, Fraction]:
        if not isinstance(bound, Bound):
            raise TypeError("bound must be a Bound, made where it is proved how far one neighbour moves the numbers.")
        self._require(bound.neighbours)
        total = exact_epsilon(epsilon)
        rate = total / bound.total
        require_rate(rate)
        return total, rate

    def _require(self, neighbours: Neighbours) -> None:
        if neighbours is not self._allowance.neighbours:
            raise PrivacyError(
                f"What was paid protects {self._allowance.neighbours.value} neighbours, and this draw "
                f"{neighbours.value} ones: use one relation."
            )


def require_count(k: Any, most: int | None = None) -> int:
    """Return how many candidates to name, from 1 to as many as there are (``ValueError``)."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ValueError("k must be an integer of at least 1: how many candidates to name.")
    if most is not None and k > most:
        raise ValueError(f"k is {k} and there are {most} candidates: ask for at most that many.")
    return int(k)


def _named(mechanism: Mechanism | None) -> Mechanism:
    return _DEFAULT if mechanism is None else require_mechanism(mechanism)


def _row_ticks(values: NDArray[np.float64] | Integers, epsilon: Fraction, bound: Bound) -> tuple[Integers, Fraction]:
    """Return ticks of rows of monotone scores and what a tick is multiplied by; integers are exact."""
    if values.dtype.kind == "i":
        return values.astype(np.int64), epsilon / bound.total
    unit = floor_ticks(values.ravel() / float(bound.total), range_bound=1)
    return unit.ticks.reshape(values.shape), unit.rate(epsilon)


def _clipped(integers: NDArray[Any]) -> Integers:
    """Return integers of 64 bits, to which noise can be added; clipping moves no two of them further apart."""
    if integers.dtype.kind == "u":
        return np.asarray(np.minimum(integers, np.uint64(TICK_CLIP)).astype(np.int64))
    return np.asarray(np.clip(integers.astype(np.int64), -TICK_CLIP, TICK_CLIP))
