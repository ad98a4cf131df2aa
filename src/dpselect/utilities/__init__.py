"""The utilities: what is good, and how far one neighbour moves it."""

from dpselect.utilities.degree import degree
from dpselect.utilities.ego_betweenness import ego_betweenness
from dpselect.utilities.ego_density import ego_density

EVERY_UTILITY = (degree, ego_betweenness, ego_density)

__all__ = ["EVERY_UTILITY", "degree", "ego_betweenness", "ego_density"]
