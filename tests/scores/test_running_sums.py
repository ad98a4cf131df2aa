"""Sums over distances."""

from fractions import Fraction

import numpy as np

from dpselect import sensitivity
from dpselect.scores.running_sums import walk


def test_sums_are_exact_enough_after_many_steps() -> None:
    """After 100,000 steps of 0.1 the relative error is below 2^-46: plain sums run over 64 steps only."""
    stretches = list(walk(sensitivity.local(lambda t: 0.1, ceiling=1, reach=100_000)))

    assert 100_000 == sum(len(stretch.values) for stretch in stretches)
    exact = 100_000 * Fraction(0.1)
    assert abs(Fraction(float(stretches[-1].sums[-1, 0])) / exact - 1) < Fraction(1, 2**46)


def test_stretches_follow_each_other_and_sums_are_those_of_the_values() -> None:
    """sums[i] is the sum of all values before distance start + i."""
    built = sensitivity.element(lambda t: [1 + t, 5], ceiling=9, reach=200)
    expected, at = np.zeros(2), 0
    for stretch in walk(built):
        assert at == stretch.start
        for i, row in enumerate(stretch.values):
            assert expected.tolist() == stretch.sums[i].tolist()
            expected, at = expected + row, at + 1

    assert 200 == at


def test_an_unknown_reach_ends_at_a_public_distance() -> None:
    """The walk ends at 2^20 steps whatever the data says."""
    assert 2**20 == sensitivity.local(lambda t: 1, ceiling=2).horizon
