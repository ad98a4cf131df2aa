"""Systems of Chaves 2024 by their published names: SNM with each noise, the greedy tree and the random forest.

What differs from the print: the printed noise scales lose more than epsilon, and the sound calibration stands here; SNM
with Laplace noise is clipped where the thesis pays a delta. The errata page has the counterexamples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import mechanism

if TYPE_CHECKING:
    from dpselect.learn import DPID3Classifier
    from dpselect.papers import RandomDecisionForestClassifier


def snm_t(**given: Any) -> Mechanism:
    """Return SNM-T, smooth noisy max with Student's t noise (Algorithm 3), soundly calibrated.

    >>> snm_t()
    mechanism('smooth-noisy-max', noise='student-t')
    """
    return mechanism("smooth-noisy-max", noise="student-t", **given)


def snm_lap(**given: Any) -> Mechanism:
    """Return SNM-LAP, smooth noisy max with Laplace noise: clipped, or with ``delta=`` as the thesis has it.

    >>> import dpselect as dps
    >>> scores = dps.Scores([3, 1], sensitivity=1)
    >>> snm_lap().guarantee(scores, 1), snm_lap(delta=1e-6).guarantee(scores, 1).delta
    (Guarantee(epsilon=1, neighbours='add-remove'), Fraction(1, 1000000))
    """
    return mechanism("smooth-noisy-max", noise="laplace", **given)


def snm_lln(delta: float = 1e-6, **given: Any) -> Mechanism:
    """Return SNM-LLN, smooth noisy max with Laplace-log-normal noise: a law, which refuses to release.

    Its noise has no exact sampler here: ``snm_t`` is the mechanism to use.

    >>> import dpselect as dps
    >>> snm_lln().pmf(dps.Scores([30, 1], sensitivity=1), 5).round(2)
    array([1., 0.])
    """
    return mechanism("smooth-noisy-max", noise="laplace-log-normal", delta=delta, **given)


def greedy_tree(
    epsilon: Epsilon | None = None, max_depth: int = 5, *, selection: str = "SNM-T", **changes: Any
) -> DPID3Classifier:
    """Return the greedy decision tree (Algorithm 4): the 0/1 score of the max operator (Definition 6.2).

    Args:
        epsilon: the budget of one fit.
        max_depth: levels of splits; the thesis has 2 and 5.
        selection: ``"SNM-T"`` or ``"SNM-LAP"``, clipped; or ``"EM"``, ``"PF"`` or ``"SLD"``, which the thesis compares
            with: they choose by information gain and need a public ``max_records=``.
        **changes: other parameters of :class:`dpselect.learn.DPID3Classifier`, such as ``domains`` and ``classes``.

    Raises:
        ValueError: another selection.

    >>> greedy_tree(1).criterion, greedy_tree(1, selection="PF", max_records=50_000).criterion
    ('max-operator-winner', 'information-gain')
    """
    from dpselect.learn import DPID3Classifier

    chosen = _mechanism_of(selection, ("EM", "PF", "SLD", "SNM-T", "SNM-LAP"))
    criterion = "max-operator-winner" if selection.startswith("SNM") else "information-gain"
    settings: dict[str, Any] = {"criterion": criterion, "mechanism": chosen}
    return DPID3Classifier(epsilon, max_depth, **(settings | changes))


def random_forest(
    epsilon: Epsilon | None = None,
    n_trees: int | None = 32,
    *,
    selection: str = "SNM-T",
    **changes: Any,
) -> RandomDecisionForestClassifier:
    """Return the random decision forest (Algorithm 5): random splits, a private majority in every leaf.

    Args:
        epsilon: the budget of one fit; trees have disjoint records, so each spends it.
        n_trees: how many trees.
        selection: ``"EM"``, ``"PF"``, ``"LD"``, ``"SNM-T"`` or ``"SNM-LAP"``, on the 0/1 score of Definition 7.1.
        **changes: other parameters of :class:`dpselect.papers.RandomDecisionForestClassifier`, such as ``max_depth``.

    Raises:
        ValueError: another selection.

    >>> random_forest(1, 10).sharing
    'chunks'
    """
    from dpselect.learn.random_decision_forest import RandomDecisionForestClassifier

    chosen = _mechanism_of(selection, ("EM", "PF", "LD", "SNM-T", "SNM-LAP"))
    return RandomDecisionForestClassifier(epsilon, n_trees, **({"mechanism": chosen} | changes))


def _mechanism_of(selection: str, among: Sequence[str]) -> Mechanism:
    if selection == "SNM-LLN":
        raise InputError("SNM-LLN has a law and trains nothing: pass selection='SNM-T'.")
    if selection not in among:
        raise InputError(f"selection is one of {', '.join(among)}.")
    return _MECHANISMS[selection]()


_MECHANISMS: dict[str, Callable[[], Mechanism]] = {
    "EM": partial(mechanism, "exponential"),
    "PF": partial(mechanism, "permute-and-flip"),
    "LD": partial(mechanism, "local-dampening"),
    "SLD": partial(mechanism, "shifted-local-dampening"),
    "SNM-T": snm_t,
    "SNM-LAP": snm_lap,
}
