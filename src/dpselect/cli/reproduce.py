"""dpselect reproduce: re-create the papers' tables and figures and judge what they claim."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any


def add(verbs: Any) -> None:
    """Add the command."""
    reproduce = verbs.add_parser("reproduce", help="re-create the papers' tables and figures, and judge their claims")
    reproduce.add_argument(
        "names", nargs="*", metavar="NAME", help="experiments, beginnings of their names, or papers; all when none"
    )
    reproduce.add_argument("--quick", action="store_true", help="coarse grids, under ten minutes on two cores")
    reproduce.add_argument("--runs", choices=["paper"], help="the papers' own numbers of runs; takes longer")
    reproduce.add_argument("--out", metavar="FOLDER", default="reproduction", help="default: reproduction")
    reproduce.add_argument("--jobs", type=int, default=2, metavar="N", help="processes; default: 2")
    reproduce.add_argument("--list", action="store_true", help="list the experiments")
    reproduce.set_defaults(run=run)


def run(given: argparse.Namespace) -> str:
    """Run experiments, write the report, and return the verdicts as text."""
    try:
        return _run(given)
    except KeyboardInterrupt:
        given.status = 130
        return "Stopped: the same command goes on from here."


def _run(given: argparse.Namespace) -> str:
    from dpselect import experiments
    from dpselect.experiments import data, engine, verdicts
    from dpselect.experiments.experiment import EFFORTS
    from dpselect.experiments.report import Report, write

    if given.jobs < 1:
        raise ValueError("--jobs is a number of processes >= 1.")
    if given.quick and given.runs:
        raise ValueError("--quick and --runs paper exclude each other: pass one of them.")
    wanted = experiments.chosen(given.names)
    if given.list:
        return "\n".join(f"{each.name:<40} {each.paper} {each.item}: {each.title}" for each in wanted)
    _needs_libraries()
    if Path(given.out).exists() and not Path(given.out).is_dir():
        raise ValueError(f"--out names a folder, and {given.out} is a file: pass another name.")
    effort = EFFORTS["quick" if given.quick else given.runs or "full"]
    start = time.monotonic()
    lines, outcomes = [], []
    if not data.available():
        tried = os.environ.get("DPSELECT_DATA")
        lines.append(data.WHERE + (f" There is no manifest.toml in {tried}." if tried else ""))
    show = sys.stderr.isatty()
    for outcome in engine.run(wanted, effort, Path(given.out) / "results", jobs=given.jobs, show=show):
        outcomes.append(outcome)
        each = outcome.experiment
        lines.append(f"{each.paper} {each.item}: {verdicts.sentence(outcome)}")
        if outcome.skipped:
            lines.append(f"    skipped, not in the data folder: {', '.join(outcome.skipped)}")
        lines += [f"    {note}" for note in outcome.notes]
    absent = [each for each in experiments.NOT_REPRODUCED if not given.names]
    page, _ = write(Report(outcomes, absent, effort, time.monotonic() - start), Path(given.out))
    given.status = 1 if any("failed" in note for outcome in outcomes for note in outcome.notes) else 0
    return "\n".join([*lines, f"The report is {page}."])


def _needs_libraries() -> None:
    try:
        import matplotlib  # noqa: F401
        import pyarrow  # noqa: F401
        import sklearn  # noqa: F401
    except ImportError as missing:
        raise ImportError(f'{missing.name} is not installed: pip install "dpselect[all,reproduce]".') from None
