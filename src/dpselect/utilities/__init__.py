"""The utilities: scores of public candidates, with their sensitivities. The imports are the list: one line for each."""

from collections.abc import Callable
from types import FunctionType

from dpselect.scores.margin import margin as margin
from dpselect.scores.scores import Scores
from dpselect.utilities.core_number import core_number as core_number
from dpselect.utilities.counts import counts as counts
from dpselect.utilities.degree import degree as degree
from dpselect.utilities.ego_betweenness import ego_betweenness as ego_betweenness
from dpselect.utilities.ego_density import ego_density as ego_density
from dpselect.utilities.followers import followers as followers
from dpselect.utilities.gini import gini as gini
from dpselect.utilities.information_gain import information_gain as information_gain
from dpselect.utilities.linear_decay import linear_decay as linear_decay
from dpselect.utilities.log_betweenness import log_betweenness as log_betweenness
from dpselect.utilities.majority import majority as majority
from dpselect.utilities.max_operator import max_operator as max_operator
from dpselect.utilities.max_operator_winner import max_operator_winner as max_operator_winner
from dpselect.utilities.median import median as median
from dpselect.utilities.misclassified import misclassified as misclassified
from dpselect.utilities.open_pairs import open_pairs as open_pairs
from dpselect.utilities.percentile import percentile as percentile
from dpselect.utilities.popularity import popularity as popularity
from dpselect.utilities.tdt import smooth_tdt as smooth_tdt
from dpselect.utilities.tdt import tdt as tdt
from dpselect.utilities.triangles import triangles as triangles
from dpselect.utilities.true_negative_rate import true_negative_rate as true_negative_rate
from dpselect.utilities.true_positive_rate import true_positive_rate as true_positive_rate
from dpselect.utilities.two_step_reach import two_step_reach as two_step_reach
from dpselect.utilities.weighted_degree import weighted_degree as weighted_degree

EVERY_UTILITY: tuple[Callable[..., Scores], ...] = tuple(
    each for each in list(vars().values()) if isinstance(each, FunctionType) and each not in (margin, smooth_tdt)
)

__all__ = ["EVERY_UTILITY", "margin", "smooth_tdt", *(utility.__name__ for utility in EVERY_UTILITY)]
