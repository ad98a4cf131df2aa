"""Traces: what every option lost on every public database, as one tidy table."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.adaptive.metafeature import Metafeature
from dpselect.adaptive.option import Option
from dpselect.kernel.errors import InputError, MissingFileError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.release.open_session import open_session
from dpselect.sources.output import Output

# One row per run; the metafeatures of the database follow, one column each.
COLUMNS = ("database", "group", "option", "epsilon", "repetition", "loss", "seconds", "error")
_SECONDS_BETWEEN_WRITES = 5.0
Loss = Callable[[Any, Any], float]


@dataclass(frozen=True, eq=False, repr=False)
class Traces:
    """The table.

    Attributes:
        columns: name to an array, all of one length: ``database``, ``group``, ``option``, ``epsilon`` (what the option
            received), ``repetition``, ``loss`` (NaN where the option failed), ``seconds``, ``error``, and the true
            value of every metafeature.
        metafeatures: the names of those.

    >>> table = Traces.from_rows([{"database": "a", "group": "a", "option": "x", "epsilon": 1.0, "repetition": 0,
    ...     "loss": 0.5, "seconds": 0.1, "error": "", "rows": 10.0}])
    >>> len(table), table.metafeatures
    (1, ('rows',))
    """

    columns: Mapping[str, NDArray[Any]]
    metafeatures: tuple[str, ...]

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Any]], metafeatures: Sequence[str] = ()) -> Traces:
        """Return the table of rows that all have the same names."""
        names = list(rows[0]) if rows else [*COLUMNS, *metafeatures]
        columns = {name: np.array([row[name] for row in rows]) for name in names}
        return cls(columns, tuple(name for name in names if name not in COLUMNS))

    @classmethod
    def read(cls, path: str | Path) -> Traces:
        """Return the table of a parquet file.

        Raises:
            FileNotFoundError: no such file.
            ValueError: a file that is not a table of traces.
        """
        import pyarrow
        import pyarrow.parquet

        if not Path(path).is_file():
            raise MissingFileError(
                f"The file {path} does not exist: traces are written by AdaptiveAlgorithm.train(traces=path)."
            )
        try:
            table = pyarrow.parquet.read_table(path)
        except pyarrow.ArrowInvalid:
            raise InputError(
                f"{path} is not a parquet file: traces are written by AdaptiveAlgorithm.train(traces=path)."
            ) from None
        missing = [name for name in COLUMNS if name not in table.column_names]
        if missing:
            raise InputError(f"{path} is not a table of traces: it lacks {', '.join(missing)}.")
        columns = {name: np.asarray(table[name].to_pylist()) for name in table.column_names}
        return cls(columns, tuple(name for name in table.column_names if name not in COLUMNS))

    def write(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write a parquet file: all of it or nothing, whenever the process ends.

        Raises:
            FileExistsError: the file exists, and ``overwrite`` was not asked for; or it is a ledger.
            OSError: it cannot be written.
        """
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.table({name: pyarrow.array(values.tolist()) for name, values in self.columns.items()})
        sink = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(table, sink, compression="zstd")
        with Output(path, overwrite) as file:
            file.put(sink.getvalue().to_pybytes())

    def rows(self) -> list[dict[str, Any]]:
        """Return one mapping per row."""
        names = list(self.columns)
        return [
            dict(zip(names, row, strict=True)) for row in zip(*(c.tolist() for c in self.columns.values()), strict=True)
        ]

    def where(self, kept: NDArray[np.bool_]) -> Traces:
        """Return some of the rows."""
        return Traces({name: values[kept] for name, values in self.columns.items()}, self.metafeatures)

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options, in order of appearance."""
        return _distinct_values(self.columns["option"])

    @property
    def databases(self) -> tuple[str, ...]:
        """Return the databases, in order of appearance."""
        return _distinct_values(self.columns["database"])

    @property
    def groups(self) -> dict[str, str]:
        """Return the group of every database."""
        return dict(zip(self.columns["database"].tolist(), self.columns["group"].tolist(), strict=True))

    @property
    def epsilons(self) -> NDArray[np.float64]:
        """Return the epsilons that options received, increasing."""
        return np.unique(self.columns["epsilon"].astype(float))

    def values(self) -> dict[str, dict[str, float]]:
        """Return the true metafeatures of every database."""
        found: dict[str, dict[str, float]] = {}
        for place, database in enumerate(self.columns["database"].tolist()):
            if database not in found:
                found[database] = {name: float(self.columns[name][place]) for name in self.metafeatures}
        return found

    def failures(self) -> dict[str, str]:
        """Return the options that failed somewhere, each with its first reason."""
        found: dict[str, str] = {}
        for option, database, error in zip(
            *(self.columns[name].tolist() for name in ("option", "database", "error")), strict=True
        ):
            if error:
                found.setdefault(option, f"on {database}: {error}")
        return found

    def means(self, options: Sequence[str]) -> dict[tuple[str, float], NDArray[np.float64]]:
        """Return the mean loss of every option, by (database, epsilon), where all of them ran."""
        place = {option: i for i, option in enumerate(options)}
        sums: dict[tuple[str, float], NDArray[np.float64]] = {}
        for database, epsilon, option, loss in zip(
            *(self.columns[name].tolist() for name in ("database", "epsilon", "option", "loss")), strict=True
        ):
            if option in place:
                cell = sums.setdefault((database, float(epsilon)), np.zeros((2, len(options))))
                cell[:, place[option]] += (loss, 1.0)
        return {key: cell[0] / cell[1] for key, cell in sums.items() if cell[1].all()}

    def __len__(self) -> int:
        return int(self.columns["database"].size) if "database" in self.columns else 0

    def __repr__(self) -> str:
        return f"Traces(runs={len(self)}, databases={len(self.databases)}, options={len(self.options)})"


def record(
    options: Sequence[Option],
    metafeatures: Sequence[Metafeature],
    loss: Loss,
    databases: Mapping[str, Any],
    epsilons: Iterable[Fraction],
    repetitions: int,
    *,
    groups: Mapping[str, str],
    path: str | Path | None,
    jobs: int,
    neighbours: Neighbours,
) -> Traces:
    """Run every option on every public database, epsilon and repetition that the file does not hold yet.

    Runs are spread over ``jobs`` processes, with a progress bar; the file is rewritten whole every few seconds, so a
    process that was killed goes on where it was.

    Raises:
        ValueError: the file was recorded on other databases of these names.
    """
    from joblib import Parallel, delayed
    from tqdm import tqdm

    known = {
        name: {each.name: float(each.value(database)) for each in metafeatures} for name, database in databases.items()
    }
    rows = _rows_of_file(path, known, groups, metafeatures)
    done = {(row["database"], row["option"], row["epsilon"], row["repetition"]) for row in rows}
    tasks = []
    for name in databases:
        for epsilon in epsilons:
            for option in options:
                missing = [r for r in range(repetitions) if (name, option.name, float(epsilon), r) not in done]
                if missing:
                    tasks.append((name, epsilon, option, missing))
    runs = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size="auto")(
        delayed(_run)(name, databases[name], Guarantee(epsilon, neighbours), option, loss, missing)
        for name, epsilon, option, missing in tasks
    )
    written = time.monotonic()
    try:
        for found in tqdm(runs, total=len(tasks), desc="traces", delay=2, leave=False, disable=None):
            rows += [{**row, "group": groups[row["database"]], **known[row["database"]]} for row in found]
            if path is not None and time.monotonic() - written > _SECONDS_BETWEEN_WRITES:
                _table(rows, metafeatures).write(path, overwrite=True)
                written = time.monotonic()
    finally:
        with contextlib.suppress(AttributeError):
            runs.close()
        if path is not None and rows:
            _table(rows, metafeatures).write(path, overwrite=True)
    return _table(rows, metafeatures)


def _table(rows: list[dict[str, Any]], metafeatures: Sequence[Metafeature]) -> Traces:
    names = [*COLUMNS, *(each.name for each in metafeatures)]
    return Traces.from_rows([{name: row[name] for name in names} for row in rows], [each.name for each in metafeatures])


def _rows_of_file(
    path: str | Path | None,
    known: Mapping[str, Mapping[str, float]],
    groups: Mapping[str, str],
    metafeatures: Sequence[Metafeature],
) -> list[dict[str, Any]]:
    """Return the rows that a file already holds, of these databases."""
    if path is None or not Path(path).exists():
        return []
    before = Traces.read(path)
    if set(before.metafeatures) != {each.name for each in metafeatures}:
        raise InputError(f"{path} was recorded with other metafeatures: choose another path.")
    for database, values in before.values().items():
        if database in known and any(
            not np.isclose(values[name], value, rtol=1e-9, atol=1e-12) for name, value in known[database].items()
        ):
            raise InputError(f"{path} was recorded on another database {database!r}: choose another path.")
    # Groups may be drawn anew; what was run stays run.
    return [{**row, "group": groups.get(row["database"], row["group"])} for row in before.rows()]


def _run(
    name: str, database: Any, guarantee: Guarantee, option: Option, loss: Loss, repetitions: Sequence[int]
) -> list[dict[str, Any]]:
    """Return one row per repetition; public databases cost nothing, whatever budget the caller has open.

    An option draws at most what it is given, as it must on private data: one that wants more fails here already.
    """
    rows, epsilon = [], guarantee.epsilon
    with use_accountant(None):
        for repetition in repetitions:
            start, error, lost = time.perf_counter(), "", float("nan")
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    with open_session(guarantee) as draws, draws.use_accountant():
                        answer = option.answer(database, epsilon)
                    lost = float(loss(database, answer))
                if not np.isfinite(lost) or lost < 0:
                    error = f"its loss was {lost}, not a number of at least 0"
            except Exception as problem:  # Whatever a plugged-in algorithm does is recorded, not passed on.
                error = f"{type(problem).__name__}: {problem}"
            rows.append(
                {
                    "database": name,
                    "option": option.name,
                    "epsilon": float(epsilon),
                    "repetition": repetition,
                    "loss": lost if not error else float("nan"),
                    "seconds": time.perf_counter() - start,
                    "error": error,
                }
            )
    return rows


def _distinct_values(column: NDArray[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column.tolist()))
