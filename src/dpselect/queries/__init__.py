"""Queries: one frozen, typed object for each question about a described dataset, and datasets that answer them."""

from dpselect.queries import kinds
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.best import BestGroups
from dpselect.queries.histogram import Histogram
from dpselect.queries.kinds import FieldKind, argument
from dpselect.queries.local import LocalDataset
from dpselect.queries.median import Median
from dpselect.queries.most_common import MostCommon
from dpselect.queries.plan import Plan, PrivateRows, SyntheticRows, plan_of
from dpselect.queries.publication import Publication, PublicationAnswers, PublicationError, PublicationPlan
from dpselect.queries.quantiles import Quantiles
from dpselect.queries.registry import QUERIES, DatasetMethods, query_of
from dpselect.queries.select import Select
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
    "TopK",
    "Train",
    "argument",
    "kinds",
    "plan_of",
    "query_of",
]
