"""PrivPareto and PrivAgg, by their published names: one choice by several objectives.

PrivPareto counts steps to the Pareto front, unless ``method="published"`` asks for the published score: then both are
``pareto`` and ``aggregate`` scores with the published mechanisms.

References: Farias et al. 2024, Definitions 4.1, 4.2, 5.1 and 5.2, with corrected sensitivities.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms import mechanism as named
from dpselect.mechanisms.base import Mechanism
from dpselect.release.release import Release
from dpselect.release.select import top_k
from dpselect.scores.combine import aggregate, pareto
from dpselect.scores.objectives import one_list
from dpselect.scores.pareto_margin import pareto_margin
from dpselect.scores.scores import Scores

_PUBLISHED_MECHANISMS = {"local": "local-dampening", "global": "exponential"}


@one_list
def priv_pareto(
    objectives: Iterable[Scores],
    *,
    epsilon: Epsilon,
    k: int = 1,
    method: str = "margin",
    sensitivity: str = "local",
    mechanism: str | Mechanism | None = None,
    reach: int | None = None,
    ledger: Accountant | None = None,
) -> Release[tuple[Any, ...]]:
    """Choose k candidates that few others match in every objective: PrivPareto, or DP-MOTkIN for nodes.

    Args:
        objectives: a list of scores of the same candidates; ``-scores`` to minimise.
        epsilon: the budget of the whole list.
        k: how many to name.
        method: ``"margin"``, steps to the Pareto front by permute-and-flip
            (:func:`dpselect.multiobjective.pareto_margin`); or ``"published"``, the number of dominators.
        sensitivity: of the published method: ``"local"`` (local dampening) or ``"global"`` (exponential mechanism).
        mechanism: another one, such as ``"exponential"``, or for the published method ``"local-dampening-flip"``.
        reach: a public number of steps at which margins, or the published sensitivity, end: a bound on the work.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for the neighbours of the scores.

    Raises:
        ValueError, TypeError, PrivacyError: as ``pareto_margin``, ``pareto`` and ``top_k``.

    >>> speed, price = Scores([900, 1, 2], 1, kind="integer"), Scores([800, 3, 1], 1, kind="integer")
    >>> priv_pareto([speed, price], epsilon=1).value
    (0,)
    """
    if method not in ("margin", "published"):
        raise InputError('method is "margin" or "published".')
    if method == "margin":
        if sensitivity != "local":
            raise InputError('sensitivity goes with method="published": leave it out.')
        scores, drawn = pareto_margin(objectives, reach=reach), "permute-and-flip"
    else:
        scores = pareto(objectives, sensitivity=sensitivity, reach=reach)
        drawn = _PUBLISHED_MECHANISMS[sensitivity]
    return top_k(scores, k, epsilon=epsilon, mechanism=mechanism or named(drawn), ledger=ledger)


@one_list
def priv_agg(
    objectives: Iterable[Scores],
    *,
    epsilon: Epsilon,
    weights: Iterable[Any] | None = None,
    k: int = 1,
    touched: str = "all",
    sensitivity: str = "local",
    mechanism: str | Mechanism | None = None,
    ledger: Accountant | None = None,
) -> Release[tuple[Any, ...]]:
    """Choose the k candidates with the largest weighted sums: PrivAgg.

    Args:
        objectives: a list of scores of the same candidates; ``-scores`` to minimise.
        epsilon: the budget of the whole list.
        weights: one number each.
        k: how many to name.
        touched: ``"one"`` where one step can touch only one of the objectives, as in ``aggregate``.
        sensitivity: ``"local"`` (local dampening) or ``"global"`` (exponential mechanism).
        mechanism: another one than the published, as for ``priv_pareto``.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for the neighbours of the scores.

    Raises:
        ValueError, TypeError, PrivacyError: as ``aggregate`` and ``top_k``.

    >>> speed, price = Scores([900, 1, 2], 1, kind="integer"), Scores([800, 3, 1], 1, kind="integer")
    >>> priv_agg([speed, price], epsilon=10, weights=[1, 2]).value
    (0,)
    """
    scores = aggregate(objectives, weights, max_changed=touched, sensitivity=sensitivity)
    return top_k(
        scores, k, epsilon=epsilon, mechanism=mechanism or named(_PUBLISHED_MECHANISMS[sensitivity]), ledger=ledger
    )
