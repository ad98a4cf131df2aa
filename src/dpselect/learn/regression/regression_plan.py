"""A regression tree, planned: what it asks, in which order, and at which epsilon.

Budget of a path: 2 % for one noisy number of records, which sets depth and cells; 5 % for a histogram of the target
over public cells, which says where targets lie; of the rest 20 % for the noisy sums of inner nodes, evenly over levels,
40 % for selections, growing 1.4-fold per level, and 40 % for the sums of the leaf.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.learn.builder import TreePlan, grow
from dpselect.learn.default_tree import level_shares, never
from dpselect.learn.domains import Attribute
from dpselect.learn.dry_run import EmptyTable, along_one_path, dry_run
from dpselect.learn.regression.splitting import AroundMeans
from dpselect.learn.regression.target_summary import TargetSummary, cells_for, summarize_targets
from dpselect.learn.regression.valued_tree import ValuedTree, value_tree
from dpselect.learn.size_limits import leaves_of_binary, require_size, widest_level
from dpselect.release.session import Session
from dpselect.utilities.counts import ONE
from dpselect.utilities.splits import Integers
from dpselect.utilities.wrong_side import moves_by
from dpselect.views.targets import NumberedTable, SidedTable


@dataclass
class EmptyTargets:
    """A table without rows, before a range is known."""

    sizes: tuple[int, ...]
    rows: int = 0

    def histogram(self, cells: int) -> Integers:
        """Return zeros for every cell."""
        return np.zeros(cells, dtype=np.int64)

    def within(self, low: int, high: int) -> EmptySides:
        """Return the same in a range."""
        return EmptySides(self.sizes, 2, high - low)


@dataclass
class EmptySides(EmptyTable):
    """A table without rows, in the nodes of a tree."""

    width: int

    def around(self, nodes: int, _: Integers, __: int) -> list[Integers]:
        """Return zeros for every attribute."""
        return self.level(nodes)


_SIZE, _SURVEY = Fraction(2, 100), Fraction(5, 100)
_MEANS, _SPLITS = Fraction(2, 10), Fraction(4, 10)
DEEPEST = 8
# Beyond this epsilon it is the number of records that limits the depth.
_ENOUGH = 4.0
# A noisy number of records is never larger.
_ALL = 2**62


@dataclass(frozen=True)
class ValuedTreeFitPlan:
    """A regression tree that grows by the one builder; every field is public.

    Attributes:
        attributes: the public domains.
        epsilon: what a path spends in all.
        most: levels of splits, at most.
    """

    attributes: Sequence[Attribute]
    epsilon: Fraction
    most: int

    def __call__(self, records: NumberedTable, draws: Session) -> list[ValuedTree]:
        """Grow the tree; return it, and what its drawing shows."""
        size = self._size(records, draws)
        target = self._survey(records, size, draws)
        return self._grow(records.within(target.low, target.high), target, self._depth(size), draws, _as_it_is)

    def rehearse(self, epsilon: Fraction) -> None:
        """Ask the questions of the deepest tree, of nobody.

        Raises:
            ValueError: the tree could outgrow time or memory; epsilon is too small.
            PrivacyError: the plan spends more than epsilon.
        """
        require_size(leaves_of_binary(self.attributes, self.most), widest_level(self.attributes, 2, 1, True))
        nobody, draws = EmptyTargets(tuple(each.size for each in self.attributes)), dry_run(epsilon)
        try:
            self._size(nobody, draws)
            # Without records the range is the whole grid: the widest there is.
            target = self._survey(nobody, _ALL, draws)
            self._grow(nobody.within(target.low, target.high), target, self._depth(_ALL), draws, along_one_path)
        except (ZeroDivisionError, OverflowError):
            raise InputError("epsilon is too small for this fit: pass a larger one.") from None

    def _size(self, records: NumberedTable, draws: Session) -> int:
        return int(draws.counts(np.array([records.rows], dtype=np.int64), self.epsilon * _SIZE, ONE)[0])

    def _survey(self, records: NumberedTable, size: int, draws: Session) -> TargetSummary:
        epsilon = self.epsilon * _SURVEY
        noise = math.sqrt(2) / float(epsilon)
        histogram = draws.counts(records.histogram(cells_for(size, noise)), epsilon, ONE)
        return summarize_targets(histogram, size, noise)

    def _depth(self, size: int) -> int:
        return min(depth_for(size, float(self.epsilon)), self.most)

    def _grow(
        self,
        records: SidedTable,
        target: TargetSummary,
        depth: int,
        draws: Session,
        along: Callable[[TreePlan], TreePlan],
    ) -> list[ValuedTree]:
        rest = self.epsilon * (1 - _SIZE - _SURVEY)
        means = [rest * _MEANS / depth for _ in range(depth)]
        levels = [mean + rest * _SPLITS * share for mean, share in zip(means, level_shares(depth), strict=True)]
        splitter = AroundMeans(self.attributes, records, target, means)

        def leaf(totals: Integers, epsilon: Fraction, here: Session) -> NDArray[np.float64]:
            return here.counts(totals, epsilon, moves_by(target.width)) / target.width

        plan = along(TreePlan(depth, splitter, rest, Fraction(0), levels, never, leaf))
        tree = grow(records, self.attributes, plan, draws)
        spent = np.cumsum([0.0, *map(float, levels)])
        return value_tree(tree, splitter.released, float(rest) - spent, target)


def depth_for(size: int, epsilon: float) -> int:
    """Return the depth for a (noisy) number of records: by n epsilon, epsilon 4 at most; 0 to 8.

    >>> [depth_for(n, 1.0) for n in (10, 100, 1000, 10_000, 10**9)]
    [0, 0, 4, 6, 8]
    """
    mass = min(max(size, 0) * min(epsilon, _ENOUGH), 1e30)
    if mass < 30:
        return 0
    scarce = max(0.0, float(np.log2(1000 / mass)))
    return int(min(max(round(np.log2(mass) / 2 - 0.75 * scarce) - 1, 0), DEEPEST))


def _as_it_is(plan: TreePlan) -> TreePlan:
    return plan
