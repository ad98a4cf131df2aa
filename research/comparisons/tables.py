"""How long counts of a table take, in files that are read where they are, and how much memory.

    python -m research.comparisons.tables [--rows 1000000 10000000] [--formats csv parquet]

Processor seconds of one process each on one processor, least of three runs, without imports; memory is the most that
the process held. DuckDB and polars count the same cells without any privacy, and without our rules for cells. Persons
have three rows on average, of which two count.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

import dpselect as dps

REGIONS = ["North", "South", "East", "West"]
_PART = 10**7
_COMMAND = [sys.executable, "-m", "research.comparisons.tables"]


def write(folder: Path, rows: int, formats: Sequence[str] = ("csv", "parquet")) -> None:
    """Write a table of persons, regions and incomes as csv, parquet or both, ten million rows at a time."""
    import pyarrow
    from pyarrow import csv, parquet

    rng = np.random.default_rng(1)
    names = np.array([*REGIONS, "Nowhere"])
    kinds = pyarrow.schema([("person", "int64"), ("region", "string"), ("income", "int64")])
    form = csv.WriteOptions(quoting_style="none")
    writers = {
        "csv": lambda: csv.CSVWriter(folder / "t.csv", kinds, write_options=form),
        "parquet": lambda: parquet.ParquetWriter(folder / "t.parquet", kinds),
    }
    with ExitStack() as stack:
        files = [stack.enter_context(writers[each]()) for each in formats]
        for start in range(0, rows, _PART):
            many = min(_PART, rows - start)
            part = pyarrow.table(
                {
                    "person": rng.integers(0, rows // 3, many),
                    "region": names[rng.integers(0, len(names), many)],
                    "income": rng.gamma(2, 20_000, many).astype(np.int64),
                },
                kinds,
            )
            for file in files:
                file.write_table(part)


class Silent:
    """A ledger that allows everything."""

    def spend(self, *_: object, **__: object) -> None:
        """Allow it."""


GRID = {"lower": 0, "upper": 200_000, "step": 100}
LISTED = {"epsilon": 1, "ledger": Silent()}
GROUPS = {"by": "region", "groups": REGIONS}
PERSONS = {"person": "person", "rows_per_person": 2}


def _duckdb(path: str, query: str) -> None:
    import duckdb

    duckdb.connect(config={"threads": 1}).sql(query.format(path)).fetchall()


def _polars(path: str, column: str) -> None:
    import polars

    scanned = polars.scan_csv(path) if path.endswith(".csv") else polars.scan_parquet(path)
    scanned.group_by(column).len().collect(engine="streaming")


MEASURED: dict[str, Callable[[str], object]] = {
    "counts of regions": lambda path: dps.counts(path, column="region", domain=REGIONS, **LISTED),
    "  DuckDB": lambda path: _duckdb(path, "SELECT region, count(*) FROM '{}' GROUP BY 1"),
    "  polars": lambda path: _polars(path, "region"),
    "median of incomes": lambda path: dps.median(path, column="income", **GRID, **LISTED),
    "  DuckDB counts": lambda path: _duckdb(path, "SELECT income, count(*) FROM '{}' GROUP BY 1"),
    "  polars counts": lambda path: _polars(path, "income"),
    "most common regions, of persons": lambda path: dps.most_common(
        path, 2, item="region", person="person", domain=REGIONS, **LISTED
    ),
    "median by region": lambda path: dps.median(path, column="income", **GRID, **GROUPS, **LISTED),
    "median by region, of persons": lambda path: dps.median(
        path, column="income", **GRID, **GROUPS, **PERSONS, **LISTED
    ),
}


def processor() -> float:
    """Processor seconds of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def warm(name: str, path: str) -> None:
    """Count a small table first, so that imports are not measured."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), 100)
        MEASURED[name](str(Path(folder) / Path(path).name))


def one(name: str, path: str) -> None:
    """Print the processor seconds and the peak memory of one count."""
    warm(name, path)
    start = processor()
    MEASURED[name](path)
    print(processor() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def least(name: str, path: str) -> tuple[float, float]:
    """Return the least seconds of three processes, and the most memory of the quickest."""
    command = [*_COMMAND, "--one", name, "--path", path]
    runs = []
    for _ in range(3):
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        runs.append((float(printed[-2]), float(printed[-1])))
    return min(runs)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 10**7])
    parser.add_argument("--formats", nargs="+", default=["csv", "parquet"])
    parser.add_argument("--one", choices=MEASURED)
    parser.add_argument("--path")
    parser.add_argument("--write", metavar="FOLDER")
    said = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if said.one is not None:
        one(said.one, said.path)
        return
    if said.write is not None:
        write(Path(said.write), *said.rows, said.formats)
        return
    for rows in said.rows:
        with tempfile.TemporaryDirectory() as folder:
            # In a process of its own: those that are measured inherit the memory of this one.
            subprocess.run([*_COMMAND, "--write", folder, "--rows", str(rows), "--formats", *said.formats], check=True)
            print(f"{rows:,} rows".ljust(34) + "".join(f"{each:>18}" for each in said.formats))
            for name in MEASURED:
                cells = [least(name, str(Path(folder) / f"t.{each}")) for each in said.formats]
                print(name.ljust(34) + "".join(f"{f'{time:.2f} s {memory:.0f} MB':>18}" for time, memory in cells))
                sys.stdout.flush()


if __name__ == "__main__":
    main()
