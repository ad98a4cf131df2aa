"""Workloads and their error."""

import numpy as np
import pytest

from dpselect.histograms import Workload, scaled_average_error


@pytest.mark.parametrize("shape", [(1,), (13,), (1, 1), (6, 9)], ids=str)
@pytest.mark.parametrize("make", [Workload.random_ranges, Workload.cells, Workload.prefixes])
def test_answers_are_sums(make, shape: tuple[int, ...]) -> None:
    """Prefix sums agree with sums over slices, exactly for integers and closely for floats."""
    counts = np.random.default_rng(3).integers(0, 100, shape)
    asked = make(shape)
    expected = [
        counts[tuple(slice(a, b) for a, b in zip(low, high, strict=True))].sum()
        for low, high in zip(asked.low, asked.high, strict=True)
    ]

    assert expected == asked.answers(counts).tolist()
    assert np.allclose(np.array(expected) / 7, asked.answers(counts / 7))


def test_random_ranges_repeat_and_cover() -> None:
    """The same seed gives the same queries, another seed others; every cell is covered, single cells occur."""
    asked = Workload.random_ranges((8, 8), 3000, seed=4)
    sizes = asked.high - asked.low

    assert np.array_equal(asked.low, Workload.random_ranges((8, 8), 3000, seed=4).low)
    assert not np.array_equal(asked.low, Workload.random_ranges((8, 8), 3000, seed=5).low)
    assert {*range(1, 9)} == set(sizes[:, 0]) == set(sizes[:, 1])
    # Two uniform cells are |i - j| + 1 apart, 1 + (n^2 - 1) / (3 n) on average.
    assert abs(sizes.mean() - (1 + 63 / 24)) < 0.1
    assert 0.1 > abs(np.corrcoef(sizes.T)[0, 1])


def test_the_error_by_hand() -> None:
    """Errors 3 and -4 on ten records and two queries."""
    asked = Workload((2,), [0, 1], [1, 2])

    assert 5 / (10 * 2) == scaled_average_error([9, 0], [6, 4], asked)
    assert 7 / (10 * 2) == scaled_average_error([9, 0], [6, 4], asked, loss="L1")


@pytest.mark.parametrize(
    "refused, error, told",
    [
        (lambda: Workload((4,), [0], [5]), ValueError, "0 <= low < high <= cells"),
        (lambda: Workload((4,), [2], [2]), ValueError, "0 <= low < high <= cells"),
        (lambda: Workload((4,), [0.0], [2.0]), TypeError, "integers"),
        (lambda: Workload((4,), [0, 1], [2]), ValueError, "as many low as high"),
        (lambda: Workload((4, 4), [0, 1], [2, 3]), ValueError, r"\(k, 2\) on a grid"),
        (lambda: Workload((2, 2, 2), [[0, 0, 0]], [[1, 1, 1]]), ValueError, "one or two dimensions"),
        (lambda: Workload.random_ranges((4,), 0), ValueError, "how many queries"),
        (lambda: Workload.random_ranges((4,), 5, seed=-1), ValueError, "seed must be an integer"),
        (lambda: Workload.cells((0,)), ValueError, "at least one cell"),
        (lambda: Workload.cells(2.5), TypeError, "number of cells"),
        (lambda: Workload.cells((4,)).answers([1, 2, 3]), ValueError, r"shape \(3,\)"),
        (lambda: scaled_average_error([0.0], [0], Workload.cells((1,))), ValueError, "at least one record"),
        (lambda: scaled_average_error([0.0], [1], Workload.cells((1,)), loss="max"), ValueError, "'L1' or 'L2'"),
    ],
)
def test_refusals(refused, error: type[Exception], told: str) -> None:
    """One sentence says what to pass."""
    with pytest.raises(error, match=told):
        refused()
