"""dpselect compare: accuracy against epsilon for several mechanisms, from exact laws, on public data."""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from typing import Any

import dpselect as dps
from dpselect.cli import median, paths, percentile, snp, top_k
from dpselect.cli.arguments import epsilon

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
    paths.add_input(
        parser, "--traces", metavar="PARQUET", help="instead of a task: what chooser.ChoiceMaker.train recorded"
    )
    paths.add_output(
        parser, "--out", endings=paths.PICTURES, metavar="FILE", help="also draw a picture: .png, .svg or .pdf"
    )
    parser.set_defaults(run=run_traces, share=None, metafeatures="paid", learner="fixed")
    tasks = parser.add_subparsers(dest="task", metavar="TASK")
    cells = tasks.add_parser("histogram", help="draw a public histogram beside private ones")
    paths.add_input(cells, "file", metavar="FILE", help="public counts (.npy), shape (n,) or (rows, columns)")
    cells.add_argument("--epsilon", type=epsilon, required=True, help="of each algorithm")
    _add_picture(cells, "a .png, .svg or .pdf file, which is needed")
    cells.set_defaults(run=run_histogram)
    for name, task in TASKS.items():
        each = tasks.add_parser(name, help=f"compare mechanisms for dpselect {name}")
        task.add_data(each)
        each.add_argument(
            "--mechanisms",
            nargs="+",
            metavar="NAME",
            help="which to compare (default: those of the usual six that apply)",
        )
        each.add_argument(
            "--epsilons", nargs="+", type=epsilon, metavar="E", default=_EPSILONS, help="default: 0.1 to 10"
        )
        _add_picture(each, "also draw a picture: a .png, .svg or .pdf file")
        if name == "top-k":
            paths.add_output(
                each,
                "--objectives",
                endings=paths.PICTURES,
                metavar="FILE",
                help="also draw both metrics, the front and five nodes drawn at the largest epsilon",
            )
        each.set_defaults(run=run)


def _add_picture(parser: argparse.ArgumentParser, words: str) -> None:
    # Without a default of its own, so that --out before the task holds too.
    paths.add_output(parser, "--out", endings=paths.PICTURES, default=argparse.SUPPRESS, metavar="FILE", help=words)


def _refuse_traces(given: argparse.Namespace) -> None:
    if given.traces is not None:
        raise ValueError(f"--traces goes without a task: leave out {given.task}, or --traces.")


def run_traces(given: argparse.Namespace) -> str:
    """Return held-out regret of learned, rival and fixed choices, and draw it."""
    if given.traces is None:
        raise ValueError(f"Name a task ({', '.join([*TASKS, 'histogram'])}), or pass --traces.")
    from dpselect.chooser.plots import draw_regret
    from dpselect.chooser.regret import leave_out
    from dpselect.cli.choose import maker_of

    maker = maker_of(given, [])
    recipes = {name: replace(maker.recipe, learner=name) for name in ("forest", "regret-tree", "fixed")}
    trained = maker.trained
    regret = leave_out(trained.traces, recipes, trained.policy.options, trained.epsilons)
    if given.out:
        given.out.draw(lambda file: draw_regret(regret, file))
    return str(regret)


def run_histogram(given: argparse.Namespace) -> str:
    """Return the error of every algorithm, and draw what each makes of public counts."""
    from dpselect import histograms
    from dpselect.chooser import cells, draw_histograms
    from dpselect.cli.choose import read_counts

    _refuse_traces(given)
    if given.out is None:
        raise ValueError("Pass --out, the picture: a .png, .svg or .pdf file.")
    counts = read_counts(given.file)
    found = {name: estimate(counts, given.epsilon) for name, estimate in histograms.EVERY_ALGORITHM.items()}
    given.out.draw(lambda file: draw_histograms(counts, found, file))
    lines = [f"{name:<10} {cells.range_error(counts, each):.3e}" for name, each in found.items()]
    return "\n".join(["scaled average error of 2,000 random ranges", *lines])


def run(given: argparse.Namespace) -> str:
    """Return the table, and draw the picture when asked."""
    task = TASKS[given.task]
    epsilons = sorted(set(given.epsilons))
    _refuse_traces(given)
    # Unknown names are refused before anything long begins.
    mechanisms = [dps.mechanism(name) for name in given.mechanisms or _USUAL]
    problems = task.scores(given)
    rows = [
        dps.compare.row(found, mechanism, epsilons, label=label if len(problems) > 1 else "")
        for label, found in problems.items()
        for mechanism in mechanisms
    ]
    # Who asked for no mechanism in particular learns only the names of those that do not apply.
    left = [] if given.mechanisms else [each.name for each in rows if each.why]
    rows = [each for each in rows if each.name not in left] or rows
    if given.out:
        given.out.draw(lambda file: dps.compare.draw(rows, file))
    if getattr(given, "objectives", None):
        # Drawn as dpselect top-k draws several metrics, unless other mechanisms were asked for.
        usual = [each for each in mechanisms if each.name == top_k.COMBINED]
        _front(given, problems, [*usual, *mechanisms][0], epsilons[-1])
    out = f" Not applicable here: {', '.join(left)}." if left else ""
    note = f"Exact, from laws.{out} For public data only: figures like these reveal private data."
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
    private = [place[each] for each in drawn]
    given.objectives.draw(
        lambda file: dps.compare.draw_front(
            parts, given.metric, best, private, file, label=label, weights=given.weights or (1, 1)
        )
    )
