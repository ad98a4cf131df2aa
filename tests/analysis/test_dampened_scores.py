"""What dampening makes of scores, and which order it inverts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.analysis.dampened_scores import dampen_scores, inversions


def example_4_1_1() -> dps.Scores:
    """Return the scores of the thesis that dampening inverts: 3 and 4 become 2 and 1."""
    at = dps.sensitivity.element(lambda t: [(1, 2)[min(t, 1)], 4], ceiling=4, reach=2)
    return dps.Scores([3.0, 4.0], at)


def test_the_example_of_the_thesis_is_inverted() -> None:
    """Example 4.1.1, the better candidate first."""
    known = dampen_scores(example_4_1_1())
    (pair,) = inversions(known.values, known.classic)

    assert ([4, 3], [1, 2]) == (known.values.tolist(), known.classic.tolist())
    assert (0, 1, 1.0) == (pair.better, pair.worse, pair.lead)


@pytest.mark.parametrize("direction", ["growing", "shrinking"])
def test_effective_scores_are_those_that_the_mechanisms_rank(direction) -> None:
    """Of markers: the ticks that are drawn from, over the ticks of one unit."""
    markers = dps.utilities.tdt([24, 50, 30, 16, 9], [0, 16, 12, 14, 9], families=40)
    known = dampen_scores(markers, direction)
    for units, mechanism in (
        (known.classic, dps.mechanism("local-dampening")),
        (known.shifted, dps.mechanism("shifted-local-dampening", direction=direction)),
    ):
        unit = mechanism.effective(markers)

        assert (unit.ticks[known.places] / float(unit.per_unit) == units).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6), st.lists(st.integers(-9, 9), min_size=6, max_size=6))
def test_inversions_are_all_pairs_that_are_turned_round(values, units) -> None:
    """By brute force; equals on either side are not inverted, and the largest lead is first."""
    u, d = np.array(values, dtype=float), np.array(units[: len(values)], dtype=float)
    found = inversions(u, d)
    pairs = {(a, b) for a in range(u.size) for b in range(u.size) if u[a] > u[b] and d[a] < d[b]}

    assert pairs == {(pair.better, pair.worse) for pair in found}
    assert [pair.lead for pair in found] == sorted((u[a] - u[b] for a, b in pairs), reverse=True)


def test_one_constant_inverts_nothing() -> None:
    """Votes: dampened, they are in their order."""
    votes = dps.Scores({"tea": 60, "milk": 7, "coffee": 57}, 1, range_bound=1, kind="integer")
    known = dampen_scores(votes)

    assert [60, 57, 7] == known.values.tolist()
    assert [] == [*inversions(known.values, known.classic), *inversions(known.values, known.shifted)]


def test_without_a_reach_there_is_nothing_to_shift() -> None:
    """The library's own refusal."""
    with pytest.raises(dps.PrivacyError, match="reach is unknown"):
        dampen_scores(dps.Scores([1.0, 2.0], dps.sensitivity.local(lambda t: 1 + t, ceiling=3)))
