"""dpselect median --server: the median of a column, of all rows or in each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpselect.cli.request import Request
from dpselect.cli.served import question
from dpselect.cli.verb import Answer

if TYPE_CHECKING:
    from dpselect.client.answer import Answer as Answered


def _named(request: Request) -> dict[str, object]:
    return {"column": request.column, "by": request.by}


def _answered(request: Request, answer: Answered) -> Answer:
    from dpselect.cli.served.answers import candidates

    return candidates(request, answer, ["median"])


VERB = question.verb(
    "median",
    _named,
    _answered,
    (question.COLUMN, question.BY),
    "dpselect median --server https://dp.example.org --dataset people --column age --epsilon 0.5",
)
