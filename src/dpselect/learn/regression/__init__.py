"""Private regression: a number within public bounds is predicted."""

from dpselect.learn.regression.tree import DPTreeRegressor as DPTreeRegressor
