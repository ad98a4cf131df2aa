"""Shapes that follow from what was released, and shares that follow from counts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpselect.learn.boosted.noise import Gaussian
from dpselect.learn.domains import attributes
from dpselect.learn.forest.class_shares import shrunk, sum_leaves, without_one
from dpselect.learn.forest.forest_plan import _tree
from dpselect.learn.forest.shape import Shape, TreeLimits, grow_shape
from dpselect.learn.forest.table_summary import TableSummary
from dpselect.learn.forest.temperature import STEPS, Prices, fitted_slope
from dpselect.views.leaves import LARGEST, SLOPE_UNIT


def ground(*cells, ordered=None, weights=None) -> TableSummary:
    """Columns with these class counts of every bin."""
    tables = tuple(np.array(each, dtype=float) for each in cells)
    bins = tuple(np.arange(len(each)) for each in tables)
    even = np.array([len(each) > 1 for each in tables], dtype=float)
    return TableSummary(
        bins,
        tables,
        ordered or (True,) * len(tables),
        even if weights is None else np.array(weights),
        float(tables[0].sum()),
        tables[0].sum(axis=0) / tables[0].sum(),
    )


def coins(seed: int = 0):
    """Public coins."""
    rng = np.random.default_rng(seed)
    return lambda bounds: rng.integers(0, bounds)


STEEP = [[90, 10], [80, 20], [20, 80], [10, 90]]
FLAT = [[50, 50]] * 4


def leaves_of(shape: Shape, codes: np.ndarray) -> np.ndarray:
    """Where records of one column each end."""
    at = np.zeros(len(codes), dtype=np.int64)
    for row, record in enumerate(codes):
        while shape.split[at[row]] >= 0:
            node = at[row]
            column = shape.split[node]
            at[row] = shape.first[node] + (shape.ranks[column][record[column]] > shape.cut[node])
    return at


def test_a_shape_is_a_tree() -> None:
    """Children follow their parents, one level after the other, and every route leads to one of two."""
    shape = grow_shape(ground(STEEP, FLAT, STEEP), TreeLimits(5, 1.0, 1000), coins())
    inner = np.flatnonzero(shape.split >= 0)

    assert shape.split.size == 2 * inner.size + 1
    assert sorted([*shape.first[inner], *(shape.first[inner] + 1)]) == list(range(1, shape.split.size))
    assert (np.diff(shape.depth) >= 0).all()
    assert (shape.depth[shape.first[inner]] == shape.depth[inner] + 1).all()
    assert (shape.parent[shape.first[inner]] == inner).all()
    for node, route in enumerate(shape.routes()):
        wanted = {int(shape.first[node]), int(shape.first[node]) + 1} if shape.split[node] >= 0 else set()
        assert wanted == set(route.tolist())


def test_no_path_cuts_what_is_already_one_bin() -> None:
    """Every leaf of a tree without limits holds one combination of bins, and every combination is in one leaf."""
    shape = grow_shape(ground(STEEP, [[9, 1], [1, 9]]), TreeLimits(20, 0.0, 1000), coins())
    every = np.stack(np.meshgrid(np.arange(4), np.arange(2)), axis=-1).reshape(-1, 2)

    assert 8 == (shape.split < 0).sum() == np.unique(leaves_of(shape, every)).size


@pytest.mark.parametrize(
    ("limits", "most"), [(TreeLimits(2, 0.0, 1000), 7), (TreeLimits(20, 1e9, 1000), 1), (TreeLimits(20, 0.0, 6), 3)]
)
def test_limits_hold(limits: TreeLimits, most: int) -> None:
    """Of the depth, of the records of a node, and of the nodes."""
    shape = grow_shape(ground(STEEP, FLAT, STEEP), limits, coins())

    assert shape.split.size <= most
    assert shape.depth.max() <= limits.depth


def test_columns_without_weight_are_not_cut() -> None:
    """Nor those with one bin; where there is no other, the tree is one leaf."""
    shape = grow_shape(ground(STEEP, STEEP, [[200, 200]], weights=[0, 1, 0]), TreeLimits(9, 0.0, 1000), coins())
    assert {-1, 1} == set(shape.split.tolist())
    assert 1 == grow_shape(ground([[200, 200]]), TreeLimits(9, 0.0, 1000), coins()).split.size


def test_cuts_that_tell_are_taken_more_often() -> None:
    """Of two that are tried the better one: the column that tells more has three of four roots."""
    known = ground(FLAT, STEEP)
    roots = [int(grow_shape(known, TreeLimits(1, 0.0, 9), coins(seed)).split[0]) for seed in range(200)]

    assert 120 < sum(roots) < 180


def test_categories_are_sorted_by_a_class() -> None:
    """So that one cut parts those with the largest shares of it from the others."""
    known = ground([[10, 90], [90, 10], [20, 80]], ordered=(False,))
    shape = grow_shape(known, TreeLimits(1, 0.0, 9), coins())

    assert shape.ranks[0].tolist() in ([0, 2, 1], [2, 0, 1])


def small() -> tuple[np.ndarray, np.ndarray]:
    """A root with a leaf and a node of two leaves: parents and depths."""
    return np.array([-1, 0, 0, 2, 2]), np.array([0, 1, 1, 2, 2])


def test_sums_and_shares() -> None:
    """Inner nodes have the sum of their leaves; without noise shares are nearly those of counts, and all positive."""
    parent, depth = small()
    counts = sum_leaves(np.array([[0, 0], [900, 100], [0, 0], [0, 500], [400, 100.0]]), parent, depth)
    shares = shrunk(counts, parent, depth, 0.0, np.array([0.5, 0.5]))

    assert [[1300, 700], [900, 100], [400, 600], [0, 500], [400, 100]] == counts.tolist()
    assert shares[:, 0] == pytest.approx([0.65, 0.9, 0.4, 0.0, 0.8], abs=0.002)
    assert shares.min() > 0
    assert shares.sum(axis=1) == pytest.approx(1)


def test_noise_draws_shares_to_the_parents() -> None:
    """The more, the nearer; also of counts that are negative, and beyond all bounds."""
    parent, depth = small()
    counts = sum_leaves(np.array([[0, 0], [900, 100], [0, 0], [-30, 60], [400, 100.0]]), parent, depth)
    near, far = (shrunk(counts, parent, depth, noise, np.array([0.5, 0.5])) for noise in (1e9, 1.0))

    assert np.abs(near - 0.5).max() < 0.01
    assert far[1, 0] > 0.85
    for hostile in (np.full((5, 2), -(2.0**61)), np.full((5, 2), 2.0**61), np.zeros((5, 2))):
        shares = shrunk(sum_leaves(hostile, parent, depth), parent, depth, 5.0, np.array([0.5, 0.5]))
        assert np.isfinite(shares).all()
        assert shares.min() > 0


def test_shares_without_a_record() -> None:
    """Of its class a leaf holds one less, so it says less of it; never outside 0 and 1."""
    parent, depth = small()
    counts = sum_leaves(np.array([[0, 0], [9, 1], [0, 0], [0, 5], [4, 1.0]]), parent, depth)
    shares = shrunk(counts, parent, depth, 0.5, np.array([0.5, 0.5]))
    left = without_one(counts, parent, depth, 0.5, np.array([0.5, 0.5])) / 2**16

    assert (left[:, 0, 0] < shares[:, 0]).all()
    assert (left[:, 1, 1] < shares[:, 1]).all()
    assert (left >= 0).all()
    assert (left.sum(axis=2) <= 1).all()


def test_the_tree_of_a_shape_applies_as_it_does() -> None:
    """The tree that is kept sends records where the shape sent them."""
    known = attributes(["a", "b"], {"a": (0, 4), "b": ["x", "y", "z", "w"]}, bins=4, missing=False)
    shape = grow_shape(ground(STEEP, FLAT, ordered=(True, False)), TreeLimits(4, 0.0, 1000), coins())
    tree = _tree(known, shape, shape.routes(), np.zeros((shape.split.size, 2)))
    every = np.stack(np.meshgrid(np.arange(4), np.arange(4)), axis=-1).reshape(-1, 2)

    assert leaves_of(shape, every).tolist() == tree.apply(list(every.T)).tolist()


class Silent:
    """Draws without noise."""

    def gaussian(self, values, rho, bound):  # noqa: ARG002
        """What is asked about."""
        return values


def test_newton_finds_the_slope() -> None:
    """Of a concave function with its top at 3; where noise hides it, it stays near where it began."""

    def slopes(slope: int) -> np.ndarray:
        return np.array([1e5 * LARGEST * 0.1 * (3 - slope / SLOPE_UNIT), 1e5 * LARGEST * 0.1]).astype(np.int64)

    precise, vague = Prices.of(Fraction(10**6)), Prices.of(Fraction(1, 10**12))
    assert 3 * SLOPE_UNIT == pytest.approx(fitted_slope(slopes, Silent(), Gaussian(), precise, 1e5), abs=2)
    assert 2 * SLOPE_UNIT == pytest.approx(fitted_slope(slopes, Silent(), Gaussian(), vague, 1e5), abs=40)
    assert Fraction(1) == STEPS * (Prices.of(Fraction(1)).first + Prices.of(Fraction(1)).second)
