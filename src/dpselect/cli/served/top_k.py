"""dpselect top-k --server: the nodes of a graph that are largest by a metric."""

from __future__ import annotations

from dpselect.cli.options import one_of, option, whole
from dpselect.cli.request import Request
from dpselect.cli.served import question

_METRICS = ("degree", "core-number", "ego-density", "triangles")


def _named(request: Request) -> dict[str, object]:
    return {"metric": request.metric, "k": request.k}


VERB = question.verb(
    "top_k",
    _named,
    (
        option(
            "--metric",
            type=one_of(_METRICS),
            required=True,
            metavar="NAME",
            help=f"what nodes are ranked by: {', '.join(_METRICS)}",
        ),
        option("--k", type=whole, default=1, metavar="K", help="how many nodes to name (default 1)"),
    ),
    "dpselect top-k --server https://dp.example.org --dataset friends --metric degree --k 3 --epsilon 1",
)
