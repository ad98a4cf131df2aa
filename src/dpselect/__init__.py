"""Choose privately: selection under differential privacy, with exact sampling.

All public names are listed below; start with ``Scores``, ``mechanism`` and ``select``.
"""

from types import FunctionType
from typing import TYPE_CHECKING, Any

from dpselect import mechanisms
from dpselect._version import VERSION
from dpselect.analysis.accuracy import error_tail, error_tail_bound, expected_error, expected_error_bound
from dpselect.kernel.bound import Bound, SquaredBound
from dpselect.kernel.errors import BudgetError, DPSelectError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.units import UnitScores
from dpselect.mechanisms import mechanism
from dpselect.mechanisms.kinds import Mechanism
from dpselect.release.draws import Draws
from dpselect.release.opendp import to_opendp
from dpselect.release.opened import opened
from dpselect.release.select import Release, select, top_k
from dpselect.release.several_objectives import priv_agg, priv_pareto
from dpselect.scores import sensitivity
from dpselect.scores.combine import aggregate, pareto
from dpselect.scores.margin import margin
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Sensitivity

__all__ = [
    "Bound",
    "BudgetError",
    "Candidates",
    "Certificate",
    "Column",
    "Counts",
    "Cumulative",
    "DPSelectError",
    "DirectedGraph",
    "Draws",
    "ErrorBound",
    "Graph",
    "GroupedRelease",
    "Guarantee",
    "Ledger",
    "Mechanism",
    "MetricRecommendation",
    "Neighbours",
    "NoBound",
    "PrivacyError",
    "Recommendation",
    "Release",
    "ReleasedValue",
    "Scores",
    "Sensitivity",
    "SquaredBound",
    "StoredColumn",
    "StoredGraph",
    "TableFile",
    "ThresholdAnswer",
    "ThresholdStream",
    "TruncatedGraph",
    "Tuned",
    "TuningPlan",
    "UnitScores",
    "Warehouse",
    "WeightedGraph",
    "above_threshold",
    "accuracy_chart",
    "aggregate",
    "audit",
    "budget",
    "budget_chart",
    "certificate",
    "chance_chart",
    "compare",
    "connect",
    "counts",
    "cumulative",
    "dampening_chart",
    "epsilon_for",
    "error_bound",
    "error_chart",
    "error_tail",
    "error_tail_bound",
    "expected_error",
    "expected_error_bound",
    "front_chart",
    "key_law",
    "law_chart",
    "ledger",
    "margin",
    "mechanism",
    "mechanisms",
    "median",
    "metrics",
    "most_common",
    "opened",
    "papers",
    "pareto",
    "percentiles",
    "plot_law",
    "price_of_runs",
    "priv_agg",
    "priv_pareto",
    "quantile_method",
    "quantiles",
    "recommend",
    "recommend_metric",
    "release_value",
    "select",
    "select_keys",
    "sensitivity",
    "sensitivity_chart",
    "threshold_bound",
    "to_opendp",
    "top_k",
    "top_k_by_group",
    "tune",
    "tune_privately",
    "tuning_plan",
    "utilities",
    "value_chart",
    "value_error",
    "value_law",
]
__version__ = VERSION


def _named_publicly(public: Any) -> Any:
    """Let tracebacks, help and pickles name what users import: dpselect.BudgetError."""
    if isinstance(public, (type, FunctionType)) and public.__module__.startswith("dpselect."):
        public.__module__ = "dpselect"
    return public


for _name in __all__:
    _named_publicly(globals().get(_name))

