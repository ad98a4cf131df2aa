"""The text of a dry run: the cost, the relation, the error that follows from public facts, and what would be recorded.

A dry run is the command itself up to its spend, which stops it: so it refuses whatever the command would refuse, and
nothing is spent, drawn or written. Of a question about a file it says beside it, for the curator alone, how many cells
are not understood.

Limits: A dry run knows what the command says. Its plan reads the names of columns and no row, so it cannot tell a bound
that most values break, which ``dpselect check`` does. ``dpselect publish --dry-run`` adds up a plan of several queries
of one dataset; ``choose`` and ``budget spend`` cannot be planned.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpselect.cli.command import CommandAnswer
from dpselect.cli.examples import wrap_command
from dpselect.cli.locations import stays
from dpselect.cli.request import Request
from dpselect.kernel.format_exact import format_exact
from dpselect.sources import file_parts
from dpselect.sources.web import is_web

if TYPE_CHECKING:
    from dpselect.kernel.guarantee import Guarantee
    from dpselect.ledger import Spend
    from dpselect.mechanisms.error_bound import ErrorBound

# What one step between databases is, in words.
PRIVACY_UNITS = {
    "edge": "edge",
    "family": "family replaced",
    "add-remove": "record added or removed",
    "substitution": "record replaced",
    "person": "person with all of their records",
}


# What a command may say of how a file is read.
_READING = ("separator", "decimal", "thousands", "encoding", "where")
# Options of commands about a file of scores that name a column of numbers.
_NUMBERS = ("score", "value")
# What a check is told of a question about a dataset, beside its first arguments.
_BESIDE = ("of", "by", "bins")
_WIDTH = 80


@dataclass(frozen=True)
class Balance:
    """The rest of a ledger before and after the spend, in the currency of its rule.

    Attributes:
        ledger: its path.
        before: what is left, by currency.
        after: what would be left.
    """

    ledger: str
    before: Mapping[str, Fraction]
    after: Mapping[str, Fraction]


def plan(spend: Spend, request: Request) -> CommandAnswer:
    """Return the plan as text and as facts."""
    balance = request.outcome.balance
    bound, reach = _expected_error(request), None if request.outcome.reach is None else request.outcome.reach()
    facts: dict[str, Any] = {
        "dry_run": True,
        "mechanism": spend.mechanism,
        "guarantee": promise(spend.guarantee, spend.count),
        "draws": spend.count,
        "error_bound": bound,
        **state_error(request.outcome.error_bound),
        "reach": reach,
        "chosen_because": request.outcome.choice,
        "ledger": None,
    }
    if request.outcome.counted is not None:
        facts["rows_per_person"] = request.outcome.counted
    if balance is not None:
        facts["ledger"] = {
            "path": balance.ledger,
            "left": _texts(balance.before),
            "left_after": _texts(balance.after),
            "record": dict(spend.metadata),
        }
    return CommandAnswer("\n".join(_lines(spend, bound, reach, request)), facts)


def _lines(spend: Spend, bound: float | str | None, reach: str | None, request: Request) -> list[str]:
    from dpselect.ledger.attack import attack_success, in_words

    total = facts_text(spend.guarantee, spend.count, request.outcome.protected)
    draws = f", in {spend.count} draws of {format_exact(spend.guarantee.epsilon)}" if spend.count > 1 else ""
    lines = [
        "Dry run: nothing was spent, drawn or written.",
        f"cost       {total}{draws}",
        f"risk       an attacker {in_words(attack_success(spend.guarantee, spend.count))}",
        f"mechanism  {spend.mechanism}",
    ]
    if request.outcome.choice is not None:
        lines.append(f"chosen     because {request.outcome.choice}")
    if isinstance(bound, str):
        lines.append(f"error      {bound}")
    elif bound is not None:
        lines.append(f"error      {_mean(bound, request, spend.count)}")
    lines.append(f"accuracy   {request.outcome.error_bound.describe()}")
    if reach is not None:
        lines.append(f"reach      {reach}")
    if checks := check_commands(request):
        lines.append("check      how the file is understood, for you alone, by:")
        lines += [f"  {line}" for command in checks for line in wrap_command(command, _WIDTH - 2)]
    balance = request.outcome.balance
    if balance is None:
        return [*lines, "ledger     none: nothing would be recorded; name one by --ledger"]
    before, after = _amounts(balance.before), _amounts(balance.after)
    record = ", ".join(f"{name} = {value}" for name, value in spend.metadata.items())
    lines.append(f"ledger     {balance.ledger}: {before} left, {after} afterwards")
    return [*lines, f"record     {record}"] if record else lines


def check_commands(request: Request) -> list[str]:
    """Return the commands that show the curator how a file is understood; none where nothing can be shown."""
    file = request.get("dataset") or request.get("file")
    if file is None or stays(request, str(file)) or str(file).endswith(".npy") or is_web(str(file)):
        return []
    if not Path(str(file)).is_file() and not file_parts.are_in(Path(str(file))):
        return []
    if "dataset" in request.parameters:
        return [shlex.join(["dpselect", "check", *_about(request)])]
    if (families := request.get("families")) is not None:
        # One family has at most two children who count in a column.
        asked = [(name, {"lower": 0, "upper": 2 * families}) for name in ("b", "c")]
    else:
        asked = [(request.get(name), {}) for name in _NUMBERS if request.get(name) is not None]
    said = {name: request.get(name) for name in _READING}
    return [shlex.join(["dpselect", "check", str(file), column, *_words(each | said)]) for column, each in asked]


def _about(request: Request) -> Iterator[str]:
    """Yield the words that say what a question is about: all of a description, or the columns of a data file."""
    # A page of help imports none of it.
    from dpselect.cli import dataset_options

    dataset, *options = dataset_options.words(request)
    yield dataset
    if dataset_options.is_description(request):
        return
    for name, parameter in request.parameters.items():
        if isinstance(parameter, click.Argument) and name != "dataset" and (value := request.get(name)):
            yield from (value,) if isinstance(value, str) else value
    yield from _words({name: request.get(name) for name in _BESIDE})
    yield from options


def _words(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words of options."""
    for name, value in options.items():
        if isinstance(value, tuple):
            yield from [f"--{name}", *map(str, value)] if value else []
        elif value is not None:
            yield from (f"--{name}", str(value))


