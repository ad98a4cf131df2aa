"""Metrics that rank the nodes of a graph: what each needs, and which mechanism draws by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpselect.scores.scores import Scores


@dataclass(frozen=True)
class Metric:
    """A metric, by public facts.

    Attributes:
        mechanism: draws by it unless another one is named: a public rule, the same for every graph.
        unit: what its scores count, where that has a name.
        bounded: whether its sensitivity follows from a public bound on degrees.
        by_margin: whether nodes are ranked by their margins unless a mechanism is named: dampened, their order is not
            their own, and permute-and-flip on the scores needs far more epsilon.
    """

    mechanism: str = "permute-and-flip"
    unit: str = ""
    bounded: bool = False
    by_margin: bool = False


DAMPENING = "local-dampening-flip"
FOLLOWERS, WEIGHTED, DECAY = "followers", "weighted-degree", "linear-decay"
METRICS = {
    "degree": Metric(unit="neighbours"),
    "core-number": Metric(unit="shells"),
    "ego-betweenness": Metric(bounded=True, by_margin=True),
    "ego-density": Metric(DAMPENING),
    FOLLOWERS: Metric(unit=FOLLOWERS),
    DECAY: Metric(unit="parts of a pair", bounded=True, by_margin=True),
    "log-betweenness": Metric(),
    "open-pairs": Metric(DAMPENING, bounded=True),
    # Dampened, triangles would be ranked by other things: triangles.md says by which.
    "triangles": Metric(unit="triangles", bounded=True),
    "two-step-reach": Metric(DAMPENING, unit="halves of a node", bounded=True),
    WEIGHTED: Metric(),
}
# Mechanisms that gain by a sensitivity close to the exact one. Shifted scores would rank by what nodes share, and
# the others read its ceiling only.
CLOSE = {
    "local-dampening",
    "local-dampening-flip",
    "local-dampening-t",
    "smooth-noisy-max",
    "smooth-private-selection",
}
# From so many common neighbours on a pair counts nothing, unless another number is named.
USUAL_DECAY = 20


def scores_of(metric: str, graph: Any, *, max_degree: int | None, decay: int, close: bool, workers: int) -> Scores:
    """Return the score of every node.

    Args:
        metric: one of :data:`METRICS`.
        graph: of the kind that it reads.
        max_degree: the public bound on degrees.
        decay: of linear-decay.
        close: whether the sensitivity should be close to the exact one where that is another.
        workers: threads.

    Raises:
        PrivacyError, ValueError: as the utility of this name.
    """
    from dpselect import utilities
    from dpselect.views import TruncatedGraph

    if isinstance(graph, TruncatedGraph):
        return graph.scores(
            lambda kept: scores_of(metric, kept, max_degree=max_degree, decay=decay, close=close, workers=workers)
        )
    if metric == "ego-betweenness":
        how = "refined" if close else "degree"
        return utilities.ego_betweenness(graph, max_degree=max_degree, workers=workers, sensitivity=how)
    if metric == DECAY:
        return utilities.linear_decay(graph, max_degree, decay=decay, workers=workers)
    if metric == "log-betweenness":
        return utilities.log_betweenness(graph, workers)
    utility = getattr(utilities, metric.replace("-", "_"))
    scores: Scores = utility(graph, max_degree, workers) if METRICS[metric].bounded else utility(graph)
    return scores
