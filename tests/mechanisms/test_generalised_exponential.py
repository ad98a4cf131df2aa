"""The generalised exponential mechanism."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.mechanisms.generalised_exponential import separate

bounds_lists = st.lists(st.floats(0.01, 100), min_size=1, max_size=12)


def by_definition(values, bounds, margin):
    """q as it is written, over all pairs."""
    reduced = np.array(values) - margin * np.array(bounds)
    return ((reduced[:, None] - reduced) / (np.add.outer(bounds, bounds))).min(axis=1)


@settings(max_examples=200, deadline=None)
@given(bounds_lists, st.data(), st.floats(0, 10))
def test_tangents_give_the_definition(bounds, data, margin) -> None:
    """Bisection on the hull equals the minimum over all pairs."""
    values = data.draw(st.lists(st.floats(-100, 100), min_size=len(bounds), max_size=len(bounds)))
    computed = separate(np.array(values), np.array(bounds), margin)

    assert np.allclose(by_definition(values, bounds, margin), computed, rtol=1e-9, atol=1e-9)


def test_a_hull_of_many_corners_is_searched() -> None:
    """Two thousand candidates all on the hull."""
    bounds = np.linspace(0.1, 10, 2000)
    values = -((bounds - 4) ** 2)

    assert np.allclose(by_definition(values, bounds, 0), separate(values, bounds, 0.0), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-20, 20), min_size=1, max_size=8))
def test_equal_bounds_give_half_the_gap_to_the_best(values) -> None:
    """With one D for all, q = (u - max u) / 2D."""
    scores = dps.Scores(values, sensitivity=2.0)
    unit = dps.mechanism("generalised-exponential").effective(scores)

    assert np.allclose((np.array(values) - max(values)) / 4, unit.ticks / 2**20, atol=2.0**-19)


def test_the_range_bound_is_two_even_for_monotone_scores() -> None:
    """Dividing by something else than one constant loses the direction."""
    unit = dps.mechanism("generalised-exponential").effective(dps.Scores([1, 2], 1, range_bound=1))

    assert 2 == unit.range_bound


@pytest.mark.parametrize("margin", [-1, float("nan"), float("inf")])
def test_a_margin_is_a_number_from_zero(margin) -> None:
    """The margin is public, finite and not negative."""
    with pytest.raises(ValueError, match="margin must be a public number"):
        dps.mechanism("generalised-exponential", margin=margin)


def test_bounds_are_required() -> None:
    """Without any public bound the mechanism refuses."""
    with pytest.raises(dps.PrivacyError, match="of every candidate"):
        dps.mechanism("generalised-exponential").effective(dps.Scores([1.0], dps.sensitivity.local(lambda t: 1 + t)))
