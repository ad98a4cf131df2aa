"""Queries that SQL may become, and their fields that it has no word for."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from dpselect.queries.base import Query
from dpselect.queries.best import BestGroups
from dpselect.queries.histogram import Histogram
from dpselect.queries.median import Median
from dpselect.queries.most_common import MostCommon
from dpselect.queries.partitions import Partitions
from dpselect.queries.quantiles import Quantiles
from dpselect.queries.select import Select

KINDS: tuple[type[Query[Any]], ...] = (BestGroups, Quantiles, Histogram, Median, MostCommon, Partitions, Select)
# What SQL says itself, or never asks for.
SAID = frozenset({"column", "candidate", "score", "of", "by", "q", "p", "k", "order", "groups_per_person"})
EXPLAIN = re.compile(r"\s*EXPLAIN\s", re.IGNORECASE | re.ASCII)
# Where rows are described by somebody else.
NO_CONDITION = "A server answers about the rows that its curator describes: leave WHERE out."


def options() -> dict[str, dataclasses.Field[Any]]:
    """Return the fields that are asked for beside SQL, by their names; epsilon is one of every query."""
    fields = {name: each for kind in reversed(KINDS) for name, each in kind.fields().items()}
    return {name: each for name, each in fields.items() if name not in SAID and name != "epsilon"}
