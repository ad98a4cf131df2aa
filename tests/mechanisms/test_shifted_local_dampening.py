"""Shifted local dampening."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.mechanisms.local_dampening import dampen
from dpselect.mechanisms.shifted_local_dampening import shift

deltas = st.lists(st.lists(st.integers(0, 8), min_size=1, max_size=80).map(sorted), min_size=1, max_size=4)


def sensitivity_of(rows) -> dps.Sensitivity:
    """Element sensitivities with ceiling 8 and one public reach."""
    reach = max(len(row) for row in rows)
    return dps.sensitivity.element(lambda t: [row[min(t, len(row) - 1)] for row in rows], ceiling=8, reach=reach).over(
        len(rows)
    )


def test_example_4_2_1_corrected() -> None:
    """Erratum to Example 4.2.1: exact element sensitivities of Figure 9c, shift 7, epsilon 2.

    a, b .4033; v0, v1, v4, v5 .0391; v2, v3 .0185 (printed: .472 and .0046).
    """
    table = np.array([[5, 5, 4, 4, 3, 3, 4, 4]] * 4)
    table[0], table[1] = [3, 3, 2, 2, 1, 1, 2, 2], [5, 5, 3, 3, 2, 2, 3, 3]
    table[3, 4:6] = 4
    at = dps.sensitivity.element(lambda t: table[min(t, 3)], ceiling=7.5)
    shifted = dps.Scores([-0.5, -0.5, -7, -7, -7, -7, -7, -7], at)
    law = dps.mechanism("local-dampening").pmf(shifted, 2)

    assert [0.4033, 0.0391, 0.0391, 0.0185] == law[[0, 2, 6, 4]].round(4).tolist()


@settings(max_examples=80, deadline=None)
@given(deltas, st.data())
def test_the_closed_form_is_the_limit_of_shifting(rows, data) -> None:
    """Dampening u - s for a shift beyond all sums differs from the closed form by one constant."""
    at = sensitivity_of(rows)
    values = np.array(data.draw(st.lists(st.integers(-20, 20), min_size=len(rows), max_size=len(rows))), dtype=float)
    far = 8.0 * 2000

    down = dampen(values - far, at) + far / 8
    up = dampen(values + far, at) - far / 8

    assert np.allclose(shift(values, at, "growing"), down, atol=1e-6)
    assert np.allclose(shift(values, at, "shrinking"), up, atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-20, 20), min_size=2, max_size=6),
    st.lists(st.integers(0, 8), min_size=1, max_size=9).map(sorted),
)
def test_a_flat_sensitivity_gives_the_exponential_mechanism(values, row) -> None:
    """Erratum to the text after Corollary 4.4.1: flat delta gains nothing."""
    flat = dps.sensitivity.local(lambda t: row[min(t, len(row) - 1)], ceiling=8, reach=12)
    floats = np.array(values, dtype=float)
    here = dps.mechanism("shifted-local-dampening").pmf(dps.Scores(floats, flat), 1)
    classic = dps.mechanism("exponential").pmf(dps.Scores(floats, 8.0), 1)

    assert np.allclose(here, classic, atol=1e-5)


def test_exact_element_sensitivity_can_be_worse_than_the_exponential_mechanism() -> None:
    """Erratum to Lemma 4.4.2: a better candidate of small sensitivity is pushed down by the shift."""
    at = dps.sensitivity.element(lambda t: [1, 8], ceiling=8, reach=20)
    scores = dps.Scores([4.0, 0.0], at)

    assert dps.accuracy.expected_error(
        scores, epsilon=1, mechanism=dps.mechanism("shifted-local-dampening")
    ) > dps.accuracy.expected_error(scores, epsilon=1, mechanism=dps.mechanism("exponential"))


def test_sums_in_closed_form_and_by_walking_agree() -> None:
    """``total`` and the walk give the same shift."""
    rows = np.array([1.0, 3.0])
    closed = dps.sensitivity.profiles(
        lambda t: np.broadcast_to(rows, (t.size, 2)),
        profile=np.array([0, 1]),
        ceiling=4,
        reach=1000,
        total=lambda t: t[:, None] * rows,
    ).over(2)
    walked = dps.sensitivity.element(lambda t: rows, ceiling=4, reach=1000).over(2)

    assert np.allclose(shift(np.ones(2), closed, "growing"), shift(np.ones(2), walked, "growing"), atol=1e-9)
    assert [(1 - 3000) / 4, (1 - 1000) / 4] == shift(np.ones(2), closed, "growing").tolist()


@pytest.mark.parametrize("name", ["shifted-local-dampening", "shifted-local-dampening-flip"])
def test_without_a_public_reach_it_is_refused(name: str) -> None:
    """The message says how to give one and what to use instead."""
    scores = dps.Scores([1.0, 2.0], dps.sensitivity.local(lambda t: 1, ceiling=3))
    with pytest.raises(dps.PrivacyError, match=r"use local-dampening-flip, .* pareto\(\.\.\., reach=\)"):
        dps.select(scores, epsilon=1, mechanism=dps.mechanism(name))


def test_an_unknown_direction_is_refused() -> None:
    """There are two directions."""
    with pytest.raises(ValueError, match='"growing" or "shrinking"'):
        dps.mechanism("shifted-local-dampening", direction="up")


def test_one_constant_keeps_the_range_bound() -> None:
    """With one constant the mechanism is the exponential mechanism, range bound included."""
    unit = dps.mechanism("shifted-local-dampening").effective(dps.Scores([1, 2], 3, range_bound=1, kind="integer"))

    assert (1, 3) == (unit.range_bound, unit.span)
