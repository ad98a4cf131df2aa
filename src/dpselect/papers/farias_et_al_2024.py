"""Systems of Farias et al. 2024 by their published names: PrivPareto, PrivAgg, DP-MOET and DP-MOTkIN.

What differs from the print: the printed sensitivities of the rates, of ego density and of the Pareto score are not
admissible, and the corrected ones stand here; DP-MOET splits epsilon over its rounds, where Algorithm 1 spends it in
every round. The errata page has the counterexamples.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release import several_objectives
from dpselect.release.release import Release
from dpselect.scores.objectives import one_list
from dpselect.scores.scores import Scores
from dpselect.utilities.degree import degree
from dpselect.utilities.ego_density import ego_density
from dpselect.views import Graph

if TYPE_CHECKING:
    from dpselect.learn import DPEvolutionaryTreeClassifier

_SELECTIONS = ("pareto", "agg")
_MECHANISMS = {"local": "local-dampening", "global": "exponential"}
# Sections 6.3 and 6.4.
_SEARCHES: dict[str, dict[str, Any]] = {
    "pareto": {"population": 30, "selected": 3, "generations": 3, "depth": 4, "max_depth": 10, "output": 3},
    "agg": {"population": 100, "selected": 20, "generations": 2, "depth": 3, "max_depth": 5, "output": 1},
}


@one_list
def priv_pareto(
    objectives: Iterable[Scores],
    *,
    epsilon: Epsilon,
    k: int = 1,
    sensitivity: str = "local",
    reach: int | None = None,
    ledger: Accountant | None = None,
) -> Release[tuple[Any, ...]]:
    """Choose by PrivPareto as published: the number of dominators, by local dampening or the exponential mechanism.

    ``dpselect.multiobjective.priv_pareto`` counts steps to the front instead, and finds it with less epsilon.

    Args:
        objectives: a list of scores of the same candidates.
        epsilon: the budget of the whole list.
        k: how many to name.
        sensitivity: ``"local"`` or ``"global"``.
        reach: a public number of steps at which the sensitivity ends, a bound on the work.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for the neighbours of the scores.

    Raises:
        ValueError, TypeError, PrivacyError: as :func:`dpselect.multiobjective.priv_pareto`.

    >>> speed, price = Scores([900, 1, 2], 1, kind="integer"), Scores([800, 3, 1], 1, kind="integer")
    >>> priv_pareto([speed, price], epsilon=10).value
    (0,)
    """
    return several_objectives.priv_pareto(
        objectives, epsilon=epsilon, k=k, method="published", sensitivity=sensitivity, reach=reach, ledger=ledger
    )


def dp_moet(
    epsilon: Epsilon | None = None, *, selection: str = "pareto", sensitivity: str = "local", **changes: Any
) -> DPEvolutionaryTreeClassifier:
    """Return DP-MOET (Algorithm 1): Pareto or Agg, local or global, with the sizes of sections 6.3 and 6.4.

    The operators are the printed ones: a mutation grows as deep as the maximum depth leaves room for. Depth counts
    levels of splits. :class:`dpselect.learn.DPEvolutionaryTreeClassifier` by itself grows three levels at most.

    Args:
        epsilon: the budget of one fit, over all rounds.
        selection: ``"pareto"`` (DP-MOET-Pareto) or ``"agg"`` (DP-MOET-Agg, which takes ``importance=``: in the paper 3
            for the positive class and 2 for the negative one).
        sensitivity: ``"local"`` (local dampening) or ``"global"`` (exponential mechanism).
        **changes: other parameters of the classifier, such as ``domains`` and ``classes``.

    Raises:
        ValueError: another selection or sensitivity.

    >>> model = dp_moet(1)
    >>> model.goal, model.mechanism, model.population, model.max_depth, model.mutation_levels
    ('pareto', 'local-dampening', 30, 10, None)
    """
    from dpselect.learn import DPEvolutionaryTreeClassifier

    _require(selection, sensitivity)
    settings = {"goal": "pareto" if selection == "pareto" else "weighted", "mutation_levels": None}
    settings |= {"mechanism": _MECHANISMS[sensitivity], **_SEARCHES[selection]}
    return DPEvolutionaryTreeClassifier(epsilon, **(settings | changes))


def dp_motkin(
    graph: Graph,
    k: int = 3,
    *,
    selection: str = "pareto",
    sensitivity: str = "local",
    weights: tuple[float, float] = (1, 100),
    epsilon: Epsilon,
    ledger: Accountant | None = None,
) -> Release[tuple[Any, ...]]:
    """Name k nodes by degree and ego density at once: DP-MOTkIN (section 7).

    Args:
        graph: over public nodes, at least 3.
        k: how many nodes to name; the paper has 3 for Pareto and 5 for Agg.
        selection: ``"pareto"`` (DP-MOTkIN-Pareto) or ``"agg"`` (DP-MOTkIN-Agg).
        sensitivity: ``"local"`` (local dampening) or ``"global"`` (exponential mechanism).
        weights: of degree and ego density, for ``"agg"``; the paper has 1 and 100.
        epsilon: the budget of the whole list.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for neighbours that differ in one edge.

    Raises:
        ValueError: another selection or sensitivity; k out of range.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> star = Graph.from_edges([0] * 30, range(1, 31), nodes=40)
    >>> dp_motkin(star, 1, selection="agg", epsilon=50).value
    (0,)
    """
    _require(selection, sensitivity)
    objectives = [degree(graph), ego_density(graph)]
    if selection == "pareto":
        return priv_pareto(objectives, epsilon=epsilon, k=k, sensitivity=sensitivity, ledger=ledger)
    return several_objectives.priv_agg(
        objectives, epsilon=epsilon, weights=weights, k=k, sensitivity=sensitivity, ledger=ledger
    )


def _require(selection: str, sensitivity: str) -> None:
    if selection not in _SELECTIONS or sensitivity not in _MECHANISMS:
        raise InputError(
            f"selection is one of {', '.join(_SELECTIONS)}, and sensitivity is one of {', '.join(_MECHANISMS)}."
        )
