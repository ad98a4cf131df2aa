"""Choose privately: selection under differential privacy, with exact sampling.

The whole public vocabulary is the list below; start with ``Scores``, ``mechanism`` and ``select``.
"""

from typing import Any

from dpselect import audit, compare, ledger, mechanisms, metrics, utilities
from dpselect.core import sensitivity
from dpselect.core.accuracy import error_tail, error_tail_bound, expected_error, expected_error_bound
from dpselect.core.combine import aggregate, pareto
from dpselect.core.errors import BudgetError, PrivacyError
from dpselect.core.guarantee import Guarantee
from dpselect.core.mechanism import Mechanism
from dpselect.core.neighbours import Neighbours
from dpselect.core.release import Release, select, top_k
from dpselect.core.scores import Scores, UnitScores
from dpselect.core.sensitivity import Sensitivity
from dpselect.ledger import Ledger, budget
from dpselect.mechanisms import mechanism
from dpselect.objectives import priv_agg, priv_pareto
from dpselect.quantiles import quantiles
from dpselect.recommend import Recommendation, recommend
from dpselect.sources.candidates import Candidates
from dpselect.sources.warehouse import Warehouse
from dpselect.views import Column, Graph, StoredColumn, StoredGraph

__all__ = [
    "BudgetError",
    "Candidates",
    "Column",
    "Graph",
    "Guarantee",
    "Ledger",
    "Mechanism",
    "Neighbours",
    "PrivacyError",
    "Recommendation",
    "Release",
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
    "metrics",
    "pareto",
    "priv_agg",
    "priv_pareto",
    "quantiles",
    "recommend",
    "select",
    "sensitivity",
    "top_k",
    "utilities",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import ``dpselect.learn`` when it is first used: it needs scikit-learn, which takes long to load."""
    if name == "learn":
        import importlib

        try:
            return importlib.import_module("dpselect.learn")
        except ImportError as error:
            if error.name is not None and error.name.startswith(("sklearn", "narwhals")):
                raise ImportError(
                    'dpselect.learn needs scikit-learn: python -m pip install "dpselect[learn]".'
                ) from None
            raise
    raise AttributeError(f"module 'dpselect' has no attribute {name!r}")
