"""How long the most common of 10,000 items takes among 10^7 events of 10^6 persons, and how much memory.

    python -m research.comparisons.popular [--rows 10000000]
    python -m research.comparisons.popular --walls

Processor seconds of one process each, least of three runs, without reading the table but where it is in a file; memory
is the most that the process held, its table included. Polars counts the same persons without any privacy.

``--walls`` prints how many persons an item needs where no public list names it: above the 101st item below a threshold,
or to be told half the time.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from pathlib import Path

import numpy as np

import dpselect as dps
from dpselect.kernel.keep_probability import CERTAIN, keep_probabilities
from dpselect.kernel.limited_domain import domain_threshold

PERSONS, ITEMS = 10**6, 10_000
ASKED = {"person": "user", "item": "item"}


def table(rows: int):
    """Events of integers: persons alike, items by a power law."""
    rng = np.random.default_rng(0)
    items = (ITEMS * rng.random(rows) ** 3).astype(np.int64)
    return {"user": rng.integers(0, PERSONS, rows), "item": items, "region": rng.integers(0, 20, rows)}


def text(rows: int):
    """The same as an arrow table of text."""
    import pyarrow

    return pyarrow.table({name: pyarrow.array(cells).cast(pyarrow.string()) for name, cells in table(rows).items()})


def parquet(rows: int):
    """The same integers in a file."""
    import pyarrow
    from pyarrow import parquet

    path = Path(tempfile.mkdtemp()) / "events.parquet"
    parquet.write_table(pyarrow.table(table(rows)), path)
    return path


def asked(**more) -> Callable[[object], object]:
    """The ten most common, at epsilon 1."""
    return lambda events: dps.most_common(events, 10, epsilon=1, **ASKED, **more)


def in_engine(path: object) -> object:
    """DuckDB counts in the file."""
    with dps.data.Warehouse.open(path) as place:
        return dps.most_common(place, 10, epsilon=1, **ASKED, domain=range(ITEMS))


def by_polars(events: object) -> object:
    """The true list: what privacy is paid on top of."""
    import polars

    counts = polars.DataFrame(events).group_by("item").agg(polars.col("user").n_unique())
    return counts.sort("user", descending=True).head(10)


CASES = {
    "a public list, integers in memory": (table, asked(domain=range(ITEMS))),
    "a public list, text in arrow": (text, asked(domain=[str(item) for item in range(ITEMS)])),
    "a public list, integers in parquet": (parquet, asked(domain=range(ITEMS))),
    "a public list, DuckDB counts in parquet": (parquet, in_engine),
    "20 groups, 2 for each person": (
        table,
        asked(domain=range(ITEMS), by="region", groups=range(20), groups_per_person=2),
    ),
    "no list, 5 items of each person": (table, asked(delta=1e-8, items_per_person=5)),
    "no list, a wall": (table, asked(delta=1e-8, kept=100)),
    "Polars, not private, integers in memory": (table, by_polars),
}


def measured(name: str, rows: int) -> None:
    """Print one line: in a process of its own."""
    make, run = CASES[name]
    events, best = make(rows), float("inf")
    for _ in range(3):
        start = time.process_time()
        run(events)
        best = min(best, time.process_time() - start)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:<42}{rows:>10} events{best:>8.1f} s{held:>8.0f} MiB", flush=True)


def walls() -> None:
    """Print the table of the how-to: epsilon 1 and delta 1e-6 in all."""
    epsilon, delta, most = Fraction(1), Fraction(1, 10**6), (1, 5, 20, 100)
    print(f"{'':<8}{'wall':>8}" + "".join(f"{f'{each} items':>12}" for each in most))
    for k in (1, 5, 20, 100):
        height = 1 + domain_threshold(100, epsilon, delta, epsilon / k)
        halves = []
        for each in most:
            chances = zip(count(1), keep_probabilities(epsilon / 2 / each, delta / each))
            halves.append(next(persons for persons, chance in chances if 2 * chance >= CERTAIN))
        print(f"{f'k = {k}':<8}{height:>8}" + "".join(f"{half:>12}" for half in halves))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--only")
    parser.add_argument("--walls", action="store_true")
    words = parser.parse_args()
    if words.walls:
        walls()
    elif words.only:
        measured(words.only, words.rows)
    else:
        for name in CASES:
            command = [
                sys.executable,
                "-m",
                "research.comparisons.popular",
                "--rows",
                str(words.rows),
                "--only",
                name,
            ]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
