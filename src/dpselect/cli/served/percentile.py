"""dpselect percentile --server: a percentile of a column, of all rows or in each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpselect.cli.options import number, option
from dpselect.cli.request import Request
from dpselect.cli.served import question
from dpselect.cli.verb import Answer

if TYPE_CHECKING:
    from dpselect.client.answer import Answer as Answered


def _named(request: Request) -> dict[str, object]:
    from dpselect.utilities.shares import percent, require_no_share

    require_no_share(request.p)
    return {"shares": [percent(request.p)], "column": request.column, "by": request.by}


def _answered(request: Request, answer: Answered) -> Answer:
    from dpselect.cli.served.answers import candidates

    return candidates(request, answer, [f"percentile {float(request.p):g}"])


VERB = question.verb(
    "quantiles",
    _named,
    _answered,
    (
        question.COLUMN,
        option("--p", type=number, required=True, metavar="P", help="the percentage, 0 <= p <= 100, such as 90"),
        question.BY,
    ),
    "dpselect percentile --server https://dp.example.org --dataset people --column age --p 90 --epsilon 0.5",
)
