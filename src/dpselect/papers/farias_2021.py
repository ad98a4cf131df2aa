"""Systems of Farias 2021 by their published names: PrivTopk in four variants, and the DiffPID3 trees.

What differs from the print: the largest degree of a graph and the number of records are public bounds, where the thesis
reads them from the private data; the stop of the trees is that of Friedman and Schuster, which the thesis prints
without epsilon. The errata page has the counterexamples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import mechanism
from dpselect.papers.ego_betweenness import ego_betweenness
from dpselect.release.release import Release
from dpselect.release.select import top_k
from dpselect.views import Graph

if TYPE_CHECKING:
    from dpselect.learn import DPID3Classifier

_VARIANTS = {
    "EM": "exponential",
    "PF": "permute-and-flip",
    "LD": "local-dampening",
    "SLD": "shifted-local-dampening",
}


def sld(direction: str = "growing") -> Mechanism:
    """Return SLD, shifted local dampening (Definitions 4.2.1 and 4.2.2).

    >>> sld()
    mechanism('shifted-local-dampening', direction='growing')
    """
    return mechanism("shifted-local-dampening", direction=direction)


def priv_topk(
    graph: Graph,
    k: int = 1,
    *,
    variant: str = "SLD",
    max_degree: int | None = None,
    epsilon: Epsilon,
    ledger: Accountant | None = None,
) -> Release[tuple[Any, ...]]:
    """Name the k nodes of largest ego betweenness, one after the other: PrivTopk (Algorithm 3).

    The thesis takes the maximum degree from the private graph; here it is a public bound. The sensitivity is the
    printed one (:func:`dpselect.papers.ego_betweenness`). ``dpselect.top_k`` with ``utilities.ego_betweenness`` names
    more of the true nodes.

    Args:
        graph: over public nodes.
        k: how many nodes to name; each pick gets epsilon / k.
        variant: ``"EM"``, ``"PF"``, ``"LD"`` or ``"SLD"``, the best of the thesis.
        max_degree: a public bound on the degree of every graph that might have been held.
        epsilon: the budget of the whole list, the thesis's B.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for neighbours that differ in one edge.

    Raises:
        PrivacyError: ``max_degree`` is missing.
        ValueError: another variant; a degree or k out of range.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> star = Graph.from_edges([0] * 9, range(1, 10), nodes=12)
    >>> priv_topk(star, variant="LD", max_degree=11, epsilon=20).value
    (0,)
    """
    if variant not in _VARIANTS:
        raise InputError(f"variant is one of {', '.join(_VARIANTS)}.")
    scores = ego_betweenness(graph, max_degree=max_degree)
    return top_k(scores, k, epsilon=epsilon, mechanism=mechanism(_VARIANTS[variant]), ledger=ledger)


def em_priv_topk(graph: Graph, k: int = 1, **given: Any) -> Release[tuple[Any, ...]]:
    """Name k nodes by EMPrivTopk, the exponential mechanism."""
    return priv_topk(graph, k, variant="EM", **given)


def pf_priv_topk(graph: Graph, k: int = 1, **given: Any) -> Release[tuple[Any, ...]]:
    """Name k nodes by PFPrivTopk, permute-and-flip."""
    return priv_topk(graph, k, variant="PF", **given)


def ld_priv_topk(graph: Graph, k: int = 1, **given: Any) -> Release[tuple[Any, ...]]:
    """Name k nodes by LDPrivTopk, local dampening."""
    return priv_topk(graph, k, variant="LD", **given)


def sld_priv_topk(graph: Graph, k: int = 1, **given: Any) -> Release[tuple[Any, ...]]:
    """Name k nodes by SLDPrivTopk, shifted local dampening."""
    return priv_topk(graph, k, variant="SLD", **given)


def local_diff_pid3(epsilon: Epsilon | None = None, max_depth: int = 5, **changes: Any) -> DPID3Classifier:
    """Return LocalDiffPID3: information gain, chosen by local dampening with the element sensitivity.

    Args:
        epsilon: the budget of one fit.
        max_depth: levels of splits; the thesis has 2 and 5.
        **changes: other parameters of :class:`dpselect.learn.DPID3Classifier`, such as ``domains`` and ``classes``.

    >>> model = local_diff_pid3(1)
    >>> model.criterion, model.mechanism, model.stop, model.prune
    ('information-gain', 'local-dampening', 'friedman-schuster', 'c4.5')
    """
    return _diff_pid3("local-dampening", epsilon, max_depth, changes)


def shifted_local_diff_pid3(epsilon: Epsilon | None = None, max_depth: int = 5, **changes: Any) -> DPID3Classifier:
    """Return ShiftedLocalDiffPID3: the same with shifted dampening, which needs a public ``max_records=``.

    >>> shifted_local_diff_pid3(1, max_records=50_000).mechanism
    'shifted-local-dampening'
    """
    return _diff_pid3("shifted-local-dampening", epsilon, max_depth, changes)


def global_diff_pid3(epsilon: Epsilon | None = None, max_depth: int = 5, **changes: Any) -> DPID3Classifier:
    """Return GlobalDiffPID3: the same with the exponential mechanism, which needs a public ``max_records=``.

    The printed sensitivity, log(N + 1) + 1 / ln 2, has the private number of records in it.

    >>> global_diff_pid3(1, max_records=50_000).mechanism
    'exponential'
    """
    return _diff_pid3("exponential", epsilon, max_depth, changes)


def _diff_pid3(named: str, epsilon: Epsilon | None, max_depth: int, changes: dict[str, Any]) -> DPID3Classifier:
    from dpselect.learn import DPID3Classifier

    settings: dict[str, Any] = {"criterion": "information-gain", "mechanism": named}
    return DPID3Classifier(epsilon, max_depth, **(settings | changes))
