"""What the papers print and is private, under the papers' names: for reproduction, and to compare with.

Three scores, and the tree that asks for noisy counts. Whatever is printed with an error that costs privacy is corrected
here, and its file and its proof say what was wrong. The same questions have better answers in ``dpselect.utilities``
and ``dpselect.learn``.
"""

from dpselect.published.ego_betweenness import ego_betweenness
from dpselect.published.median import median
from dpselect.published.percentile import percentile

EVERY_UTILITY = (ego_betweenness, median, percentile)

__all__ = ["EVERY_UTILITY", "ego_betweenness", "median", "percentile"]
