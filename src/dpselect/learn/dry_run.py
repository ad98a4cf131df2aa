"""A dry run: every kind of question of a fit is asked once, of nobody, so that what refuses does so before it costs.

The builder runs as it will run, over a table without rows, along one path: the one that leaves most codes open, which
is a longest one. It draws in a session with the whole epsilon, whose noise source draws nothing. Nothing here has seen
a record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import PrivacyFilter
from dpselect.kernel.ranks import Ranks
from dpselect.kernel.run_count import RunCount
from dpselect.learn.builder import PathCodes, TreePlan
from dpselect.learn.size_limits import MOST_DEPTH
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.exponential import exponential
from dpselect.mechanisms.joint_top_k import JointQuestion
from dpselect.mechanisms.local_dampening import local_dampening, local_dampening_flip
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.mechanisms.registry import Named, require_mechanism
from dpselect.mechanisms.sampler import Sampler
from dpselect.mechanisms.smooth.value_noise import ValueNoise
from dpselect.release.concentrated_session import ConcentratedSession, concentrated_session
from dpselect.release.partition import IntervalCandidates, least_cost
from dpselect.release.questions import Question
from dpselect.release.session import Session
from dpselect.scores.scores import Scores
from dpselect.utilities.splits import Integers
from dpselect.views.records import NodeCounts


def dry_run(epsilon: Fraction) -> Session:
    """Return draws that refuse what a fit at this epsilon would refuse, an overdraft too, and draw nothing."""
    return DrySession(PrivacyFilter(epsilon, Neighbours.ADD_REMOVE), FirstOutcomes())


def dry_run_by_rho(guarantee: Guarantee, people: int = 1) -> ConcentratedSession:
    """Return draws that refuse what a fit by this rho would refuse, an overdraft too, and add no noise.

    Args:
        guarantee: one that states a rho. people: how many records of one person there may be.
    """
    return concentrated_session(guarantee, 1, people, FirstOutcomes())


class DrySession(Session):
    """Draws that say which mechanisms would fit where one does not."""

    __slots__ = ()

    def top_k(
        self,
        scores: Scores,
        k: int,
        epsilon: Epsilon,
        *,
        mechanism: Named | None = None,
        method: str | None = None,
    ) -> list[int]:
        """Return what comes first, if the mechanism accepts the scores."""
        if mechanism is not None:
            _require_fit(scores, exact_epsilon(epsilon) / k, require_mechanism(mechanism))
        return super().top_k(scores, k, epsilon, mechanism=mechanism, method=method)

    def prepare(self, scores: Scores, epsilon: Epsilon, *, mechanism: Named | None = None) -> Question:
        """Return the question, if the mechanism accepts the scores."""
        if mechanism is not None:
            _require_fit(scores, exact_epsilon(epsilon), require_mechanism(mechanism))
        return super().prepare(scores, epsilon, mechanism=mechanism)


class FirstOutcomes:
    """Outcomes that are what comes first, and counts without noise."""

    def winners(self, sampler: Sampler, ticks: Integers, rate: Fraction, k: int) -> list[int]:  # noqa: ARG002
        """Return the first candidates."""
        return list(range(k))

    def rank(
        self,
        ticks: Integers,  # noqa: ARG002
        rate: Fraction,  # noqa: ARG002
        k: int,
        gaps: bool,
    ) -> tuple[list[int], list[int]]:
        """Return the first candidates, and no gap between them."""
        return list(range(k)), [0] * k if gaps else []

    def rank_groups(
        self,
        sampler: Sampler,  # noqa: ARG002
        ticks: Integers,  # noqa: ARG002
        counts: Integers,
        rate: Fraction,  # noqa: ARG002
        k: int,
    ) -> list[tuple[int, int]]:
        """Return the first candidates of the groups."""
        return [(group, ordinal) for group, many in enumerate(counts.tolist()) for ordinal in range(many)][:k]

    def ordered_groups(
        self,
        ticks: Integers,  # noqa: ARG002
        counts: Integers,
        rate: Fraction,  # noqa: ARG002
        k: int,
        gaps: bool,
    ) -> tuple[list[tuple[int, int]], list[int]]:
        """Return the first candidates of the groups, and no gap between them."""
        everyone = [(group, ordinal) for group, many in enumerate(counts.tolist()) for ordinal in range(many)]
        return everyone[:k], [0] * k if gaps else []

    def rows(self, ticks: Integers, valid: NDArray[np.bool_], rate: Fraction) -> Integers:  # noqa: ARG002
        """Return the first valid candidate of every row."""
        return np.asarray(valid.argmax(axis=1), dtype=np.int64)

    def each(
        self,
        sampler: Sampler,  # noqa: ARG002
        ticks: Integers,  # noqa: ARG002
        rates: Sequence[Fraction],  # noqa: ARG002
        which: Integers,
    ) -> Integers:
        """Return the first candidate for each."""
        return np.zeros(which.size, dtype=np.int64)

    def noisy(self, counts: Integers, rate: Fraction) -> Integers:  # noqa: ARG002
        """Return the counts."""
        return counts

    def gaussian(self, values: Integers, variance: Fraction) -> Integers:  # noqa: ARG002
        """Return the integers."""
        return values

    def noisy_number(self, centre: int, scale: Fraction, noise: ValueNoise) -> int:  # noqa: ARG002
        """Return the integer."""
        return centre

    def joint(self, asked: JointQuestion) -> list[int]:
        """Return the first candidates."""
        return list(range(asked.k))

    def raised_bar(self, rate: Fraction) -> FirstOutcomes:  # noqa: ARG002
        """Return a bar that was not raised."""
        return self

    def margin(self, distance: int, rate: Fraction) -> int | None:  # noqa: ARG002
        """Return the distance, where it is not below."""
        return distance if distance >= 0 else None

    def keys(self, persons: Integers, epsilon: Fraction, delta: Fraction) -> NDArray[np.bool_]:  # noqa: ARG002
        """Return that no name is told."""
        return np.zeros(persons.shape, dtype=np.bool_)

    def partition(self, candidates: IntervalCandidates, costs: Integers, rate: Fraction) -> Integers:  # noqa: ARG002
        """Return the partition of least cost."""
        return least_cost(candidates, costs)

    def edge(self, ranks: Ranks, low: int, high: int, least: Fraction, most: Fraction, rate: Fraction) -> int:  # noqa: ARG002
        """Return the first edge."""
        return low

    def joint_edges(self, units: Integers, targets: Sequence[int], rate: Fraction) -> list[int]:  # noqa: ARG002
        """Return the first edges."""
        return [0] * (len(targets) - 1)

    def runs(self, _: RunCount) -> int:
        """Return 1."""
        return 1

    def uniform(self, bounds: Integers) -> Integers:
        """Return zeros."""
        return np.zeros(bounds.shape, dtype=np.int64)


@dataclass
class EmptyTable:
    """A table without rows, as a tree sees it."""

    sizes: tuple[int, ...]
    classes: int

    def level(self, nodes: int) -> list[Integers]:
        """Return zeros for every attribute."""
        return [np.zeros((nodes, size, self.classes), dtype=np.int64) for size in self.sizes]

    def totals(self, nodes: int) -> Integers:
        """Return zeros for every node."""
        return np.zeros((nodes, self.classes), dtype=np.int64)

    def descend(self, _: Integers, __: Sequence[Integers]) -> None:
        """Send nothing down: there are no records."""

    def again(self) -> NodeCounts:
        """Return the same."""
        return self

    def chunks(self, many: int, below: Callable[[Integers], Integers]) -> list[NodeCounts]:
        """Return one chunk: one tree is run dry, and the others ask what it asks."""
        below(np.array([many]))
        return [self]


def along_one_path(plan: TreePlan) -> TreePlan:
    """Return a plan that asks its stopping rule and then goes on in one node, with the most open codes.

    Beyond ``MOST_DEPTH`` levels only forests go, whose levels are all alike.
    """

    def stops(level: int, sizes: Integers | None, path_codes: PathCodes) -> NDArray[np.bool_]:
        ended: NDArray[np.bool_] = np.ones_like(plan.stops(level, sizes, path_codes))
        ended[np.argmax(np.sum([codes.sum(axis=1) for codes in path_codes], axis=0))] = False
        return ended

    return replace(plan, depth=min(plan.depth, MOST_DEPTH), stops=stops)


def _require_fit(scores: Scores, epsilon: Fraction, mechanism: Mechanism) -> None:
    try:
        mechanism.quantize(scores, epsilon)
    except PrivacyError as error:
        reason = str(error).split(":")[0]
        reason = reason[0].lower() + reason[1:]
        raise PrivacyError(
            Advice(f"{mechanism.name} does not fit these scores ({reason}): {_advice(_fitting(scores, epsilon))}.")
        ) from None


def _fitting(scores: Scores, epsilon: Fraction) -> list[str]:
    """Return the names of usual mechanisms that accept scores like these."""
    fitting = []
    for made in (permute_and_flip, local_dampening_flip, exponential, local_dampening):
        mechanism = made()
        try:
            mechanism.quantize(scores, epsilon)
        except PrivacyError:
            continue
        fitting.append(mechanism.name)
    return fitting


def _advice(names: Sequence[str]) -> str:
    if not names:
        return "choose another criterion"
    return f'pass {{mechanism="{names[0]}"}}' + (f" or one of {', '.join(names[1:])}" if names[1:] else "")
