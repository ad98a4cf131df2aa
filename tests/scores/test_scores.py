"""Scores, and the integer ticks made of them."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.kernel.units import TICK_CLIP, TICKS, exact_ticks, floor_ticks


def test_a_repr_shows_names_and_sizes_only() -> None:
    """No score, candidate or sensitivity of the data appears in a repr."""
    shown = repr(dps.Scores([41, 7], sensitivity=3, candidates=["secret", "other"]))

    assert "Scores(candidates=2, neighbours='add-remove', range_bound=2)" == shown


def test_zero_is_declared_by_name_and_turned_round_with_the_order() -> None:
    """It is public, so a repr may show it."""
    best = dps.Scores([-1.0, 0.0], 1, zero="best")

    assert ["best", "worst", "neutral"] == [best.zero, (-best).zero, (-dps.Scores([1.0], 1)).zero]
    assert "Scores(candidates=2, neighbours='add-remove', range_bound=2, zero='best')" == repr(best)
    for wrong in ("Best", 1, None, ["best"], np.array(["best"])):
        with pytest.raises(ValueError, match='zero is "best"'):
            dps.Scores([1.0], 1, zero=wrong)


def test_integer_scores_never_pass_through_floats() -> None:
    """2^60 and 2^60 + 1 are one tick apart."""
    unit = dps.mechanism("exponential").effective(dps.Scores([2**60, 2**60 + 1], sensitivity=1, kind="integer"))

    assert 1 == unit.ticks[1] - unit.ticks[0]
    assert (1, 2) == (unit.per_unit, unit.span)


def test_integers_beyond_64_bits_are_clipped_and_not_refused() -> None:
    """The size of a private score is never an error."""
    scores = dps.Scores([10**30, 0, -(10**30)], sensitivity=1, kind="integer")

    assert [TICK_CLIP, 0, -TICK_CLIP] == scores.values.tolist()
    assert [TICK_CLIP] == dps.Scores(np.array([2**64 - 1], dtype=np.uint64), 1).values.tolist()


def test_exact_scores_have_no_margin_and_floats_have_two_ticks() -> None:
    """span is b * per_unit for integers, b * 2^20 + 2 for floats."""
    whole = exact_ticks(np.array([1, 2]), Fraction(5), 1)
    floats = floor_ticks(np.array([1.0, 2.0]), 2)

    assert (Fraction(5), Fraction(2 * TICKS + 2)) == (whole.span, floats.span)


def test_float_scores_are_floored_and_clipped() -> None:
    """Ticks are floor(2^20 q), infinities clipped at 2^30 units."""
    unit = floor_ticks(np.array([0.5, -(2.0**-30), np.inf, -np.inf]), 2)

    assert [2**19, -1, 2**50, -(2**50)] == unit.ticks.tolist()


def test_a_rational_sensitivity_keeps_integer_scores_exact() -> None:
    """Dividing by 1/2 costs no rounding: the span is a fraction."""
    unit = dps.mechanism("exponential").effective(dps.Scores([3, 4], sensitivity=Fraction(1, 2), kind="integer"))

    assert Fraction(1) == unit.span


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "at least one candidate"),
        ([[1, 2]], "at least one candidate"),
        ([1.0, float("nan")], "finite"),
        ([1.0, float("inf")], "finite"),
    ],
)
def test_bad_values_are_refused(values, message: str) -> None:
    """Empty, NaN and infinite scores are bad input."""
    with pytest.raises(ValueError, match=message):
        dps.Scores(values, sensitivity=1)


@pytest.mark.parametrize("values", [["a", "b"], [1j, 2], [None, 1]])
def test_values_that_are_not_real_numbers_are_refused(values) -> None:
    """Text, complex numbers and None are a TypeError."""
    with pytest.raises(TypeError, match="real numbers"):
        dps.Scores(values, sensitivity=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"candidates": ["a"]}, "1 candidates and 2 scores"),
        ({"neighbours": "swap"}, "must be one of substitution, add-remove, person, edge, family"),
        ({"range_bound": 3}, "range_bound is 1"),
        ({"distance": [1]}, "one integer >= 0"),
        ({"sensitivity": dps.sensitivity.constant([1, 2, 3])}, "for 3 candidates and there are 2"),
    ],
)
def test_bad_arguments_are_refused(arguments, message: str) -> None:
    """Shapes that differ and unknown words are refused with the remedy."""
    with pytest.raises(ValueError, match=message):
        dps.Scores([1, 2], **{"sensitivity": 1, **arguments})


SAFE = dps.sensitivity.element(lambda t: [1.0, 1.0], ceiling=1, reach=2)
EXACT_MECHANISMS = (
    "exponential",
    "permute-and-flip",
    "noisy-max-laplace",
    "generalised-exponential",
    "local-dampening",
    "local-dampening-flip",
    "shifted-local-dampening",
)


@pytest.mark.parametrize("name", EXACT_MECHANISMS)
@pytest.mark.parametrize("large", [2**40, 2**53, 2**60 + 128])
def test_a_fraction_on_the_neighbour_does_not_change_the_kind(name: str, large: int) -> None:
    """A list of integers on one database, one fraction more on the next: one kind, and no loss above epsilon."""
    mechanism = dps.mechanism(name)
    whole, mixed = (mechanism.log_pmf(dps.Scores([first, large], SAFE), 1) for first in (0, 0.5))

    assert np.abs(whole - mixed).max() <= 1


@pytest.mark.parametrize("name", EXACT_MECHANISMS)
def test_large_listed_integers_lose_at_most_epsilon(name: str) -> None:
    """No rounding of an integer to a double is ever larger than the moves that are paid for."""
    mechanism, large = dps.mechanism(name), 2**60 + 128
    here, there = (mechanism.log_pmf(dps.Scores([large + x, large], SAFE), 1) for x in (0, 1))

    assert np.abs(here - there).max() <= 1


def test_the_container_or_the_caller_says_the_kind() -> None:
    """Arrays and ranges declare theirs; lists, tuples and arrays of objects are real, whatever stands in them."""
    kinds = [
        dps.Scores(values, 1).values.dtype.kind
        for values in (np.array([1, 2]), range(2), np.array([True]), np.array([1.0]), [1, 2], (1, 2), [1, 2**70])
    ]
    assert ["i", "i", "i", "f", "f", "f", "f"] == kinds
    assert "f" == dps.Scores(np.array([1, 2], dtype=object), 1).values.dtype.kind
    assert "f" == dps.Scores(np.array([1, 2]), 1, kind="real").values.dtype.kind
    assert "i" == dps.Scores([1, 2**63, -1], 1, kind="integer").values.dtype.kind


@pytest.mark.parametrize("values", [[1, 2.0], [1, Fraction(1, 2)], np.array([1.0]), np.array([1, 2.5], dtype=object)])
def test_integers_are_asked_for_by_type(values) -> None:
    """2.0 is refused as 2.5 is, so that no value decides."""
    with pytest.raises(TypeError, match="takes integers only"):
        dps.Scores(values, 1, kind="integer")
    with pytest.raises(ValueError, match='kind is "integer" or "real"'):
        dps.Scores([1], 1, kind="text")


def test_scores_are_a_copy() -> None:
    """What happens to the caller's arrays afterwards changes nothing; neither do the scores let themselves change."""
    values, floats, distance = np.array([5, 1, 2]), np.array([5.0, 1, 2]), np.array([0, 4, 3])
    whole, real = dps.Scores(values, 1, distance=distance), dps.Scores(floats, 1)
    values[1] = floats[1] = distance[1] = 100

    assert [5, 1, 2] == whole.values.tolist() == real.values.tolist()
    assert [0, 4, 3] == whole.distance.tolist()
    with pytest.raises(ValueError, match="read-only"):
        whole.values[0] = 7


