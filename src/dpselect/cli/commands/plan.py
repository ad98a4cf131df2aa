"""dpselect plan: which epsilon is needed, or what an epsilon gives, whatever the data. It reads none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

import dpselect as dps
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import epsilon, number, one_of, option, whole
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError
from dpselect.kernel.format_exact import format_exact
from dpselect.mechanisms.error_bound import with_chance
from dpselect.mechanisms.joint_top_k import JOINT, joint_question
from dpselect.mechanisms.worst_case import ordinal, rounded_up
from dpselect.release.by_group import UNIT

# Mechanism and method of each row; the method matters for lists only.
_CHOICES = (("permute-and-flip", None), ("exponential", None))
_LISTS = (
    ("permute-and-flip", "one-shot"), ("exponential", "peeling"),
    ("exponential", JOINT),
)  # fmt: skip
_PROBABILITY = Fraction(19, 20)
# Of more candidates it is not asked whether a joint list can be drawn.
_MOST = 10**6
# What the columns of the table are called.
_TITLES = {
    "epsilon": "epsilon",
    "error_below": "error below",
    "expected_error": "expected",
    "probability_of_error": "probability at most",
}


def run(request: Request) -> CommandAnswer:
    """Return the table."""
    if request.error is None and request.epsilon is None:
        raise InputError(
            "What is the question? Pass --error for the epsilon that it takes, or --epsilon for what it gives."
        )
    if None not in (request.error, request.epsilon, request.probability):
        raise InputError("--error, --epsilon and --probability are one too many: leave out what is to be found.")
    public = _public(request)
    chosen = _PROBABILITY if request.probability is None else request.probability
    rows = [named | _figures(request, chosen, public | named) for named in _comparison_rows(request, public)]
    refused = [_undrawn(row, public, request) if row["method"] == JOINT else "" for row in rows]
    notes = [*(note for note in refused if note), *_notes(request, rows)]
    rows = [row for row, note in zip(rows, refused, strict=True) if not note]
    question = _question(request, chosen, public["candidates"], public["k"])
    asked = {"error": request.error, "epsilon": request.epsilon, "probability": chosen}
    facts = {name: float(value) if isinstance(value, Fraction) else value for name, value in (public | asked).items()}
    return CommandAnswer("\n".join([question, "", *_table(rows), *notes]), facts | {"plans": rows})


def _public(request: Request) -> dict[str, Any]:
    """Return the public facts: as they are named, or those of a percentile's grid."""
    grid = (request.lower, request.upper, request.step)
    named = (request.candidates, request.sensitivity, request.range_bound, request.kind)
    if grid == (None, None, None):
        if request.candidates is None:
            raise InputError(
                "How many candidates there are is public: pass --candidates, or --lower, --upper and --step of a "
                "percentile."
            )
        return {
            "candidates": request.candidates,
            "k": request.k,
            "sensitivity": Fraction(1) if request.sensitivity is None else request.sensitivity,
            "range_bound": int(request.range_bound or 2),
            "kind": request.kind or "real",
        }
    if any(each is not None for each in named) or request.k != 1:
        raise InputError("A percentile is known by --lower, --upper and --step: leave out what describes other scores.")
    if request.lower is None or request.upper is None or not request.lower < request.upper:
        raise InputError("A percentile needs --lower below --upper, the public bounds.")
    step = Fraction(1) if request.step is None else request.step
    if step <= 0:
        raise InputError("--step must be positive: how fine the answer is.")
    values = int((request.upper - request.lower) // step) + 1
    return {"candidates": values, "k": 1, "sensitivity": Fraction(1), "range_bound": 2, "kind": "integer"}


def _comparison_rows(request: Request, public: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the mechanisms and methods of the rows."""
    rows = _CHOICES if public["k"] == 1 else _LISTS
    name = request.mechanism
    if name is not None and name not in dict(rows):
        # The mechanism does not exist, or nothing is known of it: said in the library's words.
        dps.error_bound(epsilon=1, mechanism=dps.mechanism(name), **public)
    for mechanism, method in rows:
        if name in (None, mechanism) and (method != JOINT or public["kind"] == "integer"):
            yield {"mechanism": mechanism, "method": method}


def _figures(request: Request, probability: Fraction, case: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was asked of one mechanism."""
    if request.epsilon is None:
        return {"epsilon": dps.epsilon_for(error=request.error, probability=probability, **case)}
    worst = dps.error_bound(epsilon=request.epsilon, **case)
    if request.error is not None:
        return {"probability_of_error": worst.tail(request.error)}
    below = worst.at(probability)
    least = {"error_below": None if math.isinf(below) else below}
    return least | ({"expected_error": worst.expected_error()} if case["k"] == 1 else {})


def _question(request: Request, probability: Fraction, candidates: int, k: int) -> str:
    """Return what the table answers."""
    unit = "" if request.lower is None else f" {UNIT}"
    best = f"the best of {candidates}" if k == 1 else f"the {ordinal(k)} best of {candidates}"
    each, one = ("the winner", "the winner") if k == 1 else (f"each of {k} names", f"one of {k} names")
    share = with_chance(probability)
    if request.epsilon is None:
        return f"What it takes for {each} to lie less than {float(request.error):g}{unit} behind {best} {share}:"
    at = f"At epsilon = {format_exact(request.epsilon)},"
    if request.error is None:
        return f"{at} how far {each} may lie behind {best}{unit and ', in'}{unit}, {share}:"
    return f"{at} how probable it is at worst that {one} lies {float(request.error):g}{unit} or more behind {best}:"


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a line per mechanism."""
    figures = [name for name in _TITLES if name in rows[0]]
    lists = any(row["method"] for row in rows)
    cells = [["mechanism", *(["method"] if lists else []), *(_TITLES[name] for name in figures)]]
    cells += [
        [
            row["mechanism"],
            *([row["method"]] if lists else []),
            *(_bound_text(name, row[name], row["mechanism"]) for name in figures),
        ]
        for row in rows
    ]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    for line in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _undrawn(row: dict[str, Any], public: dict[str, Any], request: Request) -> str:
    """Return why a joint list cannot be drawn, by public facts; an empty text where it can."""
    epsilon = row.get("epsilon") or request.epsilon
    if public["candidates"] > _MOST or not epsilon:
        return ""
    zeros = np.zeros(public["candidates"], dtype=np.int64)
    try:
        joint_question(
            dps.Scores(zeros, float(public["sensitivity"]), range_bound=public["range_bound"]), public["k"], epsilon
        )
    except ValueError as error:
        return f"joint: {error}"
    return ""


def _notes(request: Request, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what the figures assume, what joint lists promise, and how to call a row."""
    if any(row["method"] == JOINT for row in rows):
        yield "joint: in every place, measured by the candidate that belongs there; an upper bound"
    if any(row["method"] for row in rows):
        yield "To draw a list so: --mechanism and --method of dpselect top-k, mechanism= and method= of dps.top_k."
    if request.range_bound is None and request.lower is None:
        gain = "half the epsilon" if request.epsilon is None else "half the error"
        yield f"Assumed: one record moves scores in either direction. For counts add --range-bound 1: {gain}."


def _bound_text(name: str, value: float | None, mechanism: str) -> str:
    if value is None:
        return "unknown"
    if name == "epsilon" and not value:
        return "any"
    bound = "at most " if name == "expected_error" and mechanism != "exponential" else ""
    return f"{bound}{rounded_up(Fraction(repr(value))):g}"


VERB = Command(
    run,
    (
        option("--candidates", type=whole, metavar="N", help="how many public candidates there are"),
        option("--error", type=number, metavar="T", help="the error to stay below, in the unit of the score"),
        option(
            "--epsilon",
            type=epsilon,
            metavar="E",
            help="compute the error of this epsilon instead",
        ),
        option(
            "--probability",
            type=number,
            metavar="P",
            help="the probability of a smaller error, at least (default 0.95)",
        ),
        option("--k", type=whole, default=1, metavar="K", help="how many candidates to name (default 1)"),
        option("--mechanism", metavar="NAME", help="only this one: permute-and-flip or exponential"),
        option(
            "--sensitivity", type=number, metavar="S", help="how far one record can move one score (default 1): public"
        ),
        option(
            "--range-bound",
            type=one_of((1, 2)),
            metavar="1|2",
            help="1 if one record moves all scores the same way, as counts do (default 2)",
        ),
        option(
            "--kind", type=one_of(("integer", "real")), metavar="KIND", help="integer or real scores (default real)"
        ),
        option("--lower", type=number, metavar="X", help="for a percentile: the public smallest value"),
        option("--upper", type=number, metavar="X", help="for a percentile: the public largest value"),
        option("--step", type=number, metavar="X", help="for a percentile: the step of the answer (default 1)"),
    ),
    "dpselect plan --candidates 1000 --error 10 --range-bound 1",
    about="Protected: no private row is read, and nothing is spent. The figures are worst cases over all databases, "
    "rounded up. A question about a dataset is planned by its own command, with --dry-run and --epsilon or --error.",
)
