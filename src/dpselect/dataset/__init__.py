"""Descriptions of private tables and graphs: public facts, written once, that every question is asked by."""

from dpselect.dataset.curator_check import DatasetCheck, checked
from dpselect.dataset.description import Dataset
from dpselect.dataset.parts import BudgetLimits, DatasetError, DateDomain, NumericDomain, WeightColumn
from dpselect.dataset.skeleton import skeleton

__all__ = [
    "BudgetLimits",
    "Dataset",
    "DatasetCheck",
    "DatasetError",
    "DateDomain",
    "NumericDomain",
    "WeightColumn",
    "checked",
    "skeleton",
]
