"""Choose privately: selection under differential privacy, with exact sampling.

All public names are listed below; start with ``Scores``, ``mechanism`` and ``select``.
"""

from typing import TYPE_CHECKING, Any

from dpselect._public import named_publicly as _named_publicly
from dpselect._version import VERSION
from dpselect.kernel.errors import BudgetError, DPSelectError, PrivacyError

__version__ = VERSION
__all__ = [
    "BudgetError",
    "Certificate",
    "DPSelectError",
    "Dataset",
    "ErrorBound",
    "Graph",
    "Guarantee",
    "Ledger",
    "PrivacyError",
    "Release",
    "Scores",
    "Sensitivity",
    "above_threshold",
    "accuracy",
    "audit",
    "best",
    "budget",
    "connect",
    "counts",
    "data",
    "epsilon_for",
    "error_bound",
    "learn",
    "mechanism",
    "mechanisms",
    "median",
    "most_common",
    "open",
    "open_session",
    "partitions",
    "plot",
    "quantiles",
    "queries",
    "recommend",
    "release_value",
    "select",
    "sensitivity",
    "synthesize",
    "top_k",
    "top_k_by_group",
    "utilities",
]

if TYPE_CHECKING:
    # Type checkers see these and no others, so that a slip in a name is an error.
    from dpselect import accuracy as accuracy
    from dpselect import adaptive as adaptive
    from dpselect import audit as audit
    from dpselect import data as data
    from dpselect import formulas as formulas
    from dpselect import histograms as histograms
    from dpselect import interop as interop
    from dpselect import learn as learn
    from dpselect import ledger as ledger
    from dpselect import mechanisms as mechanisms
    from dpselect import multiobjective as multiobjective
    from dpselect import papers as papers
    from dpselect import plot as plot
    from dpselect import queries as queries
    from dpselect import synthesis as synthesis
    from dpselect import tuning as tuning
    from dpselect import utilities as utilities
    from dpselect.analysis.epsilon_plan import epsilon_for as epsilon_for
    from dpselect.analysis.epsilon_plan import error_bound as error_bound
    from dpselect.analysis.recommend import recommend as recommend
    from dpselect.certificates.certificate import Certificate as Certificate
    from dpselect.client.server import connect as connect
    from dpselect.dataset import Dataset as Dataset
    from dpselect.histograms.quantile_methods import quantiles as quantiles
    from dpselect.kernel.guarantee import Guarantee as Guarantee
    from dpselect.ledger import Ledger as Ledger
    from dpselect.ledger import budget as budget
    from dpselect.mechanisms import mechanism as mechanism
    from dpselect.mechanisms.error_bound import ErrorBound as ErrorBound
    from dpselect.queries.local import open as open
    from dpselect.release.above_threshold import above_threshold as above_threshold
    from dpselect.release.best import best as best
    from dpselect.release.counts import counts as counts
    from dpselect.release.median import median as median
    from dpselect.release.most_common import most_common as most_common
    from dpselect.release.open_session import open_session as open_session
    from dpselect.release.partition_selection import partitions as partitions
    from dpselect.release.release import Release as Release
    from dpselect.release.select import select as select
    from dpselect.release.select import top_k as top_k
    from dpselect.release.top_k_by_group import top_k_by_group as top_k_by_group
    from dpselect.release.value import release_value as release_value
    from dpselect.scores import sensitivity as sensitivity
    from dpselect.scores.scores import Scores as Scores
    from dpselect.scores.sensitivity import Sensitivity as Sensitivity
    from dpselect.synthesis.synthesize import synthesize as synthesize
    from dpselect.views import Graph as Graph
else:
    # Modules, and names in modules, which are imported when they are first used: a page of help needs none of them.
    _MODULES = {
        "accuracy",
        "audit",
        "data",
        "learn",
        "ledger",
        "mechanisms",
        "multiobjective",
        "papers",
        "plot",
        "queries",
        "synthesis",
        "utilities",
        "adaptive",
        "formulas",
        "histograms",
        "interop",
        "tuning",
    }
    _MODULE_OF = {
        "Certificate": "certificates.certificate",
        "Dataset": "dataset",
        "ErrorBound": "mechanisms.error_bound",
        "Graph": "views",
        "Guarantee": "kernel.guarantee",
        "Ledger": "ledger",
        "Release": "release.release",
        "Scores": "scores.scores",
        "Sensitivity": "scores.sensitivity",
        "above_threshold": "release.above_threshold",
        "best": "release.best",
        "budget": "ledger",
        "connect": "client.server",
        "counts": "release.counts",
        "epsilon_for": "analysis.epsilon_plan",
        "error_bound": "analysis.epsilon_plan",
        "mechanism": "mechanisms",
        "median": "release.median",
        "most_common": "release.most_common",
        "open": "queries.local",
        "open_session": "release.open_session",
        "partitions": "release.partition_selection",
        "quantiles": "histograms.quantile_methods",
        "recommend": "analysis.recommend",
        "release_value": "release.value",
        "select": "release.select",
        "sensitivity": "scores.sensitivity",
        "synthesize": "synthesis.synthesize",
        "top_k": "release.select",
        "top_k_by_group": "release.top_k_by_group",
    }

    # What the command line, or other libraries, call what Python calls otherwise here.
    _ELSEWHERE = {
        "above": "above_threshold",
        "hist": "counts",
        "histogram": "counts",
        "keys": "partitions",
        "percentile": "quantiles",
        "percentiles": "quantiles",
        "plan": "epsilon_for",
        "published_system": "papers",
        "quantile": "quantiles",
        "snp": "utilities.tdt",
        "train": "learn.DPTreeClassifier",
    }
    _COMMANDS = ("above", "keys", "percentile", "plan", "snp", "train")

    # Where names stand that are not here.
    _ROOMS = (
        "accuracy",
        "data",
        "formulas",
        "histograms",
        "interop",
        "mechanisms",
        "multiobjective",
        "plot",
        "queries",
        "synthesis",
        "tuning",
        "utilities",
    )

    def _meant(name: str) -> str:
        """Return which public name is near to one that there is not, as the end of a message."""
        import importlib.util
        from difflib import get_close_matches

        if importlib.util.find_spec(f"dpselect.{name}"):
            # Python imports the module next.
            return ""
        rooms = [room for room in _ROOMS if name in importlib.import_module(f"dpselect.{room}").__all__]
        near = [f"{room}.{name}" for room in rooms] or get_close_matches(name, [*__all__, *_MODULES], 1)
        near = [_ELSEWHERE[name]] if name in _ELSEWHERE else near
        command = f" On the command line it is dpselect {name}." if name in _COMMANDS else ""
        return f": did you mean dpselect.{near[0]}?{command}" if near else ""

    def __getattr__(name: str) -> Any:
        """Import a name when it is first used."""
        if name not in _MODULES and name not in _MODULE_OF:
            meant = "" if name.startswith("_") else _meant(name)
            raise AttributeError(f"module 'dpselect' has no attribute {name!r}{meant}")
        import importlib

        try:
            module = importlib.import_module(f"dpselect.{_MODULE_OF.get(name, name)}")
        except ImportError as error:
            from dpselect._optional import LEARNERS, missing

            if error.name is None or error.name.partition(".")[0] not in LEARNERS:
                raise
            raise missing(error, "chooser" if name == "adaptive" else None) from None
        globals()[name] = module if name in _MODULES or name == "sensitivity" else getattr(module, name)
        _named_publicly(__name__, globals(), [name])
        return globals()[name]

    def __dir__() -> list[str]:
        return [*__all__]
