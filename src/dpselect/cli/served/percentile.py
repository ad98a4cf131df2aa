"""dpselect percentile --server: a percentile of a column, of all rows or in each group."""

from __future__ import annotations

from dpselect.cli.options import number, option
from dpselect.cli.request import Request
from dpselect.cli.served import question


def _named(request: Request) -> dict[str, object]:
    from dpselect.utilities.shares import require_no_share

    require_no_share(request.p)
    return {"p": [request.p], "column": request.column, "by": request.by}


VERB = question.verb(
    "quantiles",
    _named,
    (
        question.COLUMN,
        option("--p", type=number, required=True, metavar="P", help="the percentage, 0 <= p <= 100, such as 90"),
        question.BY,
    ),
    "dpselect percentile --server https://dp.example.org --dataset people --column age --p 90 --epsilon 0.5",
)
