"""A learner that suits a table, by a public rule: one readable tree, or a sum of small tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpselect.kernel.errors import Advice, PrivacyError
from dpselect.kernel.numbers import exact_delta, exact_epsilon
from dpselect.learn.parameters import whole
from dpselect.learn.size_limits import MOST_RECORDS

TREE, BOOSTED = "tree", "boosted"
# Records times epsilon from which a sum of small tables ranks better than a tree, on nine tables.
FROM = 500
_PURE = Advice(
    "without a delta a tree is the better learner on most tables (pure boosting ranks better from about 10,000 records "
    "times epsilon: ask for it with {DPBoostedTreesClassifier(delta=0)|--model boosted})"
)


@dataclass(frozen=True)
class LearnerRecommendation:
    """Advice on which learner to take.

    Attributes:
        learner: ``"tree"`` (:class:`DPTreeClassifier`) or ``"boosted"`` (:class:`DPBoostedTreesClassifier`).
        why: in a sentence without its capital.
    """

    learner: str
    why: str


def recommend_learner(
    epsilon: Any, delta: Any = 0, *, n_records: int | None = None, rows_per_person: int = 1
) -> LearnerRecommendation:
    """Return which learner suits a budget and a table of about this size.

    Without a delta that is the tree, whatever the size. With one it is the sum of small tables, from 500 records times
    epsilon on: it has the better ranking and the better probabilities there, and the tree is the one to read.

    Args:
        epsilon: the budget of one fit, which has no default: ``None`` is refused by ``fit`` before anything is read.
        delta: 0 where the promise must be pure.
        n_records: a public number of records, a rough one: it is never counted here, because a count is private.
        rows_per_person: how many rows of one person count, where persons are protected.

    Guarantee: no data are read; the answer follows from the arguments alone.

    Raises:
        TypeError, ValueError: not such numbers.
        PrivacyError: a delta without a number of records.

    >>> recommend_learner(1, 1e-6, n_records=50_000).learner
    'boosted'
    >>> print(recommend_learner(0.1, 1e-6, n_records=3000).why)
    3,000 records x epsilon 0.1 = 300 is below 500, too little to promise more than a tree

    Limits: The rule between a tree and boosting (``--model auto``, ``dps.learn.recommend_learner``) knows epsilon,
    delta and a public number of records only. It was read off nine tables of classes, and it is applied to numbers
    unchanged.
    """
    share, rows = exact_epsilon(epsilon), whole(rows_per_person, "rows_per_person", 1, "how many rows of one person")
    if not exact_delta(delta):
        return LearnerRecommendation(TREE, _PURE)
    if n_records is None:
        raise PrivacyError(
            Advice(
                "Which learner suits depends on how many records there are, and that is private unless it is public "
                "knowledge: pass {n_records}, a rough public number, or name the learner."
            )
        )
    records = whole(n_records, "n_records", 1, "the public number of records", MOST_RECORDS)
    mass = records * share / rows
    by = f"{records:,} records x epsilon {float(share):g}" + (f" / {rows} per person" if rows > 1 else "")
    if mass < FROM:
        return LearnerRecommendation(
            TREE, f"{by} = {int(mass):,} is below {FROM}, too little to promise more than a tree"
        )
    return LearnerRecommendation(
        BOOSTED, f"{by} = {int(mass):,} is at least {FROM}: a sum of small tables is the better learner"
    )
