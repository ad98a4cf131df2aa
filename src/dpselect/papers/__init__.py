"""What the papers print and is private, under the papers' names: for reproduction, and to compare with.

Three scores, the tree that asks for noisy counts, the forest of random splits, nodes by noisy views, and a median with
smooth sensitivity. Whatever is printed with an error that costs privacy is corrected here, and its file and its proof
say what was wrong. The same questions have better answers in ``dpselect.utilities`` and ``dpselect.learn``.
"""

from typing import Any

from dpselect.papers.bound_by_distance import bound_by_distance, largest_beta, quieter_below
from dpselect.papers.ego_betweenness import ego_betweenness
from dpselect.papers.median import median
from dpselect.papers.percentile import percentile
from dpselect.papers.private_sql import private_sql
from dpselect.papers.smooth_median import middle_value, smooth_median

EVERY_UTILITY = (ego_betweenness, median, percentile)

__all__ = [
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
    "quieter_below",
    "smooth_median",
]


def __getattr__(name: str) -> Any:
    """Import the tree and the forest, which need scikit-learn, when they are first used."""
    if name == "RandomDecisionForestClassifier":
        from dpselect.learn.random_decision_forest import RandomDecisionForestClassifier

        return RandomDecisionForestClassifier
    if name == "SulqID3Classifier":
        from dpselect.papers.sulq import SulqID3Classifier

        return SulqID3Classifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
