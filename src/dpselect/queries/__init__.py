"""Queries: one frozen, typed object for each question about a described dataset, and datasets that answer them.

Pages of help and forms read the fields of queries alone, so whatever answers them is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpselect.queries import field_kinds as field_kinds
    from dpselect.queries.base import Query, QueryData, QueryError
    from dpselect.queries.best import BestGroups
    from dpselect.queries.field_kinds import FieldKind, argument
    from dpselect.queries.histogram import Histogram
    from dpselect.queries.local import LocalDataset
    from dpselect.queries.median import Median
    from dpselect.queries.most_common import MostCommon
    from dpselect.queries.partitions import Partitions
    from dpselect.queries.plan import Plan, PrivateRows, SyntheticRows, plan_of
    from dpselect.queries.publication import Publication, PublicationAnswers, PublicationError, PublicationPlan
    from dpselect.queries.quantiles import Quantiles
    from dpselect.queries.registry import QUERIES, DatasetMethods, query_of
    from dpselect.queries.select import Select
    from dpselect.queries.synthesize import SyntheticTable
    from dpselect.queries.top_k import TopK
    from dpselect.queries.train import Train

__all__ = [
    "QUERIES",
    "BestGroups",
    "DatasetMethods",
    "FieldKind",
    "Histogram",
    "LocalDataset",
    "Median",
    "MostCommon",
    "Partitions",
    "Plan",
    "PrivateRows",
    "Publication",
    "PublicationAnswers",
    "PublicationError",
    "PublicationPlan",
    "Quantiles",
    "Query",
    "QueryData",
    "QueryError",
    "Select",
    "SyntheticRows",
    "SyntheticTable",
    "TopK",
    "Train",
    "argument",
    "field_kinds",
    "plan_of",
    "query_of",
]
_MODULES = {
    "base": ("Query", "QueryData", "QueryError"),
    "field_kinds": ("FieldKind", "argument"),
    "local": ("LocalDataset",),
    "plan": ("Plan", "PrivateRows", "SyntheticRows", "plan_of"),
    "publication": ("Publication", "PublicationAnswers", "PublicationError", "PublicationPlan"),
    "registry": ("QUERIES", "DatasetMethods", "query_of"),
    "best": ("BestGroups",),
    "histogram": ("Histogram",),
    "median": ("Median",),
    "most_common": ("MostCommon",),
    "partitions": ("Partitions",),
    "quantiles": ("Quantiles",),
    "select": ("Select",),
    "synthesize": ("SyntheticTable",),
    "top_k": ("TopK",),
    "train": ("Train",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import what is named when it is first used."""
    if name == "field_kinds":
        return import_module(f"{__name__}.field_kinds")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return globals()[name]
