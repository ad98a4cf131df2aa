"""The command line: one file a verb. Bad input ends with status 2 and one sentence."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NoReturn

import dpselect as dps
from dpselect.cli import (
    audit,
    budget,
    check,
    choose,
    compare,
    demo,
    endings,
    mechanisms,
    median,
    paths,
    percentile,
    predict,
    quantiles,
    reproduce,
    select,
    snp,
    top_k,
    train,
)
from dpselect.cli.arguments import Parser

VERBS = (
    top_k,
    select,
    median,
    percentile,
    quantiles,
    snp,
    check,
    train,
    predict,
    choose,
    compare,
    budget,
    mechanisms,
    audit,
    reproduce,
    demo,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status.

    0: answered. 1: a claim of the library broke, or what was paid for could not be given whole. 2: refused, with one
    sentence on standard error and nothing spent. 70: a defect of dpselect. 130: stopped by the user.
    """
    given = argparse.Namespace()
    try:
        _print_anything()
        parser = _parser()
        _parse(parser, arguments, given)
        with endings.noticed(given), paths.held(parser, given):
            text = given.run(given)
        endings.deliver(text, given)
    except BrokenPipeError:
        # Whoever reads has read enough.
        endings.silence()
    except Exception as error:
        return endings.ending(error, given)
    except KeyboardInterrupt as stop:
        return endings.ending(stop, given)
    return int(getattr(given, "status", 0))


def _print_anything() -> None:
    """Let no character that a console lacks keep back an answer that was paid for."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _parse(parser: Parser, arguments: Sequence[str] | None, given: argparse.Namespace) -> None:
    _, stray = parser.parse_known_args(arguments, given)
    if stray:
        _refuse(stray, parser, given)


def _refuse(stray: list[str], parser: argparse.ArgumentParser, given: argparse.Namespace) -> NoReturn:
    """Name the first word that the command does not know, and the option that may be meant."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and getattr(given, action.dest) is not None:
            _refuse(stray, action.choices[getattr(given, action.dest)], given)
    word = stray[0]
    name = word.partition("=")[0]
    options = [option for action in parser._actions for option in action.option_strings]
    near = get_close_matches(name, options, 1)
    if not re.match(r"--?[a-z]", name, re.IGNORECASE):
        parser.error(f"{word!r} is one word too many{top_k.several(given, stray)}: see {parser.prog} --help.")
    parser.error(f"there is no option {name}{f', did you mean {near[0]}' if near else ''}: see {parser.prog} --help.")


def _parser() -> Parser:
    parser = Parser(prog="dpselect", description="Choose privately: name the best, betray nobody.")
    parser.add_argument("--version", action="version", version=f"dpselect {dps.__version__}")
    verbs = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for verb in VERBS:
        verb.add(verbs)
    return parser
