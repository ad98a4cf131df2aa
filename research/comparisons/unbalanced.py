"""Learners where one class is rare: AUC, average precision, log-loss, balanced accuracy and time on eight tables.

    python -m research.comparisons.unbalanced                                  # the stored figures
    python -m research.comparisons.unbalanced CELLS --peers PEERS/bin/python   # measures all again and stores them
    python -m research.comparisons.unbalanced CELLS --fitted                   # tables on which settings may be chosen

CELLS is a folder of probabilities, one file for each (table, learner, epsilon, split). What is there is not fitted
again. ``learners_peers.py`` says how to make the environment PEERS, and ``unbalanced_tables.py`` what the tables need
that packages ship. Splits are 80/20, the same for all. Private learners promise epsilon. Boosted, forest and DP-EBM
promise (epsilon, 10^-6). Regressors are fitted to 0 and 1. For balanced accuracy a record is called rare where its
probability is above the mean of all. Log-loss is of probabilities in [10^-4, 1 - 10^-4].
"""

from __future__ import annotations

import argparse
import subprocess
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect import learn
from research.comparisons.learners_measures import LEAST, Figures, Standing, auc, standing
from research.comparisons.learners_ours import OURS, Learner, fit
from research.comparisons.learners_tables import trained, write
from research.comparisons.unbalanced_tables import FITTED, TABLES, YES, unbalanced_table
from research.engine.data import Table

Floats = NDArray[np.float64]
STORED = Path(__file__).parent / "results" / "unbalanced.parquet"
EPSILONS = (0.5, 1.0, 4.0)
SPLITS = tuple(range(100, 108))
MEASURES = ("auc", "average_precision", "log_loss", "balanced")
# Larger is better in the first two, which say how well records are ranked.
RANKED = MEASURES[:2]
OTHERS = ("dp-ebm", "diffprivlib-forest", "diffprivlib-logistic")


def regressor(kind: Callable[..., Any]) -> Learner:
    """Fit one of our regressors to 0 and 1; what it predicts, between these, is the chance of the rare class."""

    def run(table: Table, epsilon: float, train: NDArray[np.bool_]) -> Floats:
        model = kind(epsilon, domains=table.domains, target=(0, 1))
        rare = (table.columns[table.target] == YES).astype(float)
        model.fit({name: table.columns[name][train] for name in table.domains}, rare[train])
        chance = np.clip(model.predict({name: table.columns[name][~train] for name in table.domains}), 0, 1)
        return np.stack((1 - chance, chance), axis=1)

    return run


LEARNERS: dict[str, Learner] = {name: OURS[name] for name in ("tree", "forest", "boosted", "boosted-pure")} | {
    "tree-regressor": regressor(learn.DPTreeRegressor),
    "boosted-regressor": regressor(learn.DPBoostedTreesRegressor),
}


def average_precision(positive: NDArray[np.bool_], scores: Floats) -> float:
    """Return the mean precision over the recalls, records of one score taken together.

    >>> average_precision(np.array([True, False, True]), np.array([0.9, 0.8, 0.7]))
    0.8333333333333333
    """
    values, places = np.unique(-scores, return_inverse=True)
    found = np.bincount(places, weights=positive, minlength=values.size)
    named = np.bincount(places, minlength=values.size)
    precision = np.cumsum(found) / np.cumsum(named)
    return float((precision * found).sum() / found.sum())


def measures(rare: NDArray[np.bool_], chance: Floats) -> tuple[float, float, float, float]:
    """Return AUC, average precision, log-loss and balanced accuracy of the chances of the rare class.

    >>> [round(x, 3) for x in measures(np.array([True, False, False]), np.array([0.5, 0.2, 0.3]))]
    [1.0, 1.0, 0.424, 1.0]
    """
    kept = np.clip(chance, LEAST, 1 - LEAST)
    loss = -np.log(np.where(rare, kept, 1 - kept)).mean()
    named = chance > chance.mean()
    balanced = (named[rare].mean() + (~named[~rare]).mean()) / 2
    return auc(rare, chance), average_precision(rare, chance), float(loss), float(balanced)


def gather(cells: Path, names: Sequence[str], splits: Sequence[int] = SPLITS) -> dict[str, list[Any]]:
    """Measure the cells of these splits: columns table, learner, epsilon, split, seconds, and the measures."""
    result: dict[str, list[Any]] = {name: [] for name in ("table", "learner", "epsilon", "split", "seconds", *MEASURES)}
    for name in names:
        table = unbalanced_table(name)
        rare = table.columns[table.target] == YES
        for path in sorted((cells / name).glob("*/*/*.npz")):
            if (split := int(path.stem)) not in splits:
                continue
            with np.load(path) as cell:
                chance, seconds = cell["probabilities"][:, 1].astype(float), float(cell["seconds"])
            row = (name, path.parts[-3], float(path.parts[-2]), split, seconds)
            figures = measures(rare[~trained(len(table), split)], chance)
            for column, value in zip(result.values(), (*row, *figures), strict=True):
                column.append(round(value, 6) if isinstance(value, float) else value)
    return result


