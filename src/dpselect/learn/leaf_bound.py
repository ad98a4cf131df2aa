"""The error of the class counts at the leaves of a released tree, whatever the data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpselect.kernel.numbers import Epsilon
from dpselect.mechanisms.error_bound import PROBABILITY, ErrorBound, with_chance
from dpselect.release.count_bound import CountBound

# Of models that release no counts, or only sums of them.
OF_MODEL = (
    "how well a model predicts depends on the data: try it by dpselect.learn.preview on public rows like them, or pay "
    "for dpselect.learn.DPSearch, which releases a noisy score"
)
PRUNED_REASON = (
    "pruning has added up leaves that are no longer there; without it (prune='none') there is one for their counts"
)


@dataclass(frozen=True)
class LeafBound(ErrorBound):
    """The error of the class counts at the leaves.

    Attributes:
        rate: of the noise of a count at least, for each record.
        leaves: how many there are, or at most.
        classes: counts of each leaf.
        known: whether the tree has grown, so that its leaves are counted.
    """

    rate: Fraction
    leaves: int
    classes: int
    known: bool = True

    def at(self, probability: Epsilon = PROBABILITY) -> float:
        """Return what the error of every count stays below with this probability, in records.

        Raises:
            ValueError, TypeError: the probability is not between 0 and 1.
        """
        return CountBound(self.rate, self.leaves * self.classes).at(probability)

    def _sentence(self, probability: Epsilon, unit: str) -> str:
        many = f"its {self.leaves} leaves" if self.known else f"its leaves (at most {self.leaves})"
        share = with_chance(probability)
        return f"every class count at {many} less than {self.at(probability):g} {unit or 'records'} off {share}"
