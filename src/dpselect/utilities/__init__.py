"""The utilities: what is good, and how far one neighbour moves it."""

from dpselect.utilities.counts import counts
from dpselect.utilities.degree import degree
from dpselect.utilities.ego_betweenness import ego_betweenness
from dpselect.utilities.ego_density import ego_density
from dpselect.utilities.gini import gini
from dpselect.utilities.information_gain import information_gain
from dpselect.utilities.majority import majority
from dpselect.utilities.max_operator import max_operator
from dpselect.utilities.max_operator_winner import max_operator_winner
from dpselect.utilities.median import median
from dpselect.utilities.misclassified import misclassified
from dpselect.utilities.percentile import percentile
from dpselect.utilities.tdt import tdt
from dpselect.utilities.true_negative_rate import true_negative_rate
from dpselect.utilities.true_positive_rate import true_positive_rate

EVERY_UTILITY = (
    counts,
    degree,
    ego_betweenness,
    ego_density,
    gini,
    information_gain,
    majority,
    max_operator,
    max_operator_winner,
    median,
    misclassified,
    percentile,
    tdt,
    true_negative_rate,
    true_positive_rate,
)

__all__ = [
    "EVERY_UTILITY",
    "counts",
    "degree",
    "ego_betweenness",
    "ego_density",
    "gini",
    "information_gain",
    "majority",
    "max_operator",
    "max_operator_winner",
    "median",
    "misclassified",
    "percentile",
    "tdt",
    "true_negative_rate",
    "true_positive_rate",
]
