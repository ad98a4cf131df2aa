"""Counts of the rows of persons, with the noise that one row would need."""

from dpselect.kernel.bound import Bound
from dpselect.release import counts
from dpselect.views.row_question import RowQuestion
from dpselect.views.table_counts import dense, table_histograms
from tests.release.counted_people import counterexample

DETECTOR = "loss"


def detect() -> str:
    """Two rows of one person are said to move the counts by one."""

    def count(held, session_factory):
        """All rows count, and the noise is that of one."""
        (held,), _ = table_histograms(
            held, RowQuestion("what", counts.public_cells([0, 1], None), person="who", per_person=2)
        )
        true = dense(held, 2)
        promise, bound = counts.count_guarantee(1, "who", 2)
        with session_factory(promise, mechanism="free", ledger=None) as draws:
            return draws.counts(true, promise.epsilon, Bound(1, bound.neighbours))

    return counterexample(count)


def repaired() -> str:
    """The bound follows from how many rows count."""
    return counterexample(
        lambda held, session_factory: counts.counts_of(
            held, 1, "what", [0, 1], person="who", rows_per_person=2, session_factory=session_factory
        )
    )