if TYPE_CHECKING:
    # Type checkers see these and no others, so that a slip in a name is an error.
    from dpselect import audit as audit
    from dpselect import chooser as chooser
    from dpselect import histograms as histograms
    from dpselect import learn as learn
    from dpselect import ledger as ledger
    from dpselect import papers as papers
    from dpselect import utilities as utilities
    from dpselect.analysis import compare as compare
    from dpselect.analysis import metrics as metrics
    from dpselect.analysis.charts.accuracy import accuracy_chart as accuracy_chart
    from dpselect.analysis.charts.budget import budget_chart as budget_chart
    from dpselect.analysis.charts.dampening import dampening_chart as dampening_chart
    from dpselect.analysis.charts.distance import sensitivity_chart as sensitivity_chart
    from dpselect.analysis.charts.error import chance_chart as chance_chart
    from dpselect.analysis.charts.error import error_chart as error_chart
    from dpselect.analysis.charts.front import front_chart as front_chart
    from dpselect.analysis.charts.law import law_chart as law_chart
    from dpselect.analysis.charts.values import value_chart as value_chart
    from dpselect.analysis.plan import epsilon_for as epsilon_for
    from dpselect.analysis.plan import error_bound as error_bound
    from dpselect.analysis.plot_law import plot_law as plot_law
    from dpselect.analysis.recommend import Recommendation as Recommendation
    from dpselect.analysis.recommend import recommend as recommend
    from dpselect.analysis.recommend import tune as tune
    from dpselect.analysis.recommend_metric import MetricRecommendation as MetricRecommendation
    from dpselect.analysis.recommend_metric import recommend_metric as recommend_metric
    from dpselect.analysis.runs import price_of_runs as price_of_runs
    from dpselect.analysis.value import value_error as value_error
    from dpselect.analysis.value import value_law as value_law
    from dpselect.certificates.certificate import Certificate as Certificate
    from dpselect.certificates.composed import certificate as certificate
    from dpselect.client.server import connect as connect
    from dpselect.histograms.cumulative import Cumulative as Cumulative
    from dpselect.histograms.cumulative import cumulative as cumulative
    from dpselect.histograms.quantiles import percentiles as percentiles
    from dpselect.histograms.quantiles import quantile_method as quantile_method
    from dpselect.histograms.quantiles import quantiles as quantiles
    from dpselect.ledger import Ledger as Ledger
    from dpselect.ledger import budget as budget
    from dpselect.mechanisms.error_bound import ErrorBound as ErrorBound
    from dpselect.mechanisms.error_bound import NoBound as NoBound
    from dpselect.mechanisms.joint_top_k import joint_law as joint_law
    from dpselect.release.above_threshold import above_threshold as above_threshold
    from dpselect.release.above_threshold import threshold_bound as threshold_bound
    from dpselect.release.counts import Counts as Counts
    from dpselect.release.counts import counts as counts
    from dpselect.release.grouped_release import GroupedRelease as GroupedRelease
    from dpselect.release.keys import key_law as key_law
    from dpselect.release.keys import select_keys as select_keys
    from dpselect.release.median import median as median
    from dpselect.release.most_common import most_common as most_common
    from dpselect.release.threshold_stream import ThresholdAnswer as ThresholdAnswer
    from dpselect.release.threshold_stream import ThresholdStream as ThresholdStream
    from dpselect.release.top_k_by_group import top_k_by_group as top_k_by_group
    from dpselect.release.tuning import Tuned as Tuned
    from dpselect.release.tuning import TuningPlan as TuningPlan
    from dpselect.release.tuning import tune_privately as tune_privately
    from dpselect.release.tuning import tuning_plan as tuning_plan
    from dpselect.release.value import ReleasedValue as ReleasedValue
    from dpselect.release.value import release_value as release_value
    from dpselect.sources.candidates import Candidates as Candidates
    from dpselect.sources.tables import TableFile as TableFile
    from dpselect.sources.warehouse import Warehouse as Warehouse
    from dpselect.views import Column as Column
    from dpselect.views import DirectedGraph as DirectedGraph
    from dpselect.views import Graph as Graph
    from dpselect.views import StoredColumn as StoredColumn
    from dpselect.views import StoredGraph as StoredGraph
    from dpselect.views import TruncatedGraph as TruncatedGraph
    from dpselect.views import WeightedGraph as WeightedGraph
