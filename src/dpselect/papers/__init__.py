"""Private methods that the papers print, under the papers' names: for reproduction, and to compare with.

Every published system is here by its name: ``papers.local_diff_pid3`` and ``papers.LocalDiffPID3`` are the same, and
``papers.published_system("DP-MOET-Pareto_local")`` takes the printed spelling. Defaults are those of the paper.
Whatever is printed with an error that costs privacy is corrected here, and its documentation says what differs. The
same questions have better answers in ``dpselect.utilities``, ``dpselect.multiobjective`` and ``dpselect.learn``.

Limits: Losses of published set-ups are lower bounds. Those of the trees and forests of Chaves 2024 as released are of
one split or one leaf, on named small tables; what their bins, bounds and stops read from the data is not counted. The
program's shifted local dampening in trees is not known to us, so it is not among the rivals of Figure 9 as released.
"""

from typing import Any

from dpselect.papers.bound_by_distance import bound_by_distance, largest_beta, quieter_below
from dpselect.papers.ego_betweenness import ego_betweenness
from dpselect.papers.median import median
from dpselect.papers.percentile import percentile
from dpselect.papers.private_sql import private_sql
from dpselect.papers.smooth_median import middle_value, smooth_median
from dpselect.papers.systems import EVERY_SYSTEM, attribute, published_system

EVERY_UTILITY = (ego_betweenness, median, percentile)

__all__ = [
    "EVERY_SYSTEM",
    "EVERY_UTILITY",
    "RandomDecisionForestClassifier",
    "SulqID3Classifier",
    "bound_by_distance",
    "ego_betweenness",
    "largest_beta",
    "median",
    "middle_value",
    "percentile",
    "private_sql",
    "published_system",
    "quieter_below",
    "smooth_median",
]


def __getattr__(name: str) -> Any:
    """Import a system when it is first used: trees and forests need scikit-learn."""
    if name == "RandomDecisionForestClassifier":
        from dpselect.learn.random_decision_forest import RandomDecisionForestClassifier

        return RandomDecisionForestClassifier
    if name == "SulqID3Classifier":
        from dpselect.papers.sulq import SulqID3Classifier

        return SulqID3Classifier
    found = attribute(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
