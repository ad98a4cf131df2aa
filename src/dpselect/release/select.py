"""Release a choice: spend, then draw, then return.

Limits: One release. The guarantee of a release is for that release. That of a list of several candidates, or of several
quantiles, has no bounded range even where each draw has; a ledger counts the draws of a list. Two releases cost the
sum; a ledger keeps it.

Lists in one pass have no bounded range. Their rho is that of Laplace noise at the same epsilon; peeling costs about a
k-th of it, so a ledger that adds rhos gets peeling. Their exact law is computed for few candidates only. Gaps and
p-values are for scores that are ranked as they are. Candidates in an engine that have profiles are peeled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.kernel.errors import InputError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import Accountant, resolve_accountant
from dpselect.mechanisms.base import Mechanism, require_grouped
from dpselect.mechanisms.joint_top_k import JOINT, joint_question, require_joint
from dpselect.mechanisms.registry import mechanism_for
from dpselect.mechanisms.worst_case import error_bound_of, error_bound_of_source
from dpselect.release.one_shot import ONE_SHOT, PEELING, method_of, p_value, require_measure, require_ordered
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.questions import question, require_count
from dpselect.release.release import Release as Release
from dpselect.scores.grouped_scores import CandidateSource, GroupedScores
from dpselect.scores.margin import with_margins
from dpselect.scores.scores import Scores, require_same_k, require_scores


def select(
    scores: Scores | CandidateSource,
    *,
    epsilon: Epsilon,
    mechanism: str | Mechanism | None = None,
    gaps: bool = False,
    ledger: Accountant | None = None,
) -> Release[Any]:
    """Choose one candidate privately, from scores in memory or from :class:`dpselect.data.Candidates` in an engine.

    The draw uses fresh cryptographic randomness from the operating system; there is no seed. With ``ledger=``, or
    inside ``with dpselect.budget(...)``, the spend is recorded durably before anything is drawn.

    Without ``mechanism=`` a public rule decides: permute-and-flip where constants bound the scores,
    local-dampening-flip where their sensitivity grows with the distance, smooth-noisy-max where only a smooth bound is
    known, exponential for a joint list, and what the utility says where that is better: permute-and-flip for triangles,
    and for ego betweenness and linear decay by their margins (``utilities.margin``), as on the command line.
    ``release.mechanism`` says what drew.

    With ``gaps=True`` the release also has the winner's lead and a p-value, at the same epsilon: as :func:`top_k`.

    Guarantee: epsilon-differential privacy for ``scores.neighbours``, provided the sensitivity is admissible.

    Raises:
        ValueError, TypeError: epsilon is not positive and finite; no mechanism has this name; gaps that this one
            does not have.
        PrivacyError: the mechanism needs a public fact that the scores lack.
        BudgetError: the ledger does not allow it; nothing was spent.

    Example:
        >>> import dpselect as dps
        >>> scores = dps.Scores([1000, 1, 2], sensitivity=1, candidates=["ann", "bob", "eve"], kind="integer")
        >>> dps.select(scores, epsilon=5).value
        'ann'

        Whatever the scores, the winner lies less than 6 behind the best with probability 0.95:

        >>> dps.select(scores, epsilon=1, mechanism="permute-and-flip").error_bound.at(0.95)
        6

    Limits: Memory. The process that draws holds the scores, the ticks and the edges; dpselect does not wipe memory.
    """
    found = top_k(scores, 1, epsilon=epsilon, mechanism=mechanism, gaps=gaps, ledger=ledger)
    return replace(found, value=found.value[0], single=True)


def top_k(
    scores: Scores | CandidateSource,
    k: int,
    *,
    epsilon: Epsilon,
    mechanism: str | Mechanism | None = None,
    method: str | None = None,
    gaps: bool = False,
    ledger: Accountant | None = None,
) -> Release[tuple[Any, ...]]:
    """Choose k different candidates privately: in one pass, or one after the other (peeling).

    Args:
        scores: in memory, or :class:`dpselect.data.Candidates` in an engine.
        k, epsilon: how many to name, and the budget of the whole list.
        mechanism: its name, or from :func:`dpselect.mechanism`; ``None`` for a public rule (:func:`select`).
        method: ``"one-shot"`` adds exponential noise of scale k / epsilon once and takes the k largest: for mechanisms
            that draw by permute-and-flip. ``"peeling"`` draws at epsilon / k, k times. ``None``: one-shot where the
            mechanism allows and the ledger adds epsilons; peeling where it adds rhos, which cost less so. ``"joint"``
            draws the whole list at once by how far its worst place falls short: for integers of one constant bound.
        gaps: whether to release the winners' leads and a p-value too, at no cost: one-shot only, with scores that are
            ranked as they are, and fewer winners than candidates.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for the ordered list, with its gaps, provided the sensitivity is admissible.
    A list of several has no bounded range, unless it is joint; each of the k draws of peeling may have one.

    Raises:
        ValueError: k is not an integer from 1 to the number of candidates, or less with gaps; a method or gaps that
            this mechanism does not have; as :func:`select`.

    References: Durfee and Rogers 2019 (peeling, Gumbel); Ding et al. 2021 (one-shot); Gillenwater et al. 2022 (joint).

    Example:
        >>> import dpselect as dps
        >>> scores = dps.Scores([900, 0, 500], sensitivity=1, candidates=["ann", "bob", "eve"], kind="integer")
        >>> release = dps.top_k(scores, 2, epsilon=5, gaps=True)
        >>> release.value, release.p_value < 1e-6
        (('ann', 'eve'), True)
    """
    scores = with_margins(scores, k) if mechanism is None and method != JOINT else scores
    chosen = mechanism_for(scores, mechanism, method)
    return release_of(scores, k, epsilon, chosen, ledger, method=method, gaps=gaps)


def release_of(
    scores: Scores | CandidateSource,
    k: int,
    epsilon: Epsilon,
    mechanism: Mechanism,
    ledger: Accountant | None = None,
    session_factory: SessionFactory = open_session,
    *,
    method: str | None = None,
    gaps: bool = False,
) -> Release[tuple[Any, ...]]:
    """Choose with a given session factory: that of real noise, or that of an audit."""
    if method == JOINT:
        return _release_joint(scores, k, epsilon, mechanism, ledger, session_factory, gaps=gaps)
    if not isinstance(scores, Scores) and isinstance(scores, CandidateSource):
        return _release_grouped(scores, k, epsilon, mechanism, ledger, session_factory, method=method, gaps=gaps)
    k, total = require_same_k(scores, require_count(k, len(require_scores(scores)))), exact_epsilon(epsilon)
    # Whatever the scores lack is refused here, before the spend.
    asked = question(scores, total if k == 1 else total / k, mechanism)
    each, promise, drawn = asked.guarantee, of_list(asked.guarantee, total, k), mechanism.describe(scores)
    name = method_of(asked, k, method, resolve_accountant(ledger), gaps=gaps)
    error_bound = error_bound_of(scores, k, total, mechanism, name)
    if name == PEELING:
        with session_factory(each, mechanism=drawn, ledger=ledger, metadata=scores.metadata, count=k) as draws:
            winners = draws.draw(asked, k)
        return Release(plain_names(scores.candidates[i] for i in winners), drawn, promise, error_bound=error_bound)
    measure = require_measure(mechanism.measure(scores)) if gaps else None
    drawn = drawn if k == 1 else f"{drawn}, {ONE_SHOT}"
    with session_factory(promise, mechanism=drawn, ledger=ledger, metadata=scores.metadata) as draws:
        winners, below = draws.rank(asked, k, gaps=gaps)
    names = plain_names(scores.candidates[i] for i in winners)
    if measure is None:
        return Release(names, drawn, promise, error_bound=error_bound)
    leads = tuple(measure.lead(gap) for gap in below)
    return Release(names, drawn, promise, leads, p_value(below[-1], asked.rate), error_bound=error_bound)


def _release_joint(
    scores: Scores | CandidateSource,
    k: int,
    epsilon: Epsilon,
    mechanism: Mechanism,
    ledger: Accountant | None,
    session_factory: SessionFactory,
    *,
    gaps: bool,
) -> Release[tuple[Any, ...]]:
    """Choose a list at once, for how far its worst place falls short; one candidate as the mechanism does by itself."""
    if gaps:
        raise InputError('A joint list has no gaps: leave out method="joint", or gaps=True.')
    require_joint(mechanism)
    if not isinstance(scores, Scores):
        raise InputError("A joint list is for scores in memory: leave out the method.")
    if require_same_k(scores, require_count(k, len(scores))) == 1:
        return release_of(scores, k, epsilon, mechanism, ledger, session_factory, method=PEELING)
    asked = joint_question(scores, int(k), epsilon)
    error_bound = error_bound_of(scores, asked.k, asked.guarantee.epsilon, mechanism, JOINT)
    drawn = f"{mechanism.describe(scores)}, {JOINT}"
    with session_factory(asked.guarantee, mechanism=drawn, ledger=ledger, metadata=scores.metadata) as draws:
        winners = draws.joint(asked)
    return Release(plain_names(scores.candidates[i] for i in winners), drawn, asked.guarantee, error_bound=error_bound)


def plain_names(candidates: Iterable[Any]) -> tuple[Any, ...]:
    """Return candidates as objects of Python, not of NumPy."""
    return tuple([each.item() if isinstance(each, np.generic) else each for each in candidates])


def _release_grouped(
    source: CandidateSource,
    k: int,
    epsilon: Epsilon,
    mechanism: Mechanism,
    ledger: Accountant | None,
    session_factory: SessionFactory,
    *,
    method: str | None,
    gaps: bool,
) -> Release[tuple[Any, ...]]:
    """Choose among candidates that stay where they are."""
    # How many there are is public where the domain is a list or a range.
    k, total = require_count(k, getattr(source, "known", None)), exact_epsilon(epsilon)
    require_grouped(mechanism)
    each = mechanism.guarantee(Scores([0], 1, neighbours=source.neighbours.value), total / k)
    name = grouped_method(source, k, total, mechanism, method, resolve_accountant(ledger), gaps=gaps)
    example = source.example()
    measure = require_measure(mechanism.measure(example)) if gaps and example is not None else None
    error_bound, promise = error_bound_of_source(source, k, total, mechanism, name), of_list(each, total, k)
    paid, count = (promise, 1) if name == ONE_SHOT else (each, k)
    drawn = mechanism.describe() + (f", {ONE_SHOT}" if k > 1 and name == ONE_SHOT else "")
    below, rate = list[int](), Fraction(0)

    def pick(counted: GroupedScores) -> list[tuple[int, int]]:
        nonlocal below, rate
        if name == PEELING:
            return attempt().top_k_grouped(counted, k, total, mechanism=mechanism, method=PEELING)
        asked = question(counted.scores, total / k, mechanism)
        # The gaps of an attempt that is thrown away go with it.
        winners, below = attempt().ordered_groups(asked, counted.counts, k, gaps=gaps)
        rate = asked.rate
        return winners

    # Whatever can be refused without a look at the data has been: the spend stands even if the data is refused.
    with (
        session_factory(paid, mechanism=drawn, ledger=ledger, metadata=source.metadata, count=count) as draws,
        draws.attempts() as attempt,
    ):
        names = plain_names(source.answer(pick))
    if measure is None:
        return Release(names, drawn, promise, error_bound=error_bound)
    leads = tuple(measure.lead(gap) for gap in below)
    # Rows may turn out to be as many as winners: then nobody is left who might have been better.
    p = p_value(below[-1], rate) if len(below) == k else None
    return Release(names, drawn, promise, leads, p, error_bound=error_bound)


def grouped_method(
    source: CandidateSource,
    k: int,
    epsilon: Fraction,
    mechanism: Mechanism,
    method: str | None = None,
    ledger: Accountant | None = None,
    *,
    gaps: bool = False,
) -> str:
    """Return how a list of candidates in an engine is drawn, by public facts: as ``method_of`` does.

    Raises:
        ValueError: as there; one pass over candidates with profiles, whose noise is not known beforehand.
    """
    example = source.example()
    if example is None:
        if method not in (None, PEELING) or gaps:
            raise InputError("Candidates with profiles are peeled: leave out method and gaps.")
        return PEELING
    asked = question(example, epsilon / k, mechanism)
    if gaps and method != PEELING:
        require_ordered(asked, k, gaps=True, candidates=getattr(source, "known", None) or 0)
        method, gaps = method or ONE_SHOT, False
    return method_of(asked, k, method, ledger, gaps=gaps)


def of_list(each: Guarantee, total: Fraction, draws: int) -> Guarantee:
    """Return the guarantee of several draws together: epsilons and deltas add up, and a bounded range does not survive.

    Each draw may have bounded range at its share of epsilon, and a ledger that counts the draws may use that; the
    log-ratios of whole lists span up to twice epsilon.

    Raises:
        ValueError: deltas that add up to 1 or more, which promises nothing.
    """
    return each if draws == 1 else replace(each, epsilon=total, delta=draws * each.delta, bounded_range=False)
