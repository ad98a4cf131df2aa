"""The budget that a command spends from, with a mark that tells afterwards whether anything was paid."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import ROUND_FLOOR
from fractions import Fraction
from typing import Any

from dpselect.cli.command import CommandAnswer
from dpselect.cli.plan_text import Balance, plan
from dpselect.cli.request import Request
from dpselect.cli.tables import print_notice
from dpselect.kernel.errors import DPSelectError
from dpselect.kernel.format_exact import format_rounded
from dpselect.ledger import InMemoryLedger, Ledger, RecordingAccountant, Spend, UncertainSpendError
from dpselect.ledger.composition import Terms, Totals
from dpselect.ledger.recording import StopAtSpend, stop
from dpselect.sources.urls import without_secrets


def accountant_of(request: Request, **more: str) -> RecordingAccountant:
    """Return what pays: the ledger named on the command line, verified; ``more`` is recorded with the spend."""
    if request.ledger is None:
        return paying(request, None)
    facts = {"command": request.command}
    for name in ("file", "graph", "column", "separator", "decimal", "thousands", "encoding", "where"):
        value = request.get(name)
        if value is not None:
            facts[name] = without_secrets(str(value))
    if request.get("certificate") is not None:
        # Where the answer can be looked up, by ``dpselect budget show --answers``.
        facts["certificate"] = os.path.realpath(str(request.certificate))
    return paying(request, Ledger.read(request.ledger)).with_metadata(**ledger_facts(facts | more))


def paying(
    request: Request, ledger: Ledger | InMemoryLedger | None, make: Callable[[], Ledger] | None = None
) -> RecordingAccountant:
    """Return what spends from a ledger, or from none, and notes in the request what was paid.

    A release without a ledger is paid for all the same, because it cannot be taken back. A dry run ends at its spend,
    if the ledger would take that.

    Args:
        request: the command line.
        ledger: pays; a budget in memory with its terms where it is not made yet.
        make: makes that one, once there is a spend that it takes.
    """

    def pay(spend: Spend) -> int:
        nonlocal ledger, make
        asked = _cite_once(spend)
        if request.dry_run:
            request.outcome.balance = None if ledger is None else _balance(request, ledger, asked)
            stop(asked)
        if make is not None and ledger is not None:
            # What a new ledger would refuse is refused before there is one.
            ledger.terms.admit(ledger.totals, asked.event(ledger.terms.dataset))
            ledger, make = make(), None
        try:
            row = 0 if ledger is None else asked.record(ledger)
        except (KeyboardInterrupt, UncertainSpendError):
            # It may have been written already.
            request.outcome.paid = True
            raise
        request.outcome.paid = True
        return int(row)

    if ledger is not None:
        request.outcome.left = lambda: _remaining_text(request, ledger)
    book = RecordingAccountant("sum" if ledger is None else ledger.rule, pay)
    book.spends = request.outcome.spends
    return book


def plan_of(request: Request) -> CommandAnswer:
    """Run a dry run up to its spend, and return its plan; one that spends nothing here, as of a server, to its end."""
    try:
        answer: CommandAnswer = request.verb.run(request)
    except StopAtSpend as end:
        answer = plan(end.spend, request)
    if request.outcome.check is not None:
        try:
            line = request.outcome.check()
        except Exception as error:
            # Words of other libraries may quote a cell.
            why = f": {error}" if isinstance(error, DPSelectError) else ""
            line = f"private, for you alone: the cells could not be looked at{why}"
        print_notice(line)
    return answer


def _cite_once(spend: Spend) -> Spend:
    """Return a spend that records once where the data came from: the command line names the file already."""
    facts = ledger_facts(spend.metadata)
    if facts.get("source") in (facts.get("file"), facts.get("graph")):
        facts.pop("source", None)
    return replace(spend, metadata=facts)


def _balance(request: Request, ledger: Ledger | InMemoryLedger, spend: Spend) -> Balance:
    terms, totals = ledger.terms, ledger.totals
    after = terms.admit(totals, spend.event(terms.dataset))
    return Balance(str(request.ledger), remaining_of(terms, totals), remaining_of(terms, after))


def _remaining_text(request: Request, ledger: Ledger | InMemoryLedger) -> str:
    """Return the rest of a budget after a payment, rounded down, or nothing if it cannot be read."""
    if not request.outcome.paid:
        return ""
    try:
        terms, totals = ledger.terms, ledger.totals
    except (OSError, ValueError):
        return ""
    rest = remaining_of(terms, totals)
    whole_budget = remaining_of(terms, Totals())
    named = " and ".join(
        f"{name} {format_rounded(each, 6, ROUND_FLOOR)} of {format_rounded(whole_budget[name], 6, ROUND_FLOOR)}"
        for name, each in rest.items()
    )
    return named if request.ledger is None else f"{named}, in {without_secrets(str(request.ledger))}"


def text(value: str) -> str:
    r"""Return text that can be kept: bytes of a name that are not UTF-8 are written as ``\udcff``."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def ledger_facts(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return facts as text that a ledger can keep."""
    return {name: text(str(value)) for name, value in facts.items()}


def remaining_of(terms: Terms, totals: Totals) -> dict[str, Fraction]:
    """Return what is left, in the currency of the rule."""
    rest = terms.remaining(totals)
    if terms.rule == "rho":
        return {"rho": rest.rho}
    return {"epsilon": rest.epsilon} | ({"delta": rest.delta} if terms.delta else {})
