"""Imola and Yang 2018: the sensitivity of entropy."""

import itertools
import math

import numpy as np


def entropy(counts: tuple[int, ...]) -> float:
    """In bits."""
    total = sum(counts)
    return -sum(count / total * math.log2(count / total) for count in counts if count)


def bound(records: int) -> float:
    """Theorem 6."""
    return (1 / math.log(2) + math.log2(records)) / records


def neighbours(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One record more or less."""
    moved = (np.array(counts) + way * unit for way in (1, -1) for unit in np.eye(len(counts), dtype=int))
    return [tuple(each.tolist()) for each in moved if each.min() >= 0 and each.sum() > 0]


def test_theorem_6_bounds_what_a_record_does_to_the_table_at_hand() -> None:
    """All tables of up to eight records in two and three classes."""
    for classes in (2, 3):
        for counts in itertools.product(range(9), repeat=classes):
            if 0 < sum(counts) <= 8:
                for there in neighbours(counts):
                    assert abs(entropy(counts) - entropy(there)) <= bound(sum(counts)) + 1e-12


def test_noise_in_proportion_to_it_is_not_private() -> None:
    """One record and two of the same class, entropy 0 on both: far out the log-ratio of two Laplace laws has no end."""
    epsilon, here, there = 1.0, bound(1), bound(2)
    assert entropy((1, 0)) == entropy((2, 0)) == 0

    def log_ratio(z: float) -> float:
        return (-z * epsilon / here - math.log(here)) - (-z * epsilon / there - math.log(there))

    assert log_ratio(10) > epsilon
    assert log_ratio(1000) > 100 * epsilon


def test_the_bound_that_holds_for_all_tables_is_one() -> None:
    """A second record in another class moves the entropy from 0 to 1, and nothing moves it by more."""
    most = max(
        abs(entropy(counts) - entropy(there))
        for counts in itertools.product(range(6), repeat=3)
        if sum(counts)
        for there in neighbours(counts)
    )

    assert most == entropy((1, 1)) == 1
