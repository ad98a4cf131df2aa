"""Private regression: a number within public bounds is predicted."""

from dpselect.learn.regression.boosted import DPBoostedTreesRegressor as DPBoostedTreesRegressor
from dpselect.learn.regression.tree import DPTreeRegressor as DPTreeRegressor
