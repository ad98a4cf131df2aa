"""Choosing the algorithm: learned on public databases, paid for on the private one."""

from dpselect.chooser.choice import Answer, Choice
from dpselect.chooser.choice_maker import ChoiceMaker
from dpselect.chooser.conditional import Conditional, learn_conditionals
from dpselect.chooser.formula import Formula
from dpselect.chooser.grammar import search_formulas
from dpselect.chooser.law import answer_law
from dpselect.chooser.learner import LEARNERS, Fixed, Regressors, RegretTree
from dpselect.chooser.metafeature import Metafeature
from dpselect.chooser.noisy_choice import NoisyChoice
from dpselect.chooser.option import Option
from dpselect.chooser.plots import draw_histograms, draw_regret
from dpselect.chooser.prediction import Prediction, fit_prediction
from dpselect.chooser.regret import Regret
from dpselect.chooser.shipped import shipped_traces
from dpselect.chooser.traces import Traces

__all__ = [
    "LEARNERS",
    "Answer",
    "Choice",
    "ChoiceMaker",
    "Conditional",
    "Fixed",
    "Formula",
    "Metafeature",
    "NoisyChoice",
    "Option",
    "Prediction",
    "Regressors",
    "Regret",
    "RegretTree",
    "Traces",
    "answer_law",
    "draw_histograms",
    "draw_regret",
    "fit_prediction",
    "learn_conditionals",
    "search_formulas",
    "shipped_traces",
]
