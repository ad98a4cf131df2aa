"""Records with a number each: sums per node, value and side of a centre, against sums one by one."""

import numpy as np

from dpselect.views.targets import STEPS, Targets


def table(rows: int = 300):
    """Codes of three columns, and steps from end to end."""
    random = np.random.default_rng(4)
    sizes = (3, 7, 2)
    steps = np.append(random.integers(0, STEPS, rows - 2), [0, STEPS - 1])
    return Targets([random.integers(0, size, rows) for size in sizes], steps, sizes)


def test_histograms_count_even_parts() -> None:
    """Of the whole grid, both ends included."""
    targets = table()
    for cells in (4, 256):
        assert np.histogram(targets.steps, cells, (0, STEPS))[0].tolist() == targets.histogram(cells).tolist()


def test_numbers_are_cut_at_the_ends_of_the_range() -> None:
    """And counted from its low end; both sides of a record make its width."""
    targets = table()
    sided = targets.within(STEPS // 4, STEPS // 2)
    numbers = np.clip(targets.steps, STEPS // 4, STEPS // 2) - STEPS // 4

    assert [[int((STEPS // 4 - numbers).sum()), int(numbers.sum())]] == sided.totals(1).tolist()
    assert STEPS // 4 * targets.rows == sided.totals(1).sum()


def test_sums_are_those_of_each_record() -> None:
    """At the root and after a split; records of a node that ended are in no sum."""
    targets = table()
    sided = targets.within(0, STEPS - 1)
    # Three nodes, of which the first ends; then the nodes of the others, by their second column.
    sided.descend(np.array([0]), [np.array([0, 1, 2])])
    node = targets.codes[0].copy()
    for centres, most in ((np.array([100, STEPS // 2, STEPS]), 2**14), (np.array([0, 9, 60_000]), 5)):
        for place, sums in enumerate(sided.around(3, centres, most)):
            for row in range(3):
                for code in range(targets.sizes[place]):
                    mask = (node == row) & (targets.codes[place] == code)
                    away = np.clip(targets.steps[mask] - centres[row], -most, most)
                    assert [-away[away < 0].sum(), away[away > 0].sum()] == sums[row, code].tolist()
    sided.descend(np.array([-1, 1, 1]), [np.zeros(0, np.int64), np.arange(7) // 4, np.arange(7) // 4 + 2])
    at = np.where(node == 0, -1, (node - 1) * 2 + targets.codes[1] // 4)
    every = [
        [int((STEPS - 1 - targets.steps[at == each]).sum()), int(targets.steps[at == each].sum())] for each in range(4)
    ]

    assert every == sided.totals(4).tolist()
    assert all(every == table.sum(axis=1).tolist() for table in sided.level(4))
    assert sided.again().totals(1).sum() == (STEPS - 1) * targets.rows


def test_nothing_of_a_record_shows() -> None:
    """Numbers of columns alone, and the public width."""
    assert "Targets(attributes=3)" == repr(table())
    assert "SidedRecords(attributes=3, width=8)" == repr(table().within(0, 8))


def test_labels_of_a_fine_grid_keep_the_cells_of_a_large_column() -> None:
    """Code and label together may need more than 32 bits."""
    size, grid = 10**6, 2**16
    targets = Targets([np.array([0, size - 1])], np.array([0, STEPS - 1]), (size,))
    records = targets.on_grid(0, STEPS - 1, grid)

    assert [0, size * (grid + 1) - 1] == [int(cell) for cell in records._cells[0]]
