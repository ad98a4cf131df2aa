"""Speed of exact draws and exact laws: ratios taken in one process, the least of twenty means of several draws.

    python -m research.comparisons.selection            needs opendp >= 0.16 and numpy; about five minutes
    python -m research.comparisons.selection --whole        whole selections only; a minute
    python -m research.comparisons.selection --whole --base the same as if the cryptography package were absent

Scores: "normal" is N(0, 10^2); "spike" is one candidate at +100, the rest 0. epsilon 1, sensitivity 1. Draws
start from prepared unit scores. OpenDP is fed float64 arrays. Processor seconds, one thread.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction

import numpy as np

import dpselect as dps
from dpselect.release.open_session import open_session
from dpselect.release.questions import question

ROUNDS = 20


def seconds(call: Callable[[], object], draws: int) -> float:
    """Return the mean processor time of a call, the least of some rounds, after one call to warm up."""
    call()
    means = []
    for _ in range(ROUNDS):
        start, each = time.process_time(), max(1, draws // ROUNDS)
        for _ in range(each):
            call()
        means.append((time.process_time() - start) / each)
    return min(means)


def in_turn(calls: dict[str, Callable[[], object]], draws: int, rounds: int = 100) -> dict[str, float]:
    """Return the mean processor time of each call over so many draws, the least of some rounds taken in turn."""
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            for _ in range(draws):
                call()
            least[name] = min(least[name], (time.process_time() - start) / draws)
    return least


def profile(kind: str, size: int) -> np.ndarray:
    """Return the scores of that name."""
    if kind == "normal":
        return np.random.default_rng(size).normal(0, 10, size)
    scores = np.zeros(size)
    scores[size // 3] = 100.0
    return scores


def opendp_draw(scores: np.ndarray) -> Callable[[], object] | None:
    """Return a call that draws once with OpenDP's permute-and-flip at the same scale, if it is installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib", "honest-but-curious")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    noisy_max = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=2.0)
    return lambda: noisy_max(scores)


def our_seconds(name: str, scores: np.ndarray, draws: int) -> float:
    """Return the processor time of one draw from prepared unit scores, with a fresh stream."""
    asked = question(dps.Scores(scores, sensitivity=1.0), Fraction(1), dps.mechanism(name))
    # One more to warm up, and rounds of equal length.
    with open_session(asked.guarantee, count=draws + ROUNDS + 1) as paid:
        return seconds(lambda: paid.draw(asked), draws)


def draws() -> None:
    """Print the table of draws."""
    print(
        f"{'m':>9} {'scores':>7} {'PF ms':>9} {'EM ms':>9} {'Laplace ms':>10} {'numpy ms':>9} "
        f"{'OpenDP ms':>10} {'PF/numpy':>9} {'OpenDP/PF':>10} {'OpenDP/EM':>10}"
    )
    for size, ours, theirs in ((10**3, 2000, 50), (10**5, 200, 12), (10**6, 40, 4), (10**7, 6, 0)):
        for kind in ("normal", "spike"):
            scores = profile(kind, size)
            noise = np.random.default_rng(0)
            flip = our_seconds("permute-and-flip", scores, ours)
            exponential = our_seconds("exponential", scores, ours)
            laplace = our_seconds("noisy-max-laplace", scores, max(3, ours // 10))
            numpy = seconds(lambda x=scores / 2, g=noise: np.argmax(x + g.standard_exponential(x.size)), ours)
            rival = opendp_draw(scores) if theirs else None
            other = seconds(rival, theirs) if rival else float("nan")
            print(
                f"{size:>9} {kind:>7} {1e3 * flip:>9.3f} {1e3 * exponential:>9.3f} {1e3 * laplace:>10.3f} "
                f"{1e3 * numpy:>9.3f} {1e3 * other:>10.1f} {flip / numpy:>9.2f} {other / flip:>10.0f} "
                f"{other / exponential:>10.0f}",
                flush=True,
            )


def passes(values: np.ndarray, noise: np.random.Generator) -> int:
    """Return the winner that bare passes over the scores give: unsafe bits, no checks, no promise, no refusal."""
    gaps = values[values.argmax()] - values
    gaps *= -(2.0**20)
    ticks = np.floor(gaps, out=gaps).astype(np.int64)
    odds = (ticks[ticks.argmax()] - ticks) * -(2.0**-21)
    np.exp(odds, out=odds)
    odds *= 2.0**32
    bits = noise.integers(2**32, size=values.size, dtype=np.uint32)
    heads = (bits <= odds).nonzero()[0]
    return int(heads[noise.integers(heads.size)])


def whole() -> None:
    """Print the time of a whole selection, with all that is checked, promised and returned, and of its floor."""
    print("\nWhole selections, Scores made before: dps.select(scores, epsilon=1, permute-and-flip)")
    print(f"{'m':>9} {'scores':>7} {'select ms':>10} {'passes ms':>10} {'numpy ms':>9} {'ratio':>6} {'passes':>6}")
    for size, ours in ((10**3, 20), (10**5, 2), (10**6, 1)):
        for kind in ("normal", "spike"):
            values, noise, mechanism = profile(kind, size), np.random.default_rng(0), dps.mechanism("permute-and-flip")
            scores = dps.Scores(values, sensitivity=1.0)
            calls = {
                "select": lambda s=scores, m=mechanism: dps.select(s, epsilon=1, mechanism=m),
                "passes": lambda x=values, g=noise: passes(x, g),
                "numpy": lambda x=values / 2, g=noise: np.argmax(x + g.standard_exponential(x.size)),
            }
            select, bare, numpy = in_turn(calls, ours).values()
            print(
                f"{size:>9} {kind:>7} {1e3 * select:>10.3f} {1e3 * bare:>10.3f} {1e3 * numpy:>9.3f} "
                f"{select / numpy:>6.2f} {bare / numpy:>6.2f}",
                flush=True,
            )


def memory() -> None:
    """Print the peak of one whole selection among 10^7 candidates."""
    tracemalloc.start()
    dps.select(dps.Scores(profile("normal", 10**7), 1.0), epsilon=1, mechanism=dps.mechanism("permute-and-flip"))
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    print(f"\nPeak memory of one selection, m = 10^7, scores included: {peak:.0f} MiB")
    tracemalloc.stop()


def laws() -> None:
    """Print the time of exact laws."""
    print("\nExact laws, least of 3, seconds")
    cases = {
        "permute-and-flip, 10^6 candidates, 1000 distinct scores": np.arange(10**6) % 1000,
        "permute-and-flip, 10^5 distinct scores": np.arange(10**5),
        "exponential, 10^6 candidates, 1000 distinct scores": np.arange(10**6) % 1000,
        "noisy-max-laplace, 10^4 distinct scores": np.arange(10**4),
    }
    for label, values in cases.items():
        mechanism, scores = dps.mechanism(label.split(",")[0]), dps.Scores(values, sensitivity=1)
        times = []
        for _ in range(3):
            start = time.process_time()
            mechanism.pmf(scores, Fraction(1, 100))
            times.append(time.process_time() - start)
        print(f"  {label:<58} {min(times):.3f}")


if __name__ == "__main__":
    if "--base" in sys.argv:
        # The first draw looks for the package, and then every byte comes from the operating system.
        sys.modules["cryptography.hazmat.primitives.ciphers"] = None  # type: ignore[assignment]
    if "--whole" not in sys.argv:
        draws()
        memory()
        laws()
    whole()
