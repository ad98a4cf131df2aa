"""Streams against a threshold: how far noise spreads, what cheaper levels find, when to choose the top k instead.

    python -m research.comparisons.threshold

Everything is drawn by the library from made-up counts; Laplace noise is NumPy's, for comparison only.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

import dpselect as dps

RUNS = 200
QUESTIONS = 300
Counts = NDArray[np.int64]


def spreads(generator: np.random.Generator) -> None:
    """Print the noise of one comparison, beside Laplace noise at the same split."""
    print("noise of a comparison, epsilon 1: standard deviation, and width of the middle 95 %")
    print(f"{'positives':>10}{'range':>6}{'one-sided':>20}{'Laplace':>20}")
    for positives, range_bound in ((1, 1), (10, 1), (10, 2)):
        rules = dps.above_threshold(0, epsilon=1, positives=positives, range_bound=range_bound).rules
        raised, asked = 1 / float(rules.rate), 1 / float(rules.levels[-1].rate)
        many = 10**6
        # Geometric noise of these scales is that of the exponential law, floored.
        one = np.floor(generator.exponential(asked, many)) - np.floor(generator.exponential(raised, many))
        two = generator.laplace(0, asked, many) - generator.laplace(0, raised, many)
        columns = (f"{each.std():.2f} {np.subtract(*np.quantile(each, [0.975, 0.025])):8.1f}" for each in (one, two))
        print(f"{positives:>10}{range_bound:>6}" + "".join(f"{column:>20}" for column in columns))


def stream_recall(counts: Counts, k: int, epsilon: float, order: NDArray[np.int64], placed: str) -> float:
    """Return the share of the k largest among those that a stream calls above, its threshold placed by the truth."""
    top = np.sort(counts)[::-1]
    between = (int(top[k - 1]) + int(top[k])) // 2
    below = dps.accuracy.threshold_bound(epsilon=epsilon, questions=len(counts), positives=k, range_bound=1).below()
    line = between + (below // 2 if placed == "raised" else 0)
    found: list[int] = []
    with dps.above_threshold(line, epsilon=epsilon, positives=k, range_bound=1) as stream:
        for place in order.tolist():
            if not stream.has_ended and stream.ask(counts[place]).above:
                found.append(place)
    return len({*found} & {*np.argsort(-counts, kind="stable")[:k].tolist()}) / k


def top_recall(counts: Counts, k: int, epsilon: float) -> float:
    """Return the share of the k largest among those that ``top_k`` names."""
    scores = dps.Scores(counts, 1, range_bound=1, kind="integer")
    release = dps.top_k(scores, k, epsilon=epsilon, mechanism=dps.mechanism("permute-and-flip"))
    return len({*release.value} & {*np.argsort(-counts, kind="stable")[:k].tolist()}) / k


def known_beforehand(generator: np.random.Generator) -> None:
    """Print the recall of the largest counts: asked one after the other, and all at once."""
    print(
        f"\nshare of the true top k of {QUESTIONS} counts that is found, {RUNS} runs; thresholds placed by the truth,"
    )
    print("in the middle between the k-th and the next, and raised above it by half the distance of the stated error")
    print(f"{'counts':>14}{'k':>4}{'epsilon':>9}{'stream':>9}{'raised':>9}{'top_k':>9}")
    cases: Sequence[tuple[str, Counts]] = (
        ("3000 / rank", np.floor(3000 / np.arange(1, QUESTIONS + 1)).astype(np.int64)),
        ("10 and 500", np.where(np.arange(QUESTIONS) < 10, 500, 10)),
        ("steps of 5", 5 * np.arange(QUESTIONS)[::-1].astype(np.int64)),
    )
    for name, counts in cases:
        for k, epsilon in ((1, 0.5), (10, 0.5), (10, 2)):
            if k == 1 and name == "10 and 500":
                # Ten are the largest alike.
                continue
            columns = []
            for placed in ("middle", "raised"):
                orders = (generator.permutation(QUESTIONS) for _ in range(RUNS))
                columns.append(np.mean([stream_recall(counts, k, epsilon, order, placed) for order in orders]))
            columns.append(np.mean([top_recall(counts, k, epsilon) for _ in range(RUNS)]))
            print(f"{name:>14}{k:>4}{epsilon:>9}" + "".join(f"{column:>9.2f}" for column in columns))


def cheaper(generator: np.random.Generator) -> None:
    """Print how many answers above come of five paid ones, with and without a cheaper level."""
    print(
        f"\n20 of {QUESTIONS} counts lie a distance over the threshold, all others as far under it; 5 paid, epsilon 1,"
    )
    print(f"range bound 1; one more level at half the price and a margin: right and wrong answers above, {RUNS} runs")
    stated = dps.accuracy.threshold_bound(epsilon=1, questions=QUESTIONS, positives=5, range_bound=1)
    print(f"one level: {stated.describe()}")
    margins = (None, 10, 25, 50, 100)
    print(
        f"{'distance':>9}"
        + "".join(f"{'no level' if margin is None else f'margin {margin}':>15}" for margin in margins)
    )
    for distance in (25, 50, 100, 200, 400):
        cells = []
        for margin in margins:
            right = wrong = 0
            for _ in range(RUNS):
                values = np.full(QUESTIONS, -distance)
                values[generator.choice(QUESTIONS, 20, replace=False)] = distance
                levels = () if margin is None else ((margin, Fraction(1, 2)),)
                stream = dps.above_threshold(0, epsilon=1, positives=5, range_bound=1, levels=levels)
                for value in values:
                    if not stream.has_ended and stream.ask(value).above:
                        right, wrong = right + (value > 0), wrong + (value < 0)
            cells.append(f"{right / RUNS:.1f} {wrong / RUNS:6.2f}")
        print(f"{distance:>9}" + "".join(f"{cell:>15}" for cell in cells))


def speed() -> None:
    """Print the processor time of one question, the least of several runs."""
    stream = dps.above_threshold(10**6, epsilon=1)
    times = []
    for _ in range(7):
        begun = time.process_time()
        for _ in range(2000):
            stream.ask(3)
        times.append((time.process_time() - begun) / 2000)
    print(f"\none question below: {min(times) * 1e6:.0f} microseconds")


def main() -> None:
    """Print all tables."""
    generator = np.random.default_rng(21)
    spreads(generator)
    known_beforehand(generator)
    cheaper(generator)
    speed()


if __name__ == "__main__":
    main()
