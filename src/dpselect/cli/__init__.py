"""The command line: one file a verb. Bad input ends with status 2 and one sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import dpselect as dps
from dpselect.cli import (
    advice,
    audit,
    budget,
    choose,
    compare,
    demo,
    mechanisms,
    median,
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
    """Run one command; return its exit status: 0, 1 for a broken claim, or 2 with one sentence on standard error."""
    parser = _parser()
    given, stray = parser.parse_known_args(arguments)
    if stray:
        parser.error(f"unrecognized arguments: {' '.join(stray)}{top_k.several(given, stray)}")
    try:
        print(given.run(given))
    except BrokenPipeError:
        # Whoever reads has read enough; the interpreter must not complain when it closes.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
        return 0
    except (ValueError, TypeError, OSError, ImportError, dps.PrivacyError, dps.BudgetError) as error:
        print(f"dpselect {given.command}: {advice.translated(str(error), given)}", file=sys.stderr)
        return 2
    except (MemoryError, OverflowError):
        print(
            f"dpselect {given.command}: that is more than fits into memory: check the numbers given.", file=sys.stderr
        )
        return 2
    return int(getattr(given, "status", 0))


def _parser() -> Parser:
    parser = Parser(prog="dpselect", description="Choose privately: name the best, betray nobody.")
    parser.add_argument("--version", action="version", version=f"dpselect {dps.__version__}")
    verbs = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for verb in VERBS:
        verb.add(verbs)
    return parser
