"""Records that go down trees: where they end, and sums of derivatives that no record moves far."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dpselect.views import Records
from dpselect.views.gradient_sums import UNIT, WIDEST, chances
from dpselect.views.leaves import LARGEST, SLOPE_UNIT, Descent, Leaves, log_table

# A root that splits by the second column, and whose second child splits by the first.
SPLIT = np.array([1, -1, 0, -1, -1])
CHILD = np.array([1, 2, 2, 3, 4])


def made(rows: list[tuple[int, int, int]], classes: int = 2) -> Leaves:
    """Records of two columns of two and three codes, and a label."""
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Records([table[:, 0], table[:, 1]], table[:, 2], (2, 3), classes).leaves()


def test_records_go_where_their_codes_say() -> None:
    """Leaf by leaf; and with more records than are sent at a time."""
    rows = [(0, 0, 1), (1, 0, 0), (0, 1, 1), (1, 2, 1), (1, 1, 0)]
    expected = [[0, 0], [1, 1], [0, 0], [0, 1], [1, 1]]

    assert expected == made(rows).counts(Descent(SPLIT, CHILD)).tolist()
    many = made(rows * 10_000).counts(Descent(SPLIT, CHILD))
    assert (10_000 * np.array(expected)).tolist() == many.tolist()


def test_one_leaf_and_no_record() -> None:
    """A tree that is a leaf counts all records, and an empty table none."""
    alone = Descent(np.array([-1]), np.zeros(0, dtype=np.int64))

    assert [[1, 2]] == made([(0, 0, 1), (1, 2, 1), (1, 1, 0)]).counts(alone).tolist()
    empty = made([])
    assert [[0, 0]] == empty.counts(alone).tolist()
    empty.add(np.zeros((1, 2, 2), dtype=np.int64))
    assert [0, 0] == empty.slopes(SLOPE_UNIT).tolist()


def worth(means: list[int], label: int, slope: int) -> tuple[int, int]:
    """What one record adds to both sums, in plain integers."""
    logs = [int(log_table()[max(mean, 1)]) for mean in means]
    logs = [each - max(logs) for each in logs]
    shares = chances(np.array([[slope * each // SLOPE_UNIT + WIDEST] for each in logs]))[:, 0].tolist()
    mean = sum(share * each for share, each in zip(shares, logs, strict=True))
    first = logs[label] * UNIT - mean
    first = min(max(first, -LARGEST * UNIT), LARGEST * UNIT)
    second = sum(share * each * each for share, each in zip(shares, logs, strict=True)) // UNIT - (mean // UNIT) ** 2
    return (abs(first) // UNIT) * (1 if first > 0 else -1), min(max(second // 1024, 0), LARGEST)


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_no_record_adds_more_than_one(classes: int) -> None:
    """At shares of every kind, hostile ones too, alone and all together; each as in plain integers."""
    rng, labels = np.random.default_rng(0), list(range(classes))
    shares = [rng.dirichlet([strength] * classes) for strength in (0.01, 0.1, 1, 30) for _ in range(5)]
    shares += [np.eye(classes)[0], np.zeros(classes), np.ones(classes)]
    largest = 0
    for share, slope in itertools.product(shares, (1, 205, 256, 700, 1536)):
        means = np.floor(share * UNIT).astype(np.int64)
        sums = np.zeros(2, dtype=np.int64)
        for label in labels:
            leaves = made([(0, 0, label)], classes)
            leaves.counts(Descent(SPLIT, CHILD))
            leaves.add(np.tile(means, (5, classes, 1)))
            added = leaves.slopes(slope)
            assert worth(means.tolist(), label, slope) == tuple(added.tolist())
            assert abs(added[0]) <= LARGEST
            assert 0 <= added[1] <= LARGEST
            largest, sums = max(largest, int(np.abs(added).max())), sums + added
        leaves = made([(0, 0, label) for label in labels], classes)
        leaves.counts(Descent(SPLIT, CHILD))
        leaves.add(np.tile(means, (5, classes, 1)))
        assert sums.tolist() == leaves.slopes(slope).tolist()
    assert LARGEST == largest


def test_the_sums_are_derivatives() -> None:
    """Of the log-likelihood by the slope, where nothing is clipped."""
    leaves = made([(0, 0, 1)])
    leaves.counts(Descent(SPLIT, CHILD))
    for share in (0.6, 0.7):
        leaves.add(np.tile(np.floor(np.array([1 - share, share]) * UNIT).astype(np.int64), (5, 2, 1)))
    odds, slope = np.log(0.65 / 0.35), 1.5
    chance = 1 / (1 + np.exp(-slope * odds))
    first, second = leaves.slopes(int(slope * SLOPE_UNIT)) / LARGEST

    assert odds * (1 - chance) == pytest.approx(first, abs=0.01)
    assert odds**2 * chance * (1 - chance) == pytest.approx(second, abs=0.01)


def test_records_with_trees_show_nothing() -> None:
    """Only how many columns and classes there are."""
    assert "Leaves(attributes=2, classes=2)" == repr(made([(0, 0, 1)]))
