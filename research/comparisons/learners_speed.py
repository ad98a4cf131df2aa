"""How long the tree, the forest and the boosted learner take: by columns at 10^4 rows, and 10^6 rows of 12 columns.

    python -m research.comparisons.learners_speed

Processor time of one fit, least of several. Half the columns are numbers, the others categories; two classes.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dpselect import learn
from research.comparisons.learners_peers import DELTA
from research.comparisons.trees import seconds

WIDTHS = (8, 16, 32, 64, 128)
KINDS: dict[str, Callable[..., Any]] = {
    "tree": lambda **k: learn.DPTreeClassifier(1, **k),
    "forest": lambda **k: learn.DPRandomForestClassifier(1, delta=DELTA, **k),
    "boosted": lambda **k: learn.DPBoostedTreesClassifier(1, delta=DELTA, **k),
}


def table_of(rows: int, columns: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a table and its domains: the class depends on the first four columns."""
    rng = np.random.default_rng(0)
    table: dict[str, Any] = {}
    domains: dict[str, Any] = {}
    for code in range(columns):
        many = 100 if code % 2 == 0 else 8
        table[f"c{code}"] = rng.integers(0, many, rows)
        domains[f"c{code}"] = (0, 99) if code % 2 == 0 else list(range(8))
    score = sum(table[f"c{code}"] / (100 if code % 2 == 0 else 8) for code in range(4))
    table["y"] = (score + rng.normal(0, 0.3, rows) > 2).astype(int)
    return table, domains


def taken(kind: str, rows: int, columns: int, times: int) -> float:
    """Return the least processor time of a fit."""
    table, domains = table_of(rows, columns)
    return seconds(lambda: KINDS[kind](domains=domains, classes=[0, 1]).fit(table, "y"), times)


def report(rows: int, most: int, times: int) -> Iterator[str]:
    """Yield the lines."""
    yield f"{rows} rows: seconds by columns, and how they grow when the columns double"
    for kind in KINDS:
        times_taken = [taken(kind, rows, columns, times) for columns in WIDTHS]
        growth = [after / before for before, after in itertools.pairwise(times_taken)]
        at_32, linear = times_taken[WIDTHS.index(32)], max(growth[WIDTHS.index(32) :])
        shown = "".join(f"{columns:>6}: {s:.3f}" for columns, s in zip(WIDTHS, times_taken, strict=True))
        yield f"  {kind:<8}{shown}; x " + " ".join(f"{x:.2f}" for x in growth)
        yield f"          32 columns under 1 s: {met(at_32 < 1)}; from 32 on at most x 2.2: {met(linear <= 2.2)}"
    yield f"{most} rows x 12 columns, seconds"
    for kind in KINDS:
        long = taken(kind, most, 12, 2)
        yield f"  {kind:<8}{long:>7.2f}; under 20 s: {met(long < 20)}"


def met(holds: bool) -> str:
    """Write whether a demand is met."""
    return "met" if holds else "MISSED"


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=5)
    args = parser.parse_args()
    for line in report(args.rows, args.most, args.times):
        print(line, flush=True)


if __name__ == "__main__":
    main()
