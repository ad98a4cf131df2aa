"""How long medians, percentiles, genetic markers and the law of Smooth Noisy Max take.

    DPSELECT_DATA=... python -m research.comparisons.numeric_speed

Processor seconds of one process, least of several runs. diffprivlib (with scikit-learn 1.8) and OpenDP are compared
in the same process when they are installed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import dpselect as dps
from dpselect.utilities.tdt import smooth_tdt

FLIP = dps.mechanism("permute-and-flip")


def seconds(run: Callable[[], object], times: int = 5) -> float:
    """Least processor time of several runs."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def show(what: str, measured: float, more: str = "") -> None:
    """Print one line."""
    print(f"{what:<78}{measured * 1000:>10.1f} ms  {more}")


def markers(rng: np.random.Generator) -> None:
    """The simulated study of the paper, with 1000 markers in 150 families."""
    total = rng.binomial(300, 2 / 3, 1000)
    b = rng.binomial(total, 0.5)
    show(
        "tdt: exact smooth sensitivity, 1000 SNPs, 150 families",
        seconds(lambda: smooth_tdt(b, total - b, families=150, beta=0.1)),
        "paper: 43 s",
    )


def median(rng: np.random.Generator) -> None:
    """Every distance below 1000, 100,000 records, all values distinct."""
    values = rng.lognormal(6, 1, 10**5).clip(0, 10**4)

    def run() -> None:
        sensitivity = dps.papers.median(values, upper=10**4).sensitivity
        for start in range(0, 1000, 50):
            sensitivity.by_profile(np.arange(start, start + 50))

    show("median: sensitivity of 10^5 records at 1000 distances", seconds(run, 3))


def percentiles(rng: np.random.Generator) -> None:
    """One draw of the 90th percentile, against other libraries at a million records."""
    for records, cells in ((10**6, 1000), (10**7, 1000), (10**7, 10**6)):
        values = rng.integers(0, cells, records)
        grid = np.arange(cells)
        measured = seconds(
            lambda v=values, g=grid: dps.select(dps.utilities.percentile(v, 90, grid=g), epsilon=1, mechanism=FLIP), 3
        )
        rivals = [rival(values, cells, measured) for rival in (opendp, diffprivlib)] if records == 10**6 else []
        show(
            f"percentile: select among {cells} values, {records} records",
            measured,
            "; ".join(filter(None, rivals)),
        )


def opendp(values: np.ndarray, cells: int, ours: float) -> str:
    """The private quantile of OpenDP on the same candidates."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return ""
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i32")), dp.symmetric_distance()
    narrow = values.astype(np.int32)
    build = dp.m.make_private_quantile(*space, dp.max_divergence(), candidates=list(range(cells)), alpha=0.9, scale=1.0)
    theirs = seconds(lambda: build(narrow), 3)
    return f"OpenDP {theirs * 1000:.1f} ms ({theirs / ours:.1f} times ours)"


def diffprivlib(values: np.ndarray, cells: int, ours: float) -> str:
    """The quantile of diffprivlib; it refuses to import with scikit-learn 1.9."""
    try:
        from diffprivlib.tools import quantile
    except ImportError:
        return ""
    theirs = seconds(lambda: quantile(values.astype(float), 0.9, epsilon=1, bounds=(0, cells - 1)), 2)
    return f"diffprivlib {theirs * 1000:.1f} ms ({theirs / ours:.1f} times ours)"


def laws() -> None:
    """The law of a 0/1 percentile score over 4096 candidates; the authors' code takes 100 s and more."""
    far = dps.sensitivity.local(lambda t: float(t >= 5), ceiling=1.0)
    scores = dps.Scores(np.arange(4096) < 12, far)
    published = {"calibration": "chaves-2024", "unsound": "reproduction"}
    cases = {
        "sound": {},
        "published, Student t": {**published, "noise": "student-t"},
        "published, Laplace": {**published, "noise": "laplace"},
        "published, Laplace-log-normal": {**published, "noise": "laplace-log-normal"},
    }
    for name, parameters in cases.items():
        mechanism = dps.mechanism("smooth-noisy-max", **parameters)
        show(
            f"smooth-noisy-max, {name}: law, 4096 candidates",
            seconds(lambda m=mechanism: m.pmf(scores, 1)),
            "authors: 100 s",
        )
    many = dps.Scores(np.arange(10**5) % 50, far)
    show(
        "smooth-noisy-max, sound: law, 10^5 candidates of 50 scores",
        seconds(lambda: dps.mechanism("smooth-noisy-max").pmf(many, 1)),
    )


def main() -> None:
    """Run all."""
    rng = np.random.default_rng(7)
    markers(rng)
    median(rng)
    percentiles(rng)
    laws()


if __name__ == "__main__":
    main()
