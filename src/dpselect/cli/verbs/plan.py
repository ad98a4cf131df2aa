"""dpselect plan: which epsilon is needed, or what an epsilon gives, whatever the data. It reads none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import dpselect as dps
from dpselect.cli.columns import UNIT
from dpselect.cli.options import epsilon, number, one_of, option, whole
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer, Verb
from dpselect.mechanisms.worst_case import ordinal, rounded_up

# Mechanism and method of each row; the method matters for lists only.
_CHOICES = (("permute-and-flip", None), ("exponential", None))
_LISTS = (
    ("permute-and-flip", "one-shot"), ("exponential", "peeling"),
    ("exponential", "joint"),
)  # fmt: skip
_PROBABILITY = Fraction(19, 20)
# What the columns of the table are called.
_TITLES = {
    "epsilon": "epsilon",
    "error_below": "error below",
    "expected_error": "expected at most",
    "probability_of_error": "probability at most",
}


def run(request: Request) -> Answer:
    """Return the table."""
    if request.error is None and request.epsilon is None:
        raise ValueError("Say what is wished: --error for the epsilon that it takes, or --epsilon for what it gives.")
    if None not in (request.error, request.epsilon, request.probability):
        raise ValueError("--error, --epsilon and --probability are one too many: leave out what is to be found.")
    public = _public(request)
    chosen = _PROBABILITY if request.probability is None else request.probability
    rows = [named | _figures(request, chosen, public | named) for named in _compared(request, public)]
    question = _question(request, chosen, public["candidates"], public["k"])
    asked = {"error": request.error, "epsilon": request.epsilon, "probability": chosen}
    facts = {name: float(value) if isinstance(value, Fraction) else value for name, value in (public | asked).items()}
    return Answer("\n".join([question, "", *_table(rows)]), facts | {"plans": rows})


def _public(request: Request) -> dict[str, Any]:
    """Return the public facts: as they are named, or those of a percentile's grid."""
    grid = (request.lower, request.upper, request.step)
    named = (request.candidates, request.sensitivity, request.range_bound, request.kind)
    if grid == (None, None, None):
        if request.candidates is None:
            raise ValueError(
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
        raise ValueError("A percentile is known by --lower, --upper and --step: leave out what describes other scores.")
    if request.lower is None or request.upper is None or not request.lower < request.upper:
        raise ValueError("A percentile needs --lower below --upper, the public bounds.")
    step = Fraction(1) if request.step is None else request.step
    if step <= 0:
        raise ValueError("--step must be positive: how fine the answer is.")
    values = int((request.upper - request.lower) // step) + 1
    return {"candidates": values, "k": 1, "sensitivity": Fraction(1), "range_bound": 2, "kind": "integer"}


def _compared(request: Request, public: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the mechanisms and methods of the rows."""
    rows = _CHOICES if public["k"] == 1 else _LISTS
    name = request.mechanism
    if name is not None and name not in dict(rows):
        # There is no such mechanism, or nothing is known of it: said in the library's words.
        dps.worst_error(1, mechanism=dps.mechanism(name), **public)
    for mechanism, method in rows:
        if name in (None, mechanism) and (method != "joint" or public["kind"] == "integer"):
            yield {"mechanism": mechanism, "method": method}


def _figures(request: Request, probability: Fraction, case: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was asked of one mechanism."""
    if request.epsilon is None:
        return {"epsilon": dps.epsilon_for(error=request.error, probability=probability, **case)}
    worst = dps.worst_error(request.epsilon, **case)
    if request.error is not None:
        return {"probability_of_error": worst.tail(request.error)}
    below = worst.below(probability)
    least = {"error_below": None if math.isinf(below) else below}
    return least | ({"expected_error": worst.expected()} if case["k"] == 1 else {})


def _question(request: Request, probability: Fraction, candidates: int, k: int) -> str:
    """Return what the table answers."""
    unit = "" if request.lower is None else f" {UNIT}"
    best = f"the best of {candidates}" if k == 1 else f"the {ordinal(k)} best of {candidates}"
    each, one = ("the winner", "the winner") if k == 1 else (f"each of {k} names", f"one of {k} names")
    share = f"with probability {float(probability):g}, whatever the data"
    if request.epsilon is None:
        return f"What it takes for {each} to lie less than {float(request.error):g}{unit} behind {best} {share}:"
    at = f"At epsilon = {request.epsilon},"
    if request.error is None:
        return f"{at} how far {each} may lie behind {best}{unit and ', in'}{unit}, {share}:"
    return f"{at} how probable it is at worst that {one} lies {float(request.error):g}{unit} or more behind {best}:"


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a line per mechanism, and one that says what joint lists promise."""
    figures = [name for name in _TITLES if name in rows[0]]
    lists = any(row["method"] for row in rows)
    cells = [["mechanism", *(["method"] if lists else []), *(_TITLES[name] for name in figures)]]
    cells += [
        [row["mechanism"], *([row["method"]] if lists else []), *(_shown(name, row[name]) for name in figures)]
        for row in rows
    ]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    for line in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
    if any(row["method"] == "joint" for row in rows):
        yield "joint: in every place, measured by the candidate that belongs there; an upper bound"


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return "unknown"
    return "any" if name == "epsilon" and not value else f"{rounded_up(Fraction(repr(value))):g}"


VERB = Verb(
    run,
    (
        option("--candidates", type=whole, metavar="N", help="how many public candidates there are"),
        option("--error", type=number, metavar="T", help="how far behind is too far, in the unit of the score"),
        option("--epsilon", type=epsilon, metavar="E", help="say what this budget gives instead"),
        option(
            "--probability", type=number, metavar="P", help="how probable it is to be nearer, at least (default 0.95)"
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
        option("--step", type=number, metavar="X", help="for a percentile: how fine the answer is (default 1)"),
    ),
    "dpselect plan --candidates 1000 --error 10 --range-bound 1",
    about="No data is read, and nothing is spent: the figures are exact worst cases over all databases, rounded up.",
)
