"""How long the sensitivity of a Pareto score takes, and how much memory.

    python -m research.comparisons.pareto [two | three | four]

Processor seconds on one core, least of three runs; each part runs in a process of its own, so that peaks of memory,
interpreter included, do not mix. Scores are random and all different, which is the most work: candidates that are
alike share a row. "the first distance" counts for every candidate; later ones leave out those that nothing can change
any more.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import dpselect as dps
from dpselect.scores.dominance import count_above


def seconds(act: Callable[[], object], runs: int = 3) -> float:
    """Return the least processor time of a few runs."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        act()
        best = min(best, time.process_time() - start)
    return best


def peak() -> str:
    """Return the largest memory of this process so far."""
    return f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:.0f} MiB"


def node_like(size: int, objectives: int) -> list[dps.Scores]:
    """Return a degree and scores whose sensitivity falls with it."""
    draw = np.random.default_rng(0)
    degree = draw.zipf(1.8, size).clip(1, 9458)
    scores = [dps.Scores(degree, 1, neighbours="edge")]
    for _ in range(objectives - 1):
        at = dps.sensitivity.profiles(
            lambda t: 2 / np.maximum(degree - t[:, None], 2.0), profile=np.arange(size), ceiling=1.0
        )
        scores.append(dps.Scores(draw.uniform(0, 1, size), at, neighbours="edge"))
    return scores


def part(size: int, objectives: int, runs: int) -> None:
    """Print one line of figures."""
    parts = node_like(size, objectives)
    count_above(*2 * [np.zeros((objectives, 3000))])  # compiled before the clock starts

    def first() -> object:
        scores = dps.multiobjective.pareto(parts)
        return scores.sensitivity.by_profile(np.array([0]))

    def ten() -> object:
        return dps.multiobjective.pareto(parts).sensitivity.by_profile(np.arange(10))

    def dampened() -> object:
        return dps.mechanism("local-dampening").effective(dps.multiobjective.pareto(parts))

    score = seconds(lambda: dps.multiobjective.pareto(parts), runs)
    print(f"{size:,} candidates, {objectives} objectives, processor seconds:")
    print(f"  Pareto score (one count)                    {score:10.4f}")
    print(f"  sensitivity, the first distance (two counts){seconds(first, runs) - score:10.4f}")
    if size < 10**5:
        print(f"  sensitivity, a distance, mean of ten        {(seconds(ten, runs) - score) / 10:10.4f}")
    print(f"  score and local dampening, all distances    {seconds(dampened, runs):10.4f}")
    print(f"  {peak()}", flush=True)


def main() -> None:
    """Run every part in its own process."""
    sizes = {"two": (37_700, 2, 3), "three": (10**6, 3, 1), "four": (37_700, 4, 3)}
    if len(sys.argv) > 1:
        part(*sizes[sys.argv[1]])
        return
    for name in sizes:
        subprocess.run([sys.executable, __file__, name], check=True)


if __name__ == "__main__":
    main()
