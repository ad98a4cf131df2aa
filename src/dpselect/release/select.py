"""Release a choice: spend, then draw, then return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.budget import Spender, citing, require_spender
from dpselect.kernel.coins import Entropy, fresh
from dpselect.kernel.guarantee import Guarantee, exact_epsilon
from dpselect.kernel.samplers import grouped
from dpselect.mechanisms.mechanism import Mechanism, Sampler, require_grouped, require_mechanism
from dpselect.scores.grouped import CandidateSource, GroupedScores
from dpselect.scores.scores import Scores, require_scores


@dataclass(frozen=True)
class Release:
    """What may be published: the chosen candidates, in the order of their selection, and the promise.

    Attributes:
        candidates: the winners; one for ``select``.
        mechanism: the name of the mechanism that drew them.
        guarantee: the promise for the whole release.
    """

    candidates: tuple[Any, ...]
    mechanism: str
    guarantee: Guarantee

    @property
    def candidate(self) -> Any:
        """Return the single winner.

        Raises:
            ValueError: the release names several: use ``candidates``.
        """
        if len(self.candidates) != 1:
            raise ValueError(f"This release names {len(self.candidates)} candidates: use .candidates.")
        return self.candidates[0]


def select(
    scores: Scores | CandidateSource, epsilon: Any, *, mechanism: Mechanism, ledger: Spender | None = None
) -> Release:
    """Choose one candidate privately, from scores in memory or from :class:`dpselect.Candidates` in an engine.

    The draw uses fresh cryptographic randomness from the operating system; there is no seed. With ``ledger=``, or
    inside ``with dpselect.budget(...)``, the spend is recorded durably before anything is drawn.

    Guarantee: epsilon-differential privacy for ``scores.neighbours``, provided the sensitivity is admissible.

    Raises:
        ValueError, TypeError: epsilon is not positive and finite; not a Mechanism.
        PrivacyError: the mechanism needs a public fact that the scores lack.
        BudgetError: the ledger does not allow it; nothing was spent.

    Example:
        >>> import dpselect as dps
        >>> scores = dps.Scores([1000, 1, 2], sensitivity=1, candidates=["ann", "bob", "eve"], kind="integer")
        >>> dps.select(scores, 5, mechanism=dps.mechanism("permute-and-flip")).candidate
        'ann'
    """
    return top_k(scores, 1, epsilon, mechanism=mechanism, ledger=ledger)


def top_k(
    scores: Scores | CandidateSource, k: int, epsilon: Any, *, mechanism: Mechanism, ledger: Spender | None = None
) -> Release:
    """Choose k different candidates privately, one after the other (peeling), at epsilon/k each.

    Effective scores are computed once; every pick flips its coins relative to the best candidate that
    remains. With the exponential sampler this is the law of adding Gumbel noise once and taking the
    k largest.

    Guarantee: epsilon-differential privacy for the ordered list, provided the sensitivity is admissible. A list of
    several has no bounded range; a ledger counts its k draws, each of which may have.

    Raises:
        ValueError: k is not an integer from 1 to the number of candidates; as :func:`select`.

    References: Durfee and Rogers 2019 (peeling and one-shot Gumbel).

    Example:
        >>> import dpselect as dps
        >>> scores = dps.Scores([900, 0, 500], sensitivity=1, candidates=["ann", "bob", "eve"], kind="integer")
        >>> dps.top_k(scores, 2, 5, mechanism=dps.mechanism("exponential")).candidates
        ('ann', 'eve')
    """
    if isinstance(scores, CandidateSource):
        return _release_grouped(scores, k, epsilon, require_mechanism(mechanism), fresh, ledger)
    return release_of(scores, k, epsilon, require_mechanism(mechanism), fresh, ledger)


def release_of(
    scores: Scores,
    k: int,
    epsilon: Any,
    mechanism: Mechanism,
    stream: Callable[[], Entropy],
    ledger: Spender | None = None,
) -> Release:
    """Choose with a given source of entropy: ``stream`` makes one for every draw call."""
    require_scores(scores)
    k = _count(k, len(scores))
    total = exact_epsilon(epsilon)
    guarantee = of_list(mechanism.guarantee(scores, total), k)
    each, book = mechanism.guarantee(scores, total / k), require_spender(ledger)
    ticks, rate = mechanism.prepared(scores, total / k)
    # Everything that can refuse has done so: from here on the spend stands, whatever happens.
    if book is not None:
        citing(book, scores.facts).spend(each, mechanism=mechanism.name, count=k)
    winners = peel(ticks, k, rate, mechanism.sampler, stream)
    return Release(tuple(_plain(scores.candidates[i]) for i in winners), mechanism.name, guarantee)


def _release_grouped(
    source: CandidateSource,
    k: int,
    epsilon: Any,
    mechanism: Mechanism,
    stream: Callable[[], Entropy],
    ledger: Spender | None = None,
) -> Release:
    """Choose among candidates that stay where they are, with a given source of entropy."""
    # How many there are is public where the domain is a list or a range.
    k, total, book = _count(k, getattr(source, "known", None)), exact_epsilon(epsilon), require_spender(ledger)
    require_grouped(mechanism)
    promise = partial(mechanism.guarantee, Scores([0], 1, neighbours=source.neighbours.value))
    guarantee, each, example = of_list(promise(total), k), promise(total / k), source.example()
    if example is not None:
        mechanism.prepared(example, total / k)
    # Whatever can be refused without a look at the data has been: the spend stands even if the data is refused.
    if book is not None:
        citing(book, source.facts).spend(each, mechanism=mechanism.name, count=k)
    winners = source.answer(lambda counted: picks(counted, k, total / k, mechanism, stream))
    return Release(tuple(_plain(winner) for winner in winners), mechanism.name, guarantee)


def of_list(whole: Guarantee, draws: int) -> Guarantee:
    """Return the guarantee of several draws together: epsilons add up, and a bounded range does not survive.

    Each draw may have bounded range at its share of epsilon, and a ledger that counts the draws may use that; the
    log-ratios of whole lists span up to twice epsilon.
    """
    return whole if draws == 1 else replace(whole, bounded_range=False)


def peel(
    ticks: NDArray[np.int64], k: int, rate: Fraction, sampler: Sampler, stream: Callable[[], Entropy]
) -> list[int]:
    """Return the positions of k winners, drawn one after the other from those that remain."""
    winners = [sampler.draw(ticks, rate, stream())]
    remaining = np.arange(ticks.size if k > 1 else 0)
    while len(winners) < k:
        remaining = remaining[remaining != winners[-1]]
        winners.append(int(remaining[sampler.draw(ticks[remaining], rate, stream())]))
    return winners


def picks(
    counted: GroupedScores, k: int, epsilon: Fraction, mechanism: Mechanism, stream: Callable[[], Entropy]
) -> list[tuple[int, int]]:
    """Return k winners as (group, ordinal in it), each drawn at this epsilon."""
    most = int(counted.counts.sum())
    if k > most:
        raise ValueError(f"k is {k} and there are {most} candidates: ask for at most that many.")
    draw = require_grouped(mechanism)
    ticks, rate = mechanism.prepared(counted.scores, epsilon)
    return grouped.peel(ticks, counted.counts, k, rate, draw, stream)


def _count(k: Any, most: int | None = None) -> int:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ValueError("k must be an integer of at least 1: how many candidates to name.")
    if most is not None and k > most:
        raise ValueError(f"k is {k} and there are {most} candidates: ask for at most that many.")
    return int(k)


def _plain(candidate: Any) -> Any:
    return candidate.item() if isinstance(candidate, np.generic) else candidate
