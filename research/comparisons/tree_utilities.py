"""Time of split criteria with their sensitivities, and of exact noise.

    python -m research.comparisons.tree_utilities

Processor seconds, least of 5; 16 binary attributes, two classes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

import dpselect as dps
from dpselect.utilities import gini, information_gain, max_operator, misclassified


def least(call: Callable[[], object], repeats: int = 5) -> float:
    """Return the least processor time of several calls, after one to warm up, in milliseconds."""
    call()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def noise(counts: np.ndarray, epsilon: Fraction) -> None:
    """Draw noise for counts of which a neighbour moves one."""
    with dps.open_session(dps.Guarantee(epsilon, "add-remove")) as draws:
        draws.counts(counts, epsilon, dps.mechanisms.Bound(1))


def tables(records: int) -> dict[int, np.ndarray]:
    """Return 16 tables of that many records, the same class counts in each."""
    first = np.arange(1, 17) * records // 40
    total = np.array([records * 3 // 4, records // 4])
    upper = np.stack((first, first // 3), axis=1)
    return {i: np.stack((upper[i], total - upper[i])) for i in range(16)}


def main() -> None:
    """Print the tables."""
    for epsilon in (Fraction(1, 100), Fraction(1, 10), Fraction(1)):
        zeros = np.zeros(10**5, dtype=np.int64)
        spent = least(lambda e=epsilon: noise(zeros, e))
        print(f"noise on 10^5 counts, epsilon {float(epsilon):<5g}: {spent:7.1f} ms")
    for criterion in (max_operator, gini, misclassified):
        print(f"{criterion.__name__:<16} of one node: {least(lambda c=criterion: c(tables(20_000))):7.2f} ms")
    for records in (10**3, 10**5, 10**7):
        counts = tables(records)
        for name in ("permute-and-flip", "local-dampening", "shifted-local-dampening", "smooth-noisy-max"):
            chosen = dps.mechanism(name)
            spent = least(
                lambda m=chosen, c=counts, n=records: m.quantize(information_gain(c, max_records=n), Fraction(1))
            )
            print(f"information gain of one node of {records:>8} records, {name:<24}: {spent:8.2f} ms")


if __name__ == "__main__":
    main()
