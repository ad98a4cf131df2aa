"""Selection among candidates in an engine: time and memory, each case in a process of its own.

    python -m research.comparisons.candidates           needs the extra "warehouse"; a few minutes

DuckDB generates the tables, so nothing is stored; it may use 600 MB. Processor seconds of the process, all threads,
and its peak memory, everything imported included; wall time depends on what else the machine does. epsilon 1,
sensitivity 1.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

CASES = {
    # name: query, domain, mechanism, k
    "10^9 candidates, 1000 distinct scores, permute-and-flip": (
        "SELECT range AS id, range % 1000 AS score FROM range(1000000000)",
        "rows",
        "permute-and-flip",
        1,
    ),
    "10^9 candidates, 1000 distinct scores, exponential": (
        "SELECT range AS id, range % 1000 AS score FROM range(1000000000)",
        "rows",
        "exponential",
        1,
    ),
    "10^9 candidates, 1000 distinct scores, top 5": (
        "SELECT range AS id, range % 1000 AS score FROM range(1000000000)",
        "rows",
        "permute-and-flip",
        5,
    ),
    "10^9 candidates, one score": (
        "SELECT range AS id, 7 AS score FROM range(1000000000)",
        "rows",
        "permute-and-flip",
        1,
    ),
    "10^9 public candidates, 10^6 with a row": (
        "SELECT range * 997 AS id, range % 10 AS score FROM range(1000000)",
        range(10**9),
        "permute-and-flip",
        1,
    ),
    "10^6 candidates, all scores distinct floats": (
        "SELECT range AS id, sqrt(range) AS score FROM range(1000000)",
        "rows",
        "permute-and-flip",
        1,
    ),
    "10^7 candidates, all scores distinct floats": (
        "SELECT range AS id, sqrt(range) AS score FROM range(10000000)",
        "rows",
        "permute-and-flip",
        1,
    ),
}


def run(name: str) -> None:
    """Select once and print what it took."""
    import ibis

    import dpselect as dps

    query, domain, mechanism, k = CASES[name]
    engine = ibis.duckdb.connect()
    engine.raw_sql("SET memory_limit = '600MB'")
    engine.raw_sql(f"CREATE VIEW candidates AS {query}")
    start, wall = time.process_time(), time.perf_counter()
    candidates = dps.data.Candidates(engine.table("candidates"), "id", "score", 1, domain=domain)
    release = dps.top_k(candidates, k, epsilon=1, mechanism=dps.mechanism(mechanism))
    took, waited = time.process_time() - start, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    assert len(set(release.value)) == k
    print(f"{name:<58} {took:>8.1f} {waited:>8.1f} {peak:>8.0f}", flush=True)


def draws() -> None:
    """Print what the draw alone takes, from counts."""
    import numpy as np

    import dpselect as dps
    from dpselect.scores.grouped_scores import GroupedScores

    counted = GroupedScores(dps.Scores(np.arange(1000), sensitivity=1), np.full(1000, 10**6))
    print("\nThe draw alone, 10^9 candidates in 1000 groups, mean of 5, processor seconds")
    for name in ("permute-and-flip", "exponential"):
        with dps.open_session(dps.Guarantee(5, "add-remove")) as paid:
            start = time.process_time()
            for _ in range(5):
                paid.top_k_grouped(counted, 1, 1, mechanism=dps.mechanism(name))
            print(f"{name:<58} {(time.process_time() - start) / 5:>8.4f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(sys.argv[1])
    else:
        print(f"{'':<58} {'cpu s':>8} {'wall s':>8} {'peak MiB':>8}", flush=True)
        for case in CASES:
            subprocess.run([sys.executable, __file__, case], check=True)
        draws()
