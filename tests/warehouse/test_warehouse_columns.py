"""Percentiles of a column that stays in its engine: the histogram of arrays, by one query."""

from __future__ import annotations

from typing import Any

import ibis
import numpy as np
import pytest

import dpselect as dps
from dpselect.views import Column, StoredColumn
from dpselect.views.engine_cells import place_of
from dpselect.views.grid import EvenGrid, ListedGrid

EVEN, TENTHS = np.arange(0, 101, 5), np.linspace(0, 1, 11)
UNEVEN = np.array([-3, 0, 1e-9, 0.1, 7, 1e6])
HUNDREDTHS = 0.1 + 0.01 * np.arange(300)


def near(grid: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Grid values, middles, their floating-point neighbours, both zeros, and what lies between."""
    middles = grid[:-1] + (grid[1:] - grid[:-1]) / 2
    marks = np.concatenate([grid, middles, np.nextafter(middles, -1e9), np.nextafter(middles, 1e9)])
    marks = np.concatenate([marks, rng.uniform(grid[0], grid[-1], 500), [-0.0, 0.0]])
    return np.clip(rng.choice(marks, 3000), grid[0], grid[-1])


def stored(values: np.ndarray, engine: str, request: pytest.FixtureRequest) -> StoredColumn:
    """The column in an engine."""
    if engine == "postgres":
        server = request.getfixturevalue("postgres")
        server.put("numbers", {"x": values})
        backend = ibis.connect(server.url)
        request.addfinalizer(backend.disconnect)
        return StoredColumn(backend.table("numbers"), "x")
    if engine == "spark":
        import pandas

        session = request.getfixturevalue("spark")
        return StoredColumn(
            ibis.pyspark.connect(session).create_view(
                "numbers", ibis.memtable(pandas.DataFrame({"x": values})), overwrite=True
            ),
            "x",
        )
    return StoredColumn(ibis.memtable({"x": values}), "x")


ENGINES = ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.slow)]


@pytest.mark.parametrize("grid", [EVEN, TENTHS, UNEVEN, HUNDREDTHS], ids=["even", "tenths", "uneven", "hundredths"])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_nearest_grid_value_is_that_of_arrays(engine: str, grid, request: pytest.FixtureRequest) -> None:
    """On every middle and one floating-point step beside it."""
    values = near(grid, np.random.default_rng(3))
    expected = Column(values).snap_to(grid).counts_on(grid)

    assert np.array_equal(expected, stored(values, engine, request).snap_to(grid).counts_on(grid))


@pytest.mark.parametrize(
    "grid",
    [
        EvenGrid(10, 1, 991, 10, True),
        EvenGrid(-7, 3, 5000, 8, True),
        EvenGrid(-(10**9), 1, 2, 3, True),
        EvenGrid(0, 1, 2**50, 2**20, True),
        EvenGrid(-(2**51), 1, 2**52, 1, True),
        ListedGrid(HUNDREDTHS),
    ],
)
def test_hostile_doubles_have_the_places_of_arrays(grid) -> None:
    """Infinities, the largest and least numbers, ends, middles and their neighbours, on coarse and on finest grids."""
    rng = np.random.default_rng(5)
    places = np.concatenate([rng.integers(0, grid.size - 1, 500), [0, grid.size - 2]])
    low, high = (grid.points(places + more).astype(np.float64) for more in (0, 1))
    marks = np.concatenate([low, high, low + (high - low) / 2])
    values = np.concatenate(
        [marks, np.nextafter(marks, -np.inf), np.nextafter(marks, np.inf)]
        + [sign * np.array([np.inf, 1e308, 2.0**53 + 2, 1e-300, 5e-324, 0.0]) for sign in (-1, 1)]
    )
    table = ibis.memtable({"n": np.arange(values.size), "x": values})
    found = ibis.duckdb.connect().to_pandas(table.select("n", i=place_of(table.x, grid, "x")).order_by("n"))

    assert np.array_equal(grid.of_reals(values), found["i"])


def test_no_place_lies_beyond_the_finest_grid() -> None:
    """Where rounding lifts the quotient of the last value by one."""
    grid = EvenGrid(-291522231403823, 1, 7455038825026614, 342297, True)
    table = ibis.memtable({"x": [grid.value(grid.size - 1)]})

    assert ibis.duckdb.connect().to_pandas(table.select(i=place_of(table.x, grid, "x")))["i"][0] < grid.size


@pytest.mark.parametrize("engine", ENGINES)
def test_values_on_the_grid_are_counted_as_they_are(engine: str, request: pytest.FixtureRequest) -> None:
    """Integers stay integers; a finer grid takes values that were moved onto a coarser one."""
    values = np.random.default_rng(4).integers(0, 50, 2000)
    column = stored(values, engine, request)

    assert np.array_equal(np.bincount(values, minlength=60), column.counts_on(np.arange(60)))
    coarse = Column(values).snap_to([0, 10, 60]).counts_on(np.arange(0, 61, 10))
    assert np.array_equal(coarse, column.snap_to([0, 10, 60]).counts_on(np.arange(0, 61, 10)))


@pytest.mark.parametrize("bounds", [(10, 20), (9.5, 20.25)])
def test_clipping_moves_values_to_the_bounds(bounds, request: pytest.FixtureRequest) -> None:
    """Integers to integers, else floats; and says to the curator how many."""
    values = np.arange(-5, 30)
    grid = np.unique([*np.arange(10, 21), *bounds])
    expected, found = Column(values).clip(*bounds), stored(values, "duckdb", request).clip(*bounds)

    assert expected.clipped == found.clipped_count
    assert np.array_equal(expected.snap_to(grid).counts_on(grid), found.snap_to(grid).counts_on(grid))


WIDE = np.array([2**60, 2**60 + 1, 2**60 + 2, 2**60 + 5, 2**60 + 9])


NUMBERS = [
    ([1.0, np.nan, 7.0, np.inf, -np.inf, -3.0], np.arange(3)),
    ([0.5, 1.5, 1.6], np.arange(3)),
    (np.arange(1000.0), np.arange(3)),
    ([7, -7, 2**62, -(2**62)], np.arange(3)),
    (WIDE, WIDE),
    (WIDE, WIDE[[0, 2, 4]]),
    (WIDE, np.arange(2**60, 2**60 + 12, 3)),
    (WIDE, np.arange(2**60, 2**60 + 12, 4)),
    (WIDE, np.arange(2**60, 2**60 + 12)),
]


@pytest.mark.parametrize(
    ("engine", "values", "grid"),
    [
        *((engine, *numbers) for engine in ENGINES[:2] for numbers in NUMBERS),
        # PostgreSQL has no unsigned integers.
        ("duckdb", np.array([1, 2**64 - 1], dtype=np.uint64), np.arange(3)),
    ],
)
def test_no_value_is_refused(engine: str, values, grid, request: pytest.FixtureRequest) -> None:
    """Missing, outside, infinite, between grid values, or beyond 2^53: the counts of arrays."""
    values = np.asarray(values)
    column = stored(values, engine, request)

    assert np.array_equal(Column(values).counts_on(grid), column.counts_on(grid))
    outside, lacking = Column(values).check(grid)["outside"], int(np.isnan(values).sum())
    assert {"lacking": lacking, "outside": outside} == column.check(grid)


def test_what_is_refused_is_public(request: pytest.FixtureRequest) -> None:
    """Types, names and grids, never values."""
    with pytest.raises(TypeError, match="need numbers"):
        StoredColumn(ibis.memtable({"x": ["a"]}), "x")
    with pytest.raises(ValueError, match="no column 'y'"):
        StoredColumn(ibis.memtable({"x": [1]}), "y")
    with pytest.raises(ValueError, match="uneven grid"):
        stored(np.array([1.0]), "duckdb", request).snap_to(np.arange(5000.0) ** 2).counts_on(np.arange(3))
    with pytest.raises(ValueError, match="cast it to int64"):
        stored(np.array([1.0]), "duckdb", request).counts_on(WIDE)
    with pytest.raises(TypeError, match="names records"):
        dps.papers.median(ibis.memtable({"x": [1, 2]}).x, upper=3)


def test_percentiles_take_a_column_of_an_engine() -> None:
    """The same scores, and the ledger learns where the data came from."""
    values = np.arange(1000)
    table = ibis.memtable({"x": values})
    for score in (dps.utilities.percentile, dps.papers.percentile):
        one, two = score(values, 90, grid=values), score(table.x, 90, grid=values)
        assert np.array_equal(one.values, two.values)
    with dps.budget(epsilon=50) as book:
        release = dps.quantiles(table.x, [0.25, 0.75], grid=values, epsilon=20)
        dps.select(two, epsilon=20, mechanism=dps.mechanism("permute-and-flip"))
        dps.select(-two, epsilon=1, mechanism=dps.mechanism("permute-and-flip"))
    facts: list[Any] = [event.metadata for event in book.events]

    assert [abs(found - true) < 40 for found, true in zip(release.value, (250, 750), strict=True)] == [True, True]
    assert [("duckdb", "x")] * 3 == [(each["source"], each["column"]) for each in facts]


def test_grids_of_any_size_are_counted_in_the_engine() -> None:
    """Only occupied values are fetched; a whole distribution comes from the same counts."""
    values = np.random.default_rng(4).integers(-(10**12), 10**12, 500)
    column = ibis.memtable({"x": values}).x
    chosen = dps.quantiles(column, [0, 0.5, 1], lower=-(2**60), upper=2**60, epsilon=10**6).value
    coarse = dps.quantiles(column, [0.5], grid=range(-(10**13), 10**13, 1000), epsilon=10**6).value[0]
    curve = dps.histograms.cumulative(column, lower=-(10**12), upper=10**12, step=10**9, epsilon=10**5)
    ordered = np.sort(values)

    assert tuple(ordered[[0, 250, 499]]) == chosen
    assert abs(coarse - ordered[250]) <= 500
    assert abs(curve.quantile(0.5) - ordered[250]) <= 10**9
    with pytest.raises(ValueError, match="too fine for an engine"):
        dps.quantiles(column, [0.5], grid=range(-(2**60), 2**60, 2), epsilon=1)
    halves = ibis.memtable({"x": [0.5, 7.0, 7.5] * 99}).x
    assert (7,) == dps.quantiles(halves, [0.5], lower=0, upper=10**9, epsilon=10**6).value
