"""What the sign of zero is worth: local dampening with zero neutral, the best and the worst.

    python -m research.comparisons.zero [--trees]

Exact laws, no sampling, except with ``--trees``: there whole searches are run and compared with searches without noise.
"neutral" is what dpselect did for all scores before they could say what zero means. Reads graphs, histograms and tables
from the data folders.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.analysis import metrics
from dpselect.kernel.numbers import exact_epsilon
from dpselect.kernel.units import UnitScores
from dpselect.mechanisms.base import UnitMechanism
from dpselect.mechanisms.local_dampening import damp_scores
from dpselect.scores.zero import SIGNS
from research.engine import data
from research.papers import multi_objective_table_1 as trees
from research.papers import nodes
from research.papers.fitted_trees import several_recalls
from research.papers.peeling import inclusion

EPSILONS = (0.1, 0.5, 1, 2, 5, 10, 20, 50)
SMALL = ("lesmis", "karate")
RUNS = 40


def declared(scores: dps.Scores, zero: str) -> dps.Scores:
    """Return the same scores with another zero."""
    return dps.Scores(
        scores.values,
        scores.sensitivity,
        scores.candidates,
        scores.neighbours.value,
        scores.range_bound,
        metadata=scores.metadata,
        zero=zero,
    )


def with_zero(name: str, zero: str) -> UnitMechanism:
    """Return a dampening mechanism that takes zero for this, whatever the scores say."""

    def effective(scores: dps.Scores) -> UnitScores:
        return damp_scores(declared(scores, zero))

    return UnitMechanism(f"{name}, zero {zero}", "", effective, dps.mechanism(name).sampler)


def line(label: str, figures: Iterable[float], form: str = "9.4f") -> str:
    """One row of a table."""
    return f"  {label:44s}" + "".join(f"{figure:>{form}}" for figure in figures)


def objectives(name: str) -> list[dps.Scores]:
    """Return degree and ego density of all nodes."""
    graph = dps.Graph.from_name(name) if name in SMALL else nodes.graph(name)
    return [dps.utilities.degree(graph), dps.utilities.ego_density(graph)]


def fronts() -> None:
    """Chance that one choice by the Pareto score lies on the front, and the share of three that do."""
    for name in ("github", "enron", *SMALL):
        scores = dps.multiobjective.pareto(objectives(name))
        front = scores.values == 0
        print(f"\n{name}: {len(scores)} nodes, {int(front.sum())} on the front; chance that one choice is")
        print(line("epsilon", EPSILONS, "9g"))
        for mechanism in ("local-dampening-flip", "local-dampening-t"):
            for zero in ("neutral", "best"):
                made = with_zero(mechanism, zero)
                found = [float(np.asarray(made.pmf(scores, e))[front].sum()) for e in EPSILONS]
                print(line(made.name, found), flush=True)
        for zero in ("neutral", "best"):
            made = with_zero("local-dampening", zero)
            print(line(f"share of three, {made.name}", [share_of(made, scores, front, 3, e) for e in EPSILONS]))


def share_of(made: UnitMechanism, scores: dps.Scores, front: NDArray[np.bool_], k: int, epsilon: float) -> float:
    """Return the expected share of k winners that are on the front, drawn one after the other at epsilon / k."""
    ticks, rate = made.quantize(scores, exact_epsilon(epsilon) / k)
    return float(inclusion(ticks, k, rate) @ front) / k


def winners() -> None:
    """Chance that the winner of a 0/1 score is named, beside permute-and-flip on what is counted."""
    print("\nMajorities: chance that the most frequent of several is named")
    epsilons = EPSILONS[:4]
    print(line("epsilon", epsilons, "9g"))
    for counts in ([52, 48], [48, 52], [40, 35, 25], [40, *[20] * 9], [12, *[10] * 29]):
        zeros(str(counts[:3]) + f", {len(counts)} candidates", dps.utilities.majority(counts), epsilons)
        exact = dps.utilities.counts(counts)
        law = [dps.mechanism("permute-and-flip").pmf(exact, e)[int(np.argmax(counts))] for e in epsilons]
        print(line("    permute-and-flip on the counts", law))
    print("\nPercentiles of the 4096 counts of a histogram, 0/1 on the grid: chance that the percentile is named")
    print(line("epsilon", EPSILONS, "9g"))
    for name, upper in (("patent", 20_000), ("hepth", 1_000)):
        values = data.histogram(name)
        for p in (50, 90, 99):
            grid = np.arange(upper + 1)
            zeros(f"{name}, p = {p}", dps.papers.percentile(values, p, grid=grid), EPSILONS)
            ranks = dps.utilities.percentile(values, p, grid=grid)
            right = ranks.values == 0
            law = [float(dps.mechanism("permute-and-flip").pmf(ranks, e)[right].sum()) for e in EPSILONS]
            print(line("    permute-and-flip on ranks", law), flush=True)


def zeros(label: str, scores: dps.Scores, epsilons: Iterable[float]) -> None:
    """Print the chance of the winner for each zero."""
    print(f"  {label}")
    for zero in SIGNS:
        laws = [with_zero("local-dampening-flip", zero).pmf(scores, e) for e in epsilons]
        print(line(f"    local-dampening-flip, zero {zero}", [float(law[scores.values == 1].sum()) for law in laws]))


def searches() -> None:
    """Share of the trees of a private Pareto search that one without noise beats: Table 1 of Farias et al. 2024."""
    epsilons = (0.5,)
    for name, target in (("nltcs", "a15"), ("nltcs", "a13"), ("adult", None), ("acs", "a22"), ("acs", "a10")):
        best = several_recalls(name, target, trees.SETTINGS, trees.BY_SCORE, trees.WITHOUT_NOISE, RUNS)
        label = data.table(name, target).target
        print(f"\n{name}, class {label}: share of three trees that is beaten, {RUNS} runs a point, +- its error")
        print(line("epsilon", epsilons, "17g"))
        for zero in ("neutral", "best"):
            made, row = with_zero("local-dampening", zero), ""
            for epsilon in epsilons:
                runs = several_recalls(name, target, trees.SETTINGS, made, epsilon, RUNS)
                lost = np.array([[metrics.coverage(one, each, strict=True) for one in best] for each in runs])
                row += f"{lost.mean():10.3f} +- {trees.error_of(lost):.3f}"
            print(f"  {made.name:44s}{row}", flush=True)


def main() -> None:
    """Print the tables of laws, or that of the searches."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", action="store_true", help="run tree searches instead: about five minutes")
    if parser.parse_args().trees:
        searches()
    else:
        fronts()
        winners()


if __name__ == "__main__":
    main()
