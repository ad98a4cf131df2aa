"""Errors and probabilities of releases, from public data or public facts."""

from dpselect.analysis import compare as compare
from dpselect.analysis import metrics as metrics
from dpselect.analysis.accuracy import error_tail as error_tail
from dpselect.analysis.accuracy import error_tail_bound as error_tail_bound
from dpselect.analysis.accuracy import expected_error as expected_error
from dpselect.analysis.accuracy import expected_error_bound as expected_error_bound
from dpselect.analysis.recommend import Recommendation as Recommendation
from dpselect.analysis.recommend_formula import FormulaRecommendation as FormulaRecommendation
from dpselect.analysis.recommend_formula import recommend_formula as recommend_formula
from dpselect.analysis.recommend_metric import MetricRecommendation as MetricRecommendation
from dpselect.analysis.recommend_metric import recommend_metric as recommend_metric
from dpselect.analysis.value import value_error as value_error
from dpselect.analysis.value import value_pmf as value_pmf
from dpselect.histograms.quantile_methods import quantile_method as quantile_method
from dpselect.mechanisms.error_bound import NoBound as NoBound
from dpselect.mechanisms.joint_top_k import joint_pmf as joint_pmf
from dpselect.release.above_threshold import threshold_bound as threshold_bound
from dpselect.release.partition_selection import keep_probability as keep_probability

__all__ = [
    "FormulaRecommendation",
    "MetricRecommendation",
    "NoBound",
    "Recommendation",
    "compare",
    "error_tail",
    "error_tail_bound",
    "expected_error",
    "expected_error_bound",
    "joint_pmf",
    "keep_probability",
    "metrics",
    "quantile_method",
    "recommend_formula",
    "recommend_metric",
    "threshold_bound",
    "value_error",
    "value_pmf",
]
