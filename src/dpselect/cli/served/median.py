"""dpselect median --server: the median of a column, of all rows or in each group."""

from __future__ import annotations

from dpselect.cli.request import Request
from dpselect.cli.served import question


def _named(request: Request) -> dict[str, object]:
    return {"column": request.column, "by": request.by}


VERB = question.verb(
    "median",
    _named,
    (question.COLUMN, question.BY),
    "dpselect median --server https://dp.example.org --dataset people --column age --epsilon 0.5",
)
