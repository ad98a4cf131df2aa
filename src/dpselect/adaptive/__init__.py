"""Choosing the algorithm: learned on public databases, paid for on the private one."""

from dpselect.adaptive.adaptive_algorithm import AdaptiveAlgorithm
from dpselect.adaptive.answer_pmf import answer_pmf
from dpselect.adaptive.choice import Answer, Choice
from dpselect.adaptive.conditional import Conditional, learn_conditionals
from dpselect.adaptive.default_traces import shipped_traces
from dpselect.adaptive.formula import Formula
from dpselect.adaptive.grammar import search_formulas
from dpselect.adaptive.learner import LEARNERS, FixedLearner, Regressors, RegretTree
from dpselect.adaptive.metafeature import Metafeature
from dpselect.adaptive.noisy_choice import NoisyChoice
from dpselect.adaptive.option import Option
from dpselect.adaptive.plots import draw_histograms, draw_regret
from dpselect.adaptive.prediction import Prediction, fit_prediction
from dpselect.adaptive.regret import Regret
from dpselect.adaptive.traces import Traces

__all__ = [
    "LEARNERS",
    "AdaptiveAlgorithm",
    "Answer",
    "Choice",
    "Conditional",
    "FixedLearner",
    "Formula",
    "Metafeature",
    "NoisyChoice",
    "Option",
    "Prediction",
    "Regressors",
    "Regret",
    "RegretTree",
    "Traces",
    "answer_pmf",
    "draw_histograms",
    "draw_regret",
    "fit_prediction",
    "learn_conditionals",
    "search_formulas",
    "shipped_traces",
]
