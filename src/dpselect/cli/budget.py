"""dpselect budget: make a ledger, look at it, spend by hand, verify and export."""

from __future__ import annotations

import argparse
import json
from fractions import Fraction
from typing import Any

import dpselect as dps
from dpselect.cli import paths
from dpselect.cli.arguments import epsilon, number, whole
from dpselect.cli.spending import text
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours

_BAR, _LATEST = 40, 20


def add(verbs: Any) -> None:
    """Add the command and its subcommands."""
    parser = verbs.add_parser("budget", help="keep a privacy budget in a ledger file")
    tasks = parser.add_subparsers(dest="task", required=True, metavar="TASK")

    create = _task(tasks, "create", "make a ledger", _create, paths.add_new)
    create.add_argument("--epsilon", type=epsilon, required=True, help="the most that may be spent in all")
    create.add_argument("--delta", type=number, default=Fraction(0), help="the same for delta (default 0)")
    create.add_argument("--dataset", required=True, metavar="NAME", help="your name of the data: whose budget this is")
    create.add_argument(
        "--neighbours", default="add-remove", choices=[each.value for each in Neighbours], help="default add-remove"
    )
    create.add_argument(
        "--rule", default="sum", choices=["sum", "rho"], help="rho: zero-concentrated cost under (epsilon, delta)"
    )

    show = _task(tasks, "show", "draw what is spent and left, and list releases", _show)
    show.add_argument("--all", action="store_true", help=f"list all releases, not the latest {_LATEST}")
    show.add_argument("--delta", type=number, help="also report tighter totals at this delta (for plans fixed before)")
    show.add_argument("--json", action="store_true", help="print JSON")

    spend = _task(tasks, "spend", "record a release that was made elsewhere", _spend)
    spend.add_argument("--epsilon", type=epsilon, required=True, help="of each release")
    spend.add_argument("--delta", type=number, default=Fraction(0), help="of each release (default 0)")
    spend.add_argument("--count", type=whole, default=1, help="how many releases (default 1)")
    spend.add_argument("--mechanism", default="external", help="what drew (default external)")
    spend.add_argument("--note", default="", help="free text")

    _task(tasks, "verify", "check every row and every sum", _verify)
    _task(tasks, "settle", "take an older ledger as complete without its write-ahead log", _settle)
    export = _task(tasks, "export", "print every release as a line of JSON", _export)
    paths.add_new(export, "--backup", metavar="COPY", help="write a verified copy of the ledger instead")


def _task(tasks: Any, name: str, words: str, run: Any, declare: Any = paths.add_ledger) -> argparse.ArgumentParser:
    task: argparse.ArgumentParser = tasks.add_parser(name, help=words)
    declare(task, "ledger", metavar="FILE", help="the ledger")
    task.set_defaults(run=run)
    return task


def _create(given: argparse.Namespace) -> str:
    ledger = dps.Ledger.open(
        given.ledger,
        epsilon=given.epsilon,
        delta=given.delta,
        neighbours=given.neighbours,
        dataset=text(given.dataset),
        rule=given.rule,
    )
    return f"{given.ledger}: a budget of epsilon {ledger.terms.epsilon}{_delta(ledger.terms.delta)} for {given.dataset}"


def _show(given: argparse.Namespace) -> str:
    ledger = dps.Ledger.read(given.ledger)
    terms, totals = ledger.terms, ledger.totals
    # No event after these totals, whoever spends meanwhile.
    left, events = terms.left(totals), ledger.latest(None if given.all else _LATEST, totals.spends)
    if given.json:
        facts = {
            "dataset": terms.dataset,
            "neighbours": terms.neighbours,
            "rule": terms.rule,
            "epsilon": str(terms.epsilon),
            "delta": str(terms.delta),
            "spent": {"epsilon": str(totals.epsilon), "delta": str(totals.delta), "rho": str(totals.rho)},
            "left": {"rho": str(left.rho)}
            if terms.rule == "rho"
            else {"epsilon": str(left.epsilon), "delta": str(left.delta)},
            "releases": totals.releases,
            "events": [json.loads(event.as_text()) for event in events],
        }
        return json.dumps(facts, indent=2)
    spent, whole, unit = totals.epsilon, terms.epsilon, "epsilon"
    remaining = left.epsilon
    if terms.rule == "rho":
        spent, whole, unit, remaining = totals.rho, terms.rho, "rho", left.rho
    full = min(_BAR, round(_BAR * float(spent / whole)))
    lines = [
        f"{terms.dataset or 'unnamed'}: epsilon {terms.epsilon}{_delta(terms.delta)}, {terms.neighbours} neighbours",
        f"[{'#' * full}{'.' * (_BAR - full)}] {unit}: {_figure(spent)} spent, {_figure(remaining)} left",
    ]
    if terms.delta and terms.rule == "sum":
        lines.append(f"delta: {_figure(totals.delta)} spent, {_figure(left.delta)} left")
    lines.append("")
    first = totals.spends - len(events) + 1
    lines += [
        f"{row:>6}  {event.when[:16].replace('T', ' ')}  {_figure(event.epsilon):>10} x {event.count:<4} "
        f"{event.mechanism}{'  ' + event.note if event.note else ''}"
        for row, event in enumerate(events, first)
    ]
    if first > 1:
        lines.append(f"({first - 1} earlier entries: --all lists them)")
    if given.delta is not None:
        lines += ["", str(ledger.report(float(given.delta))), "All but the sum hold only for a plan fixed in advance."]
    return "\n".join(lines).rstrip()


def _spend(given: argparse.Namespace) -> str:
    ledger = dps.Ledger.read(given.ledger)
    if not 0 <= given.delta < 1:
        raise ValueError("--delta must be at least 0 and less than 1.")
    guarantee = Guarantee(given.epsilon, Neighbours(ledger.terms.neighbours), given.delta)
    row = ledger.spend(guarantee, mechanism=text(given.mechanism), count=given.count, note=text(given.note))
    given.paid = True
    return f"row {row}: epsilon {given.epsilon * given.count}{_delta(given.delta * given.count)} recorded"


def _verify(given: argparse.Namespace) -> str:
    # Reading checks every row and every sum.
    totals = dps.Ledger.read(given.ledger).totals
    return f"{given.ledger}: {totals.spends} entries, unbroken; epsilon {totals.epsilon}{_delta(totals.delta)} spent"


def _settle(given: argparse.Namespace) -> str:
    spends = dps.Ledger.settle(given.ledger).totals.spends
    return f"{given.ledger}: {spends} entries, unbroken, and its own whole from now on"


def _export(given: argparse.Namespace) -> str:
    ledger = dps.Ledger.read(given.ledger)
    if given.backup:
        ledger.backup(given.backup)
        return f"{given.backup}: a verified copy"
    return "\n".join(event.as_text() for event in ledger.events)


def _delta(delta: Fraction) -> str:
    return f" and delta {_figure(delta)}" if delta else ""


def _figure(value: Fraction) -> str:
    return f"{float(value):.4g}"
