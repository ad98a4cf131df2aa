"""Public grids that are arithmetic, and how records are placed on them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.utilities.grid_counts import public_grid
from dpselect.views.grid import EvenGrid, ListedGrid, grid_of, middles, tally


@given(st.integers(-50, 50), st.integers(1, 7), st.integers(2, 30), st.sampled_from([1, 2, 3, 10]), st.data())
@settings(deadline=None, max_examples=60)
def test_an_even_grid_places_as_its_values_do(first, step, size, over, data) -> None:
    """Reals on every middle and one step of floating point beside it; integers with and without what lies above."""
    real, whole = EvenGrid(first, step, size, over, True), EvenGrid(first, step, size)
    edges = middles(real.array())
    values = np.concatenate(
        [real.array(), edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf), [np.inf, -np.inf]]
    )
    integers = np.array(data.draw(st.lists(st.integers(-400, 400), min_size=1, max_size=9)))
    above = np.array(data.draw(st.lists(st.booleans(), min_size=integers.size, max_size=integers.size)))

    assert np.searchsorted(edges, values).tolist() == real.of_reals(values).tolist()
    for marks in (None, above):
        listed = ListedGrid(whole.array())
        assert listed.of_integers(integers, marks).tolist() == whole.of_integers(integers, marks).tolist()


def test_a_grid_may_have_any_number_of_values() -> None:
    """From -2^61 to 2^61, and real numbers so fine that arithmetic alone would miss their middles."""
    wide = EvenGrid(-(2**61), 2, 2**61 + 1)
    ends = np.array([2**61, -(2**61), 2**61 - 1])
    fine = EvenGrid(10**15, 1, 10**14, 10**6, True)

    assert [2**61, 0, 2**61] == wide.of_integers(ends, np.array([True, True, True])).tolist()
    assert [2**60] == wide.of_reals(np.array([0.0])).tolist()
    for place in (0, 1, 10**12 + 7, 10**14 - 1):
        assert [place] == fine.of_reals(np.array([fine.value(place)])).tolist()
    with pytest.raises(ValueError, match="at most 10000001 values"):
        wide.array()


def test_grids_of_even_integers_are_not_looked_at_twice() -> None:
    """Steps that differ, and real numbers, stay as they are listed."""
    assert EvenGrid(3, 4, 3) == grid_of(np.array([3, 7, 11]))
    assert isinstance(grid_of(np.array([3, 7, 12])), ListedGrid)
    assert isinstance(grid_of(np.array([0.0, 1.0])), ListedGrid)


@pytest.mark.parametrize("size", [9, 2**19, 2**40])
def test_occupied_places_are_counted_whatever_the_grid(size: int) -> None:
    """With and without weights; what counts nothing is not occupied."""
    parts = [np.array([3, 1, 3]), np.array([8, 3])]
    weights = [np.array([2, 0, 1]), np.array([0, 4])]

    assert ([1, 3, 8], [1, 3, 1]) == tuple(each.tolist() for each in tally([(part, None) for part in parts], size))
    assert ([3], [7]) == tuple(each.tolist() for each in tally(zip(parts, weights, strict=True), size))
    assert ([], []) == tuple(each.tolist() for each in tally([], size))


def test_a_column_is_counted_on_a_grid_of_any_size() -> None:
    """Numbers of either kind, those that are lacking left out, and histograms."""
    wide = EvenGrid(-(10**15), 1, 2 * 10**15 + 1)

    for kind in ("integer", "real"):
        places, counts = dps.data.Column([5, 5, None, -3, 10**30, "x"], kind=kind).grid_counts(wide)
        assert ([-3, 5, 10**15], [1, 2, 1]) == (wide.points(places).tolist(), counts.tolist())
    places, counts = dps.data.Column.from_counts([4, 0, 6], lower=10).grid_counts(wide)
    assert ([10, 12], [4, 6]) == (wide.points(places).tolist(), counts.tolist())


def described(upper: int) -> dps.Dataset:
    """A table with one column of numbers."""
    return dps.Dataset(source="rows.csv", columns={"x": {"lower": 0, "upper": upper}})


def test_every_way_to_a_written_grid_has_one_limit() -> None:
    """In Python and by a description: 10,000,001 values, and no more."""
    assert 10_000_001 == public_grid(None, 0, 10**7).size == len(described(10**7).grid("x").array())
    for beyond in (lambda: public_grid(None, 0, 10**7 + 1), lambda: described(10**7 + 1).grid("x").array()):
        with pytest.raises(ValueError, match="10000001 values"):
            beyond()
