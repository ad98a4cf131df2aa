"""dpselect most-common --server: the items that most different persons, or most rows, have."""

from __future__ import annotations

from dpselect.cli.options import option, whole
from dpselect.cli.request import Request
from dpselect.cli.served import question


def _named(request: Request) -> dict[str, object]:
    return {"k": request.k, "column": request.item}


VERB = question.verb(
    "most_common",
    _named,
    (
        option("--item", required=True, metavar="COLUMN", help="the column of items"),
        option("--k", type=whole, default=1, metavar="K", help="how many items to name (default 1)"),
    ),
    "dpselect most-common --server https://dp.example.org --dataset visits --item ward --k 2 --epsilon 1",
)
