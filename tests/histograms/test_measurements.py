"""What the linear algorithms measure, and what they make of it."""

from fractions import Fraction

import numpy as np
import pytest

from dpselect.histograms.hb import branching, measure_blocks
from dpselect.histograms.hierarchy import block_sums, consistent
from dpselect.histograms.hilbert import curve
from dpselect.histograms.privelet import haar_transform, inverse_haar
from tests.histograms.transcript import paid

SHAPES = [(1,), (2,), (7,), (16,), (23,), (3, 5), (4, 4), (1, 6), (9, 2)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("factor", [2, 3, 4])
def test_every_record_is_in_one_block_of_each_level(shape: tuple[int, ...], factor: int) -> None:
    """By brute force over all cells: the sensitivity of the block counts is the number of levels."""
    for cell in range(int(np.prod(shape))):
        counts = np.zeros(int(np.prod(shape)), dtype=np.int64)
        counts[cell] = 1

        assert {1} == {int(level.sum()) for level in block_sums(counts.reshape(shape), factor)}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("factor", [2, 3, 4])
def test_the_consistent_histogram_is_the_least_squares_one(shape: tuple[int, ...], factor: int) -> None:
    """Against the normal equations, on trees with uneven borders too."""
    cells, random = int(np.prod(shape)), np.random.default_rng(4)
    columns = [
        np.concatenate([level.ravel() for level in block_sums(unit.reshape(shape), factor)])
        for unit in np.eye(cells, dtype=np.int64)
    ]
    noisy = [level + random.normal(size=level.shape) for level in block_sums(random.integers(0, 9, shape), factor)]
    expected = np.linalg.lstsq(np.array(columns).T, np.concatenate([level.ravel() for level in noisy]), rcond=None)[0]

    assert np.allclose(expected.reshape(shape), consistent(noisy, factor))


@pytest.mark.parametrize("shape", [(1,), (2,), (16,), (4, 8), (1, 4)], ids=str)
def test_a_record_moves_one_coefficient_of_each_level(shape: tuple[int, ...]) -> None:
    """By brute force over all cells: 1 + log2(side) on a line, their product on a grid, each by exactly 1."""
    expected = np.prod([1 + np.log2(side) for side in shape])
    for unit in np.eye(int(np.prod(shape)), dtype=np.int64):
        moved = haar_transform(unit.reshape(shape))

        assert expected == np.abs(moved).sum()
        assert 1 == np.abs(moved).max()


@pytest.mark.parametrize("shape", [(1,), (8,), (4, 8)], ids=str)
def test_wavelets_go_and_come_back(shape: tuple[int, ...]) -> None:
    """The histogram of its own coefficients; they are the totals and differences of halves."""
    counts = np.random.default_rng(5).integers(0, 50, shape)

    assert np.array_equal(counts, inverse_haar(haar_transform(counts).astype(float)))
    assert [10, -4, -1, -1] == haar_transform(np.array([1, 2, 3, 4])).tolist()


@pytest.mark.parametrize("shape", [(9,), (1, 1), (8, 8), (5, 3), (1, 7), (6, 6)], ids=str)
def test_the_curve_visits_every_cell_once(shape: tuple[int, ...]) -> None:
    """A permutation of the cells; on a square of a power of two each step goes to a neighbour."""
    order = curve(shape)

    assert list(range(int(np.prod(shape)))) == sorted(order.tolist())
    if shape == (8, 8):
        assert {1} == set((np.abs(np.diff(order // 8)) + np.abs(np.diff(order % 8))).tolist())


@pytest.mark.parametrize("shape, draws", [((4096,), 16), ((256, 256), 6), ((40, 7), 60)], ids=str)
def test_the_branching_is_near_the_best(shape: tuple[int, ...], draws: int) -> None:
    """Pure noise: no other branching factor tried has a root mean square error smaller by more than a third."""
    from dpselect.histograms import Workload

    asked = Workload.random_ranges(shape, 500, seed=6)

    def error(factor: int) -> float:
        noise = [measure_blocks(np.zeros(shape, dtype=np.int64), factor, Fraction(1), paid(1)) for _ in range(draws)]
        return float(np.sqrt(np.mean([np.square(asked.answers(each)).mean() for each in noise])))

    assert error(branching(shape)) <= 1.5 * min(error(factor) for factor in (2, 4, 8, 32, max(shape)))
