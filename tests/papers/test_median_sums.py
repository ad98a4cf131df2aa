"""Sums of the published median's sensitivity in closed form."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.mechanisms.local_dampening import dampen
from dpselect.mechanisms.shifted_local_dampening import shift
from dpselect.papers import median
from dpselect.papers.median import sensitivity_of_records


def walked(sensitivity, distances) -> np.ndarray:
    """The sums of the rows."""
    rows = sensitivity.by_profile(np.arange(distances.max() + 1))
    with np.errstate(over="ignore"):
        return np.vstack([np.zeros(rows.shape[1]), np.cumsum(rows, axis=0)])[distances]


@pytest.mark.parametrize(("size", "most"), [(3, 4), (4, 3), (5, 3), (6, 2), pytest.param(7, 4, marks=pytest.mark.slow)])
def test_sums_are_those_of_the_rows_on_every_vector(size: int, most: int) -> None:
    """Exactly, at every distance, and beyond the reach; the order of the records decides nothing."""
    for values in itertools.combinations_with_replacement(range(most + 1), size):
        sensitivity = sensitivity_of_records(np.array(values), most)
        distances = np.arange(sensitivity.reach + 3)

        assert np.array_equal(walked(sensitivity, distances), sensitivity.total(distances)), values


SHAPES = {
    "even": lambda draw, n, most: draw.integers(0, most, n, endpoint=True),
    "low": lambda draw, n, most: np.minimum(draw.zipf(1.5, n) - 1, most),
    "high": lambda draw, n, most: most - np.minimum(draw.zipf(1.5, n) - 1, most),
    "ends": lambda draw, n, most: most * draw.integers(0, 2, n),
    "equal": lambda draw, n, most: np.full(n, draw.integers(0, most, endpoint=True)),
}


@given(st.sampled_from(list(SHAPES)), st.integers(3, 90), st.sampled_from([1, 2, 7, 1000, 2**44]), st.integers(0, 999))
@settings(deadline=None, max_examples=40)
def test_sums_of_integers_are_exact(shape: str, size: int, most: int, seed: int) -> None:
    """Ties, values at the bounds, ranges of one and of 2^44: the same integers."""
    values = SHAPES[shape](np.random.default_rng(seed), size, most).astype(np.int64)
    sensitivity = sensitivity_of_records(values, most)
    distances = np.arange(sensitivity.reach + 3)

    assert np.array_equal(walked(sensitivity, distances), sensitivity.total(distances))
    assert np.array_equal(sensitivity.total(distances[::-3]), sensitivity.total(distances)[::-3])


@given(
    st.sampled_from([0.7, 1.0, 2.0**53, 1e307, 1e-200, 5e-310, 1e-323, 2**53, 2**53 + 2, 2**60 + 1, 2**61, 2**62]),
    st.integers(3, 60),
    st.sampled_from([1, 30, 0.03]),
    st.integers(0, 999),
)
@settings(deadline=None, max_examples=40)
def test_sums_of_large_numbers_and_of_floats_are_right(length: float, size: int, bend: float, seed: int) -> None:
    """Up to the rounding of the rows, 2^-47 of the range for each: the widest integers, floats near both ends."""
    values = np.random.default_rng(seed).uniform(0, 1, size) ** bend * float(length)
    if isinstance(length, int):
        values = np.clip(values.astype(np.int64), 0, length)
    sensitivity = sensitivity_of_records(np.minimum(values, length), length)
    distances = np.arange(sensitivity.reach + 3)
    # Shares of the range, so that nothing overflows.
    exact = walked(sensitivity, distances) if length < 1e300 else walked(sensitivity, distances[:10])
    ours = sensitivity.total(distances)[: len(exact)]

    assert np.all(np.abs(ours / length - exact / length) <= 2.0**-45 * distances[: len(exact), None] + 2.0**-40)


@pytest.mark.parametrize("bounds", [(0, 1000), (-17, 2**40), (-3.25, 2.0**-20), (0.0, 1e-305)])
@pytest.mark.parametrize("direction", ["growing", "shrinking"])
def test_the_shifted_median_is_that_of_a_walk(bounds: tuple, direction: str) -> None:
    """Bounds that are not alike, values beyond them: the limit of shifting, to a fraction of a tick."""
    low, high = bounds
    values = np.random.default_rng(4).uniform(low - (high - low) / 9, high, 301)
    scores = median(values, lower=low, upper=high)
    far = 1e6 * scores.sensitivity.ceiling * (1 if direction == "shrinking" else -1)
    limit = dampen(scores.values + far, scores.sensitivity) - far / scores.sensitivity.ceiling

    assert np.allclose(shift(scores.values, scores.sensitivity, direction), limit, atol=2.0**-22, rtol=0)


def test_a_shift_asks_for_no_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two thousand records: sums come from the closed form alone."""
    scores = median(np.arange(2000), upper=4000)
    expected = dps.mechanism("shifted-local-dampening").effective(scores).ticks

    monkeypatch.delattr(dps.Sensitivity, "by_profile")
    assert np.array_equal(expected, dps.mechanism("shifted-local-dampening").effective(scores).ticks)


def test_sums_over_the_widest_range_of_integers_do_not_wrap() -> None:
    """Two values on the far side add up to 2^63: every sum is that of the rows."""
    far = 2**61
    values = [1 - far, 2**60, far - 1, 2**60, far - 1, 0, far, 1 - far, far - 1]
    sensitivity = median(values, lower=-far, upper=far).sensitivity
    distances = np.arange(sensitivity.reach + 3)

    assert np.allclose(sensitivity.total(distances), walked(sensitivity, distances), rtol=2.0**-40, atol=0)


@pytest.mark.parametrize(
    "values", [[0.0, 0.0, 1e308], [0.0, 1e307, 2e307], [1e308, 1.7e308, 1.7e308, 3.0], [5.0, 5.0, 5.0]]
)
def test_no_value_near_the_end_of_the_floats_is_warned_about(values: list[float]) -> None:
    """Differences that leave the floats are cut at the range, whatever the data; warnings are errors here."""
    sensitivity = median(values, upper=float(np.finfo(np.float64).max)).sensitivity
    rows = sensitivity.by_profile(np.arange(5))

    assert np.isfinite(rows).all()
    assert not np.isnan(sensitivity.total(np.arange(5))).any()


def test_a_range_beyond_floats_is_refused_by_its_bounds() -> None:
    """Floats cannot say how far its ends are apart, and both ends are public."""
    with pytest.raises(ValueError, match=r"^upper - lower must be finite: pass bounds that are closer together\.$"):
        median([0.0, 1e308, -1e308], lower=-1.7e308, upper=1.7e308)
