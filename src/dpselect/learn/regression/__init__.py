"""Private regression: a number within public bounds is predicted."""

from dpselect.learn.regression.boosted_regressor import DPBoostedTreesRegressor as DPBoostedTreesRegressor
from dpselect.learn.regression.tree_regressor import DPTreeRegressor as DPTreeRegressor
