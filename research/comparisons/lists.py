"""Lists in one pass beside one winner after the other: speed, and accuracy at equal epsilon.

    python -m research.comparisons.lists    numpy only; about two minutes

Speed: processor milliseconds of one list from prepared integers, one thread, the least of several runs. *Unsafe* is
what NumPy does: floating-point Gumbel noise, and the largest of it. Scores: "normal" is N(0, 100^2) rounded, "equal" is
all 0, "ticks" the normal ones in ticks of 2^-20. One neighbour moves all the same way by 1, epsilon is 1.

Accuracy: 1,000 candidates, the mean of 200 lists: how far the worst place falls short of the candidate that belongs
there, and how far a place falls short on average.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.release.open_session import open_session
from dpselect.release.session import Session

Integers = NDArray[np.int64]
FLIP, EXPONENTIAL = dps.mechanism("permute-and-flip"), dps.mechanism("exponential")
RUNS, LISTS = 7, 200
# Peeled lists of more winners take too long to be drawn again and again.
MOST_PEELED = 20


def scores_of(kind: str, size: int) -> dps.Scores:
    """Return the scores of that name, for speed."""
    values = np.random.default_rng(size).normal(0, 100, size)
    if kind == "ticks":
        return dps.Scores(values, 1.0, range_bound=1)
    return dps.Scores(np.rint(values * (kind == "normal")).astype(np.int64), 1, range_bound=1)


def least(call: Callable[[], object], runs: int = RUNS) -> float:
    """Return the least processor milliseconds of some runs, after one to warm up."""
    call()
    times = []
    for _ in range(runs):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def unsafe(values: NDArray[np.float64], k: int, rng: np.random.Generator) -> Integers:
    """Return the k largest after floating-point Gumbel noise, in order: fast, and not private."""
    noisy = values + rng.gumbel(0, k, values.size)
    first = np.argpartition(noisy, values.size - k)[values.size - k :]
    return np.asarray(first[np.argsort(-noisy[first])])


def speed() -> None:
    """Print the milliseconds of one list, each way."""
    print(f"{'scores':<8}{'m':>9}{'k':>6}{'one pass':>10}{'exponential':>13}{'peeled flip':>13}{'unsafe':>9}")
    rng = np.random.default_rng(0)
    for kind in ("normal", "equal", "ticks"):
        for size, k in ((10**4, 20), (10**5, 20), (10**5, 1000), (10**6, 20), (10**6, 1000)):
            scores = scores_of(kind, size)
            # Draws are paid for once, far beyond what is drawn.
            with open_session(dps.Guarantee(10**6, "add-remove")) as draws:
                flip, race = (draws.prepare(scores, Fraction(1, k), mechanism=each) for each in (FLIP, EXPONENTIAL))
                row = [least(lambda asked=flip, k=k: draws.rank(asked, k)), least(lambda: draws.draw(race, k))]
                row.append(least(lambda: draws.draw(flip, k), 3) if k <= MOST_PEELED else float("nan"))
                floats = scores.values.astype(np.float64)
                row.append(least(lambda: unsafe(floats, k, rng)))
            cells = "".join(f"{each:>{width}.1f}" for each, width in zip(row, (10, 13, 13, 9), strict=True))
            print(f"{kind:<8}{size:>9,}{k:>6}{cells}".replace("nan", "  -"))


def shortfalls(values: Integers, names: list[int]) -> tuple[int, float]:
    """Return how far the worst place, and places on average, fall short of who belongs there."""
    lost = np.sort(values)[::-1][: len(names)] - values[names]
    return int(np.abs(lost).max()), float(lost.mean())


def accuracy() -> None:
    """Print how far lists fall short, worst place and mean, each way at equal epsilon."""
    ways: dict[str, Callable[[Session, dps.Scores, int, Fraction], list[int]]] = {
        "one pass": lambda draws, scores, k, each: draws.rank(draws.prepare(scores, each, mechanism=FLIP), k)[0],
        "peeled flip": lambda draws, scores, k, each: draws.draw(draws.prepare(scores, each, mechanism=FLIP), k),
        "exponential": lambda draws, scores, k, each: draws.draw(draws.prepare(scores, each, mechanism=EXPONENTIAL), k),
    }
    print(f"\n{'scores':<22}{'k':>5}{'epsilon':>9}" + "".join(f"{name:>18}" for name in ways))
    places, rng = np.arange(1, 1001), np.random.default_rng(1)
    tables = {
        "zipf, 20000 / j": 20000 // places,
        "steps of 5": 5 * (1000 - places),
        "normal(1000, 150)": np.rint(rng.normal(1000, 150, 1000)).astype(np.int64),
    }
    for name, values in tables.items():
        scores = dps.Scores(values, 1, kind="integer", range_bound=1)
        for k, epsilon in ((5, Fraction(1, 2)), (20, Fraction(1, 2)), (20, Fraction(2)), (100, Fraction(2))):
            cells = []
            for draw in ways.values():
                with open_session(dps.Guarantee(10**6, "add-remove")) as draws:
                    lost = [shortfalls(values, draw(draws, scores, k, epsilon / k)) for _ in range(LISTS)]
                worst, mean = np.mean(lost, axis=0)
                cells.append(f"{worst:.0f} / {mean:.1f}")
            print(f"{name:<22}{k:>5}{float(epsilon):>9g}" + "".join(f"{cell:>18}" for cell in cells), flush=True)


if __name__ == "__main__":
    speed()
    accuracy()
