"""dpselect budget: make a ledger, look at it, spend by hand, verify and export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import ROUND_FLOOR
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Any

import dpselect as dps
from dpselect.cli import paths
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import DRY_RUN, epsilon, flag, number, one_of, option, whole
from dpselect.cli.plan_text import promise
from dpselect.cli.release_text import escape_name
from dpselect.cli.request import Request
from dpselect.cli.spending import paying, remaining_of, text
from dpselect.cli.tables import AnswerTable
from dpselect.kernel.errors import ExistingFileError, InputError
from dpselect.kernel.format_exact import count_text, format_exact, format_rounded
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.ledger.composition import Terms, Totals
from dpselect.ledger.events import Event
from dpselect.ledger.store import store_of

# What a row says of the question, in this order.
_NAMES = ("command", "column", "target", "label", "value", "candidate", "score", "item", "metric")
# What else tells two releases apart, with what it is called.
_FURTHER = {"where": "where", "by": "by", "person": "person", "rows_per_person": "rows per person"}
# Notes of the library that say no more than the command beside them.
_SAID = {"percentile", "quantiles", "histogram"}
_BAR, _LATEST = 40, 20


def _create(request: Request) -> CommandAnswer:
    store = store_of(request.ledger)
    if store.exists():
        raise ExistingFileError(f"The ledger {store.name} exists already, and none is written over: name a new one.")
    ledger = dps.Ledger.open(
        request.ledger,
        epsilon=request.epsilon,
        delta=request.delta,
        neighbours=request.neighbours,
        dataset=text(request.dataset),
        rule=request.rule,
    )
    terms = ledger.terms
    budget = f"a budget of epsilon {format_exact(terms.epsilon)}{_delta(terms.delta)} for {request.dataset}"
    if terms.rule == "rho":
        budget += f", kept as rho {format_rounded(terms.rho, rounding=ROUND_FLOOR)}"
    return CommandAnswer(f"{request.ledger}: {budget}", {"ledger": request.ledger, **_terms(terms)})


def _show(request: Request) -> CommandAnswer:
    ledger = dps.Ledger.read(request.ledger)
    terms, totals = ledger.terms, ledger.totals
    # No event after these totals, whatever else spends meanwhile.
    events = ledger.latest(None if request.all else _LATEST, totals.spends)
    first = totals.spends - len(events) + 1
    answers = (
        [*map(partial(answer_of, ledger, one_line=request.json), count(first), events)] if request.answers else None
    )
    lines = [*_bar(terms, totals), "", *_table(events, first, answers)]
    facts = {
        **_terms(terms),
        "spent": _totals_text(totals),
        "left": {name: str(value) for name, value in remaining_of(terms, totals).items()},
        "releases": totals.releases,
        "events": [event.as_json() for event in events],
    }
    if answers is not None:
        facts["answers"] = answers
    earlier = [f"({count_text(first - 1, 'earlier entry')}: --all lists them)"] if first > 1 else []
    parts: list[str | AnswerTable] = [
        *_bar(terms, totals),
        "",
        *([_event_table(events, first)] if events else []),
        *earlier,
        *(_beneath(f"row {row}", answer or "not kept") for row, answer in enumerate(answers or (), first)),
    ]
    return CommandAnswer("\n".join(lines).rstrip(), facts, parts=parts)


def _bar(terms: Terms, totals: Totals) -> Iterator[str]:
    """Yield whose budget it is, what is spent of it as a bar, and delta beneath."""
    remaining = terms.remaining(totals)
    spent, whole_budget, unit, rest = totals.epsilon, terms.epsilon, "epsilon", remaining.epsilon
    if terms.rule == "rho":
        spent, whole_budget, unit, rest = totals.rho, terms.rho, "rho", remaining.rho
    full = min(_BAR, round(_BAR * float(spent / whole_budget)))
    budget = f"epsilon {format_exact(terms.epsilon)}{_delta(terms.delta)}"
    yield f"{terms.dataset or 'unnamed'}: {budget}, {terms.neighbours} neighbours"
    left = format_rounded(rest, rounding=ROUND_FLOOR)
    yield f"[{'#' * full}{'.' * (_BAR - full)}] {unit}: {format_rounded(spent)} spent, {left} left"
    if terms.delta and terms.rule == "sum":
        left = format_rounded(remaining.delta, rounding=ROUND_FLOOR)
        yield f"delta: {format_rounded(totals.delta)} spent, {left} left"


def _table(events: Sequence[Event], first: int, answers: Sequence[str | None] | None) -> Iterator[str]:
    """Yield one line per event, and where answers were asked for, another one with what is known of it."""
    deltas = any(event.delta for event in events)
    askers = [asked_by(event) for event in events]
    width = max(map(len, askers), default=0)
    for row, (event, asker) in enumerate(zip(events, askers, strict=True), first):
        delta = f"delta {format_rounded(event.delta):<9} " if deltas else ""
        note = note_of(event)
        rho = "" if event.rho is None else f" (rho {format_rounded(event.rho)})"
        yield (
            f"{row:>6}  {event.when[:16].replace('T', ' ')}  {format_rounded(event.epsilon):>10} x {event.count:<4} "
            f"{delta}{f'{asker:<{width}}  ' if width else ''}{event.mechanism}{rho}{'  ' + note if note else ''}"
        )
        if answers is not None:
            answer = answers[row - first] or "not kept; ask with --certificate"
            yield _beneath("answer", answer)
    if first > 1:
        yield f"({count_text(first - 1, 'earlier entry')}: --all lists them)"


def _beneath(name: str, answer: str) -> str:
    """Return an answer of one line or several behind its name."""
    head = f"{name:>14}: "
    return head + answer.replace("\n", f"\n{' ' * len(head)}")


def _event_table(events: Sequence[Event], first: int) -> AnswerTable:
    """Return the same lines as a table for a terminal."""
    rows = [
        [
            str(row),
            event.when[:16].replace("T", " "),
            f"{format_rounded(event.epsilon)} x {event.count}",
            format_rounded(event.delta) if event.delta else "",
            asked_by(event),
            event.mechanism,
            note_of(event),
        ]
        for row, event in enumerate(events, first)
    ]
    titles = ("row", "when", "epsilon", "delta", "question", "mechanism", "note")
    # A column that says nothing is left out.
    wide = [place for place in range(len(titles)) if any(row[place] for row in rows)]
    return AnswerTable([titles[place] for place in wide], [[row[place] for place in wide] for row in rows])


def _spend(request: Request) -> CommandAnswer:
    ledger = dps.Ledger.read(request.ledger)
    if not 0 <= request.delta < 1:
        raise InputError("--delta must be at least 0 and less than 1.")
    guarantee = Guarantee(request.epsilon, Neighbours(ledger.terms.neighbours), request.delta)
    book = paying(request, ledger)
    row = book.spend(guarantee, mechanism=text(request.mechanism), count=request.count, note=text(request.note))
    facts = {"row": row, "mechanism": text(request.mechanism), "guarantee": promise(guarantee, request.count)}
    recorded = (
        f"epsilon {format_exact(request.epsilon * request.count)}{_delta(request.delta * request.count)} recorded"
    )
    return CommandAnswer(f"row {row}: {recorded}", facts)


def _report(request: Request) -> CommandAnswer:
    found = dps.Ledger.read(request.ledger).report(float(request.delta))
    valid = {name: None if each != each else each for name, each in vars(found).items()}
    return CommandAnswer(f"{found}\nAn optimum holds only for a plan fixed in advance.", valid)


def _verify(request: Request) -> CommandAnswer:
    # Reading checks every row and every sum.
    ledger = dps.Ledger.read(request.ledger)
    totals = ledger.totals
    spent = f"epsilon {format_exact(totals.epsilon)}{_delta(totals.delta)} spent"
    facts = {"entries": totals.spends, "spent": _totals_text(totals)}
    if ledger.rule == "rho":
        spent = f"rho {format_rounded(totals.rho)} spent"
    return CommandAnswer(f"{request.ledger}: {count_text(totals.spends, 'entry')}, unbroken; {spent}", facts)


def _settle(request: Request) -> CommandAnswer:
    spends = dps.Ledger.settle(request.ledger).totals.spends
    return CommandAnswer(
        f"{request.ledger}: {count_text(spends, 'entry')}, unbroken, and its own whole from now on", {"entries": spends}
    )


def _export(request: Request) -> CommandAnswer:
    ledger = dps.Ledger.read(request.ledger)
    if request.backup:
        ledger.backup(request.backup)
        return CommandAnswer(f"{request.backup}: a verified copy", {"written_to": request.backup})
    events = [event.as_json() for event in ledger.events]
    return CommandAnswer(
        "\n".join(json.dumps(each, sort_keys=True, ensure_ascii=False) for each in events), {"events": events}
    )


def _terms(terms: Terms) -> dict[str, Any]:
    return {
        "dataset": terms.dataset,
        "neighbours": terms.neighbours,
        "rule": terms.rule,
        "epsilon": str(terms.epsilon),
        "delta": str(terms.delta),
    }


def _totals_text(totals: Totals) -> dict[str, str]:
    return {"epsilon": str(totals.epsilon), "delta": str(totals.delta), "rho": str(totals.rho)}


def _delta(delta: Fraction) -> str:
    return f" and delta {format_exact(delta)}" if delta else ""


def _ledger(declare: Any = paths.ledger) -> Any:
    return declare("ledger", metavar="LEDGER", help="a file or postgresql://user@host/database?ledger=NAME")


_RELATIONS = [each.value for each in Neighbours]
CREATE = Command(
    _create,
    (
        _ledger(paths.new_ledger),
        option("--epsilon", type=epsilon, required=True, metavar="E", help="the total that may be spent"),
        option("--delta", type=number, default=Fraction(0), metavar="D", help="the same for delta (default 0)"),
        option("--dataset", required=True, metavar="NAME", help="your name for the people in the data"),
        option(
            "--neighbours",
            default="add-remove",
            type=one_of(_RELATIONS),
            metavar="RELATION",
            help=f"{', '.join(_RELATIONS)} (default add-remove)",
        ),
        option(
            "--rule",
            default="sum",
            type=one_of(["sum", "rho"]),
            metavar="sum|rho",
            help="rho: zero-concentrated cost under (epsilon, delta); default sum",
        ),
    ),
    "dpselect budget create people.ledger --epsilon 2 --dataset people",
    about="Protected: the unit that --neighbours sets, by every release in this ledger. No table is read.",
    summary="Make a ledger.",
)
SHOW = Command(
    _show,
    (
        _ledger(),
        flag("--all", f"list all releases, not the latest {_LATEST}"),
        flag("--answers", "also show the answers of releases that were asked for with --certificate"),
    ),
    "dpselect budget show people.ledger",
    about="Protected: no table is read. A ledger holds questions and costs, and no row of the data.",
    summary="Show the spent and the remaining budget, and list releases.",
)
SPEND = Command(
    _spend,
    (
        _ledger(),
        option("--epsilon", type=epsilon, required=True, metavar="E", help="of each release"),
        option("--delta", type=number, default=Fraction(0), metavar="D", help="of each release (default 0)"),
        option("--count", type=whole, default=1, metavar="N", help="how many releases (default 1)"),
        option("--mechanism", default="external", metavar="NAME", help="what drew (default external)"),
        option("--note", default="", metavar="TEXT", help="free text"),
        DRY_RUN,
    ),
    'dpselect budget spend people.ledger --epsilon 0.1 --note "table 3"',
    about="Protected: what the other program protected. No table is read.",
    summary="Record a release that was made elsewhere.",
)
VERB = Command(
    about="Protected: no table is read. A ledger records every release before it is drawn, and refuses what does not "
    "fit.",
    tasks={
        "create": CREATE,
        "show": SHOW,
        "spend": SPEND,
        "report": Command(
            _report,
            (_ledger(), option("--delta", type=number, required=True, metavar="D", help="of all releases together")),
            "dpselect budget report people.ledger --delta 1e-6",
            about="Protected: no table is read. Numbers are rounded up.",
            summary="Add up the cost of all releases, by every rule.",
        ),
        "verify": Command(
            _verify,
            (_ledger(),),
            "dpselect budget verify people.ledger",
            about="Protected: no table is read. Everybody who holds the ledger may check it.",
            summary="Check every row and every sum.",
        ),
        "settle": Command(
            _settle,
            (_ledger(),),
            "dpselect budget settle old.ledger",
            about="Protected: no table is read. Settle a ledger only where it was used, never a copy.",
            summary="Take an older ledger as complete without its write-ahead log.",
        ),
        "export": Command(
            _export,
            (
                _ledger(),
                paths.new_ledger("--backup", metavar="COPY", help="write a verified copy of the ledger instead"),
            ),
            "dpselect budget export people.ledger --backup copy.ledger",
            about="Protected: no table is read. The lines hold what was asked and what it cost, and no answer.",
            summary="Print every release as a line of JSON.",
            verbatim=True,
        ),
    },
    example="dpselect budget create people.ledger --epsilon 2 --dataset people",
)


def asked_by(event: Event) -> str:
    """Return the command, its columns and which rows were asked about; "" where nothing was recorded."""
    named = " ".join(escape_name(event.metadata[name]) for name in _NAMES if name in event.metadata)
    further = (
        f"{words} {escape_name(event.metadata[name])}" for name, words in _FURTHER.items() if name in event.metadata
    )
    return ", ".join(filter(None, [named, *further]))


def note_of(event: Event) -> str:
    """Return the note of a row, unless it repeats the command."""
    return "" if "command" in event.metadata and event.note in _SAID else event.note


def answer_of(ledger: Any, row: int, event: Event, *, one_line: bool) -> str | None:
    """Return the answer in the certificate of a row, or why there is none; ``None`` where none was asked for."""
    from dpselect.certificates.answer_table import answer_shown, words
    from dpselect.certificates.certificate import Certificate

    path = event.metadata.get("certificate")
    if path is None:
        return None
    try:
        certificate = Certificate.read(path)
    except (OSError, ValueError, ImportError):
        return f"no whole certificate is at {escape_name(path)}"
    named = certificate.content["ledger"] or {"rows": []}
    if {"row": row, "hash": ledger.entry(row).hash} not in named["rows"]:
        return f"{escape_name(path)} is the certificate of another release"
    shown = answer_shown(certificate.content["answer"])
    rows = [[*map(escape_name, row)] for row in [*shown.lines, *shown.notes]]
    if one_line or len(rows) == 1:
        return ": ".join(rows[0]) if len(rows) == 1 else escape_name(words(certificate.content["answer"]))
    wide = max(map(len, rows), default=0)
    return AnswerTable((), [row + [""] * (wide - len(row)) for row in rows]).plain()
