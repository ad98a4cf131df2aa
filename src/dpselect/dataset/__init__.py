"""Descriptions of private tables and graphs: public facts, written once, that every question is asked by.

Pages of help read the fields of a description alone, so the rest is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpselect.dataset.curator_check import DatasetCheck, check_dataset
    from dpselect.dataset.description import Dataset
    from dpselect.dataset.description_parts import BudgetLimits, DatasetError, DateDomain, NumericDomain, WeightColumn
    from dpselect.dataset.skeleton import skeleton

__all__ = [
    "BudgetLimits",
    "Dataset",
    "DatasetCheck",
    "DatasetError",
    "DateDomain",
    "NumericDomain",
    "WeightColumn",
    "check_dataset",
    "skeleton",
]
_MODULE_OF = {
    "Dataset": "description",
    "DatasetCheck": "curator_check",
    "check_dataset": "curator_check",
    "skeleton": "skeleton",
} | dict.fromkeys(("BudgetLimits", "DatasetError", "DateDomain", "NumericDomain", "WeightColumn"), "description_parts")


def __getattr__(name: str) -> Any:
    """Import what is named when it is first used."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return globals()[name]
