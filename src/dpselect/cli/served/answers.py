"""What a server answered, in the words of the verb that reads a file; nothing in it steers a terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpselect.cli import paths
from dpselect.cli.count_table import count_rows
from dpselect.cli.plan import facts_text, promise
from dpselect.cli.release import shown
from dpselect.cli.request import Request
from dpselect.cli.tables import Table
from dpselect.cli.verb import Answer
from dpselect.kernel.neighbours import PROTECTED_UNITS

if TYPE_CHECKING:
    from dpselect.queries import Plan
    from dpselect.release.release import Release

_FIGURES = ("probability", "error_below", "unit", "candidates")


# Questions whose answers have a heading each; of the others the order says the rank.
_HEADINGS: Mapping[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "median": lambda _: ["median"],
    "quantiles": lambda asked: [
        *(f"quantile {share:g}" for share in asked.get("q", ())),
        *(f"percentile {percent:g}" for percent in asked.get("p", ())),
    ],
}
_ORDER = "in order of selection"


def answered(request: Request, asked: Mapping[str, Any], answer: Release[Any]) -> Answer:
    """Return an answer in words and for programs.

    Raises:
        LookupError, TypeError, ValueError, AttributeError: it has another form.
    """
    if asked["query"] == "histogram":
        return _counts(request, asked, answer)
    if asked["query"] == "train":
        return _model(request, answer)
    return _groups(request, asked, answer) if asked.get("by") is not None else _candidates(request, asked, answer)


def _candidates(request: Request, asked: Mapping[str, Any], answer: Release[Any]) -> Answer:
    headings, winners = _headings(asked), answer._answer["candidates"]
    if headings is None:
        lines = [f"{rank:>3}  {shown(name)}" for rank, name in enumerate(winners, 1)]
    else:
        lines = [f"{title}: {shown(value)}" for title, value in zip(headings, winners, strict=True)]
    note = f"{_ORDER}; " if headings is None else ""
    return _ended(request, answer, lines, note, {"candidates": [*winners], **_further(request, asked)})


def _groups(request: Request, asked: Mapping[str, Any], answer: Release[Any]) -> Answer:
    groups, headings = answer._answer, _headings(asked)
    lines = [f"{shown(group)}: {', '.join(map(shown, winners))}" for group, winners in groups.items()]
    named = [{"group": group, "candidates": [*winners]} for group, winners in groups.items()]
    note = f"{_ORDER if headings is None else ', '.join(headings)}; "
    return _ended(request, answer, lines, note, {"groups": named, **_further(request, asked)})


def _headings(asked: Mapping[str, Any]) -> list[str] | None:
    return _HEADINGS[asked["query"]](asked) if asked["query"] in _HEADINGS else None


def _further(request: Request, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the verb that reads a file says of the question too."""
    if asked["query"] == "top_k":
        return {"metric": asked["metric"]}
    wanted = ("p", "q") if request.command == "quantiles" else ()
    return {name: [f"{each:g}" for each in asked[name]] for name in wanted if name in asked}


def _counts(request: Request, asked: Mapping[str, Any], answer: Release[Any]) -> Answer:
    """Return noisy counts as a table."""
    rows, table = count_rows(answer.value, grouped=asked.get("by") is not None)
    stated = accuracy(answer.certificate().content["accuracy"])
    more = {} if stated is None else {"every_count_within": math.ceil(stated["error_below"]) - 1}
    return _ended(request, answer, [table], "", {"counts": rows, **more})


def _model(request: Request, answer: Release[Any]) -> Answer:
    """Return what was learned, and write it where a file is named.

    Raises:
        Unsaved: it cannot be written; it is printed whole.
    """
    from dpselect.cli.verbs.train import described
    from dpselect.learn.export import as_json

    model = answer.value
    text = as_json(model)
    learned = [*map(str, model.feature_names_in_)]
    facts: dict[str, Any] = {"model": json.loads(text), "learned_from": learned, "chosen_because": None}
    note = f"learned from {', '.join(map(shown, learned))}; "
    if request.get("out") is not None:
        paths.keep(request.out, text.encode(), text)
        facts["written_to"] = str(request.out)
        note += f"written to {request.out}; "
    lines = [shown(line) for line in described(model).splitlines()]
    return _ended(request, answer, [*lines, ""], note, facts)


def cost(paid: Release[Any] | Plan) -> str:
    """Return a promise in words, with who is protected where the relation alone does not say it."""
    from dpselect.queries import Plan

    stated = paid.protects if isinstance(paid, Plan) else paid.certificate().content["guarantee"]["protects"]
    if stated is None or PROTECTED_UNITS[paid.guarantee.neighbours] == stated:
        return facts_text(paid.guarantee)
    return facts_text(paid.guarantee, protected=shown(stated.removeprefix("one ")))


def accuracy(stated: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return how wrong an answer may be, for programs; ``None`` where no bound is known."""
    if stated is None or stated.get("error_below") is None:
        return None
    return {name: stated.get(name) for name in _FIGURES}


def _ended(
    request: Request, answer: Release[Any], parts: Sequence[str | Table], note: str, facts: Mapping[str, Any]
) -> Answer:
    """Return the answer with what it cost, how wrong it may be, and where it was paid."""
    receipt = answer.receipt
    assert receipt is not None
    lines = [
        f"{note}{cost(answer)}, by {shown(answer.mechanism)}",
        shown(answer.error_bound.describe()),
        f"request {shown(receipt.request)}, row {receipt.ledger_row} of the ledger of {shown(request.dataset)}",
    ]
    known = {
        **facts,
        "mechanism": answer.mechanism,
        "guarantee": promise(answer.guarantee),
        "accuracy": accuracy(answer.certificate().content["accuracy"]),
        "accuracy_line": answer.error_bound.describe(),
        "server": request.server,
        "dataset": request.dataset,
        "request": receipt.request,
        "ledger_row": receipt.ledger_row,
        "key": receipt.key,
    }
    return replace(Answer.of([*parts, *lines], known), certificate=answer.certificate())
