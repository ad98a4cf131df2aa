"""The best k of the candidates of every public group, for one epsilon in all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dpselect.certificates.contribution_text import EACH_GROUP
from dpselect.kernel.errors import Advice, InputError, InputTypeError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon, whole
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.error_bound import ErrorBound, NoBound
from dpselect.mechanisms.registry import mechanism_for
from dpselect.mechanisms.worst_case import error_bound_of
from dpselect.release.one_shot import ONE_SHOT, method_of
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.questions import question, require_count
from dpselect.release.release import Release
from dpselect.release.select import plain_names
from dpselect.scores.scores import Scores, require_scores


def top_k_by_group(
    scores: Mapping[Any, Scores],
    k: int,
    *,
    epsilon: Epsilon,
    mechanism: str | Mechanism | None = None,
    groups_per_person: int | None = None,
    ledger: Accountant | None = None,
) -> Release[dict[Any, tuple[Any, ...]]]:
    """Choose k candidates in every group; one record moves the scores of one group only, so all cost one epsilon.

    Args:
        scores: the scores of each public group, all for the same neighbours, add-remove or person.
        k: how many to name in each group.
        epsilon: the budget, of all groups together.
        mechanism: its name, or from :func:`dpselect.mechanism`; ``None`` for a public rule (:func:`dpselect.select`).
        groups_per_person: with person neighbours, of how many groups one person moves scores at most: a promise, as a
            sensitivity is. Each group is drawn at epsilon / G.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for the neighbours of the scores, provided sensitivities are admissible and
    one step moves the scores of one group, or of ``groups_per_person``.

    Raises:
        PrivacyError: other neighbours; persons without ``groups_per_person``; a mechanism with a delta.
        TypeError, ValueError: not scores by group; groups that differ in neighbours or mechanism; a bad k or epsilon.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> import dpselect as dps
    >>> votes = {"n": [90, 2, 1], "s": [0, 3, 80]}
    >>> scores = {region: dps.Scores(each, 1, ["a", "b", "c"], kind="integer") for region, each in votes.items()}
    >>> top_k_by_group(scores, 1, epsilon=5).value
    {'n': ('a',), 's': ('c',)}
    """
    return top_k_of(scores, k, epsilon, mechanism, groups_per_person, ledger)


def top_k_of(
    scores: Mapping[Any, Scores],
    k: int,
    epsilon: Epsilon,
    mechanism: str | Mechanism | None = None,
    groups_per_person: int | None = None,
    ledger: Accountant | None = None,
    session_factory: SessionFactory = open_session,
) -> Release[dict[Any, tuple[Any, ...]]]:
    """Choose in every group, with a given session factory; proof: ``top_k_by_group.md``."""
    chosen, share, promise = _top_k_guarantee(scores, epsilon, mechanism, groups_per_person)
    part = promise.epsilon / share
    k = require_count(k, min(map(len, scores.values())))
    # Whatever the scores lack is refused here, before the spend.
    asked = [question(each, part / k, chosen) for each in scores.values()]
    if any(each.guarantee.delta for each in asked):
        raise PrivacyError(f"{chosen.name} has a delta, and groups share an epsilon alone: take permute-and-flip.")
    methods = [method_of(each, k, None, None) for each in asked]
    first = next(iter(scores.values()))
    drawn = chosen.describe(first) + (f", {ONE_SHOT}" if {ONE_SHOT} == {*methods} else "")
    error_bound = error_bound_of_groups(scores, k, epsilon, chosen, share)
    door_opened = session_factory(
        promise, mechanism=drawn, ledger=ledger, metadata=first.metadata, per_person=share, note="top k by group"
    )
    with door_opened as draws, draws.disjoint(len(scores)) as parts:
        winners = [
            each.top_k(of_group, k, part, mechanism=chosen, method=method)
            for each, of_group, method in zip(parts, scores.values(), methods, strict=True)
        ]
    lists = [
        plain_names(of_group.candidates[i] for i in places)
        for of_group, places in zip(scores.values(), winners, strict=True)
    ]
    return Release(dict(zip(scores, lists, strict=True)), drawn, promise, error_bound=error_bound)


def error_bound_of_groups(
    scores: Mapping[Any, Scores], k: int, epsilon: Epsilon, mechanism: Mechanism, groups_per_person: int = 1
) -> ErrorBound:
    """Return how wrong the list of the group with most candidates may be, where groups differ in nothing else."""
    part, facts = exact_epsilon(epsilon) / groups_per_person, set()
    largest = max(scores.values(), key=len)
    for each in scores.values():
        method = method_of(question(each, part / k, mechanism), k, None, None)
        facts.add((each.sensitivity.ceiling, each.range_bound, each.values.dtype.kind, method))
    if len(facts) > 1:
        return NoBound("groups differ in their bounds, and each has a worst case of its own")
    return replace(error_bound_of(largest, k, part, mechanism, method), scope=EACH_GROUP)


def _top_k_guarantee(
    scores: Any, epsilon: Epsilon, mechanism: str | Mechanism | None, groups_per_person: int | None
) -> tuple[Mechanism, int, Guarantee]:
    """Return what draws, of how many groups one step moves scores, and the promise for all groups."""
    if not isinstance(scores, Mapping) or not scores:
        raise InputTypeError("scores is a mapping from each public group to its Scores, and has at least one group.")
    relations = {require_scores(each).neighbours for each in scores.values()}
    if len(relations) > 1:
        raise InputError("The groups have different neighbours: one promise is for all of them.")
    (relation,) = relations
    if relation not in (Neighbours.ADD_REMOVE, Neighbours.PERSON):
        raise PrivacyError(
            Advice(
                "Only a record or a person that is added or removed is in groups of its own: what {relation} "
                "neighbours change may be in two. Release each group by itself.",
                relation=relation.value,
            )
        )
    if (relation is Neighbours.PERSON) == (groups_per_person is None):
        raise PrivacyError(
            Advice(
                "A person may be in several groups: pass {groups_per_person=|--groups-per-person}, of how many one "
                "person moves the scores at most."
                if groups_per_person is None
                else "One record is in one group: leave {groups_per_person=|--groups-per-person} out, or protect "
                "persons."
            )
        )
    share = (
        1 if groups_per_person is None else whole(groups_per_person, "groups_per_person", "how many one person is in")
    )
    mechanisms = [mechanism_for(each, mechanism, None) for each in scores.values()]
    if len({each.name for each in mechanisms}) > 1:
        raise InputError(Advice("The rule names another mechanism for some groups than for others: pass {mechanism=}."))
    promise = Guarantee(exact_epsilon(epsilon), relation)
    # More groups than there are cost nothing.
    return mechanisms[0], min(share, len(scores)), promise
