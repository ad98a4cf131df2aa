"""Open a stream of questions against a threshold: pay for all of it, raise the threshold once, then ask.

Limits: A stream trusts its questions. ``above_threshold`` cannot see whether a question moves further than the
sensitivity, whether questions move in both directions under ``range_bound=1``, or whether its threshold or its turn was
read from the data. A value that is not a number is refused, so let the query give one on every database. What is left
of its epsilon when it ends is not given back. It lives in one process, and ends with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.sparse_vector import SparseVector
from dpselect.release.threshold_bound import ThresholdBound
from dpselect.release.threshold_rules import ThresholdRules, threshold_rules

NAME = "above-threshold"


def above_threshold(
    threshold: Any,
    *,
    epsilon: Epsilon,
    positives: int = 1,
    sensitivity: Epsilon = 1,
    kind: str = "integer",
    range_bound: int = 2,
    neighbours: str = "add-remove",
    levels: Sequence[tuple[Epsilon, Epsilon]] = (),
    share: Epsilon | None = None,
    ledger: Accountant | None = None,
) -> SparseVector:
    """Open a stream of questions, each answered "above" or "below"; answers below cost nothing.

    Ask with ``stream.ask(value)``: any number of questions, chosen one after the other, until ``positives`` of them
    were above, or more of them at cheaper levels. An answer above also says by how much, at no extra cost. The spend is
    recorded here, before anything is drawn; the rest is not refunded when the stream ends. When all questions are known
    beforehand, ``dpselect.top_k`` finds the largest values more accurately.

    Args:
        threshold: public, in the units of values; ``None`` where each question brings its own.
        epsilon: the budget of the whole stream.
        positives: how many answers above can be paid for at the full price, at least 1.
        sensitivity: public: the most that one neighbour moves the value of any question.
        kind: ``"integer"``: values are Python or NumPy integers, exact. ``"real"``: floats or fractions, on ticks of
            sensitivity / 2^20, computed to within half a tick.
        range_bound: 1 only if one record moves all questions that may ever be asked in the same direction, such as
            counts of records that are never subtracted from anything; counts mixed with negated counts are 2.
        neighbours: what one step between databases is.
        levels: cheaper answers for clear cases: (margin, share) pairs, cheapest first. A noisy value of at least the
            threshold plus the margin, in the units of values, costs that share of the full price. For example
            ``[(30, 0.5)]``: then up to 2 * positives - 1 answers above.
        share: of epsilon, for raising the threshold; by default 1 / (1 + (range_bound * positives)^(2/3)), rounded,
            with which the noise of a comparison varies least.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for all answers together, levels and gaps included.

    Raises:
        BudgetError: the ledger does not allow it; nothing was spent.
        ValueError, TypeError: bad arguments, or an epsilon so small that noise would not fit; nothing was spent.

    References: Dwork and Roth 2014, section 3.6; Lyu, Su and Li 2017; gaps and levels: Ding et al. 2019 and 2021.

    >>> stream = above_threshold(1000, epsilon=2, positives=2)
    >>> [str(stream.ask(count)) for count in (12, 4021, 55, 2900)], stream.has_ended
    (['below', 'above', 'below', 'above'], True)
    """
    rules = threshold_rules(
        epsilon,
        positives=positives,
        sensitivity=sensitivity,
        kind=kind,
        range_bound=range_bound,
        neighbours=neighbours,
        levels=levels,
        share=share,
    )
    return stream_of(rules if threshold is None else replace(rules, line=rules.threshold_ticks(threshold)), ledger)


def stream_of(
    rules: ThresholdRules, ledger: Accountant | None = None, session_factory: SessionFactory = open_session
) -> SparseVector:
    """Open a stream by its rules with a given session factory; the session stays open as long as the stream."""
    with ExitStack() as held:
        draws = held.enter_context(session_factory(rules.guarantee, mechanism=NAME, ledger=ledger))
        stream = draws.threshold(rules)
        stream.on_end(held.pop_all().close)
    return stream


def threshold_bound(
    *,
    epsilon: Epsilon,
    questions: int,
    positives: int = 1,
    sensitivity: Epsilon = 1,
    kind: str = "integer",
    range_bound: int = 2,
    levels: Sequence[tuple[Epsilon, Epsilon]] = (),
    share: Epsilon | None = None,
) -> ThresholdBound:
    """Return how far from the threshold the answers of a stream are right, whatever the data; it costs nothing.

    Args:
        questions: how many questions are counted; the statement about values above holds for any number.
        epsilon, positives, sensitivity, kind, range_bound, levels, share: as for :func:`above_threshold`.

    Of the chance that not all are right that far away, half goes to either kind of error.

    Raises:
        ValueError, TypeError: bad arguments.

    >>> print(threshold_bound(epsilon=1, questions=100, positives=3, range_bound=1).describe())
    with probability 0.95, whatever the data: no value 11 or more over the threshold is answered below, and none of \
100 values 35 or more under it is answered above
    """
    rules = threshold_rules(
        epsilon,
        positives=positives,
        sensitivity=sensitivity,
        kind=kind,
        range_bound=range_bound,
        neighbours="add-remove",
        levels=levels,
        share=share,
    )
    return ThresholdBound(rules, questions)
