"""dpselect counts --server: a noisy histogram of a column, over its public values or bins."""

from __future__ import annotations

from dpselect.cli.options import number, option
from dpselect.cli.request import Request
from dpselect.cli.served import question


def _named(request: Request) -> dict[str, object]:
    bins = [float(edge) for edge in request.bins] or None
    return {"column": request.column, "bins": bins, "by": request.by}


VERB = question.verb(
    "histogram",
    _named,
    (
        question.COLUMN,
        option(
            "--bins",
            type=number,
            several=True,
            metavar="EDGE...",
            help="of numbers: the edges of bins, such as 0 18 65 120; without them every step of the column is a bin",
        ),
        question.BY,
    ),
    "dpselect counts --server https://dp.example.org --dataset people --column job --epsilon 1\n"
    "dpselect counts --server https://dp.example.org --dataset people --column age --bins 0 18 65 120 --epsilon 1",
)
