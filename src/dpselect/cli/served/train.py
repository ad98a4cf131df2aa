"""dpselect train --server: a private tree, forest or sum of small tables that a server learned."""

from __future__ import annotations

from dpselect.cli import paths
from dpselect.cli.options import BUDGET, flag, number, one_of, option, whole
from dpselect.cli.request import Request
from dpselect.cli.served import question

_MODELS = ("tree", "boosted", "id3", "forest")


def _named(request: Request) -> dict[str, object]:
    asked = ("target", "model", "delta", "max_depth", "rounds", "n_records")
    features = [*request.features] or None
    interactions = False if request.no_interactions else None
    return {name: getattr(request, name) for name in asked} | {"features": features, "interactions": interactions}


VERB = question.verb(
    "train",
    _named,
    (
        option("--target", required=True, metavar="COLUMN", help="the column to be predicted"),
        paths.output("--out", required=True, metavar="JSON", help="where to write the released model"),
        option(
            "--features",
            several=True,
            metavar="COLUMN...",
            help="the columns to learn from; all others where none are named",
        ),
        option(
            "--model",
            type=one_of(_MODELS),
            default=_MODELS[0],
            metavar="NAME",
            help=f"{', '.join(_MODELS)} (default {_MODELS[0]}); numbers are predicted by the first two",
        ),
        option(
            "--delta",
            type=number,
            panel=BUDGET,
            metavar="D",
            help="for boosted and forest: far below one over the number of records, such as 1e-6; without it they too "
            "spend nothing but epsilon",
        ),
        option("--max-depth", type=whole, metavar="N", help="levels of splits of a tree"),
        option("--rounds", type=whole, metavar="N", help="how many small tables a boosted model has"),
        flag("--no-interactions", "of a boosted model: one curve for each column"),
        option(
            "--n-records",
            type=whole,
            metavar="N",
            help="how many records there are, roughly, where that is public: nothing is spent to find out",
        ),
    ),
    "dpselect train --server https://dp.example.org --dataset people --target job --epsilon 1 --out model.json",
)
