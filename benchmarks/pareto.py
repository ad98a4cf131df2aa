"""How long the sensitivity of a Pareto score takes.

    python benchmarks/pareto.py

Processor seconds, least of three runs, and the peak memory of the process.
"""

from __future__ import annotations

import resource
import time

import numpy as np

import dpselect as dps
from dpselect.core.dominance import count_above


def main() -> None:
    """Two objectives over 37,700 candidates, three over a million."""
    rng = np.random.default_rng(0)
    size = 37_700
    degree = rng.zipf(1.8, size).clip(1, 9458)
    parts = [
        dps.Scores(degree, 1, neighbours="edge"),
        dps.Scores(rng.uniform(0, 1, size), dps.sensitivity.profiles(
            lambda t: 2 / np.maximum(degree - t[:, None], 2.0), profile=np.arange(size), ceiling=1.0
        ), neighbours="edge"),
    ]  # fmt: skip
    best = float("inf")
    for _ in range(3):
        scores = dps.pareto(parts)
        start = time.process_time()
        for t in range(10):
            scores.sensitivity.profiled(np.array([t]))
        best = min(best, (time.process_time() - start) / 10)
    print(f"Pareto sensitivity, {size} candidates, two objectives: {best * 1000:.1f} ms a distance")
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:.0f} MiB, interpreter included")
    points = rng.normal(size=(3, 10**6))
    count_above(points[:, :3000], points[:, :3000])
    start = time.process_time()
    count_above(points, points)
    print(f"dominance counts, 10^6 candidates, three objectives: {time.process_time() - start:.1f} s")
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:.0f} MiB, interpreter included")


if __name__ == "__main__":
    main()
