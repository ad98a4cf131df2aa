"""Survey, tiles, weights and steps: what is made of released numbers and of public coins."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dpselect.learn.boosted.column_summary import ColumnSummary, SurveyRelease, of_classes
from dpselect.learn.boosted.interactions import draw_interaction
from dpselect.learn.boosted.rounds import ColumnWeights, Step
from dpselect.learn.boosted.rule import BY_RHO_RULE, PURE, is_additive, plan_rounds, rounds_for
from dpselect.learn.domains import attributes
from dpselect.learn.regression.boosting import BY_RHO

KNOWN = attributes(["x", "job"], {"x": (0, 128), "job": ["a", "b", "c"]}, bins=128, missing=False)
RNG = np.random.default_rng(2)


def uniform(bounds: np.ndarray) -> np.ndarray:
    """Public coins."""
    return RNG.integers(0, bounds)


def surveyed(deviation: float = 0.0, missing: bool = False):
    """A survey of 10,000 records, three in four of them in the first 16 bins of x, and job b of the second class."""
    known = attributes(["x", "job"], {"x": (0, 128), "job": ["a", "b", "c"]}, bins=128, missing=missing)
    x = np.concatenate((np.full((16, 2), [282, 187]), np.full((112, 2), [9, 13])))
    job = np.array([[4000, 1000], [500, 3000], [1000, 500]])
    tables = [np.append(table, [[50, 60]], axis=0) if missing else table for table in (x, job)]
    return of_classes(SurveyRelease(job.sum(axis=0), tables, deviation, deviation), known)


def test_a_survey_tells_size_balance_bins_and_orders() -> None:
    """Of exact counts: about the true ones, and numeric bins of about as many records."""
    known = surveyed()
    x, job = known.columns

    assert 10_000 == pytest.approx(known.records, rel=0.02)
    assert [np.log(4500 / 5500) * 1024] == pytest.approx(known.start.tolist(), abs=40)
    assert 24 <= x.size <= 32
    assert x.shares.max() < 2.5 / 32
    assert [0, 2, 1] == np.argsort(job.orders[0]).tolist()
    assert known.promise[1] > known.promise[0] > 0
    assert np.array_equal(np.sort(x.bins), x.bins)


@pytest.mark.parametrize("deviation", [0.0, 100.0, 1e6, 1e15])
def test_whatever_is_released_makes_a_survey(deviation: float) -> None:
    """Sizes are positive, shares sum to 1, all bins are there, starts are on the grid, weights are no zeros."""
    for sign in (-1, 1):
        counts = np.array([sign * int(deviation) * 3, 7])
        tables = [RNG.integers(-1, 2, (128, 2)) * int(deviation * 5), np.full((3, 2), sign * int(deviation))]
        known = of_classes(SurveyRelease(counts, tables, deviation, deviation), KNOWN)

        assert known.records >= 10
        assert (np.abs(known.start) <= 6144).all()
        assert (known.curvature > 0).all()
        for column, codes in zip(known.columns, (128, 3), strict=True):
            assert 1 == pytest.approx(column.shares.sum())
            assert set(range(column.size)) == set(column.bins.tolist())
            assert column.weights.min() >= 1
            assert codes == column.weights.size
            assert np.isfinite(column.orders).all()


def test_one_class_is_a_class() -> None:
    """Domains that are read from the data may hold no more."""
    tables = [np.full((128, 1), 3), np.full((3, 1), 128)]
    known = of_classes(SurveyRelease(np.array([384]), tables, 0.0, 0.0), KNOWN)

    assert 1 == known.start.size
    assert known.start[0] < -4000


def test_missing_numbers_are_a_bin_that_stands_at_either_end() -> None:
    """It has no place among numbers, so a coin says which end."""
    x = surveyed(missing=True).columns[0]
    assert x.aside == x.size - 1 == x.bins[-1]
    ends = Counter()
    for _ in range(300):
        tile, _ = draw_interaction([x], np.ones(1), [(1, 2)], uniform)
        part = tile.parts_of[0]
        assert (np.diff(part[:-1]) >= 0).all()
        ends[bool(part[-1])] += 1

    assert min(ends.values()) > 90


def test_tiles_are_partitions_of_the_asked_shape() -> None:
    """Distinct columns by weight, as many groups as asked or as a column has bins, shares of the product."""
    columns = surveyed().columns
    many = Counter()
    for _ in range(1500):
        tile, shares = draw_interaction(columns, np.array([1.0, 3.0]), [(1, 4), (2, 3)], uniform)
        many[tile.columns] += 1
        sizes = [4 if column == 0 else 3 for column in tile.columns] if len(tile.columns) == 1 else [3, 3]
        assert tile.parts == np.prod(sizes) == shares.size
        assert 1 == pytest.approx(shares.sum())
        grid = np.add.outer(*tile.parts_of) if len(tile.columns) == 2 else tile.parts_of[0]
        assert set(range(tile.parts)) == set(np.ravel(grid).tolist())

    assert set(many) == {(0,), (1,), (0, 1), (1, 0)}
    assert many[(1,)] > 2 * many[(0,)]
    assert many[(1, 0)] > 2 * many[(0, 1)]


def test_columns_of_one_bin_make_a_tile_of_one_part() -> None:
    """There is nothing to cut, and a fit goes on."""
    column = ColumnSummary(np.zeros(4, int), np.ones(1), np.zeros((1, 1)))
    tile, shares = draw_interaction([column, column], np.zeros(2), [(2, 3)], uniform)

    assert 1 == tile.parts == shares.size
    assert (0,) == tile.columns


def test_categories_are_cut_along_an_order() -> None:
    """Of three in their order a, c, b: never a and b without c."""
    job = surveyed().columns[1]
    parts = {tuple(draw_interaction([job], np.ones(1), [(1, 2)], uniform)[0].parts_of[0].tolist()) for _ in range(50)}

    assert {(0, 1, 0), (0, 1, 1)} == parts


def test_weights_follow_gains_and_forget() -> None:
    """Half of them stay even; what was not seen counts as the mean of what was; columns without a cut have none."""
    weights = ColumnWeights(np.array([True, True, False]), np.array([3.0, 1.0, 5.0]))
    assert [0.625, 0.375, 0] == pytest.approx(weights.now().tolist())
    weights.note([0], 8.0)
    assert [0.5, 0.5, 0] == pytest.approx(weights.now().tolist())
    weights.note([1], -4.0)
    assert [0.75, 0.25, 0] == pytest.approx(weights.now().tolist())
    for _ in range(40):
        weights.note([1], 24.0)
    assert weights.now()[1] > 0.6


def test_steps_are_newton_s_where_there_is_no_noise_and_shorter_where_there_is() -> None:
    """Toward lower loss; never longer than twice the rate."""
    gradients, shares = np.array([[-50.0], [5.0], [0.0]]), np.array([0.5, 0.25, 0.25])
    quiet = Step(1000.0, np.array([0.2]), 0.1, 0.0, 1e-9)
    noisy = Step(1000.0, np.array([0.2]), 0.1, 30.0, 50.0)
    hessians = quiet.hessians(np.array([[100.0], [50.0], [50.0]]), shares)

    assert [[101.0], [51.0], [51.0]] == hessians.round(6).tolist()
    assert [[51], [-10], [0]] == quiet.values(gradients, hessians).tolist()
    assert [[205], [-205], [205]] == quiet.values(np.array([[-1e9], [1e9], [-1e9]]), hessians).tolist()
    shrunk = noisy.values(gradients, noisy.hessians(np.array([[100.0], [50.0], [-900.0]]), shares))
    assert 0 < shrunk[0, 0] < 51
    assert -10 < shrunk[1, 0] <= 0


def test_the_rule_reads_public_and_released_figures() -> None:
    """More rounds for more records times epsilon, larger tiles for more signal, weaker steps for less."""
    assert [50, 100, 200, 7] == [
        rounds_for(BY_RHO_RULE, r, m) for r, m in ((None, 999), (None, 1000), (None, 1e4), (7, 1))
    ]
    assert [10, 20, 40] == [rounds_for(PURE, None, mass) for mass in (1, 5000, 1e9)]
    assert [True, False, True, False] == [
        is_additive(*each) for each in ((None, 4999), (None, 5000), (False, 1e9), (True, 1))
    ]
    weak = plan_rounds(BY_RHO_RULE, 50, 0.0, 8, additive=False)
    strong = plan_rounds(BY_RHO_RULE, 50, 1e9, 8, additive=True)
    assert ((1, 2),) == weak.shapes
    assert ((1, 16),) == strong.shapes
    assert weak.pull > 1000 > strong.pull == 4
    assert weak.rate < strong.rate <= 1
    # Of more columns each tells less: tiles are smaller, steps weaker. Not by a pure promise, and not of numbers.
    rules = (BY_RHO_RULE, PURE, BY_RHO)
    plans = [[plan_rounds(rule, 50, 150.0, many, additive=True) for many in (2, 40)] for rule in rules]
    assert [[plan.pull for plan in pair] for pair in plans] == [[4, 20], [4, 4], [8, 8]]
    assert [[plan.shapes[0][1] for plan in pair] for pair in plans] == [[16, 5], [16, 16], [6, 6]]
