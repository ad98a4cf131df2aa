"""The utilities: what is good, and how far one neighbour moves it."""

from dpselect.utilities.counts import counts
from dpselect.utilities.degree import degree
from dpselect.utilities.ego_betweenness import ego_betweenness
from dpselect.utilities.ego_density import ego_density
from dpselect.utilities.majority import majority
from dpselect.utilities.tdt import tdt

EVERY_UTILITY = (counts, degree, ego_betweenness, ego_density, majority, tdt)

__all__ = ["EVERY_UTILITY", "counts", "degree", "ego_betweenness", "ego_density", "majority", "tdt"]
