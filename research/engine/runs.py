"""Runs experiments: cells to results, over processes, picked up again after a kill."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager, nullcontext
from dataclasses import astuple, dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from dpselect import datasets
from dpselect.kernel.errors import FileError
from research.engine import data
from research.engine.code import reached
from research.engine.experiment import Cell, Effort, Experiment, Point, Results
from research.engine.journal import Journal, Measured

Measure = Callable[[Cell, Effort, np.random.Generator], Sequence[Point]]


@dataclass(frozen=True)
class Outcome:
    """What one experiment gave.

    Attributes:
        skipped: datasets that are not here. seconds: processor time of all its cells.
        notes: what was dropped or failed. failed: cells that were begun and gave nothing.
    """

    experiment: Experiment
    results: Results
    skipped: tuple[str, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    failed: int = 0


@dataclass
class _Running:
    """An experiment under way; ``files`` are the datasets that its cells may read, by key.

    ``waiting`` are cells finished before, whose datasets are not here now: they stay on the disk.
    """

    experiment: Experiment
    journal: Journal
    cells: dict[str, Cell]
    files: dict[str, tuple[str, ...]]
    skipped: tuple[str, ...]
    finished: dict[str, Measured] = field(default_factory=dict)
    waiting: tuple[Measured, ...] = ()

    def left(self) -> list[tuple[str, Cell]]:
        return [(key, cell) for key, cell in self.cells.items() if key not in self.finished]


def run(
    experiments: Sequence[Experiment],
    effort: Effort,
    folder: Path,
    *,
    jobs: int = 2,
    show: bool = True,
) -> Generator[Outcome]:
    """Yield the outcome of every experiment; finished cells in ``folder`` are not computed again.

    Raises:
        OSError: the disk is full, the folder cannot be used, or a process was ended from outside; what is finished is
            kept.
    """
    available = data.available()
    running = [_opened(experiment, effort, folder, available) for experiment in experiments]
    bar = _Bar(sum(len(each.cells) for each in running), show)
    bar.skip(sum(len(each.finished) for each in running))
    several = jobs > 1 and any(each.left() for each in running)
    with closing(bar), _workers(jobs) if several else nullcontext() as pool:
        for each in running:
            if each.left():
                for measured in _measured(each, effort, pool, jobs):
                    bar.advance(each.experiment.name)
                    if isinstance(measured, str):
                        # One wrong file fails many cells in the same words.
                        if measured not in each.journal.notes:
                            each.journal.notes.append(measured)
                        continue
                    each.journal.append(measured)
                    each.finished[measured.key] = measured
                if not each.left():
                    each.journal.complete([*(each.finished[key] for key in each.cells), *each.waiting])
            yield _outcome(each)


def key_of(cell: Cell) -> str:
    """Return a cell as text."""
    return json.dumps(dict(cell), sort_keys=True)


def generator(name: str, key: str) -> np.random.Generator:
    """Return the simulation's generator of a cell: the same for the same experiment and cell, wherever it runs."""
    digest = hashlib.sha256(f"{name}\n{key}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


def fingerprint(experiment: Experiment, effort: Effort, cells: Sequence[str]) -> str:
    """Return what results depend on: the library's version, the code that measures, the cells and the effort."""
    from dpselect import __version__

    code = reached([experiment.grid, experiment.measure])
    text = json.dumps([__version__, experiment.name, *astuple(effort), list(cells), code])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _opened(experiment: Experiment, effort: Effort, folder: Path, available: frozenset[str]) -> _Running:
    cells = list(experiment.grid(effort))
    wanted = dict.fromkeys(str(cell["dataset"]) for cell in cells if "dataset" in cell)
    skipped = tuple(name for name in wanted if name not in available)
    measurable = {key_of(cell): cell for cell in cells if cell.get("dataset") not in skipped}
    # All cells count, those without data too: whoever forgets a folder of data must not lose what was measured.
    everything = [key_of(cell) for cell in cells]
    journal = Journal(folder / effort.name, experiment.name, fingerprint(experiment, effort, everything))
    files = _files(experiment, measurable, available)
    # Where no data are there at all, perhaps by a slip, results of another day are left as they are.
    before = journal.read() if measurable else {}
    known = {key: each for key, each in before.items() if key in measurable}
    waiting = tuple(before[key] for key in everything if key in before and key not in measurable)
    # Results older than the note of their data are believed: nothing tells them from others.
    finished = {key: each for key, each in known.items() if each.data in ("", _data(files[key]))}
    if changed := len(known) - len(finished):
        journal.notes.append(f"{changed} cell(s) of {experiment.name} are of other data and are computed again.")
    return _Running(experiment, journal, measurable, files, skipped, finished, waiting)


def _files(experiment: Experiment, cells: Mapping[str, Cell], available: frozenset[str]) -> dict[str, tuple[str, ...]]:
    # A cell that names no dataset, of an experiment that reads data, may read any that is there.
    reads = any(each.startswith(f"{data.__name__}.") for each in reached([experiment.measure]))
    every = tuple(sorted(available)) if reads else ()
    return {key: (str(cell["dataset"]),) if "dataset" in cell else every for key, cell in cells.items()}


def _data(files: Sequence[str]) -> str:
    try:
        return " ".join(datasets.sha256(name) for name in files)
    except OSError:
        # Whoever measures a cell of it will say why.
        return "unreadable"


def _measured(each: _Running, effort: Effort, pool: ProcessPoolExecutor | None, jobs: int) -> Iterator[Measured | str]:
    """Yield every cell that was left, or a note where one failed: one cell must not cost the others."""
    name, measure = each.experiment.name, each.experiment.measure
    if pool is None:
        for key, cell in each.left():
            try:
                yield measured(name, measure, key, cell, effort, each.files[key])
            except Exception as error:
                yield _failed(key, each.files[key], error)
        return
    waiting: dict[Future[Measured], str] = {}
    coming = iter(each.left())
    while True:
        # A short queue: whoever interrupts waits for the cells under way only.
        while len(waiting) < jobs + 1 and (following := next(coming, None)) is not None:
            key, cell = following
            waiting[pool.submit(measured, name, measure, key, cell, effort, each.files[key])] = key
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            key = waiting.pop(future)
            try:
                yield future.result()
            except BrokenExecutor as error:
                raise FileError(
                    "A process was ended from outside, perhaps for lack of memory: run the same command again, with "
                    "--jobs 1 if it happens again; finished cells are kept."
                ) from error
            except Exception as error:
                yield _failed(key, each.files[key], error)


def _failed(key: str, files: Sequence[str], error: Exception) -> str:
    """Return what failed and what helps; the same command again does only where the machine was at fault."""
    message = f"The cell {key} failed ({type(error).__name__}: {error})"
    if isinstance(error, datasets.FileContentError):
        return f"Cells failed for lack of their data: {error}"
    if isinstance(error, MemoryError):
        return f"{message}: run the same command again with --jobs 1, or where there is more memory."
    if isinstance(error, OSError):
        return f"{message}: correct that and run the same command again."
    if loose := datasets.files_without_hash(files):
        # A reader's advice on a damaged file, such as to load it unsafely, is none to follow.
        first = re.split(r"\.\s|\n", str(error))[0]
        names = ", ".join(str(path) for path in loose)
        return (
            f"The cell {key} failed ({type(error).__name__}: {first}): put a whole copy of {names} there if it is "
            "damaged; the manifest gives no sha256 to tell."
        )
    return f"{message}: this is a fault of the experiment, please report it with this line."


def measured(name: str, measure: Measure, key: str, cell: Cell, effort: Effort, files: Sequence[str] = ()) -> Measured:
    """Measure one cell, in whatever process, once the files it may read are found to be the manifest's."""
    start = time.process_time()
    for each in files:
        datasets.checked_file(each)
    points = tuple(measure(cell, effort, generator(name, key)))
    return Measured(key, points, time.process_time() - start, _data(files))


@contextmanager
def _workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Hold processes that end at once when this one does, however it ends: nobody waits for their cells then."""
    context = get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with, initargs=(theirs,))
    try:
        yield pool
        pool.shutdown()
    finally:
        ours.close()
        pool.shutdown(wait=False, cancel_futures=True)


def _end_with(other: Connection) -> None:
    # Nothing is ever sent: a pipe ends when whoever holds its other end closes it, or is killed.
    def watch() -> None:
        other.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _outcome(each: _Running) -> Outcome:
    finished = [each.finished[key] for key in each.cells if key in each.finished]
    points = [point for one in finished for point in one.points]
    return Outcome(
        each.experiment,
        Results(points),
        each.skipped,
        sum(one.seconds for one in finished),
        tuple(each.journal.notes),
        len(each.left()),
    )


def _has_size() -> bool:
    try:
        return all(os.get_terminal_size(sys.stderr.fileno()))
    except (OSError, ValueError):
        return False


class _Bar:
    """A progress bar with the time left; silent when nobody looks."""

    def __init__(self, total: int, show: bool) -> None:
        self._bar: Any = None
        if show and total:
            try:
                from tqdm import tqdm
            except ImportError:
                return
            # Some terminals say that they have no size: a bar of that width would be blank.
            size = {"dynamic_ncols": True} if _has_size() else {"ncols": 80, "nrows": 24}
            self._bar = tqdm(total=total, unit="cell", file=sys.stderr, **size)

    def skip(self, cells: int) -> None:
        if self._bar is not None:
            # Found cells took no time now: the time left is estimated from the others.
            self._bar.total -= cells
            self._bar.refresh()

    def advance(self, name: str) -> None:
        if self._bar is not None:
            self._bar.set_description_str(name, refresh=False)
            self._bar.update(1)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
