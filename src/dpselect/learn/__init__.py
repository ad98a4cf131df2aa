"""Private trees, forests and regressors, as scikit-learn estimators."""

from dpselect.learn.boosted.classifier import DPBoostedTreesClassifier
from dpselect.learn.default_tree import DPTreeClassifier
from dpselect.learn.evolutionary import DPEvolutionaryTreeClassifier
from dpselect.learn.export import load
from dpselect.learn.forest.classifier import DPRandomForestClassifier
from dpselect.learn.id3 import DPID3Classifier
from dpselect.learn.jostle_trees import THE_FIVE
from dpselect.learn.learner_choice import LearnerRecommendation, recommend_learner
from dpselect.learn.nonprivate import FirstSplit, first_split, without_noise
from dpselect.learn.preview import Preview, preview
from dpselect.learn.random_decision_forest import RandomDecisionForestClassifier
from dpselect.learn.regression import DPBoostedTreesRegressor, DPTreeRegressor
from dpselect.learn.search import DPSearch
from dpselect.learn.sklearn_leaks import LeakWarning

# Those whose promise is pure. The published forest, of which A3 and A5 are made, is public in ``dpselect.papers``.
EVERY_CLASSIFIER = (
    DPTreeClassifier,
    DPBoostedTreesClassifier,
    DPID3Classifier,
    DPEvolutionaryTreeClassifier,
    RandomDecisionForestClassifier,
)
EVERY_REGRESSOR = (DPTreeRegressor, DPBoostedTreesRegressor)

__all__ = [
    "EVERY_CLASSIFIER",
    "EVERY_REGRESSOR",
    "THE_FIVE",
    "DPBoostedTreesClassifier",
    "DPBoostedTreesRegressor",
    "DPEvolutionaryTreeClassifier",
    "DPID3Classifier",
    "DPRandomForestClassifier",
    "DPSearch",
    "DPTreeClassifier",
    "DPTreeRegressor",
    "FirstSplit",
    "LeakWarning",
    "LearnerRecommendation",
    "Preview",
    "first_split",
    "load",
    "preview",
    "recommend_learner",
    "without_noise",
]
