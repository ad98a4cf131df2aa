"""The only object that draws: it takes the price of a question from what was paid, and only then gets an outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import Bound, SquaredBound, require_rate
from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError
from dpselect.kernel.guarantee import BOUNDED_RANGE, LAPLACE, PURE, Guarantee
from dpselect.kernel.keep_probability import require_delta
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_delta, exact_epsilon, whole
from dpselect.kernel.privacy_filter import PrivacyFilter, use_accountant
from dpselect.kernel.ranks import Ranks
from dpselect.kernel.run_count import RunCount
from dpselect.mechanisms.base import Mechanism, require_grouped
from dpselect.mechanisms.joint_top_k import JOINT, JointQuestion, joint_question, require_joint
from dpselect.mechanisms.registry import Named, require_mechanism
from dpselect.release.halving import halve_recursively, of_records, require_shares
from dpselect.release.joint_quantiles import draw_jointly, require_joinable
from dpselect.release.limited_domain import LimitedDomain, above_threshold_of
from dpselect.release.noise_source import NoiseSource
from dpselect.release.one_shot import ONE_SHOT, PEELING, method_of, require_ordered
from dpselect.release.partition import IntervalCandidates
from dpselect.release.private_tuning import Run, released_run, strip_traceback
from dpselect.release.questions import (
    Question,
    countable,
    question,
    require_alike,
    require_count,
    require_valid,
    row_ticks,
)
from dpselect.release.sparse_vector import SparseVector
from dpselect.release.threshold_rules import ThresholdRules
from dpselect.release.value_questions import ValueQuestion
from dpselect.scores.grouped_scores import GroupedScores
from dpselect.scores.scores import Scores, require_same_k, require_scores

Integers = NDArray[np.int64]
_DEFAULT = require_mechanism("permute-and-flip")
_NONE = Fraction(0)
# What draws must be where more than pure was promised, and what to use.
_SHAPES = {
    LAPLACE: "What was paid is dominated by Laplace noise, and this draw is not: use permute-and-flip.",
    BOUNDED_RANGE: "What was paid has bounded range, and this draw has none: use the exponential mechanism.",
}
# Uniform integers come from words of 32 bits.
LARGEST_BOUND = 2**32


class Session:
    """A session that was paid for: private answers, each at an epsilon of its own, together at most what was paid.

    Every method that takes an ``epsilon`` raises ``PrivacyError`` when less is left, or when what it is asked for
    protects other neighbours; ``ValueError`` and ``TypeError`` are for plain bad input. Then nothing was drawn.
    """

    __slots__ = ("_allowance", "_outcomes")

    def __init__(self, allowance: PrivacyFilter, outcomes: NoiseSource) -> None:
        self._allowance, self._outcomes = allowance, outcomes

    @property
    def remaining(self) -> Fraction:
        """Return the epsilon that is left of what was paid."""
        return self._allowance.remaining

    def can_afford(self, epsilon: Fraction) -> bool:
        """Return whether one draw without bounded range may have this epsilon, if it is left."""
        return self._allowance.can_afford(epsilon)

    def choose(self, scores: Scores, epsilon: Epsilon, *, mechanism: Named | None = None) -> int:
        """Return the position of the winner of one selection; permute-and-flip unless a mechanism is named."""
        return self.top_k(scores, 1, epsilon, mechanism=mechanism)[0]

    def top_k(
        self, scores: Scores, k: int, epsilon: Epsilon, *, mechanism: Named | None = None, method: str | None = None
    ) -> list[int]:
        """Return the positions of k winners: in one pass at epsilon, or one after the other at epsilon / k each.

        Without a ``method`` it is one pass where permute-and-flip draws and one draw may have that epsilon.
        """
        k, total = require_same_k(scores, require_count(k, len(require_scores(scores)))), exact_epsilon(epsilon)
        if method == JOINT:
            require_joint(_pick(mechanism))
            if k > 1:
                return self.joint(joint_question(scores, k, total))
            method = PEELING
        asked = question(scores, total if k == 1 else total / k, _pick(mechanism))
        if method_of(asked, k, method, self) == PEELING:
            return self.draw(asked, k)
        return self.rank(asked, k)[0]

    def draw(self, asked: Question, k: int = 1) -> list[int]:
        """Return the positions of k winners of a question that was prepared before."""
        self._pay(asked.guarantee, require_count(k, asked.ticks.size))
        return self._outcomes.winners(asked.sampler, asked.ticks, asked.rate, k)

    def joint(self, asked: JointQuestion) -> list[int]:
        """Return the positions of an ordered list, drawn at once for how far its worst place falls short."""
        self._pay(asked.guarantee, 1)
        return self._outcomes.joint(asked)

    def rank(self, asked: Question, k: int, *, gaps: bool = False) -> tuple[list[int], list[int]]:
        """Return the positions of k winners in one pass, and if asked the k gaps below them in ticks: one draw.

        Its price is k times that of one winner. Proof: ``one_shot.md``.
        """
        k = require_count(k, len(asked.ticks))
        require_ordered(asked, k, gaps=gaps)
        self._take(k * asked.guarantee.epsilon, asked.guarantee.neighbours, shape=LAPLACE)
        return self._outcomes.rank(asked.ticks, asked.rate, k, gaps)

    def prepare(self, scores: Scores, epsilon: Epsilon, *, mechanism: Named | None = None) -> Question:
        """Return a question at this epsilon for each winner, ready to be answered; nothing is taken."""
        return question(require_scores(scores), exact_epsilon(epsilon), _pick(mechanism))

    def answer_disjoint(self, asked: Sequence[Question], which: Integers) -> Integers:
        """Return one winner for each of several parts that share no record: part i asks ``asked[which[i]]``.

        Together they cost what the most expensive question costs. That parts share no record is the caller's claim, as
        for :meth:`disjoint`, and so is that ``asked`` and ``which`` depend on a part through that part alone. Only for
        add-remove neighbours.

        Args:
            asked: questions of one mechanism among as many candidates each. which: positions in it, shape (parts,).
        """
        sampler = require_alike(asked, which)
        with self.disjoint(len(asked)) as parts:
            for part, each in zip(parts, asked, strict=True):
                part._pay(each.guarantee, 1)
            ticks = np.stack([each.ticks for each in asked])
            return self._outcomes.each(sampler, ticks, [each.rate for each in asked], which)

    def top_k_grouped(
        self,
        grouped: GroupedScores,
        k: int,
        epsilon: Epsilon,
        *,
        mechanism: Named | None = None,
        method: str | None = None,
    ) -> list[tuple[int, int]]:
        """Return k winners as (group, ordinal in it): in one pass or one after the other, as :meth:`top_k`."""
        k, total, mechanism = require_count(k, int(grouped.counts.sum())), exact_epsilon(epsilon), _pick(mechanism)
        require_grouped(mechanism)
        asked = question(grouped.scores, total / k, mechanism)
        if method_of(asked, k, method, self) == ONE_SHOT:
            return self.ordered_groups(asked, grouped.counts, k)[0]
        self._pay(asked.guarantee, k)
        return self._outcomes.rank_groups(asked.sampler, asked.ticks, grouped.counts, asked.rate, k)

    def ordered_groups(
        self, asked: Question, counts: Integers, k: int, *, gaps: bool = False
    ) -> tuple[list[tuple[int, int]], list[int]]:
        """Return what :meth:`rank` does as (group, ordinal in it), where each tick stands for many candidates.

        Where all of them win, the last has no gap.
        """
        k = require_count(k, int(counts.sum()))
        require_ordered(asked, k, gaps=gaps, candidates=0)
        self._take(k * asked.guarantee.epsilon, asked.guarantee.neighbours, shape=LAPLACE)
        return self._outcomes.ordered_groups(asked.ticks, counts, asked.rate, k, gaps)

    def choose_rows(
        self, values: NDArray[np.float64] | Integers, valid: NDArray[np.bool_], epsilon: Epsilon, bound: Bound
    ) -> Integers:
        """Return the winner of every row of scores by permute-and-flip, among its valid candidates, shape (rows,).

        A neighbour changes one row, and moves its scores all the same way, each by the bound at most: what one record
        more does to counts. So all rows together cost epsilon.

        Args:
            values: shape (rows, m). valid: the same shape, at least one in every row. bound: of one score.
        """
        total = self._price(epsilon, bound)
        require_valid(valid, values.shape)
        ticks, rate = row_ticks(values, total, bound)
        self._take(total, bound.neighbours, shape=LAPLACE)
        return self._outcomes.rows(ticks, valid, rate)

    def counts(self, values: Integers, epsilon: Epsilon, bound: Bound) -> Integers:
        """Return integers plus exact two-sided geometric noise, of their shape; sizes beyond 2^61 are clipped.

        Args:
            bound: how far one neighbour moves them, all moves added up.
        """
        total = self._price(epsilon, bound)
        integers = countable(values)
        require_rate(total / bound.total)
        self._take(total, bound.neighbours)
        return self._outcomes.noisy(integers, total / bound.total)

    def gaussian(self, values: Integers, rho: Any, bound: SquaredBound) -> Integers:  # noqa: ARG002
        """Return integers plus exact discrete Gaussian noise, where a rho was paid; refuse where an epsilon was."""
        raise PrivacyError("An epsilon was paid, and Gaussian noise costs a rho: open with Guarantee.from_rho(...).")

    def noisy_number(self, asked: ValueQuestion) -> Fraction:
        """Return a number plus noise that follows its smooth bound, as a multiple of the public tick."""
        self._pay(asked.guarantee, 1)
        return asked.tick * self._outcomes.noisy_number(asked.centre, asked.scale, asked.noise)

    def threshold(self, rules: ThresholdRules) -> SparseVector:
        """Return a stream of questions against a threshold: all of it is taken now, and it ends with these draws."""
        if not isinstance(rules, ThresholdRules):
            raise InputTypeError("rules must be ThresholdRules: use dpselect.above_threshold, which makes them.")
        rules.require_paid()
        self._pay(rules.guarantee, 1)
        return SparseVector(rules, self._outcomes.raised_bar(rules.rate), self._allowance.require_open)

    def keys(self, persons: Integers, epsilon: Epsilon, delta: Any, bound: Bound) -> NDArray[np.bool_]:
        """Return which names may be revealed, each with a chance that follows how many persons have it, shape (n,).

        A name that nobody has is never kept, so nothing says of which other names there might be.

        Args:
            persons: of each name, at least 0.
            bound: how many of these numbers one neighbour changes at most, each by 1.
        """
        total, each = self._price(epsilon, bound), exact_delta(delta) / bound.total
        require_delta(each)
        if persons.size and persons.min() < 0:
            raise InputError("persons must say how many have each name: numbers of at least 0.")
        self._take(total, bound.neighbours, delta=each * bound.total)
        return self._outcomes.keys(persons, total / bound.total, each)

    def limited_domain(self, persons: Integers, rules: LimitedDomain) -> list[int]:
        """Return the positions of at most k names, in order: those that come before the threshold, in one pass.

        Args:
            persons: of each name, in a public order of the names; names that nobody has are not candidates.
            rules: the threshold, made by :func:`dpselect.release.limited_domain.limited_domain`.
        """
        positions, ticks = above_threshold_of(countable(persons), rules)
        self._pay(rules.guarantee, 1)
        order, _ = self._outcomes.rank(ticks, rules.rate, min(rules.k, ticks.size), False)
        names = order[: order.index(positions.size)] if positions.size in order else order
        return [int(positions[name]) for name in names]

    def partition(self, candidates: IntervalCandidates, costs: Integers, epsilon: Epsilon, bound: Bound) -> Integers:
        """Return the edges of the partition of least noisy cost; one record moves the cost of an interval by ``bound``.

        Noise is scaled to two of them: the interval that is kept may rise while the one it is compared with falls.
        Proof: ``partition.md``.
        """
        total = self._price(epsilon, bound)
        integers, rate = countable(costs), total / bound.times(2).total
        require_rate(rate)
        if integers.shape != candidates.starts.shape:
            raise InputError("costs must be one cost per candidate interval, in their order.")
        self._take(total, bound.neighbours)
        return self._outcomes.partition(candidates, integers, rate)

    def halving(
        self, ranks: Ranks, shares: Sequence[Fraction], epsilon: Epsilon, total: int | None = None
    ) -> list[int]:
        """Return the grid places of distinct increasing shares of the records, never decreasing; epsilon for all.

        Args:
            ranks: of records, one of which more or fewer is one more or fewer of one value. Proof: ``halving.md``.
            total: a public number of records, right or wrong.
        """
        price, shares = exact_epsilon(epsilon), require_shares(shares)
        self._take(price, of_records(self._allowance.neighbours), shape=BOUNDED_RANGE if len(shares) == 1 else PURE)
        return halve_recursively(ranks, shares, price, self._outcomes.edge, total)

    def joint_quantiles(
        self, counts: Integers, shares: Sequence[Fraction], epsilon: Epsilon, total: int, cuts: int | None = None
    ) -> list[int]:
        """Return the grid places of distinct increasing shares of the records, never decreasing, by one draw.

        Args:
            counts: of records, of which one is one more or fewer of one value. cuts: sub-cells; for tests.
            total: a public number of records, right or wrong, from 1 to 2^32. Proof: ``joint_quantiles.md``.
        """
        price, shares = exact_epsilon(epsilon), require_shares(shares)
        require_joinable(len(shares), counts.size, total)
        self._take(price, of_records(self._allowance.neighbours), shape=BOUNDED_RANGE)
        return draw_jointly(countable(counts), shares, price, total, self._outcomes.joint_edges, cuts)

    def uniform(self, bounds: Integers) -> Integers:
        """Return independent uniform integers in [0, bound), bound <= 2^32: they see no data and cost nothing."""
        if bounds.size and bounds.max() > LARGEST_BOUND:
            raise InputError("bounds must be at most 2^32: draw the digits of larger numbers one by one.")
        return self._outcomes.uniform(bounds)

    @contextmanager
    def disjoint(self, parts: int) -> Iterator[list[Session]]:
        """Draw from several parts of the data that share no record: together they cost what one of them costs at most.

        That they share none is the caller's claim, and so is that what decides who is in which part was released or
        is public. Only for add-remove and person neighbours.
        """
        with self._allowance.disjoint(parts) as lent:
            yield [type(self)(each, self._outcomes) for each in lent]

    @contextmanager
    def per_record(self) -> Iterator[Session]:
        """Draw by what one record moves, where persons were paid for who have at most the session's ``per_person``."""
        with self._allowance.per_record() as lent:
            yield type(self)(lent, self._outcomes)

    @contextmanager
    def attempts(self) -> Iterator[Callable[[], Session]]:
        """Draw until an attempt can be used: each has all that is left, and the result of one at most goes anywhere."""
        with self._allowance.attempts() as lend:
            yield lambda: type(self)(lend(), self._outcomes)

    def best_of_runs(self, run: Callable[[Session], Any], epsilon: Epsilon, law: RunCount) -> Run[Any] | None:
        """Return one of a secret number of runs: the best, or the first that is good enough by the law.

        The whole price is taken before the number is drawn. Each run has draws of its own, for
        ``law.epsilon_of_run(epsilon)``; releases inside it pay from them. Meanwhile these draws give nothing.

        Args:
            run: returns a result and its score, both computed from data through its draws alone; it leaves no other
                trace, and does not depend on the runs before it.
            epsilon: of all runs together. law: public; that of ``dpselect.tuning.tuning_plan``.

        Raises:
            TypeError: no such law.

        Returns: ``None`` where every run failed, or none was good enough. Proof: ``private_tuning.md``.
        """
        if not isinstance(law, RunCount):
            raise InputTypeError(
                "law must be the law of a number of runs: pass that of dpselect.tuning.tuning_plan of four settings."
            )
        total = exact_epsilon(epsilon)
        of_run = PrivacyFilter(law.epsilon_of_run(total), self._allowance.neighbours)
        self._take(total, of_run.neighbours)
        try:
            return self._one_of_many(run, of_run, law)
        except BaseException as interrupt:
            # Its frames know how many runs there were, and the best of them.
            raise strip_traceback(interrupt) from None

    def _one_of_many(self, run: Callable[[Session], Any], of_run: PrivacyFilter, law: RunCount) -> Run[Any] | None:
        with self._allowance.attempts(), closing(of_run), of_run.attempts() as lend:

            def attempt() -> Any:
                # A run pays an epsilon, whatever was paid for all of them.
                with closing(Session(lend(), self._outcomes)) as draws, draws.use_accountant():
                    return run(draws)

            return released_run(attempt, self._outcomes.runs(law), law.good_enough)

    def use_accountant(self) -> AbstractContextManager[None]:
        """Let every release inside the block pay from what is left here, instead of a ledger."""
        return use_accountant(self)

    def spend(self, guarantee: Guarantee, /, *, mechanism: str = "", count: int = 1, note: str = "") -> None:
        """Pay for ``count`` releases with this guarantee from what is left: these draws serve as ``ledger=``."""
        del mechanism, note
        if not isinstance(guarantee, Guarantee):
            raise InputTypeError("guarantee must be a Guarantee: pass dpselect.Guarantee(epsilon, neighbours).")
        self._pay(guarantee, whole(count, "count", "how many releases"))

    def close(self) -> None:
        """Leave nothing to draw with."""
        self._allowance.close()

    def __repr__(self) -> str:
        return f"Session(remaining={self.remaining})"

    def _pay(self, promise: Guarantee, count: int) -> None:
        self._take(promise.epsilon, promise.neighbours, count, shape=promise.shape, delta=promise.delta)

    def _take(
        self, epsilon: Fraction, neighbours: Neighbours, count: int = 1, *, shape: int = PURE, delta: Fraction = _NONE
    ) -> None:
        paid = self._allowance.neighbours
        if neighbours is not paid:
            raise PrivacyError(
                f"What was paid protects {paid.value} neighbours, and this draw {neighbours.value} ones: use one."
            )
        if shape < self._allowance.shape:
            raise PrivacyError(_SHAPES[self._allowance.shape])
        self._allowance.take(epsilon, count, delta)

    @staticmethod
    def _price(epsilon: Epsilon, bound: Bound) -> Fraction:
        if not isinstance(bound, Bound):
            raise InputTypeError("bound must be a Bound, made where it is proved how far a neighbour moves numbers.")
        return exact_epsilon(epsilon)


def _pick(mechanism: Named | None) -> Mechanism:
    return _DEFAULT if mechanism is None else require_mechanism(mechanism)
