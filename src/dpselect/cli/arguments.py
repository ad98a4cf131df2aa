"""What the commands share: a parser whose errors are one sentence, exact numbers, public nodes."""

from __future__ import annotations

import argparse
import json
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import dpselect as dps
from dpselect.cli.paths import add_ledger
from dpselect.release.select import Release
from dpselect.sources.locators import is_url, scrubbed

# What argparse takes for a value and no option: -1e3 and -1/2 too, where it knows -1 and -0.5 alone.
_NEGATIVE = re.compile(r"-(\d|\.\d|inf|nan)", re.IGNORECASE)

_EPSILON = "epsilon must be positive and finite, such as 0.5"

# What one step between databases is, in words.
_PROTECTED = {
    "edge": "edge",
    "family": "family replaced",
    "add-remove": "record added or removed",
    "substitution": "record replaced",
}


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence, and that takes every negative number for a number."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._negative_number_matcher = _NEGATIVE
        self._words: list[str] = []

    def error(self, message: str) -> NoReturn:
        """Leave with status 2 and the sentence."""
        self.exit(2, f"{self.prog}: {' '.join(scrubbed(message, self._words).split())}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and remember the words: an error may quote one that holds a password."""
        self._words = [str(word) for word in (sys.argv[1:] if args is None else args)]
        return super().parse_known_args(args, namespace)


def number(text: str) -> Fraction:
    """Return the exact number written: 0.1 is 1/10, and 1/3 is allowed."""
    try:
        if len(text) > 40:
            raise ValueError
        exponent = text.lower().partition("e")[2]
        if exponent and abs(int(exponent)) > 400:
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number: write one such as 0.5, 1/3 or 1e-6") from None


def epsilon(text: str) -> Fraction:
    """Return a privacy budget: an exact number above 0."""
    try:
        value = number(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number: {_EPSILON}") from None
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is too small: {_EPSILON}")
    return value


def whole(text: str) -> int:
    """Return an integer."""
    try:
        if len(text) > 40:
            raise ValueError
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number: write one such as 3") from None


def weight(text: str) -> Fraction:
    """Return an exact weight."""
    try:
        return number(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{text!r} is no weight: write a finite number such as 2, 0.5 or -1") from None


def nodes(text: str | None, option: str = "--nodes", noun: str = "label") -> Any:
    """Return a number of nodes, a list of labels (integers when all are), or None when not given."""
    if text is None:
        return None
    of = "node" if noun == "label" else noun
    if text.isdecimal():
        if not int(text):
            raise ValueError(f"{option} must be at least 1: how many public {of}s there are.")
        return int(text)
    if not Path(text).is_file():
        raise ValueError(f"{option} takes a number or a file with one {noun} a line, and there is no file {text!r}.")
    try:
        lines = Path(text).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{text} is not UTF-8 text: save it as UTF-8.") from None
    labels = [line.strip() for line in lines if line.strip()]
    if not labels:
        raise ValueError(f"{text} lists no {of}: write one {noun} a line.")
    # "007" is a label and "7" an integer: only lists that survive the way there and back are integers.
    whole = all(label.isascii() and label.isdigit() and str(int(label)) == label for label in labels)
    return [int(label) for label in labels] if whole else labels


def add_release(parser: argparse.ArgumentParser, mechanism: str) -> None:
    """Add what every command that releases takes; ``mechanism`` says what is used by default."""
    parser.add_argument("--epsilon", type=epsilon, required=True, help="the privacy budget of the answer, such as 0.5")
    parser.add_argument("--mechanism", help=f"default: {mechanism}; see dpselect mechanisms")
    add_ledger(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def mechanism_of(given: argparse.Namespace, default: str) -> dps.Mechanism:
    """Return the mechanism that was asked for, or the default.

    Raises:
        ValueError: there is none of this name, the empty one included.
    """
    return dps.mechanism(default if given.mechanism is None else given.mechanism)


def add_place(parser: argparse.ArgumentParser) -> None:
    """Add what says that a table stays where it is."""
    parser.add_argument("--table", help="the table, when a URL such as postgres://host/database is given")
    parser.add_argument(
        "--in-place", action="store_true", help="let DuckDB count in a file where it is, for tables beyond memory"
    )


def stays(given: argparse.Namespace, path: str) -> bool:
    """Return whether the table stays where it is and only counts come home."""
    return bool(given.table or given.in_place or is_url(path))


def shown(release: Release, lines: list[str], given: argparse.Namespace, note: str = "", **more: Any) -> str:
    """Return a release as JSON, or as lines and, after a note, what it cost."""
    promise = release.guarantee
    if given.json:
        facts = {
            "candidates": release.candidates,
            **more,
            "mechanism": release.mechanism,
            "epsilon": str(promise.epsilon),
            "delta": str(promise.delta),
            "neighbours": promise.neighbours.value,
        }
        return json.dumps(facts, indent=2)
    unit = _PROTECTED[promise.neighbours.value]
    return "\n".join([*lines, f"{note}epsilon = {promise.epsilon} per {unit}, by {release.mechanism}"])
