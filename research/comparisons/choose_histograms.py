"""Choosing the histogram: held-out regret of the chooser, its rival and every fixed algorithm.

    DPSELECT_DATA=... python -m research.comparisons.choose_histograms [--traces choose_histograms.parquet] [--jobs 1]

Nine datasets on 1,024 cells or 64 x 64, as they are and resampled to 2,000 records; a dataset is left out together with
what was resampled from it. Eight made-up shapes only train. Loss is the scaled average error of 2,000 random ranges
(L2); MWEM chooses among 10,000 others. Twenty runs per cell, four where it only trains.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np

from dpselect import adaptive, datasets, histograms
from dpselect.adaptive import histogram_options
from dpselect.adaptive.regret import leave_out

EPSILONS = [Fraction(1, 100), Fraction(3, 100), Fraction(1, 10), Fraction(3, 10), Fraction(1)]
SHARE = Fraction(1, 20)
SCALES = (2_000,)


def coarse(counts: np.ndarray, side: int) -> np.ndarray:
    """Sum neighbouring cells until every axis has ``side`` of them."""
    shape = [each for axis in counts.shape for each in (side, axis // side)]
    return counts.reshape(shape).sum(axis=tuple(range(1, 2 * counts.ndim, 2)))


def databases() -> tuple[dict[str, np.ndarray], dict[str, str], list[str]]:
    """Every histogram, its group, and which are measured."""
    result, groups = {}, {}
    for name, each in datasets.every().items():
        if not each.facts.get("kind", "").startswith("histogram"):
            continue
        counts = np.load(datasets.checked_file(name)).astype(np.int64)
        small = coarse(counts, 1024 if counts.ndim == 1 else 64)
        originals = {name: small} | {
            f"{name} x {scale}": histograms.shapes.resample(small, scale, seed=8) for scale in SCALES
        }
        result |= originals
        groups |= dict.fromkeys(originals, name.removesuffix("_2d"))
    measured = list(result)
    for shape in histograms.shapes.EVERY_SHAPE:
        for domain in ((1024,), (64, 64)):
            for scale in (100_000,):
                name = f"{shape} {'x'.join(map(str, domain))} x {scale}"
                result[name] = histograms.shapes.make(shape, domain, scale, seed=len(result))
                groups[name] = f"made up: {shape}"
    return result, groups, measured


def report(traces: adaptive.Traces, measured: list[str]) -> None:
    """Held-out regret, and who wins at the ends."""
    totals = [float(epsilon) for epsilon in EPSILONS]
    names = tuple(name for name in histograms.EVERY_ALGORITHM if name in traces.options)
    paid = adaptive.AdaptiveAlgorithm(
        histogram_options.options(),
        histogram_options.metafeatures(),
        histogram_options.range_error,
        share=SHARE,
        derived=histogram_options.DERIVED,
    ).recipe
    public = [each for each in histogram_options.metafeatures() if each.public]
    free = adaptive.AdaptiveAlgorithm(histogram_options.options(), public, histogram_options.range_error).recipe
    # The total alone: one fact to pay for instead of four.
    little = adaptive.AdaptiveAlgorithm(
        histogram_options.options(),
        [each for each in histogram_options.metafeatures() if each.public or each.name == "total"],
        histogram_options.range_error,
        share=SHARE,
        derived={name: histogram_options.DERIVED[name] for name in ("mass", "density")},
    ).recipe
    recipes = {
        "chooser: forest, four paid facts (5%)": paid,
        "rival: regret tree, four paid facts (5%)": replace(paid, learner="regret-tree"),
        "forest, the total paid for (5%)": little,
        "regret tree, the total paid for (5%)": replace(little, learner="regret-tree"),
        "regret tree on public facts (free)": replace(free, learner="regret-tree"),
        "the option best in training (free)": replace(free, learner="fixed"),
    }
    regret = leave_out(traces, recipes, names, totals, 20, measured)
    print(f"## All options\n\n{regret}\n")
    for policy in list(recipes)[:4]:
        over = ", ".join(f"{each:.3f} at {epsilon:g}" for epsilon, each in regret.against_best_fixed(policy).items())
        print(f"{policy}, over the best fixed option of each cell: {over}")
    far = float(np.mean([row["outside"] for row in regret.rows]))
    right = float(np.mean([row["right"] for row in regret.rows]))
    print(f"chooser: took the best option in {right:.0%}, fell back outside the trained range in {far:.0%}\n")
    published = tuple(name for name in names if name != "coarse_dawa")
    some = {name: recipes[name] for name in (*list(recipes)[:2], "the option best in training (free)")}
    without = leave_out(traces, some, published, totals, 20, measured)
    print(f"## The published ones, without coarse DAWA\n\n{without}\n")
    for policy in list(some)[:2]:
        over = ", ".join(f"{each:.3f} at {epsilon:g}" for epsilon, each in without.against_best_fixed(policy).items())
        print(f"{policy}, over the best fixed option of each cell: {over}")
    print()
    wins(traces, names, measured)


def wins(traces: adaptive.Traces, names: tuple[str, ...], measured: list[str]) -> None:
    """Mean scaled errors from the least epsilon x records to the most, over that of identity."""
    means, values = traces.means(names), traces.values()
    order = sorted(
        (values[name]["total"] * float(epsilon), name, float(epsilon)) for name in measured for epsilon in EPSILONS
    )
    print(
        f"{'epsilon x records':>17} {'epsilon':>8} "
        + " ".join(f"{name:>9}" for name in names)
        + "   error / identity's"
    )
    for mass, name, epsilon in order:
        losses = means[name, epsilon]
        shown = " ".join(f"{loss:9.3f}" for loss in losses / losses[names.index("identity")])
        print(f"{mass:17.0f} {epsilon:8g} {shown}   {name}; best: {names[int(losses.argmin())]}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--traces", default="choose_histograms.parquet")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=20)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    start = time.process_time()
    counts, groups, measured = databases()
    maker = adaptive.AdaptiveAlgorithm(
        histogram_options.options(),
        histogram_options.metafeatures(),
        histogram_options.range_error,
        share=SHARE,
        learner="fixed",
        derived=histogram_options.DERIVED,
    )
    how = {"traces": args.traces, "jobs": args.jobs}
    originals = {name: groups[name] for name in measured}
    # MWEM takes longest where there are many records.
    measured.sort(key=lambda name: int(counts[name].sum()))
    maker.train({name: counts[name] for name in measured}, EPSILONS, args.repetitions, groups=originals, **how)
    maker = maker.train(counts, EPSILONS, min(4, args.repetitions), groups=groups, **how)
    report(maker.trained.traces, measured)
    print(f"\n{len(maker.trained.traces)} runs, {time.process_time() - start:.0f} s of processor time in this process")


if __name__ == "__main__":
    main()
