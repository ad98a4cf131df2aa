"""Which list of k: one pass, peeling, a joint draw and OpenDP's, at the same guarantee, on counts of a thousand.

    python -m research.comparisons.top_k_lists [--runs 60]
    python -m research.comparisons.top_k_lists --speed

Every row is epsilon-DP for one record more or fewer, which moves all counts in the same direction. Of each list the
worst place is how far the score of the candidate at i is below the i-th best, at its worst i; the mean loss is the sum
of the k best scores less that of the list's, over k. Means of so many runs, with the standard error of the first.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from research.comparisons.opendp_lists import opendp_list

CANDIDATES = 1000
TABLES = {
    "zipf": np.sort((20_000 / np.arange(1, CANDIDATES + 1)).astype(np.int64))[::-1],
    "steps of 5": np.arange(CANDIDATES, 0, -1, dtype=np.int64) * 5,
    "normal": np.sort(np.random.default_rng(7).normal(1000, 150, CANDIDATES).astype(np.int64))[::-1],
}
SIZES, EPSILONS = (5, 20, 100), (0.5, 2.0)
List = Callable[[], list[int]]


def ours(counts: NDArray[np.int64], k: int, epsilon: float, mechanism: str, method: str) -> List:
    """Return how to release one list."""
    scores = dps.Scores(counts, 1, range_bound=1)
    drawn = dps.mechanism(mechanism)
    return lambda: list(dps.top_k(scores, k, epsilon=epsilon, mechanism=drawn, method=method).value)


WAYS: dict[str, Callable[[NDArray[np.int64], int, float], List | None]] = {
    "one-shot": partial(ours, mechanism="permute-and-flip", method="one-shot"),
    "peeled p-and-f": partial(ours, mechanism="permute-and-flip", method="peeling"),
    "peeled exponential": partial(ours, mechanism="exponential", method="peeling"),
    "joint": partial(ours, mechanism="exponential", method="joint"),
    "OpenDP top_k": opendp_list,
}


def losses(counts: NDArray[np.int64], chosen: list[int]) -> tuple[float, float]:
    """Return the worst place and the mean loss of a list; counts are in descending order."""
    best = counts[: len(chosen)]
    short = best - counts[chosen]
    return float(short.max()), float(short.mean())


def accuracy(runs: int) -> None:
    """Print worst place and mean loss, table by table."""
    print(f"worst place / mean loss a place, means of {runs} runs; in brackets the standard error of the worst place")
    print(f"{'counts, k, epsilon':<22}" + "".join(f"{name:>26}" for name in WAYS))
    for (table, counts), k, epsilon in product(TABLES.items(), SIZES, EPSILONS):
        cells = []
        for way in WAYS.values():
            release = way(counts, k, epsilon)
            if release is None:
                cells.append("not installed")
                continue
            found = np.array([losses(counts, release()) for _ in range(runs)])
            worst, mean = found.mean(axis=0)
            cells.append(f"{worst:.0f} / {mean:.1f} ({found[:, 0].std() / np.sqrt(runs):.1f})")
        print(f"{f'{table}, {k}, {epsilon:g}':<22}" + "".join(f"{cell:>26}" for cell in cells), flush=True)


def speed() -> None:
    """Print processor milliseconds of one list, least of five."""
    print("processor ms of one list at epsilon 1, least of 5 (of fewer beyond 10 s), counts 10^5 / rank")
    print(f"{'candidates, k':<22}" + "".join(f"{name:>20}" for name in WAYS))
    for candidates, k in ((1000, 20), (1000, 100), (10**5, 20), (10**5, 100)):
        counts = (10**5 / np.arange(1, candidates + 1)).astype(np.int64)
        cells = []
        for way in WAYS.values():
            release = way(counts, k, 1.0)
            cells.append("not installed" if release is None else f"{1e3 * least(release):.1f}")
        print(f"{f'{candidates}, {k}':<22}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


def least(release: List) -> float:
    """Return the least processor time of five calls, or of fewer where they take more than ten seconds."""
    times = list[float]()
    while len(times) < 5 and sum(times) < 10:
        start = time.process_time()
        release()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--speed", action="store_true")
    given = parser.parse_args()
    speed() if given.speed else accuracy(given.runs)


if __name__ == "__main__":
    main()
