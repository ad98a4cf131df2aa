"""dpselect quantiles --server: several quantiles of a column under one budget."""

from __future__ import annotations

from dpselect.cli.options import number, option
from dpselect.cli.request import Request
from dpselect.cli.served import question


def _named(request: Request) -> dict[str, object]:
    return {"q": request.q or None, "p": request.p or None, "column": request.column, "by": request.by}


VERB = question.verb(
    "quantiles",
    _named,
    (
        question.COLUMN,
        option("--p", type=number, several=True, metavar="P...", help="the percentages, such as 25 50 75"),
        option("--q", type=number, several=True, metavar="Q...", help="the same as shares, such as 1/4 1/2 3/4"),
        question.BY,
    ),
    "dpselect quantiles --server https://dp.example.org --dataset people --column age --p 25 50 75 --epsilon 1",
)
