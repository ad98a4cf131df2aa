"""dpselect select --server: the best of the public values of a column, by counts or totals."""

from __future__ import annotations

from dpselect.cli.options import BUDGET, one_of, option, whole
from dpselect.cli.request import Request
from dpselect.cli.served import question

_SCORES = ("largest-count", "smallest-count", "largest-total", "smallest-total")
_MECHANISMS = ("permute-and-flip", "exponential", "noisy-max-laplace")


def _named(request: Request) -> dict[str, object]:
    asked = ("score", "candidate", "of", "k", "mechanism")
    return {name: getattr(request, name) for name in asked}


VERB = question.verb(
    "select",
    _named,
    (
        option("--candidate", required=True, metavar="COLUMN", help="the column whose public values are chosen among"),
        option(
            "--score",
            type=one_of(_SCORES),
            required=True,
            metavar="SCORE",
            help="what makes one the best: largest-count or smallest-count, of rows or persons, or largest-total or "
            "smallest-total of --of",
        ),
        option("--of", metavar="COLUMN", help="for a total: the column of numbers that is added up"),
        option("--k", type=whole, default=1, metavar="K", help="how many to name (default 1)"),
        option(
            "--mechanism",
            type=one_of(_MECHANISMS),
            panel=BUDGET,
            metavar="NAME",
            help=f"{', '.join(_MECHANISMS)} (default {_MECHANISMS[0]})",
        ),
    ),
    "dpselect select --server https://dp.example.org --dataset people --candidate job --score largest-total "
    "--of income --epsilon 1",
)
