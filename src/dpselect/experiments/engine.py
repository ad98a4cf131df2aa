"""Runs experiments: cells to results, over processes, picked up again after a kill."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

import numpy as np

from dpselect.experiments import data
from dpselect.experiments.code import reached
from dpselect.experiments.experiment import Cell, Effort, Experiment, Point, Results
from dpselect.experiments.journal import Journal, Measured

Measure = Callable[[Cell, Effort, np.random.Generator], Sequence[Point]]


@dataclass(frozen=True)
class Outcome:
    """What one experiment gave.

    Attributes:
        skipped: datasets that are not in the folder. seconds: processor time of all its cells.
        notes: what was set aside or failed.
    """

    experiment: Experiment
    results: Results
    skipped: tuple[str, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass
class _Running:
    experiment: Experiment
    journal: Journal
    cells: dict[str, Cell]
    skipped: tuple[str, ...]
    finished: dict[str, Measured] = field(default_factory=dict)

    def left(self) -> list[tuple[str, Cell]]:
        return [(key, cell) for key, cell in self.cells.items() if key not in self.finished]


def run(
    experiments: Sequence[Experiment],
    effort: Effort,
    folder: Path,
    *,
    jobs: int = 2,
    show: bool = True,
) -> Iterator[Outcome]:
    """Yield the outcome of every experiment; finished cells in ``folder`` are not computed again.

    Raises:
        OSError: the disk is full, or a process was ended from outside; what is finished is kept.
    """
    held = data.available()
    running = [_opened(experiment, effort, folder, held) for experiment in experiments]
    bar = _Bar(sum(len(each.cells) for each in running), show)
    bar.skip(sum(len(each.finished) for each in running))
    pool = None
    if jobs > 1 and any(each.left() for each in running):
        pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_end_with_parent)
    try:
        for each in running:
            if each.left():
                for found in _measured(each, effort, pool, jobs):
                    bar.advance(each.experiment.name)
                    if isinstance(found, str):
                        each.journal.notes.append(found)
                        continue
                    each.journal.append(found)
                    each.finished[found.key] = found
                if not each.left():
                    each.journal.complete([each.finished[key] for key in each.cells])
            yield _outcome(each)
    finally:
        bar.close()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)


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
    told = json.dumps([__version__, experiment.name, effort.name, effort.target, effort.most, list(cells), code])
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _opened(experiment: Experiment, effort: Effort, folder: Path, held: frozenset[str]) -> _Running:
    cells = list(experiment.grid(effort))
    wanted = dict.fromkeys(str(cell["dataset"]) for cell in cells if "dataset" in cell)
    skipped = tuple(name for name in wanted if name not in held)
    kept = {key_of(cell): cell for cell in cells if cell.get("dataset") not in skipped}
    journal = Journal(folder / effort.name, experiment.name, fingerprint(experiment, effort, list(kept)))
    finished = {key: each for key, each in journal.read().items() if key in kept}
    return _Running(experiment, journal, kept, skipped, finished)


def _measured(each: _Running, effort: Effort, pool: ProcessPoolExecutor | None, jobs: int) -> Iterator[Measured | str]:
    """Yield every cell that was left, or a note where one failed: one cell must not cost the others."""
    name, measure = each.experiment.name, each.experiment.measure
    if pool is None:
        for key, cell in each.left():
            try:
                yield measured(name, measure, key, cell, effort)
            except Exception as error:
                yield _failed(key, error)
        return
    waiting: dict[Future[Measured], str] = {}
    coming = iter(each.left())
    while True:
        # A short queue: whoever interrupts waits for the cells under way only.
        while len(waiting) < jobs + 1 and (following := next(coming, None)) is not None:
            waiting[pool.submit(measured, name, measure, *following, effort)] = following[0]
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            key = waiting.pop(future)
            try:
                yield future.result()
            except BrokenExecutor as error:
                raise OSError(
                    "A process was ended from outside, perhaps for want of memory: run the same command again, with "
                    "--jobs 1 if it happens again; finished cells are kept."
                ) from error
            except Exception as error:
                yield _failed(key, error)


def _failed(key: str, error: Exception) -> str:
    return f"The cell {key} failed ({type(error).__name__}: {error}): run the same command again to try it again."


def measured(name: str, measure: Measure, key: str, cell: Cell, effort: Effort) -> Measured:
    """Measure one cell, in whatever process."""
    start = time.process_time()
    points = tuple(measure(cell, effort, generator(name, key)))
    return Measured(key, points, time.process_time() - start)


def _end_with_parent() -> None:
    # A worker whose parent was killed would finish its cell for nobody, and then wait for ever.
    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _outcome(each: _Running) -> Outcome:
    finished = [each.finished[key] for key in each.cells if key in each.finished]
    points = [found for one in finished for found in one.points]
    return Outcome(
        each.experiment,
        Results(points),
        each.skipped,
        sum(one.seconds for one in finished),
        tuple(each.journal.notes),
    )


class _Bar:
    """A progress bar with the time left; silent when nobody looks."""

    def __init__(self, total: int, show: bool) -> None:
        self._bar: Any = None
        if show and total:
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=total, unit="cell", file=sys.stderr, dynamic_ncols=True)

    def skip(self, cells: int) -> None:
        if self._bar is not None:
            # Found cells took no time now: the time left is told from the others.
            self._bar.total -= cells
            self._bar.refresh()

    def advance(self, name: str) -> None:
        if self._bar is not None:
            self._bar.set_description_str(name, refresh=False)
            self._bar.update(1)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