def stored(path: Path = STORED) -> dict[str, list[Any]]:
    """Return the stored figures."""
    import pyarrow.parquet

    rows: dict[str, list[Any]] = pyarrow.parquet.read_table(path).to_pydict()
    return rows


def figures_of(rows: dict[str, list[Any]], measure: str) -> Figures:
    """Return one measure, or the seconds."""
    values: dict[tuple[str, str, float], dict[int, float]] = {}
    columns = (rows[name] for name in ("table", "learner", "epsilon", "split", measure))
    for name, learner, epsilon, split, value in zip(*columns, strict=True):
        values.setdefault((name, learner, epsilon), {})[split] = value
    return Figures(measure, values)


def standings(rows: dict[str, list[Any]], measure: str, learner: str, epsilon: float) -> Iterator[Standing]:
    """Yield how a learner stands beside the private learners of others, in each table."""
    figures = figures_of(rows, measure)
    for name in dict.fromkeys(rows["table"]):
        yield standing(figures, name, learner, list(OTHERS), epsilon)


def counted(rows: dict[str, list[Any]]) -> Iterator[str]:
    """Yield on how many tables each of ours is first or level with the best private learner of others."""
    many = len(dict.fromkeys(rows["table"]))
    yield f"| first or level, of {many}; epsilon | " + " | ".join(f"{epsilon:g}" for epsilon in EPSILONS) + " |"
    yield "|---" * (len(EPSILONS) + 1) + "|"
    for measure in MEASURES:
        for learner in LEARNERS:
            counts = [sum(one.level for one in standings(rows, measure, learner, epsilon)) for epsilon in EPSILONS]
            yield f"| {measure.replace('_', ' ')}: {learner} | " + " | ".join(map(str, counts)) + " |"


def lost(rows: dict[str, list[Any]], learner: str = "boosted") -> Iterator[str]:
    """Yield where a learner ranks neither first nor level, by how much, and behind whom."""
    for measure in RANKED:
        for epsilon in EPSILONS:
            for one in standings(rows, measure, learner, epsilon):
                if not one.level:
                    word = measure.replace("_", " ")
                    yield f"- {one.table}, {word}, epsilon {epsilon:g}: {-one.ahead:.3f} behind {one.rival}"


def measured(rows: dict[str, list[Any]], measure: str) -> Iterator[str]:
    """Yield a table of one measure, means over splits; figures by epsilon."""
    figures, digits = figures_of(rows, measure), 2 if measure == "seconds" else 3
    columns = [name for name in (*LEARNERS, *OTHERS, "not-private") if name in rows["learner"]]
    yield "| data | " + " | ".join(columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for name in dict.fromkeys(rows["table"]):
        cells = []
        for learner in columns:
            means = [figures.mean(name, learner, e) for e in ((0.0,) if learner == "not-private" else EPSILONS)]
            shown = [f"{mean:.{digits}f}".removeprefix("0") for mean in means if mean is not None]
            cells.append(" / ".join(shown))
        yield f"| {name} | " + " | ".join(cells) + " |"


def tables(rows: dict[str, list[Any]]) -> dict[str, list[str]]:
    """Return the lines of all tables."""
    result = {"first or level": list(counted(rows)), "where boosted is behind": list(lost(rows))}
    return result | {measure.replace("_", " "): list(measured(rows, measure)) for measure in (*MEASURES, "seconds")}


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cells", type=Path, nargs="?")
    parser.add_argument("--peers", type=Path, help="the Python that has DP-EBM and diffprivlib")
    parser.add_argument(
        "--fitted", action="store_true", help="tables on which settings may be chosen; nothing is stored"
    )
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--splits", type=int, nargs="+", default=list(SPLITS))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = stored() if args.cells is None else measure_all(args)
    for name, lines in tables(rows).items():
        print(name, "", *lines, sep="\n", end="\n\n")


def measure_all(args: argparse.Namespace) -> dict[str, list[Any]]:
    """Fit what is missing, gather all cells, and store them unless they are of the fitted tables."""
    names = list(FITTED if args.fitted else TABLES)
    for name in names:
        table = unbalanced_table(name)
        if args.peers:
            write(args.cells, name, table, tuple(args.splits), EPSILONS)
        for learner in args.learners:
            for epsilon in EPSILONS:
                for split in args.splits:
                    fit(args.cells, name, table, learner, epsilon, split, LEARNERS[learner])
    if args.peers:
        program = Path(__file__).parent / "learners_peers.py"
        subprocess.run([str(args.peers), str(program), str(args.cells)], check=True)
    rows = gather(args.cells, names, args.splits)
    if not args.fitted:
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table(rows), STORED, compression="zstd")
    return rows


if __name__ == "__main__":
    main()
