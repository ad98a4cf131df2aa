"""Counts of what a question understands of the private rows, for the curator alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpselect.dataset import Dataset, DatasetCheck, check_dataset
from dpselect.queries.base import Query


def question_check(query: Query[Any], dataset: Dataset) -> DatasetCheck:
    """Return what is understood of the columns, or of the edges, that a question is about. Nothing is spent.

    Its counts are exact and private: show them to the curator alone.

    Raises:
        ValueError: it is not a query about this dataset.
        OSError, ImportError: the source cannot be read.

    >>> from dpselect.queries import Median
    >>> columns = {"income": {"lower": 0, "upper": 90_000}, "job": ["nurse", "smith"]}
    >>> rows = Dataset.of({"income": ["1200", "2.420,34", "1.980,00"], "job": ["nurse"] * 3}, columns=columns)
    >>> question_check(Median("income", epsilon=1), rows).first_line
    'private, for you alone: 2 of 3 cells of income were not read as numbers'
    """
    query.size(dataset)
    if dataset.graph is not None:
        return check_dataset(dataset)
    return check_dataset(replace(dataset, columns={name: dataset.columns[name] for name in _asked(query, dataset)}))


def _asked(query: Query[Any], dataset: Dataset) -> list[str]:
    """Return the columns that the fields of a query name, each once; all there may be where a list is left out."""
    named: list[str] = []
    for name, kind in query.kinds().items():
        value = getattr(query, name)
        if kind.control == "columns":
            every = [each for each, domain in dataset.columns.items() if kind.takes(domain)]
            named += every if value is None else value
        elif kind.control == "column" and value is not None:
            named.append(value)
    return [*dict.fromkeys(named)]
