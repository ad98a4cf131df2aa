"""dpselect above-threshold: compare named counts, one by one, with a public threshold."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import dpselect as dps
from dpselect.cli import paths, reading
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import RELATION, number, one_of, option, whole
from dpselect.cli.plan_text import facts_text, promise, state_error
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.cli.tables import ReleaseFacts
from dpselect.kernel.errors import InputError
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.release.above_threshold import NAME
from dpselect.release.sparse_vector import SparseVector, ThresholdAnswer
from dpselect.release.threshold_bound import error_bound_of_stream
from dpselect.release.threshold_rules import threshold_rules
from dpselect.sources import tables
from dpselect.sources.missing_column import no_column

_HALF = Fraction(1, 2)
# What a stream of integers is asked about: refused here, before anything is paid.
_MOST = 2**60
# Bounds of counts that doubles tell apart.
_WIDE = 2**50


def run(request: Request) -> CommandAnswer:
    """Ask in the order of the file, until the answers above have used up what was paid."""
    how = reading.of(request)
    reading.require_apart(request, request.value, "label", "thresholds")
    reading.require_public(request, request.value)
    _require_columns(request, how)
    names = tables.labels(request.file, request.label, reading=how)
    if not names:
        raise InputError(f"The public column {request.label!r} has no name: there is nothing to ask.")
    # A cell that is not a count is 0.
    column = dps.data.Column(tables.column(request.file, request.value, how), kind="integer")
    counts = column.values
    lines = _thresholds(request, len(names), how)
    rules: dict[str, Any] = {
        "positives": request.positives,
        "sensitivity": request.sensitivity,
        "range_bound": int(request.range_bound),
        "levels": () if request.margin is None else [(request.margin, _HALF)],
    }
    request.outcome.says(_error_bound(request, len(names), rules))
    reading.note_check(request, **{request.value: (-_WIDE, _WIDE)})
    book = accountant_of(request, threshold=str(request.thresholds or request.threshold))
    answers = []
    with dps.above_threshold(
        None, epsilon=request.epsilon, neighbours=request.neighbours, ledger=book, **rules
    ) as stream:
        for name, count, line in zip(names, counts.tolist(), lines, strict=True):
            if stream.has_ended:
                break
            answers.append((name, stream.ask(count, line)))
    return _stream_answer(request, answers, len(names), stream)


def _require_columns(request: Request, how: tables.FileOptions) -> None:
    """Refuse a file that lacks the column of names or that of counts (``ValueError``)."""
    there = tables.names(request.file, how)
    for option_, name in (("--label", request.label), ("--value", request.value)):
        if name not in there:
            raise InputError(f"{no_column(name, there, request.file)} Name the right one by {option_}.")


def _thresholds(request: Request, count: int, how: tables.FileOptions) -> list[int]:
    """Return a public threshold for every name, within the range of streams."""
    if (request.threshold is None) == (request.thresholds is None):
        raise InputError("Pass --threshold, or --thresholds with the public column that holds one for every name.")
    if request.thresholds is None:
        lines = [request.threshold] * count
    else:
        column = tables.table(request.file, [request.thresholds], how).get(request.thresholds)
        if column is None:
            raise InputError(f"The column {request.thresholds!r} does not exist: --thresholds names a public one.")
        try:
            lines = [int(str(cell)) for cell in column]
        except ValueError:
            raise InputError(
                f"--thresholds: not every cell of the public column {request.thresholds!r} is a whole number."
            ) from None
    if any(abs(line) > _MOST for line in lines):
        raise InputError("A threshold is beyond 2^60 in size: pass smaller ones.")
    return lines


def _error_bound(request: Request, names: int, rules: dict[str, Any]) -> ErrorBound:
    """Return what can be said of errors before anything is spent."""
    full = rules | {"kind": "integer", "neighbours": request.neighbours, "share": None}
    return error_bound_of_stream(threshold_rules(request.epsilon, **full), names)


def _stream_answer(
    request: Request, answers: list[tuple[Any, ThresholdAnswer]], names: int, stream: SparseVector
) -> CommandAnswer:
    width = max(len(str(name)) for name, _ in answers)
    lines = [
        f"{name!s:{width}}  {answer}{f', noisy gap {answer.gap}' if answer.above else ''}" for name, answer in answers
    ]
    if len(answers) < names:
        lines.append(f"{len(answers)} of {names} answered: the answers above have used up what was paid")
    guarantee = stream.rules.guarantee
    facts = {
        "answers": [
            {"name": name, "above": answer.above, "level": answer.level, "gap": answer.gap} for name, answer in answers
        ],
        "names": names,
        "mechanism": NAME,
        "guarantee": promise(guarantee),
        **state_error(request.outcome.error_bound),
    }
    price = f"{facts_text(guarantee)}, by {NAME}"
    return CommandAnswer.of([*lines, ReleaseFacts(price, request.outcome.error_bound.describe())], facts)


VERB = Command(
    run,
    (
        paths.input("file", help=f"{reading.FILES}, one line per public name, in the order of asking"),
        option("--label", default="name", metavar="COLUMN", help="the column of public names (default name)"),
        option("--value", default="count", metavar="COLUMN", help="the column of private counts (default count)"),
        option("--threshold", type=whole, metavar="N", help="the public threshold"),
        option("--thresholds", metavar="COLUMN", help="a public column with a threshold for every name instead"),
        option("--positives", type=whole, default=1, metavar="N", help="how many answers above to pay for (default 1)"),
        option(
            "--margin",
            type=number,
            metavar="N",
            help="counts that are above by this much or more, noise included, cost half: public",
        ),
        option(
            "--sensitivity",
            type=number,
            default=Fraction(1),
            metavar="S",
            help="how far one record can move one count: public (default 1)",
        ),
        option(
            "--range-bound",
            type=one_of((1, 2)),
            default="2",
            metavar="1|2",
            help="1 if one record moves all counts the same way (default 2)",
        ),
        RELATION,
        *reading.OPTIONS,
    ),
    "dpselect above-threshold counts.csv --threshold 1000 --positives 3 --range-bound 1 --epsilon 1",
    about="Protected: one record behind the counts, which moves none by more than --sensitivity. Names, their order "
    "and thresholds are public. Answers below cost nothing; asking ends when --positives answers above are paid.",
    spends=True,
)
