"""The traces that ship with dpselect: every built-in option on made-up public data, so that choosing works at once.

    python -m research.comparisons.shipped_traces [histograms] [trees] [--jobs 1]

writes ``histograms.parquet`` and ``trees.parquet`` beside ``dpselect/adaptive/default_traces.py``. The data are drawn
by the functions below: nothing here was measured on anybody. One row holds the mean loss of one option over the
repetitions, which is what policies are learned from; a run by run table would be ten times as large.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from dpselect import adaptive, histograms
from dpselect.adaptive import default_traces, histogram_options, tree_options

EPSILONS = {
    "histograms": [Fraction(1, 100), Fraction(1, 10), Fraction(1)],
    "trees": [Fraction(1, 10), Fraction(1), Fraction(10)],
}
REPETITIONS = {"histograms": 4, "trees": 3}
DOMAINS, SCALES = ((128,), (1024,), (64, 64)), (1_000, 50_000)
ROWS = (300, 5_000)
# Attributes (a number of values, or 0 for a numeric one), classes, and which attributes the label depends on.
RULES = {
    "one attribute": ((2, 3, 4, 0), 2, (1,)),
    "two together": ((2, 2, 5, 0, 3), 2, (0, 1)),
    "many values": ((8, 12, 6, 20), 3, (0, 3)),
    "numeric": ((0, 0, 0, 0, 0), 3, (0, 2, 4)),
    "wide": ((2,) * 16, 2, (3, 5, 8, 11)),
    "many classes": ((4, 5, 0, 3, 6, 0), 6, (0, 1, 4)),
}
Maker = adaptive.AdaptiveAlgorithm


def made_up_histograms() -> tuple[dict[str, Any], dict[str, str]]:
    """Every made-up shape over three domains at two scales; a shape is left out as a whole."""
    result, groups = {}, {}
    for shape in histograms.shapes.EVERY_SHAPE:
        for domain in DOMAINS:
            for scale in SCALES:
                name = f"{shape}, {'x'.join(map(str, domain))}, {scale}"
                result[name] = histograms.shapes.make(shape, domain, scale, seed=crc32(name.encode()))
                groups[name] = shape
    return result, groups


def made_up_tables() -> tuple[dict[str, tree_options.LabelledTable], dict[str, str]]:
    """Every rule at three sizes, with little and with much noise in the labels."""
    result, groups = {}, {}
    for rule in RULES:
        for rows in ROWS:
            for noise in (0.05, 0.35):
                name = f"{rule}, {rows} rows, {noise:.0%} noise"
                result[name] = made_up_table(rule, rows, noise, seed=len(result))
                groups[name] = rule
    return result, groups


def made_up_table(rule: str, rows: int, noise: float, seed: int) -> tree_options.LabelledTable:
    """Rows of independent attributes, labelled by a random table of some of them; a fifth more to test on."""
    sizes, classes, read = RULES[rule]
    numbers, many = np.random.default_rng(seed), rows + max(rows // 4, 500)
    columns: dict[str, NDArray[Any]] = {}
    codes: list[NDArray[np.int64]] = []
    domains: dict[str, Any] = {}
    for place, size in enumerate(sizes):
        name = f"a{place}"
        if size:
            weights = numbers.dirichlet(np.full(size, 2.0))
            columns[name] = numbers.choice(size, many, p=weights)
            domains[name] = list(range(size))
            codes.append(columns[name])
        else:
            columns[name], domains[name] = numbers.beta(2, 2, many), (0.0, 1.0)
            codes.append((columns[name] * 4).astype(np.int64).clip(0, 3))
    shape = [sizes[place] or 4 for place in read]
    labels = numbers.integers(0, classes, shape)[tuple(codes[place] for place in read)]
    wrong = numbers.random(many) < noise
    labels = np.where(wrong, numbers.integers(0, classes, many), labels)
    test = ({name: values[rows:] for name, values in columns.items()}, labels[rows:])
    return tree_options.LabelledTable(
        {name: values[:rows] for name, values in columns.items()}, labels[:rows], domains, list(range(classes)), test
    )


def maker_of(kind: str) -> Maker:
    """Return who runs every built-in option of a kind; nothing is learned here."""
    room: Any = {"histograms": histogram_options, "trees": tree_options}[kind]
    return Maker(room.options(), room.metafeatures(), room.LOSS, learner="fixed")


def databases_of(kind: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the made-up databases of a kind, and their groups."""
    return {"histograms": made_up_histograms, "trees": made_up_tables}[kind]()


def means(traces: adaptive.Traces) -> adaptive.Traces:
    """Return one row for each database, epsilon and option: the mean over its repetitions."""
    return adaptive.Traces.from_rows(list(_means(traces)), traces.metafeatures)


def _means(traces: adaptive.Traces) -> Iterator[dict[str, Any]]:
    rows: dict[tuple[str, str, float], list[dict[str, Any]]] = {}
    for row in traces.rows():
        rows.setdefault((row["database"], row["option"], row["epsilon"]), []).append(row)
    for same in rows.values():
        loss = float(np.float32(np.mean([row["loss"] for row in same])))
        yield {**same[0], "repetition": 0, "loss": loss, "seconds": 0.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=list(EPSILONS))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--runs", help="a folder that keeps every run, so that a stopped script goes on")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for kind in args.kinds:
            start, (databases, groups) = time.process_time(), databases_of(kind)
            runs = Path(args.runs or scratch) / f"{kind}.parquet"
            how = {"groups": groups, "traces": runs, "jobs": args.jobs}
            trained = maker_of(kind).train(databases, EPSILONS[kind], REPETITIONS[kind], **how).trained
            means(trained.traces).write(default_traces.path_of(kind), overwrite=True)
            print(
                f"{kind}: {len(trained.traces)} runs, {time.process_time() - start:.0f} s, "
                f"{default_traces.path_of(kind)}"
            )


if __name__ == "__main__":
    main()
