"""Choose privately: selection under differential privacy, with exact sampling.

The whole public vocabulary is the list below; start with ``Scores``, ``mechanism`` and ``select``.
"""

from types import FunctionType
from typing import TYPE_CHECKING, Any

from dpselect import ledger, mechanisms, utilities
from dpselect.analysis.accuracy import error_tail, error_tail_bound, expected_error, expected_error_bound
from dpselect.analysis.recommend import Recommendation, recommend
from dpselect.analysis.value import value_error, value_law
from dpselect.kernel.bound import Bound
from dpselect.kernel.errors import BudgetError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.units import UnitScores
from dpselect.ledger import Ledger, budget
from dpselect.mechanisms import mechanism
from dpselect.mechanisms.kinds import Mechanism
from dpselect.release.draws import Draws
from dpselect.release.median import median
from dpselect.release.opendp import to_opendp
from dpselect.release.opened import opened
from dpselect.release.quantiles import percentiles, quantiles
from dpselect.release.select import Release, select, top_k
from dpselect.release.several_objectives import priv_agg, priv_pareto
from dpselect.release.value import ReleasedValue, release_value
from dpselect.scores import sensitivity
from dpselect.scores.combine import aggregate, pareto
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Sensitivity
from dpselect.sources.candidates import Candidates
from dpselect.sources.warehouse import Warehouse
from dpselect.views import Column, Graph, StoredColumn, StoredGraph

__all__ = [
    "Bound",
    "BudgetError",
    "Candidates",
    "Column",
    "Draws",
    "Graph",
    "Guarantee",
    "Ledger",
    "Mechanism",
    "Neighbours",
    "PrivacyError",
    "Recommendation",
    "Release",
    "ReleasedValue",
    "Scores",
    "Sensitivity",
    "StoredColumn",
    "StoredGraph",
    "UnitScores",
    "Warehouse",
    "aggregate",
    "audit",
    "budget",
    "compare",
    "error_tail",
    "error_tail_bound",
    "expected_error",
    "expected_error_bound",
    "ledger",
    "mechanism",
    "mechanisms",
    "median",
    "metrics",
    "opened",
    "pareto",
    "percentiles",
    "priv_agg",
    "priv_pareto",
    "published",
    "quantiles",
    "recommend",
    "release_value",
    "select",
    "sensitivity",
    "to_opendp",
    "top_k",
    "utilities",
    "value_error",
    "value_law",
]
__version__ = "0.1.0"


for _public in [globals()[_name] for _name in __all__ if _name in globals()]:
    # Tracebacks, help and pickles name what users import: dpselect.BudgetError.
    if isinstance(_public, (type, FunctionType)) and _public.__module__.startswith("dpselect."):
        _public.__module__ = "dpselect"

if TYPE_CHECKING:
    # Type checkers see these and no others, so that a slip in a name is an error.
    from dpselect import audit as audit
    from dpselect import chooser as chooser
    from dpselect import histograms as histograms
    from dpselect import learn as learn
    from dpselect import published as published
    from dpselect.analysis import compare as compare
    from dpselect.analysis import metrics as metrics
else:
    _LATER = {name: f"dpselect.{name}" for name in ("audit", "chooser", "histograms", "learn", "published")}
    _LATER |= {name: f"dpselect.analysis.{name}" for name in ("compare", "metrics")}

    def __getattr__(name: str) -> Any:
        """Import the modules that need other libraries, or are rarely needed, when they are first used."""
        if name in _LATER:
            import importlib

            try:
                module = importlib.import_module(_LATER[name])
            except ImportError as error:
                if error.name is not None and error.name.startswith(("sklearn", "narwhals", "joblib")):
                    raise ImportError(
                        f'dpselect.{name} needs scikit-learn: python -m pip install "dpselect[{name}]".'
                    ) from None
                raise
            globals()[name] = module
            return module
        raise AttributeError(f"module 'dpselect' has no attribute {name!r}")
