"""What noisy counts, numbers, names and leaves say of their error: true by the exact law, and nothing smaller is."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.release import missed_names_bound
from dpselect.release.count_bound import CountBound
from dpselect.release.missed_names_bound import MissedNamesBound


def beyond(rate: Fraction, error: int, counts: int) -> Fraction:
    """The chance that one of several counts is off by so much: summed term by term, in fractions of a fine grid."""
    q = Fraction(math.exp(-float(rate))).limit_denominator(10**12)
    near = (1 - q) / (1 + q) * (1 + 2 * sum((q**z for z in range(1, error)), Fraction(0)))
    return 1 - near**counts


@pytest.mark.parametrize("rate", ["1/3", "1", "3", "20"])
@pytest.mark.parametrize("counts", [1, 7, 40])
@pytest.mark.parametrize("probability", ["1/2", "19/20", "999/1000"])
def test_counts_are_that_near_and_not_nearer(rate, counts, probability) -> None:
    """The least integer that is enough."""
    error, chance = CountBound(Fraction(rate), counts), Fraction(probability)
    least = int(error.at(chance))

    assert float(beyond(error.rate, least, counts)) <= float(1 - chance) * (1 + 1e-9)
    assert math.isclose(error.tail(least), float(beyond(error.rate, least, counts)), rel_tol=1e-6)
    if least > 1:
        assert beyond(error.rate, least - 1, counts) > 1 - chance


def test_names_are_revealed_from_so_many_persons_on(monkeypatch) -> None:
    """By the law that the release has; of one person fewer it would be wrong."""
    rows = {"user": list(range(90)), "product": ["tea"] * 90}
    for epsilon, most in ((1, 1), (0.5, 3)):
        release = dps.partitions(rows, epsilon=epsilon, delta=1e-6, person="user", key="product", keys_per_person=most)
        enough = int(release.error_bound.at(0.95))
        law = dps.accuracy.keep_probability([enough - 1, enough], epsilon=epsilon, delta=1e-6, keys_per_person=most)
        assert law[0] < 0.95 <= law[1]
        assert f"a name that {enough} persons kept, or more, is revealed" in release.error_bound.describe()
    monkeypatch.setattr(missed_names_bound, "_MOST", 9)
    assert math.isinf(MissedNamesBound(Fraction(1), Fraction(1, 10**6)).at())


@pytest.mark.parametrize("noise", ["student-t", "cauchy"])
def test_a_number_with_a_public_ceiling_is_that_near_whatever_its_bound(noise) -> None:
    """The exact law of the largest noise stays within, and of less noise too; a tenth less would not do."""
    local = dps.sensitivity.local(lambda t: min(t + 1.0, 8.0), ceiling=8)
    release = dps.release_value(100, local, epsilon=2, neighbours="add-remove", noise=noise, tick=1)
    near = release.error_bound.at(0.9)
    worst = dps.sensitivity.constant(8)
    for bound in (local, worst):
        law = dps.accuracy.value_pmf(
            100, bound, epsilon=2, answers=np.arange(100 - int(near), 101 + int(near)), noise=noise, tick=1
        )
        assert law.sum() >= 0.9
    fewer = int(near * 0.9)
    law = dps.accuracy.value_pmf(
        100, worst, epsilon=2, answers=np.arange(100 - fewer, 101 + fewer), noise=noise, tick=1
    )
    assert law.sum() < 0.9
    assert release.error_bound.describe("euros").endswith(
        "euros of the true number with probability 0.95, whatever the data"
    )


def test_a_number_with_a_private_bound_says_nothing() -> None:
    """And why."""
    release = dps.release_value(100, 3, epsilon=2, neighbours="add-remove", beta=0.3, tick=1)
    assert isinstance(release.error_bound, dps.accuracy.NoBound)
    assert "private" in release.error_bound.describe()
    with pytest.raises(ValueError, match="follows a bound that is private"):
        release.error_bound.at()
