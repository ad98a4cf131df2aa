"""Many quantiles: how far off recursive halving and a tree of counts are, and how long they take.

    DPSELECT_DATA=... python -m research.comparisons.quantile_methods

Accuracy, and what the public rule makes of it; with --speed processor seconds, the least of several runs.
m quantiles i / (m + 1) of n records that are drawn afresh from the data each time. An error is how far q n lies
outside [records below, records at most], in records, on average over the quantiles.
"""

from __future__ import annotations

import argparse
import itertools
import sys

import numpy as np

import dpselect as dps
from dpselect import datasets
from research.comparisons.numeric_speed import seconds

SHARES, RECORDS, EPSILONS = (9, 25, 50, 200), (1000, 100_000), (0.1, 1.0)
# Column of a table, width of a cell, number of cells.
COLUMNS = {
    "age": ("age", 1, 100),
    "hours": ("hours_per_week", 1, 100),
    "capital gain": ("capital_gain", 25, 4000),
    "weight": ("fnlwgt", 500, 3000),
    "weight, 65536 values": ("fnlwgt", 23, 65_536),
    "capital gain, 100000 values": ("capital_gain", 1, 100_000),
}
HISTOGRAMS = ("income", "medcost", "hepth", "patent")
METHODS = ("halving", "tree")


def sources() -> dict[str, np.ndarray]:
    """Return histograms to draw records from, by name: measured ones, and three that were made up."""
    import pandas

    table = pandas.read_parquet(datasets.checked_file("adult_full"))
    data = {name: np.load(datasets.checked_file(name)).ravel() for name in HISTOGRAMS}
    for name, (column, width, cells) in COLUMNS.items():
        data[name] = np.bincount(np.minimum(table[column].to_numpy() // width, cells - 1), minlength=cells)
    line = np.arange(16_384)
    data["two bells"] = np.exp(-(((line - 3000) / 500) ** 2)) + np.exp(-(((line - 12_000) / 900) ** 2))
    data["heavy tail"] = 1 / (1 + line / 40) ** 2
    data["spikes"] = np.where(line % 1024 == 7, 1.0, 1e-5)
    return data


def error(counts: np.ndarray, shares: np.ndarray, places: np.ndarray) -> float:
    """Return the mean distance from what each quantile should hold, in records."""
    upper = np.cumsum(counts)
    rank = shares * upper[-1]
    return float(np.maximum(0, np.maximum((upper - counts)[places] - rank, rank - upper[places])).mean())


def errors(source: np.ndarray, n: int, m: int, epsilon: float, repeats: int) -> list[tuple[float, float]]:
    """Return the mean error and its standard error, for each method."""
    rng, shares = np.random.default_rng(7), np.arange(1, m + 1) / (m + 1)
    grid, result = range(source.size), {method: list[float]() for method in METHODS}
    for _ in range(repeats):
        counts = rng.multinomial(n, source / source.sum())
        column = dps.data.Column.from_counts(counts)
        for method in METHODS:
            if method == "halving":
                chosen = dps.quantiles(column, shares, grid=grid, epsilon=epsilon, method="halving").value
            else:
                chosen = dps.histograms.cumulative(column, grid=grid, epsilon=epsilon).quantiles(shares)
            result[method].append(error(counts, shares, np.array(chosen)))
    return [(float(np.mean(each)), float(np.std(each) / (repeats - 1) ** 0.5)) for each in result.values()]


def rule_of_two(m: int, size: int, epsilon: float, n: int) -> str:
    """Return what the public rule says where nothing is drawn jointly: then halving is what remains."""
    return "tree" if dps.accuracy.quantile_method(m, size, epsilon=epsilon, records=n) == "tree" else "halving"


def accuracy(repeats: int) -> None:
    """Print every row, and what the public rule makes of them."""
    print(f"{'data':<29}{'n':>8}{'epsilon':>8}{'m':>5}   {'halving':>16}{'tree':>18}   rule")
    rows = []
    for (name, source), n, epsilon, m in itertools.product(sources().items(), RECORDS, EPSILONS, SHARES):
        both = errors(source, n, m, epsilon, repeats)
        rule = rule_of_two(m, source.size, epsilon, n)
        shown = "".join(f"{mean:>10.2f} +- {off:<5.2f}" for mean, off in both)
        print(f"{name:<29}{n:>8}{epsilon:>8}{m:>5}   {shown}   {rule}", flush=True)
        rows.append((source.size, m, epsilon * n / (m + 1), *(mean for mean, _ in both), rule))
    verdict(rows)


def verdict(rows: list[tuple]) -> None:
    """Print how often the rule is right, and quartiles of halving / tree where it draws its lines.

    Args:
        rows: size of the grid, m, epsilon n / (m + 1), the errors of both methods, what the rule says.
    """
    regret = [((tree if rule == "tree" else halved) + 0.5) / (min(halved, tree) + 0.5)
              for *_, halved, tree, rule in rows]  # fmt: skip
    print("\nHalf a record is added to every error before two are compared.")
    print(f"the rule names the better method, or one within a fifth of it, in {sum(np.array(regret) <= 1.2)} of "
          f"{len(rows)} rows; it loses a factor {np.median(regret):.2f} in the median, "
          f"{np.quantile(regret, 0.9):.2f} in the worst tenth, {max(regret):.1f} at most")  # fmt: skip
    print(f"{'halving / tree':<62}{'quartile':>9}{'median':>9}{'quartile':>9}{'rows':>6}")
    for (label, small), m, fine in itertools.product(
        (("up to 2^14 values", True), ("more values", False)), SHARES, (True, False)
    ):
        ratios = [(halved + 0.5) / (tree + 0.5) for size, k, worth, halved, tree, _ in rows
                  if k == m and (size <= 2**14) == small and (worth >= 4 * np.log(size)) == fine]  # fmt: skip
        if ratios:
            kind = f"{label}, m = {m}, epsilon n / (m + 1) {'>=' if fine else '<'} 4 ln D"
            shown = "".join(f"{each:>9.2f}" for each in np.quantile(ratios, [0.25, 0.5, 0.75]))
            print(f"{kind:<62}{shown}{len(ratios):>6}")


def speed() -> None:
    """Print processor times of whole releases."""
    rng = np.random.default_rng(1)
    dps.quantiles([1], [0.5], grid=range(5), epsilon=1)
    for size, n in ((10**4, 10**7), (10**7, 10**6), (10**7, 10**7), (10**15, 10**6)):
        values = rng.integers(0, size, n)
        for m in (3, 50, 200, 1000):
            shares = np.arange(1, m + 1) / (m + 1)
            took = seconds(
                lambda v=values, s=shares, d=size: dps.quantiles(v, s, grid=range(d), epsilon=1, method="halving"), 3
            )
            print(f"halving: {m:>4} quantiles of {n:.0e} records on {size:.0e} values {took:>8.3f} s", flush=True)
    values = rng.integers(0, 4096, 10**6)
    for size in (4096, 65_536, 2**20):
        took = seconds(lambda d=size: dps.histograms.cumulative(values % d, grid=range(d), epsilon=1), 3)
        print(f"tree:    any number of quantiles of 1e+06 records on {size} values {took:>8.3f} s", flush=True)


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speed", action="store_true", help="how long, instead of how far off")
    parser.add_argument("--repeats", type=int, default=12, help="for each row")
    arguments = parser.parse_args()
    speed() if arguments.speed else accuracy(arguments.repeats)


if __name__ == "__main__":
    sys.exit(main())
