"""What a histogram asks is checked before it is paid for, and long thin grids cost what lines cost."""

import importlib
import time
import tracemalloc
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import dpselect as dps
from dpselect import histograms
from dpselect.histograms.count_arrays import MOST_CELLS
from dpselect.histograms.hb import _on_a_line, branching
from dpselect.histograms.hilbert import curve
from dpselect.histograms.release_histogram import LEAST_EPSILON
from dpselect.kernel import bound as bounds
from dpselect.release.system_noise import SystemNoise
from tests.calls import calls
from tests.histograms.transcript import paid

SHAPES = [(1,), (2,), (7,), (64,), (1, 1), (1, 9), (9, 1), (5, 3), (8, 8)]
NAMES = ["identity", "uniform", "hb", "privelet", "dawa", "mwem"]


def module(name: str):
    """The module of an algorithm, which its function hides."""
    return importlib.import_module(f"dpselect.histograms.{name}")


class Rates(SystemNoise):
    """Real coins that note the rate of every noise."""

    def __init__(self) -> None:
        super().__init__()
        self.rates = []

    def noisy(self, counts, rate):
        """Note; the noise on the costs of a partition comes here too."""
        self.rates.append(rate)
        return super().noisy(counts, rate)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_the_least_rate_is_stated_before(name: str, shape: tuple[int, ...]) -> None:
    """No noise is asked for at a smaller rate, and the stated one does occur but for DAWA's and MWEM's choices."""
    algorithm, coins, epsilon = module(name), Rates(), Fraction(3)
    run = algorithm.estimate
    if name == "mwem":
        queries, mechanism = histograms.Workload.cells(shape), dps.mechanism("permute-and-flip")
        run = partial(run, queries=queries, mechanism=mechanism)
    run(np.full(shape, 5), epsilon, paid(epsilon, coins))
    stated = algorithm.least_rate(shape, epsilon)

    assert stated <= min(coins.rates)
    if name not in ("dawa", "mwem"):
        assert stated == min(coins.rates)


@pytest.mark.parametrize("name", [*NAMES, "coarse_dawa"])
def test_noise_that_would_not_fit_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is spent."""
    monkeypatch.setattr(bounds, "_MOST_BITS", 1)
    with dps.budget(epsilon=2) as book, pytest.raises(ValueError, match="epsilon is too small for counts"):
        histograms.EVERY_ALGORITHM[name]([3, 1, 4, 1], epsilon=Fraction(1, 100))

    assert 0 == book.totals.spends


@pytest.mark.parametrize("shape", [(MOST_CELLS,), (2**11, 2**11), (1, MOST_CELLS), (MOST_CELLS, 1)], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_the_documented_limits_go_together(name: str, shape: tuple[int, ...]) -> None:
    """The least epsilon leaves noise that fits on the largest domain."""
    bounds.require_rate(module(name).least_rate(shape, LEAST_EPSILON))


@pytest.mark.parametrize("shape", [(1, 2**20), (2**20, 1), (2, 2**19), (2**19, 2), (3, 2**18)], ids=str)
def test_a_curve_needs_no_square(shape: tuple[int, ...]) -> None:
    """Memory for the cells, not for the square around them; every cell once, and no step far away."""
    curve.cache_clear()
    tracemalloc.start()
    order = curve(shape)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 200 * order.size
    assert np.array_equal(np.arange(order.size), np.sort(order))
    row, column = np.divmod(order, shape[1])
    assert (np.abs(np.diff(row)) + np.abs(np.diff(column))).max() <= 3


@pytest.mark.parametrize("shape", [(4, 16), (16, 4), (8, 64), (2, 10), (10, 2)], ids=str)
def test_squares_follow_one_another_without_a_jump(shape: tuple[int, ...]) -> None:
    """Where the shorter side is a power of two each step goes to a neighbour."""
    row, column = np.divmod(curve(shape), shape[1])

    assert {1} == set((np.abs(np.diff(row)) + np.abs(np.diff(column))).tolist())


def test_the_order_on_squares_is_that_of_hilbert() -> None:
    """By hand, as it has always been."""
    assert [0, 4, 5, 1, 2, 3, 7, 6, 10, 11, 15, 14, 13, 9, 8, 12] == curve((4, 4)).tolist()
    assert [0, 1, 3, 2] == curve((2, 2)).tolist()


@pytest.mark.parametrize("name", ["dawa", "coarse_dawa", "hb"])
@pytest.mark.parametrize("shape", [(1, 2**16), (2**16, 1), (2, 2**15)], ids=str)
def test_thin_grids_cost_what_lines_cost(name: str, shape: tuple[int, ...]) -> None:
    """No memory for a square, and few calls of functions more than a line of as many cells."""
    algorithm = histograms.EVERY_ALGORITHM[name]

    def effort(shape: tuple[int, ...]) -> int:
        branching.cache_clear()
        curve.cache_clear()
        with dps.budget(epsilon=1) as book:
            number = calls(lambda: algorithm(np.ones(shape, dtype=int), epsilon=1))
        assert 1 == book.totals.spends
        return number

    assert effort(shape) < effort((2**16,)) + 20_000


def test_the_quick_search_for_a_factor_finds_the_best() -> None:
    """On lines it is that of a search through all of them."""
    for cells in [*range(2, 300), 1000, 4096]:
        best = min(range(2, cells + 1), key=lambda factor, cells=cells: _on_a_line(cells, factor))

        assert best == branching((cells,)) == branching((1, cells))


@pytest.mark.slow
def test_dawa_at_its_limit() -> None:
    """4,194,304 cells in less than a minute."""
    started = time.process_time()
    estimate = histograms.dawa(np.ones(MOST_CELLS, dtype=int), epsilon=1)

    assert (MOST_CELLS,) == estimate.shape
    assert time.process_time() - started < 60
