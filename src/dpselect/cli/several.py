"""Several releases of one budget: what each costs, how wrong it may be, and whether all of them fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpselect.cli.plan import promise, said
from dpselect.cli.planned_release import PlannedRelease, Rehearsed
from dpselect.cli.request import Request
from dpselect.cli.spending import left
from dpselect.cli.verb import Answer
from dpselect.kernel.errors import BudgetError
from dpselect.kernel.written import written
from dpselect.ledger import Ledger
from dpselect.ledger.accountant import Totals
from dpselect.mechanisms.error_bound import PROBABILITY
from dpselect.mechanisms.large_epsilon import LARGEST, meaning

# A share of what is left is rounded down to so many parts of one.
_PARTS = 10**4
# Of a plan that does not fit: nothing was spent, and something must be changed.
_REFUSED = 2


@dataclass(frozen=True)
class Priced:
    """One release, what it would cost, and why the budget does not allow it, if it does not."""

    release: PlannedRelease
    rehearsed: Rehearsed
    refusal: str = ""


def run(request: Request) -> Answer:
    """Return every command with its cost and its error, and what is left afterwards; nothing is spent."""
    releases = [PlannedRelease.of(text) for text in _texts(request)]
    if not releases:
        raise ValueError("The plan has no release: write one command on each line.")
    ledger = None if request.ledger is None else Ledger.read(request.ledger)
    if ledger is not None and request.epsilon is not None:
        raise ValueError("The ledger says how much is left: leave out --epsilon.")
    priced = _admitted(_priced(releases, request.epsilon, ledger), ledger)
    return _answered(priced, request, ledger)


def _texts(request: Request) -> list[str]:
    """Return the releases, as they are written: options first, then the lines of a file."""
    if request.releases is None:
        return [*request.release]
    try:
        lines = Path(request.releases).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {request.releases}.") from None
    bare = (line.strip() for line in lines)
    return [*request.release, *(line for line in bare if line and not line.startswith("#"))]


def _priced(releases: Sequence[PlannedRelease], whole: Fraction | None, ledger: Ledger | None) -> list[Priced]:
    """Return what each costs: as it says, as its error takes, or an equal share of what the others leave."""
    rule = "sum" if ledger is None else ledger.rule
    result: list[Priced | None] = []
    for each in releases:
        if each.epsilon is not None:
            result.append(Priced(each, each.rehearsed(each.epsilon, rule)))
        else:
            result.append(None if each.error is None else Priced(each, each.needed(rule)))
    if None in result:
        share = _share(result, whole, ledger)
        result = [
            priced or Priced(each, each.rehearsed(share, rule)) for priced, each in zip(result, releases, strict=True)
        ]
    return [priced for priced in result if priced is not None]


def _share(result: Sequence[Priced | None], whole: Fraction | None, ledger: Ledger | None) -> Fraction:
    """Return the equal share of releases that name neither a budget nor an error, rounded down."""
    if ledger is not None and ledger.rule != "sum":
        raise ValueError("This ledger adds rhos, which have no equal shares: give each release --epsilon or --error.")
    if ledger is None and whole is None:
        raise ValueError(
            "A release without --epsilon and --error gets a share of what is left: pass --ledger, or --epsilon for the "
            "whole plan."
        )
    rest = whole if ledger is None else ledger.terms.left(ledger.totals).epsilon
    assert rest is not None
    rest -= sum((_cost(each.rehearsed) for each in result if each is not None), Fraction(0))
    share = Fraction(int(rest / result.count(None) * _PARTS), _PARTS)
    if share <= 0:
        raise ValueError("The other releases leave nothing to share: give each release --epsilon or --error.")
    return share


def _admitted(priced: Sequence[Priced], ledger: Ledger | None) -> list[Priced]:
    """Return the same, with a reason where the ledger would refuse one after those before it."""
    if ledger is None:
        return [*priced]
    totals, result = ledger.totals, list[Priced]()
    for each in priced:
        try:
            totals = ledger.terms.admit(totals, each.rehearsed.spend.event(ledger.terms.dataset))
            result.append(each)
        except (BudgetError, ValueError) as refusal:
            result.append(replace(each, refusal=str(refusal)))
    return result


def _cost(rehearsed: Rehearsed) -> Fraction:
    return rehearsed.spend.guarantee.epsilon * rehearsed.spend.count


def _answered(priced: Sequence[Priced], request: Request, ledger: Ledger | None) -> Answer:
    name = None if ledger is None else str(request.ledger)
    totals = Totals() if ledger is None else ledger.totals
    after = totals
    if ledger is not None:
        for each in priced:
            after = after if each.refusal else after.after(each.rehearsed.spend.event(ledger.terms.dataset))
    fits = not any(each.refusal for each in priced)
    together = sum((_cost(each.rehearsed) for each in priced), Fraction(0))
    if ledger is None and request.epsilon is not None:
        fits = together <= request.epsilon
    lines = [*_lines(priced, name), *_together(priced, request, ledger, after, fits=fits)]
    facts: dict[str, Any] = {
        "plans": [_facts(each, name) for each in priced],
        "epsilon": float(together),
        "probability": PROBABILITY,
        "fits": fits,
        "ledger": None,
    }
    if ledger is not None:
        facts["ledger"] = {
            "path": name,
            "left": {unit: str(value) for unit, value in left(ledger.terms, totals).items()},
            "left_after": {unit: str(value) for unit, value in left(ledger.terms, after).items()},
        }
    return Answer("\n".join(lines), facts, 0 if fits else _REFUSED)


def _lines(priced: Sequence[Priced], ledger: str | None) -> Iterator[str]:
    """Yield for every release a comment of a shell script, and its command."""
    for place, each in enumerate(priced, 1):
        guarantee, count = each.rehearsed.spend.guarantee, each.rehearsed.spend.count
        delta = f" and delta {written(guarantee.delta * count)}" if guarantee.delta else ""
        yield f"# {place}. epsilon {_figure(_cost(each.rehearsed))}{delta}; {each.rehearsed.line}"
        if each.refusal:
            yield f"# does not fit: {each.refusal}"
        if each.rehearsed.epsilon > LARGEST:
            yield f"# {meaning(each.rehearsed.epsilon)}; --yes says that it is meant"
        yield each.release.command(each.rehearsed.epsilon, ledger)


def _together(
    priced: Sequence[Priced], request: Request, ledger: Ledger | None, after: Totals, *, fits: bool
) -> Iterator[str]:
    """Yield what all of them cost, whether they fit, and what is left."""
    together = sum((_cost(each.rehearsed) for each in priced), Fraction(0))
    delta = sum((each.rehearsed.spend.guarantee.delta * each.rehearsed.spend.count for each in priced), Fraction(0))
    cost = f"# together epsilon {_figure(together)}{f' and delta {written(delta)}' if delta else ''}"
    verdict = "it fits" if fits else "it does not fit"
    if ledger is not None:
        before = _amounts(left(ledger.terms, ledger.totals))
        rest = f", and {_amounts(left(ledger.terms, after))} is left afterwards" if fits else ""
        yield f"{cost}; {request.ledger} has {before} left: {verdict}{rest}"
    elif request.epsilon is not None:
        rest = f", and {_figure(request.epsilon - together)} is left" if fits else ""
        yield f"{cost} of {_figure(request.epsilon)}: {verdict}{rest}"
    else:
        yield f"{cost}; no ledger was named, so whether it fits is not said"
    yield "# nothing was spent, and no private row was read"


def _facts(each: Priced, ledger: str | None) -> dict[str, Any]:
    rehearsed = each.rehearsed
    return {
        "command": each.release.command(rehearsed.epsilon, ledger),
        "mechanism": rehearsed.spend.mechanism,
        "guarantee": promise(rehearsed.spend.guarantee, rehearsed.spend.count),
        **said(rehearsed.error_bound),
        "refused": each.refusal or None,
    }


def _amounts(amounts: dict[str, Fraction]) -> str:
    return " and ".join(f"{name} {_figure(value)}" for name, value in amounts.items())


def _figure(value: Fraction) -> str:
    text = written(value)
    return f"{float(value):.6g}" if "/" in text else text