def _expected_error(request: Request) -> float | None:
    """Return what the expected error of a draw is at most: the exact worst of one choice, or a published bound.

    Of a list whose worst error is known it says nothing: that of a single draw is not that of the list.
    """
    # A page of help loads no NumPy.
    from dpselect.mechanisms.worst_case import WorstCaseBound

    worst = request.outcome.error_bound
    if isinstance(worst, WorstCaseBound):
        return worst.expected_error() if worst.case.k == 1 else None
    return None if request.outcome.bound is None else request.outcome.bound()


def _mean(bound: float, request: Request, count: int) -> str:
    """Return in words what the error is on average: exact where it is known that some database has it."""
    from dpselect.mechanisms.worst_case import WorstCaseBound

    worst = request.outcome.error_bound
    where = (isinstance(worst, WorstCaseBound) and worst.unit) or "in the score"
    if isinstance(worst, WorstCaseBound) and worst.is_attained:
        return f"on average {bound:.6g} {where} on the worst data"
    return f"on average at most {bound:.6g} {where}, {'per draw and ' if count > 1 else ''}whatever the data"


def promise(guarantee: Guarantee, count: int = 1) -> dict[str, Any]:
    """Return a guarantee for programs: exact as text, and as a float."""
    epsilon, delta = guarantee.epsilon * count, guarantee.delta * count
    return {
        "epsilon": str(epsilon),
        "epsilon_float": float(epsilon),
        "delta": str(delta),
        "delta_float": float(delta),
        "neighbours": guarantee.neighbours.value,
    } | ({} if guarantee.stated_rho is None else {"rho": str(guarantee.stated_rho * count)})


def state_error(bound: ErrorBound, unit: str = "") -> dict[str, Any]:
    """Return for programs how wrong a release may be, whatever the data, or why that is not known; and the line."""
    return {"accuracy": bound.facts(unit), "accuracy_line": bound.describe(unit)}


def facts_text(guarantee: Guarantee, count: int = 1, protected: str | None = None) -> str:
    """Return a guarantee in words; ``protected`` is what one step is, where the relation alone does not say it."""
    delta = f" and delta = {format_exact(guarantee.delta * count)}" if guarantee.delta else ""
    rho = f" (rho = {float(guarantee.stated_rho):.4g})" if guarantee.stated_rho is not None else ""
    step = protected or PRIVACY_UNITS[guarantee.neighbours.value]
    return f"epsilon = {format_exact(guarantee.epsilon * count)}{delta}{rho} per {step}"


def _texts(amounts: Mapping[str, Fraction]) -> dict[str, str]:
    return {name: str(value) for name, value in amounts.items()}


def _amounts(amounts: Mapping[str, Fraction]) -> str:
    exact = {name: format_exact(value) for name, value in amounts.items()}
    return " and ".join(
        f"{name} {float(amounts[name]):.6g}" if "/" in text else f"{name} {text}" for name, text in exact.items()
    )
