"""Splits of a regression tree: around the released mean of every node, by the weight on the wrong side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.builder import PathCodes, as_groups, cuts
from dpselect.learn.domains import Attribute
from dpselect.learn.regression.target_summary import TargetSummary
from dpselect.learn.regression.values import noise_of, shrunk
from dpselect.release.session import Session
from dpselect.utilities.splits import Integers
from dpselect.utilities.wrong_side import moves_by, row_scores_wrong_side
from dpselect.views.records import NodeCounts
from dpselect.views.targets import SidedTable

# A record further from the centre than this part of the range weighs no more.
_REACH = 4


@dataclass(frozen=True)
class NodeSums:
    """Released facts about the nodes of a level that go on.

    Attributes:
        going: which nodes of the level they are.
        sides: their noisy sums of (width - number, number), in records, shape (going, 2).
        noise: the variance of each.
    """

    going: NDArray[np.bool_]
    sides: NDArray[np.float64]
    noise: float


@dataclass(eq=False)
class AroundMeans:
    """The best of all binary splits by what lies on the wrong side of the node's noisy mean.

    Attributes:
        attributes: the columns.
        records: what is split.
        range: where targets lie.
        shares: epsilon of the sums of each level, part of that of the level.
        released: the sums of the levels so far.
    """

    attributes: Sequence[Attribute]
    records: SidedTable
    range: TargetSummary
    shares: Sequence[Fraction]
    released: list[NodeSums] = field(default_factory=list)
    _means: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def split(
        self, _: NodeCounts, path_codes: PathCodes, going: NDArray[np.bool_], epsilon: Fraction, draws: Session
    ) -> tuple[Integers, list[Integers]]:
        """Release the sums of every node, score every cut around their mean, and draw one winner per node."""
        own = self.shares[len(self.released)]
        means = self._release_means(going, own, draws)
        width = self.range.width
        centres = np.zeros(going.size, dtype=np.int64)
        centres[going] = np.rint(means * width).astype(np.int64)
        most = max(width // _REACH, 1)
        scores, valid = [], []
        owner: list[int] = []
        cut: list[int] = []
        for place, table in enumerate(self.records.around(going.size, centres, most)):
            attribute = self.attributes[place]
            allowed = cuts(attribute, path_codes[place])[going]
            if not allowed.any():
                continue
            table = table[going]
            left = table.cumsum(axis=1)[:, :-1] if attribute.is_ordered else table
            right = table.sum(axis=1, keepdims=True) - left
            scores.append(row_scores_wrong_side(left) + row_scores_wrong_side(right))
            valid.append(allowed)
            owner += [place] * allowed.shape[1]
            cut += range(allowed.shape[1])
        every, may = np.concatenate(scores, axis=1), np.concatenate(valid, axis=1)
        winners = draws.choose_rows(every, may, epsilon - own, moves_by(most))
        return as_groups(self.attributes, going, np.array(owner)[winners], np.array(cut)[winners])

    def _release_means(self, going: NDArray[np.bool_], epsilon: Fraction, draws: Session) -> NDArray[np.float64]:
        """Return the means of the nodes that go on, as shares of the range; those of their parents steady them."""
        width = self.range.width
        noisy = draws.counts(self.records.totals(going.size)[going], epsilon, moves_by(width))
        sums = NodeSums(going, noisy / width, noise_of(float(epsilon)))
        if not self.released:
            above = np.full(1, self.range.centre)
        else:
            above = np.repeat(self._means, 2)
        self._means = shrunk(sums.sides, sums.noise, above[going], self.range.spread)
        self.released.append(sums)
        return self._means
