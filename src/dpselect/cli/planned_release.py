"""One release of a plan: the command that would be run, rehearsed on a made-up table in the place of the data."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

import numpy as np

import dpselect as dps
from dpselect.cli import command, counts, reading, served
from dpselect.cli.options import nodes, number
from dpselect.cli.release import best, mechanism_of
from dpselect.cli.request import Request
from dpselect.cli.stand_in import in_place_of_data, reading_of
from dpselect.kernel.written import written
from dpselect.ledger import RecordingAccountant, Spend
from dpselect.ledger.recording import price
from dpselect.mechanisms.error_bound import PROBABILITY, ErrorBound, NoBound
from dpselect.mechanisms.worst_case import WorstCaseBound
from dpselect.sources import tables

# Verbs of which a plan can tell what they cost and how wrong they are.
VERBS = (
    "above", "counts", "keys", "median", "most-common", "percentile", "quantiles", "select", "snp", "top-k", "train",
)  # fmt: skip
_ERROR, _EPSILON, _LEDGER = "--error", "--epsilon", "--ledger"
# Where an epsilon is looked for, and how often its interval is halved.
_LEAST, _MOST, _HALVINGS = 1e-6, 1e4, 40
# Few digits can be read; rounded up they suffice.
_DIGITS = Context(prec=4, rounding=ROUND_CEILING)


@dataclass(frozen=True)
class Rehearsed:
    """What a release would cost and promise, and what is said of its error."""

    epsilon: Fraction
    spend: Spend
    error_bound: ErrorBound

    @property
    def line(self) -> str:
        """Return what is said of the error."""
        return self.error_bound.describe()


@dataclass(frozen=True)
class PlannedRelease:
    """A release as it was written down.

    Attributes:
        words: of the command, without dpselect, --epsilon and --error.
        epsilon: the budget that it names, or ``None``.
        error: the error that it may have, or ``None``.
    """

    words: tuple[str, ...]
    epsilon: Fraction | None
    error: Fraction | None

    @classmethod
    def of(cls, text: str) -> PlannedRelease:
        """Return the release of one line.

        Raises:
            ValueError: it is not a command that a plan knows, or names both a budget and an error.
        """
        try:
            words = shlex.split(text)
        except ValueError:
            raise ValueError(f"A quotation mark is left open in the release {text!r}: close it.") from None
        words = words[1:] if words[:1] == ["dpselect"] else words
        if not words or words[0] not in VERBS:
            raise ValueError(
                f"A release begins with its command, one of {', '.join(VERBS)}: "
                'such as --release "percentile people.csv --column age --p 50 --lower 0 --upper 120 --error 20".'
            )
        if served.asked(words[1:]):
            raise ValueError("A release of a server is planned there: run its command alone, with --dry-run.")
        rest, epsilon = _taken(words, _EPSILON)
        rest, error = _taken(rest, _ERROR)
        rest, ledger = _without(rest, _LEDGER)
        if ledger is not None:
            raise ValueError("The ledger is that of the whole plan: pass --ledger once, outside of the releases.")
        if epsilon is not None and error is not None:
            raise ValueError(f"The release {text!r} names --epsilon and --error: leave out what is to be found.")
        return cls(tuple(rest), epsilon, error)

    def rehearsed(self, epsilon: Fraction, rule: str) -> Rehearsed:
        """Return what the command would cost and promise at this epsilon; nothing is spent, and no private row read.

        Raises:
            ValueError, TypeError, PrivacyError, OSError: as the command itself.
        """
        words = [*self.words, _EPSILON, str(epsilon), "--yes", "--dry-run"]
        request = Request(words)
        command.understood(words, request)

        def release(accountant: RecordingAccountant) -> None:
            request.accountant = accountant
            if request.command == "select" and not counts.are_in(request):
                _select(request)
            else:
                with in_place_of_data(request):
                    request.verb.run(request)

        return Rehearsed(epsilon, price(release, rule), request.error_bound)

    def needed(self, rule: str) -> Rehearsed:
        """Return the release at the least epsilon of four digits at which its error stays below the one it names.

        Raises:
            ValueError: no bound on its error is known, or no epsilon is enough.
        """
        assert self.error is not None
        first = self.rehearsed(Fraction(1), rule)
        if isinstance(first.error_bound, NoBound):
            raise ValueError(f"{self}: {first.line}, so name its --epsilon instead of --error.")
        if isinstance(first.error_bound, WorstCaseBound):
            least = _rounded_up(first.error_bound.case.epsilon_for(self.error, PROBABILITY))
            result = self.rehearsed(least, rule)
            if self._enough(result):
                return result
        low, high = _LEAST, _MOST
        if not self._enough(self.rehearsed(Fraction(high), rule)):
            raise ValueError(
                f"{self}: no epsilon is enough for an error below {written(self.error)}: allow a larger one."
            )
        for _ in range(_HALVINGS):
            middle = (low * high) ** 0.5
            enough = self._enough(self.rehearsed(Fraction(middle), rule))
            low, high = (low, middle) if enough else (middle, high)
            if _rounded_up(low) == _rounded_up(high):
                break
        return self.rehearsed(_rounded_up(high), rule)

    def _enough(self, result: Rehearsed) -> bool:
        assert self.error is not None
        return result.error_bound.at(PROBABILITY) <= self.error

    def command(self, epsilon: Fraction, ledger: str | None) -> str:
        """Return the command, ready to run."""
        spent = [_EPSILON, written(epsilon), *([] if ledger is None else [_LEDGER, ledger])]
        return shlex.join(["dpselect", *self.words, *spent, *(["--yes"] if epsilon > 10 else [])])

    def __str__(self) -> str:
        return shlex.join(self.words)


def _select(request: Request) -> None:
    """Rehearse a selection in an engine among scores that are all zero: their number is public."""
    counts.require_ungrouped(request)
    reading.refuse_all(request)
    reading.require_apart(request, request.score, *counts.PUBLIC)
    if request.domain is None:
        raise ValueError("How many candidates there are is public: pass --domain in the release.")
    if request.domain == "rows":
        count = len(tables.labels(request.file, request.candidate, "--candidate", reading_of(request)))
    else:
        domain = nodes(request.domain, "--domain", "name")
        count = domain if isinstance(domain, int) else len(domain)
    kind = request.kind or "real"
    zeros = np.zeros(count, dtype=np.int64 if kind == "integer" else np.float64)
    scores = dps.Scores(
        zeros, request.sensitivity, neighbours=request.neighbours, range_bound=int(request.range_bound), kind=kind
    )
    best(request, scores, mechanism_of(request, "permute-and-flip"), request.k, method=request.method)


def _taken(words: Sequence[str], name: str) -> tuple[list[str], Fraction | None]:
    """Return the words without an option, and its number."""
    rest, text = _without(words, name)
    if text is None:
        return rest, None
    value = Fraction(number(text))
    if value <= 0:
        raise ValueError(f"{name} {text}: it must be positive.")
    return rest, value


def _without(words: Sequence[str], name: str) -> tuple[list[str], str | None]:
    """Return the words without an option, and what it says."""
    rest, value = list[str](), None
    waiting = iter(words)
    for word in waiting:
        if word == name or word.startswith(f"{name}="):
            if value is not None:
                raise ValueError(f"{name} is given twice in one release: give it once.")
            value = word.partition("=")[2] if "=" in word else next(waiting, "")
        else:
            rest.append(word)
    return rest, value


def _rounded_up(epsilon: float) -> Fraction:
    return Fraction(_DIGITS.create_decimal(Decimal(repr(epsilon))))
