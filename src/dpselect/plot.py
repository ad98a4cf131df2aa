"""Charts of laws, errors, sensitivities and budgets, for public data."""

from typing import TYPE_CHECKING, Any

from dpselect.analysis.charts.budget_chart import budget_chart as budget_chart
from dpselect.analysis.charts.dampening import dampening_chart as dampening_chart
from dpselect.analysis.charts.distance import sensitivity_chart as sensitivity_chart
from dpselect.analysis.charts.error import chance_chart as chance_chart
from dpselect.analysis.charts.error import error_chart as error_chart
from dpselect.analysis.charts.front import front_chart as front_chart
from dpselect.analysis.charts.pmf_chart import pmf_chart as pmf_chart
from dpselect.analysis.charts.risk import risk_chart as risk_chart
from dpselect.analysis.charts.values import value_chart as value_chart
from dpselect.analysis.plot_pmf import plot_pmf as plot_pmf

__all__ = [
    "accuracy_chart",
    "budget_chart",
    "chance_chart",
    "dampening_chart",
    "error_chart",
    "front_chart",
    "plot_pmf",
    "pmf_chart",
    "risk_chart",
    "sensitivity_chart",
    "value_chart",
]

if TYPE_CHECKING:
    from dpselect.analysis.charts.accuracy_chart import accuracy_chart as accuracy_chart
else:

    def __getattr__(name: str) -> Any:
        """Import what needs scikit-learn when it is first used."""
        if name != "accuracy_chart":
            raise AttributeError(f"module 'dpselect.plot' has no attribute {name!r}")
        from dpselect._optional import missing

        try:
            from dpselect.analysis.charts.accuracy_chart import accuracy_chart
        except ImportError as error:
            raise missing(error, "learn") from None
        return accuracy_chart
