"""Problems that mechanisms are compared by: a percentile, the median, genetic markers, nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import dpselect as dps
from dpselect.cli import query_commands
from dpselect.cli.commands import snp
from dpselect.cli.options import Argument, CommandOption, number, option
from dpselect.cli.request import Request
from dpselect.queries import Median, PrivateRows, TopK
from dpselect.queries.columns import bounds

_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Problem:
    """One kind of problem.

    Attributes:
        options: say which data are read.
        scores: returns scores by their names.
    """

    options: Sequence[CommandOption | Argument]
    scores: Callable[[Request], dict[str, dps.Scores]]


def _ranks(request: Request) -> dict[str, dps.Scores]:
    dataset = query_commands.dataset_of(request, Median)
    share = request.get("p", 100 * _HALF)
    values = PrivateRows(dataset).column(request.column)
    return {"rank": dps.utilities.percentile(values, share, **bounds(dataset, request.column))}


def _nodes(request: Request) -> dict[str, dps.Scores]:
    query, data = nodes_of(request)
    return {query.facts(data.dataset)["metric"]: query.scores(data)}


def nodes_of(request: Request) -> tuple[TopK, PrivateRows]:
    """Return the query about nodes that a command line asks, and the graph."""
    request.epsilon = 1
    query: Any = query_commands.query_of(request, TopK)
    return query, PrivateRows(query_commands.dataset_of(request, TopK), request.workers)


_P = option("--p", type=number, required=True, metavar="P", help="the percentage, 0 <= p <= 100, such as 90 or 99.9")
_COLUMN = tuple(each for each in query_commands.options_of(Median) if each.name not in ("by", "groups", "mechanism"))
_NODES = tuple(each for each in query_commands.options_of(TopK) if each.name not in ("mechanism", "method", "margin"))
PROBLEMS = {
    "percentile": Problem((*_COLUMN, _P), _ranks),
    "median": Problem(_COLUMN, _ranks),
    "snp": Problem(snp.DATA, snp.scores),
    "top-k": Problem(_NODES, _nodes),
}
