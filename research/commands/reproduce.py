"""dpselect reproduce: re-create the papers' tables and figures and judge what they claim."""

from __future__ import annotations

import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dpselect._optional import missing
from dpselect.cli import paths
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import argument, flag, one_of, option, whole
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from research.engine.experiment import Experiment
    from research.engine.runs import Outcome

_MORE = (
    "Protected: nobody, because the data are public. With neither --quick nor --runs, measurements are repeated "
    "until their standard error is 0.01, up to a bound: "
    "about an hour on two cores. A run that was stopped or killed goes on where it was: give the same command again. "
    "Data are read from the folder data of a clone, and from the folder that the environment variable DPSELECT_DATA "
    "names, which holds manifest.toml and the files it lists; nothing is downloaded, and experiments without data run "
    "all the same. `dpselect datasets` says what is here and what is not."
)
_UNFINISHED = "Not finished when the run was stopped: the same command goes on from here."


def run(request: Request) -> CommandAnswer:
    """Run experiments, write the report, and return the verdicts."""
    try:
        return _run(request)
    except KeyboardInterrupt:
        return CommandAnswer("Stopped: the same command goes on from here.", status=130)


def _run(request: Request) -> CommandAnswer:
    from research import papers as experiments
    from research.engine import journal, stored
    from research.engine import runs as engine
    from research.engine.authors import PAPERS
    from research.engine.experiment import EFFORTS, Results
    from research.engine.report import Report, write

    if request.jobs < 1:
        raise InputError("--jobs is a number of processes >= 1.")
    if request.quick and request.runs:
        raise InputError("--quick and --runs paper exclude each other: pass one of them.")
    if not request.list:
        _needs_libraries()
    wanted = experiments.chosen([*request.names])
    if request.list:
        return CommandAnswer(
            "\n".join(f"{each.name:<40} {PAPERS[each.paper].authors}, {each.item}: {each.title}" for each in wanted)
        )
    folder = _folder(request.out, wanted)
    journal.ready(folder)
    items, papers = {(each.paper, each.item) for each in wanted}, experiments.whole_papers(wanted)
    not_reproduced = [
        each for each in experiments.NOT_REPRODUCED if each.paper in papers or (each.paper, each.item) in items
    ]
    if request.stored:
        if request.quick or request.runs:
            raise InputError("--stored measures nothing: leave out --quick and --runs.")
        kept = Report(stored.outcomes(wanted), not_reproduced, EFFORTS["full"], 0.0)
        return CommandAnswer(f"The report is {write(kept, folder)[0]}.")
    effort = EFFORTS["quick" if request.quick else request.runs or "full"]
    start = time.monotonic()
    outcomes: list[Outcome] = []

    def report() -> str:
        page, _ = write(Report(outcomes, not_reproduced, effort, time.monotonic() - start), folder)
        return f"The report is {page}."

    if words := _said_of_data():
        _tell(words)
    show = sys.stderr.isatty()
    try:
        with closing(engine.run(wanted, effort, folder / "results", jobs=request.jobs, show=show)) as running:
            for outcome in running:
                outcomes.append(outcome)
                _tell(_told(outcome))
    except (KeyboardInterrupt, OSError):
        if outcomes:
            outcomes += [engine.Outcome(each, Results([]), notes=(_UNFINISHED,)) for each in wanted[len(outcomes) :]]
            # The disk may be full: then what ended the run is what is to be said.
            with suppress(OSError):
                _tell(f"{report()} It shows what was finished.")
        raise
    return CommandAnswer(report(), status=1 if any(outcome.failed for outcome in outcomes) else 0)


def _tell(text: str) -> None:
    """Print at once: a run takes long. The bar, if there is one, stays below."""
    try:
        from tqdm import tqdm
    except ImportError:
        print(text, flush=True)
        return
    tqdm.write(text, file=sys.stdout)
    sys.stdout.flush()


def _told(outcome: Outcome) -> str:
    from research.engine import verdicts
    from research.engine.authors import PAPERS

    each = outcome.experiment
    lines = [f"{PAPERS[each.paper].authors}, {each.item}: {verdicts.sentence(outcome)}"]
    if outcome.skipped:
        lines.append(f"    skipped, not in the data folder: {', '.join(outcome.skipped)}")
    return "\n".join([*lines, *(f"    {note}" for note in outcome.notes)])


def _said_of_data() -> str:
    """Return why there are no data and what to do, or which files stand for others; empty when all is well."""
    from dpselect import datasets
    from research.engine import data

    try:
        places = datasets.folders()
    except FileNotFoundError as error:
        return data.WHERE if str(error) == datasets.WHERE else f"{error} Experiments without data run all the same."
    if data.available():
        return "\n".join(datasets.disagreements())
    named = " or ".join(str(place) for place in places)
    return f"None of the files that the manifest lists is in {named}; experiments without data run all the same."


def _folder(out: str, wanted: Sequence[Experiment]) -> Path:
    from research.engine.report import somebody_elses

    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--out names a folder, and {out} is a file: pass another name.")
    if path := somebody_elses(folder, wanted):
        raise InputError(f"--out: {path} was not written by dpselect reproduce, and stays: name another folder.")
    return folder


def _needs_libraries() -> None:
    try:
        import matplotlib  # noqa: F401
        import pyarrow  # noqa: F401
        import sklearn  # noqa: F401
    except ImportError as error:
        raise missing(error, "all,reproduce") from None


VERB = Command(
    run,
    (
        argument(
            "names",
            metavar="[NAME]...",
            words="experiments, beginnings of their names, or papers; all when none",
            nargs=-1,
        ),
        flag("--quick", "coarse grids, under ten minutes on two cores"),
        option("--runs", type=one_of(["paper"]), metavar="paper", help="the papers' own numbers of runs; takes longer"),
        paths.folder("--out", metavar="FOLDER", default="reproduction", help="default: reproduction"),
        option("--jobs", type=whole, default=2, metavar="N", help="processes; default: 2"),
        flag("--stored", "judge the run that the repository keeps again; nothing is measured"),
        flag("--list", "list the experiments"),
    ),
    "dpselect reproduce --list",
    about=_MORE,
    json=False,
)