def test_arrays_are_clipped_as_lists_are() -> None:
    """At 2^61, and reals where a double no longer holds a unit."""
    assert [2**61, -(2**61)] == dps.Scores(np.array([2**62, -(2**62)]), 1).values.tolist()
    assert [2.0**53, 1.0] == dps.Scores([2**60, 1], 1).values.tolist() == dps.Scores([1e300, 1.0], 1).values.tolist()
    assert [1e300, 1.0] == dps.Scores([1e300, 1.0], 1e299).values.tolist()
    assert [2.0**53, 1.0] == dps.Scores([10**400, 1], 1).values.tolist()


@pytest.mark.parametrize("name", ["smooth-noisy-max", "smooth-private-selection"])
def test_differences_never_wrap(name: str) -> None:
    """2^62 and -2^62 in an array: the best stays the best."""
    for top in (2**62, 2**62 - 1):
        law = dps.mechanism(name).pmf(dps.Scores(np.array([top, -(2**62)]), 1), 1)
        assert law[0] > law[1]


@pytest.mark.parametrize("far", [2**63, 2**63 + 1, 2**64 - 1])
def test_distances_of_any_size_are_clipped(far: int) -> None:
    """Unsigned ones, and Python's own, keep their order."""
    for distance in (np.array([0, far], dtype=np.uint64), [0, far], [0, 10**30]):
        law = dps.mechanism("inverse-sensitivity").pmf(dps.Scores([0, 0], 1, distance=distance), 1)
        assert law[0] > law[1]


def test_candidates_that_increase_are_not_sorted(monkeypatch) -> None:
    """A public grid of ten million values costs one comparison per value."""
    monkeypatch.setattr(np, "unique", None)
    for grid in (np.arange(5), np.linspace(0, 1, 5), np.array(["a", "b", "c", "d", "e"])):
        assert 5 == len(dps.Scores(np.zeros(5, dtype=np.int64), 1, grid).candidates)


@pytest.mark.parametrize("grid", [[3, 2, 1], [2.0, 1.0, 3.0], ["b", "a", "c"], [np.nan, 1.0, 2.0]])
def test_candidates_in_any_order_are_told_apart(grid) -> None:
    """Once each they are taken, whatever their order; twice they are refused."""
    array = np.array(grid)

    assert 3 == len(dps.Scores([1, 2, 3], 1, array).candidates)
    with pytest.raises(ValueError, match="listed twice"):
        dps.Scores([1, 2, 3, 4], 1, np.append(array, array[0]))


def test_integers_beyond_doubles_are_clipped_before_they_are_rounded() -> None:
    """A list near 2^64 with a bound of 2^20: rounded by more than half a tick it would lose more than epsilon."""
    flip, step, worst = dps.mechanism("permute-and-flip"), 2**20, 0.0
    for base in range(2**64 + 2**12 - 2, 2**64 + 2**13, 64):
        one, other = dps.Scores([base, base], step), dps.Scores([base + step, base - step], step)
        worst = max(worst, float(np.abs(flip.log_pmf(one, 8) - flip.log_pmf(other, 8)).max()) / 8)

    assert worst <= 1 + 1e-12
