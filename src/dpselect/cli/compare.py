"""dpselect compare: accuracy against epsilon for several mechanisms, from exact laws, on public data."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import Any

import dpselect as dps
from dpselect.cli import median, percentile, snp, top_k
from dpselect.cli.arguments import number
from dpselect.cli.train import writable

TASKS = {"percentile": percentile, "median": median, "snp": snp, "top-k": top_k}
_EPSILONS = tuple(map(Fraction, ("1/10", "1/5", "1/2", "1", "2", "5", "10")))
_USUAL = (
    "permute-and-flip",
    "exponential",
    "local-dampening-flip",
    "shifted-local-dampening-flip",
    "local-dampening-t",
    "smooth-noisy-max",
)


def add(verbs: Any) -> None:
    """Add the command and one subcommand a task."""
    parser = verbs.add_parser("compare", help="draw accuracy against epsilon for several mechanisms, on public data")
    tasks = parser.add_subparsers(dest="task", required=True, metavar="TASK")
    for name, task in TASKS.items():
        each = tasks.add_parser(name, help=f"compare mechanisms for dpselect {name}")
        task.add_data(each)
        each.add_argument(
            "--mechanisms", nargs="+", metavar="NAME", default=_USUAL, help="which to compare (default: the usual six)"
        )
        each.add_argument(
            "--epsilons", nargs="+", type=number, metavar="E", default=_EPSILONS, help="default: 0.1 to 10"
        )
        each.add_argument("--out", metavar="FILE", help="also draw a picture: a .png, .svg or .pdf file")
        if name == "top-k":
            each.add_argument(
                "--objectives",
                metavar="FILE",
                help="also draw both metrics, the front and five nodes drawn at the largest epsilon",
            )
        each.set_defaults(run=run)


def run(given: argparse.Namespace) -> str:
    """Return the table, and draw the picture when asked."""
    task = TASKS[given.task]
    epsilons = sorted(set(given.epsilons))
    # Unknown names and folders are refused before anything long begins.
    for option in ("out", "objectives"):
        if getattr(given, option, None):
            writable(getattr(given, option), f"--{option}")
    mechanisms = [dps.mechanism(name) for name in given.mechanisms]
    problems = task.scores(given)
    rows = [
        dps.compare.row(found, mechanism, epsilons, label=label if len(problems) > 1 else "")
        for label, found in problems.items()
        for mechanism in mechanisms
    ]
    if given.out:
        dps.compare.draw(rows, given.out)
    if getattr(given, "objectives", None):
        # Drawn as dpselect top-k draws several metrics, unless other mechanisms were asked for.
        usual = [each for each in mechanisms if each.name == top_k.COMBINED]
        _front(given, problems, [*usual, *mechanisms][0], epsilons[-1])
    note = "Exact, from laws. For public data only: figures like these betray private data."
    return f"{dps.compare.table(rows)}\n\n{note}"


def _front(given: argparse.Namespace, problems: dict[str, dps.Scores], mechanism: dps.Mechanism, epsilon: Any) -> None:
    """Draw the front of two metrics, the five best nodes and five private ones."""
    import numpy as np

    if len(given.metric) != 2:
        raise ValueError("--objectives draws two metrics: give --metric twice, with --pareto or --weights.")
    ((_, combined),) = problems.items()
    parts = top_k.parts(given)
    many = min(5, len(combined))
    best = np.argsort(-combined.values, kind="stable")[:many].tolist()
    place = {candidate: position for position, candidate in enumerate(combined.candidates)}
    drawn = dps.top_k(combined, many, epsilon, mechanism=mechanism).candidates
    label = f"{mechanism.name},\nepsilon {float(epsilon):g} in all"
    dps.compare.draw_front(parts, given.metric, best, [place[each] for each in drawn], given.objectives, label=label)