else:
    # Modules, and names in modules: what a selection from scores in memory does not need.
    _ROOMS = ("audit", "chooser", "histograms", "learn", "ledger", "papers", "utilities")
    _MODULES = {name: f"dpselect.{name}" for name in _ROOMS}
    _MODULES |= {name: f"dpselect.analysis.{name}" for name in ("compare", "metrics")}
    _INSIDE = {
        "analysis.charts.accuracy": ("accuracy_chart",),
        "analysis.charts.dampening": ("dampening_chart",),
        "analysis.charts.distance": ("sensitivity_chart",),
        "analysis.charts.error": ("chance_chart", "error_chart"),
        "analysis.charts.front": ("front_chart",),
        "analysis.charts.budget": ("budget_chart",),
        "analysis.charts.law": ("law_chart",),
        "analysis.charts.values": ("value_chart",),
        "analysis.plan": ("epsilon_for", "error_bound"),
        "analysis.plot_law": ("plot_law",),
        "analysis.recommend": ("Recommendation", "recommend", "tune"),
        "analysis.recommend_metric": ("MetricRecommendation", "recommend_metric"),
        "analysis.runs": ("price_of_runs",),
        "analysis.value": ("value_error", "value_law"),
        "certificates.certificate": ("Certificate",),
        "certificates.composed": ("certificate",),
        "client.server": ("connect",),
        "histograms.cumulative": ("Cumulative", "cumulative"),
        "histograms.quantiles": ("percentiles", "quantile_method", "quantiles"),
        "ledger": ("Ledger", "budget"),
        "mechanisms.joint_top_k": ("joint_law",),
        "mechanisms.error_bound": ("ErrorBound", "NoBound"),
        "release.above_threshold": ("above_threshold", "threshold_bound"),
        "release.counts": ("Counts", "counts"),
        "release.keys": ("key_law", "select_keys"),
        "release.median": ("median",),
        "release.grouped_release": ("GroupedRelease",),
        "release.most_common": ("most_common",),
        "release.threshold_stream": ("ThresholdAnswer", "ThresholdStream"),
        "release.top_k_by_group": ("top_k_by_group",),
        "release.tuning": ("Tuned", "TuningPlan", "tune_privately", "tuning_plan"),
        "release.value": ("ReleasedValue", "release_value"),
        "sources.candidates": ("Candidates",),
        "sources.tables": ("TableFile",),
        "sources.warehouse": ("Warehouse",),
        "views": ("Column", "DirectedGraph", "Graph", "StoredColumn", "StoredGraph", "TruncatedGraph", "WeightedGraph"),
    }
    _LATER = _MODULES | {name: f"dpselect.{module}" for module, names in _INSIDE.items() for name in names}

    # What the command line, or other libraries, call what Python calls otherwise here.
    _ELSEWHERE = {
        "above": "above_threshold",
        "hist": "counts",
        "histogram": "counts",
        "keys": "select_keys",
        "percentile": "percentiles",
        "plan": "epsilon_for",
        "quantile": "quantiles",
        "snp": "utilities.tdt",
        "train": "learn.DPTreeClassifier",
    }
    _COMMANDS = ("above", "keys", "percentile", "plan", "snp", "train")

    def _meant(name: str) -> str:
        """Return which public name is near to one that there is not, as the end of a message."""
        from difflib import get_close_matches

        near = [] if name.startswith("_") else get_close_matches(name, [*__all__, *_ROOMS], 1)
        near = [_ELSEWHERE[name]] if name in _ELSEWHERE else near
        command = f" On the command line it is dpselect {name}." if name in _COMMANDS else ""
        return f": did you mean dpselect.{near[0]}?{command}" if near else ""

    def __getattr__(name: str) -> Any:
        """Import what needs other libraries, or is rarely needed, when it is first used."""
        if name not in _LATER:
            raise AttributeError(f"module 'dpselect' has no attribute {name!r}{_meant(name)}")
        import importlib

        try:
            module = importlib.import_module(_LATER[name])
        except ImportError as error:
            from dpselect._optional import LEARNERS, missing

            if error.name is None or error.name.partition(".")[0] not in LEARNERS:
                raise
            raise missing(error, "chooser" if name == "chooser" else None) from None
        globals()[name] = module if name in _MODULES else _named_publicly(getattr(module, name))
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
