"""DAWA as released: its partition follows the law that is computed, and loses more than its share of epsilon."""

import math

import numpy as np
import pytest

from dpselect import histograms
from research.comparisons.dawa_as_released import Program, apart, empty_line_loss

TEXT = Program(floor=False, exact_cells=False, little_noise=False)


@pytest.mark.parametrize("program", [Program(), Program(floor=False), Program(little_noise=False)])
def test_the_chance_that_cells_stay_apart_is_the_law_of_the_program(program: Program) -> None:
    """Five thousand partitions of four cells, beside the product of chances."""
    numbers, line, epsilon, many = np.random.default_rng(5), np.array([3.0, 0.0, 9.0, 1.0]), 0.8, 5_000
    hits = sum(program.edges(line, epsilon, numbers).size == 5 for _ in range(many))
    chance = apart(line, epsilon, program)

    assert 0.02 < chance < 0.98
    assert abs(hits / many - chance) < 5 * math.sqrt(chance * (1 - chance) / many)


@pytest.mark.parametrize("cells", [2, 4, 8])
@pytest.mark.parametrize("epsilon", [0.1, 0.5])
def test_the_loss_on_an_empty_line(cells: int, epsilon: float) -> None:
    """From both laws: more than epsilon1 from four cells on."""
    record = np.zeros(cells)
    record[(cells - 1) // 2] = 1
    loss = math.log(apart(record, epsilon) / apart(np.zeros(cells), epsilon)) / (epsilon / 4)

    assert loss == pytest.approx(empty_line_loss(cells))
    assert (cells > 2) == (loss > 1 + 1e-9)


def test_the_floor_alone_breaks_the_promise() -> None:
    """With noise on cells too, and twice as much of it, eight cells lose 2.4 times what they should."""
    only = Program(exact_cells=False, little_noise=False)

    assert 2.4 < empty_line_loss(8, only) < 2.5
    # By draws: the chance of four buckets with a record, over that without.
    numbers, epsilon, many = np.random.default_rng(6), 1.0, 6_000
    record = np.zeros(4)
    record[1] = 1
    with_it, without = (
        sum(only.edges(line, epsilon, numbers).size == 5 for _ in range(many)) for line in (record, np.zeros(4))
    )
    ratio = math.log(with_it / without) / (epsilon / 4)
    assert abs(ratio - empty_line_loss(4, only)) < 5 * math.sqrt(1 / with_it + 1 / without) / (epsilon / 4)
    with pytest.raises(ValueError, match="one noise hides the record"):
        empty_line_loss(8, TEXT)


def test_the_floor_is_what_wins() -> None:
    """On a sparse line with flat stretches: far better than HB with a floor, and no better without."""
    numbers, line = np.random.default_rng(7), np.zeros(512, dtype=np.int64)
    line[40:56], line[300:310] = 700, 300
    asked = histograms.Workload.random_ranges((512,), 500)

    def error(program: Program) -> float:
        runs = (program.estimate(line, 0.05, numbers) for _ in range(25))
        return float(np.mean([histograms.scaled_average_error(run, line, asked) for run in runs]))

    assert 1.5 * error(Program()) < error(Program(floor=False))
    assert 1.3 * error(Program()) < error(TEXT)


def test_it_is_not_among_what_releases() -> None:
    """It can be computed and measured; no name of the library reaches it."""
    assert not any("released" in name for name in histograms.EVERY_ALGORITHM)
    assert not hasattr(histograms, "Program")
