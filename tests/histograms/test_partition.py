"""DAWA's partition: exact costs, how far one record moves them, and the law of the buckets."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from dpselect import audit
from dpselect.histograms.dawa import candidates, deviations, partition
from dpselect.mechanisms.pmf import discrete_laplace as log_law
from dpselect.release.partition import least_cost
from tests.chance import accept
from tests.histograms.transcript import paid


def lines(cells: int, values: tuple[int, ...]):
    """Every line of cells with these counts."""
    return (np.array(counts, dtype=np.int64) for counts in product(values, repeat=cells))


def test_candidates_by_hand() -> None:
    """Powers of two, starting at multiples of half a length."""
    given = candidates(8)
    found = list(zip(given.starts.tolist(), given.stops.tolist(), strict=True))

    assert [(start, start + 2) for start in range(7)] == found[8:15]
    assert [(0, 4), (2, 6), (4, 8), (0, 8)] == found[15:]
    assert [(0, 1)] == list(zip(candidates(1).starts.tolist(), candidates(1).stops.tolist(), strict=True))


def test_costs_are_the_formula() -> None:
    """Sum |x - mean| of every interval, in exact ticks of 1/cells."""
    line = np.array([7, 0, 3, 3, 12, 1, 0, 5])
    given, expected = candidates(8), []
    for start, stop in zip(given.starts, given.stops, strict=True):
        part = [Fraction(int(x)) for x in line[start:stop]]
        mean = sum(part) / len(part)
        expected.append(8 * sum(abs(x - mean) for x in part))

    assert expected == deviations(line).tolist()


@pytest.mark.parametrize(
    "cells, values", [(2, range(9)), (4, range(4)), pytest.param(8, (0, 2), marks=pytest.mark.slow)]
)
def test_one_record_moves_a_cost_by_less_than_two(cells: int, values) -> None:
    """At most 2 (1 - 1/length), attained; only intervals that hold the changed cell move."""
    given, largest = candidates(cells), np.zeros(len(candidates(cells).starts))
    for line in lines(cells, values):
        for cell in range(cells):
            more = line.copy()
            more[cell] += 1
            moved = np.abs(deviations(more) - deviations(line)) / cells
            largest = np.maximum(largest, moved)

            assert not moved[(given.starts > cell) | (given.stops <= cell)].any()

    assert np.allclose(2 * (1 - 1 / (given.stops - given.starts)), largest)


def test_half_the_noise_would_not_do() -> None:
    """Two intervals with the same changed cell move apart by more than 2, so noise of scale 2/epsilon is too little."""
    apart = 0.0
    for line in lines(8, (0, 2)):
        for cell in range(8):
            more = line.copy()
            more[cell] += 1
            moved = (deviations(more) - deviations(line)) / 8
            apart = max(apart, float(moved.max() - moved.min()))

    assert 2 < apart < 4


def test_the_cheapest_partition_is_found() -> None:
    """Against every partition of eight cells into candidates."""
    given, random = candidates(8), np.random.default_rng(1)
    intervals = list(zip(given.starts.tolist(), given.stops.tolist(), strict=True))

    def every(start: int):
        if start == 8:
            yield (8,)
        for first, stop in intervals:
            if first == start:
                yield from ((start, *rest) for rest in every(stop))

    for _ in range(20):
        costs = random.integers(-20, 50, len(intervals))
        price = dict(zip(intervals, costs.tolist(), strict=True))
        found = least_cost(given, costs).tolist()

        assert min(sum(price[pair] for pair in pairwise(way)) for way in every(0)) == sum(
            price[pair] for pair in pairwise(found)
        )


def test_the_proof_step_by_step() -> None:
    """Lower one noise by four records' worth and the neighbour keeps the same buckets, ties included."""
    given, random = candidates(8), np.random.default_rng(2)
    for trial in range(400):
        line = random.integers(0, 4, 8)
        more, cell = line.copy(), int(random.integers(8))
        more[cell] += 1
        if trial % 2:
            line, more = more, line
        noise = random.integers(-3, 4, given.starts.size) * 8
        edges = least_cost(given, deviations(line) + noise)
        start = edges[np.searchsorted(edges, cell, side="right") - 1]
        stop = edges[np.searchsorted(edges, cell, side="right")]
        noise[(given.starts == start) & (given.stops == stop)] -= 2 * 16

        assert np.array_equal(edges, least_cost(given, deviations(more) + noise))


def one_bucket(line: np.ndarray, epsilon: Fraction, scale: Fraction = Fraction(1)) -> float:
    """Pr[two cells become one bucket]: noise of the pair against the noise of both singles, in half records."""
    rate = epsilon / 8 * scale
    z = np.arange(-2000, 2001)
    single = np.exp(log_law(z, rate))
    both = np.convolve(single, single)
    # Costs in ticks: 1/epsilon2 each, and |x - y| for the pair; the order of candidates gives ties to the singles.
    constant, pair = 2, int(2 * abs(int(line[0]) - int(line[1])))
    at_least = np.cumsum(both[::-1])[::-1]
    # The pair wins if its noise is less than that of the singles by more than pair - constant.
    needed = z + pair - constant + 1
    offset = np.clip(needed + 4000, 0, both.size - 1)
    return float((single * at_least[offset]).sum())


@pytest.mark.chance(2.1e-6)
def test_the_law_of_two_cells() -> None:
    """Draws follow the convolution of their noises, and are told apart from those of 0.7 and 1.3 epsilon."""
    epsilon, cells = Fraction(4), np.array([4, 0])

    def drawn() -> int:
        return int(partition(cells, epsilon, Fraction(1), paid(epsilon)).size == 2)

    def law(scale: Fraction) -> dict[int, float]:
        chance = one_bucket(cells, epsilon, scale)
        return {0: 1 - chance, 1: chance}

    against = {str(scale): law(scale) for scale in (Fraction(7, 10), Fraction(13, 10))}
    verdict = audit.sampler(drawn, law(Fraction(1)), against=against)

    accept(verdict)


def test_neighbours_of_two_cells() -> None:
    """The exact law of the buckets loses at most epsilon; two cells use a quarter of the allowance."""
    epsilon, worst = Fraction(1), 0.0
    for x, y in [(0, 0), (1, 0), (5, 0), (2, 2)]:
        for a, b in [(x + 1, y), (x, y + 1)]:
            p, q = one_bucket(np.array([x, y]), epsilon), one_bucket(np.array([a, b]), epsilon)
            worst = max(worst, abs(np.log(p / q)), abs(np.log((1 - p) / (1 - q))))

    assert 0.1 < worst <= 0.25 + 1e-9
