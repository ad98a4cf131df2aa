"""dpselect quantiles --server: several quantiles of a column under one budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpselect.cli.options import number, option
from dpselect.cli.request import Request
from dpselect.cli.served import question
from dpselect.cli.verb import Answer

if TYPE_CHECKING:
    from dpselect.client.answer import Answer as Answered


def _named(request: Request) -> dict[str, object]:
    from dpselect.utilities.shares import shares_of, shares_of_percentages

    if bool(request.p) == bool(request.shares):
        raise ValueError("Which quantiles? Pass either --p, percentages such as 25 50 75, or --shares, such as 0.25.")
    shares = shares_of_percentages(request.p) if request.p else shares_of(request.shares)
    return {"shares": shares, "column": request.column, "by": request.by}


def _answered(request: Request, answer: Answered) -> Answer:
    from dpselect.cli.served.answers import candidates

    noun, name = ("percentile", "p") if request.p else ("quantile", "shares")
    written = [f"{float(each):g}" for each in getattr(request, name)]
    asked: dict[str, Any] = {name: written}
    return candidates(request, answer, [f"{noun} {each}" for each in written], **asked)


VERB = question.verb(
    "quantiles",
    _named,
    _answered,
    (
        question.COLUMN,
        option("--p", type=number, several=True, metavar="P...", help="the percentages, such as 25 50 75"),
        option("--shares", type=number, several=True, metavar="S...", help="the same as shares, such as 1/4 1/2 3/4"),
        question.BY,
    ),
    "dpselect quantiles --server https://dp.example.org --dataset people --column age --p 25 50 75 --epsilon 1",
)
