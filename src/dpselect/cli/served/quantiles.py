"""dpselect quantiles --server: several quantiles of a column under one budget."""

from __future__ import annotations

from dpselect.cli.options import number, option
from dpselect.cli.request import Request
from dpselect.cli.served import question


def _question(request: Request) -> str:
    if bool(request.p) == bool(request.shares):
        raise ValueError("Which quantiles? Pass either --p, percentages such as 25 50 75, or --shares, such as 0.25.")
    return "percentiles" if request.p else "quantiles"


def _named(request: Request) -> dict[str, object]:
    asked = {"p": request.p} if request.p else {"shares": request.shares}
    return {**asked, "column": request.column, "by": request.by}


VERB = question.verb(
    _question,
    _named,
    (
        question.COLUMN,
        option("--p", type=number, several=True, metavar="P...", help="the percentages, such as 25 50 75"),
        option("--shares", type=number, several=True, metavar="S...", help="the same as shares, such as 1/4 1/2 3/4"),
        question.BY,
    ),
    "dpselect quantiles --server https://dp.example.org --dataset people --column age --p 25 50 75 --epsilon 1",
)
